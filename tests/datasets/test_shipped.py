"""The sets that come with scikit-learn: shapes of their descriptions, and the words where it is missing."""

import sys

import numpy as np
import pytest

from particlegvi import datasets
from particlegvi.datasets import reading

from ..refusals import refuse


@pytest.mark.parametrize(
    ("name", "shape", "task", "total"),
    [("breast-diagnostic", (569, 30), "classification", 357.0),
     ("diabetes-progression", (442, 10), "regression", 442 * 152.13348416289594)],
)  # fmt: skip
def test_sets_are_as_scikit_learn_describes_them(name, shape, task, total):
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    data = datasets.load(name)
    assert data.X.shape == shape and data.y.shape == shape[:1] and data.task == task
    assert data.y.sum() == pytest.approx(total) and len(data.inputs) == shape[1]
    assert np.isfinite(data.X).all() and (data.X.std(axis=0) > 0.0).all()
    assert not set(reading.catalogue()["shipped"]) & set(datasets.names())


def test_without_scikit_learn_one_sentence_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"diabetes-progression.* needs sklearn: pip install 'particlegvi\[learn\]'"):
        datasets.load("diabetes-progression")
    monkeypatch.undo()
    refuse(lambda: datasets.load("diabetes-progres"), "there is no data set")


def test_digits_are_images_of_ten_classes():
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    data = datasets.load("digits")
    assert data.X.shape == (1797, 64) and (data.X.min(), data.X.max()) == (0.0, 16.0)
    assert np.array_equal(np.unique(data.y), np.arange(10)) and np.bincount(data.y.astype(int)).min() >= 174
