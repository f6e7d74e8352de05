"""One BLAS thread: the matrices here are small, and threads that wait for each other cost more than they bring."""

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="package", autouse=True)
def one_blas_thread():
    with threadpool_limits(1, user_api="blas"):
        yield
