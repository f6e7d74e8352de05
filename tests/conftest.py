"""What every test shares: a backend without windows, and child processes that see the checkout under test."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

os.environ["MPLBACKEND"] = "Agg"
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the checkout: the one that holds setup.cfg."""
    return ROOT
