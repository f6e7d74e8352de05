"""The data of the sources, where they are; a test that needs one says so when it is skipped."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from particlegvi import datasets


@pytest.fixture
def benchmark() -> Callable[[str], datasets.Dataset]:
    def load(name: str) -> datasets.Dataset:
        try:
            return datasets.load(name)
        except datasets.MissingData as missing:
            pytest.skip(str(missing))

    return load
