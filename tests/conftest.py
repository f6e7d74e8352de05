"""What every test shares: a backend without windows, child processes that see the checkout, and data of its own."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent

os.environ["MPLBACKEND"] = "Agg"
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the checkout: the one that holds setup.cfg."""
    return ROOT


def own_name(node: pytest.Item) -> str:
    """The test's file relative to tests/, its class, its name and its parameters: the same on every machine."""
    places = [each.name for each in node.listchain() if isinstance(each, pytest.Class | pytest.Function)]
    return "::".join([node.path.relative_to(Path(__file__).parent).as_posix(), *places])


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers seeded by the test's own name, so that a test has the same data alone and in any order."""
    digest = hashlib.sha256(own_name(request.node).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "little"))
