"""Small runs that the tests of this folder share; they change nothing in them."""

import pytest

import particlegvi as pg

SMALL = {"particles": 60, "steps": 400, "step_size": 2e-3, "record_every": 10}


@pytest.fixture(scope="session")
def exported():
    return pg.run("global-minimiser", seed=2**64 - 1, **SMALL)


@pytest.fixture(scope="session")
def fitted():
    return pg.run("regression-curve", particles=10, steps=20)
