"""Data and settings with which the models of every table take a moment."""

import pytest

from particlegvi.scenario.tables import linear
from particlegvi.scenario.tables.ensembles import protocols
from particlegvi.scenario.tables.wasserstein import models as wasserstein
from particlegvi.scenario.tables.wasserstein import protocols as folds

from ...data_sets import wave


@pytest.fixture
def made(monkeypatch):
    for module in (protocols, linear, folds):
        monkeypatch.setattr(module, "load", wave)
    monkeypatch.setattr(wasserstein, "EPOCHS", 40)
    monkeypatch.setattr(linear, "ITERATIONS", 10)
    monkeypatch.setattr(linear, "SETS", 10)
    monkeypatch.setattr(linear, "OPTIMUM_ITERATIONS", 15)
