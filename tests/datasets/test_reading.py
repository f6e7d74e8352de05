"""Where the files are looked for, that a wrong one is refused, and that no column gives the target away."""

import gzip

import numpy as np
import pytest

from particlegvi import datasets
from particlegvi.datasets import reading, standard_splits, thesis_split

from ..data_sets import needed
from ..refusals import refuse

# Rows, inputs, and rows of the first class where the description at the source says so; not from our own reader.
DESCRIBED = {
    "abalone": (4177, 8), "airfoil": (1503, 5), "boston": (506, 13), "breast": (683, 9, 444), "concrete": (1030, 8),
    "diabetes": (768, 8, 500), "energy-cooling": (768, 8), "energy-heating": (768, 8), "heart": (302, 13, 138),
    "heart-1025": (1025, 13), "ionosphere": (351, 33, 126), "kin8nm": (8192, 8), "mushrooms": (1885, 12, 982),
    "naval-compressor": (11934, 14), "naval-turbine": (11934, 14), "power": (9568, 4), "protein": (45730, 9),
    "rice": (3810, 7, 2180), "wine-colour": (6497, 11, 4898), "wine-quality": (1599, 11), "wine-white": (4898, 11),
    "yacht": (308, 6), "yeast": (892, 8, 429),
}  # fmt: skip


def benchmark(name):
    """The data of a source, where they are."""
    needed(name)
    return datasets.load(name)


@pytest.mark.parametrize("name", DESCRIBED)
def test_every_set_has_its_shape_and_columns_that_do_not_give_the_target_away(name):
    data, (rows, inputs, *first_class) = benchmark(name), DESCRIBED[name]
    assert (data.X.shape, data.y.shape, len(data.inputs)) == ((rows, inputs), (rows,), inputs)
    assert data.target not in data.inputs
    assert np.isfinite(data.X).all() and np.isfinite(data.y).all()
    assert (data.X.std(axis=0) > 0.0).all(), "a constant column"
    if data.task == "classification":
        assert set(np.unique(data.y)) == {0.0, 1.0}
    if first_class:
        assert np.sum(data.y == 0.0) == first_class[0]
    # The two loads of energy, the control below, correlate at 0.976. The temperature explains power at 0.948.
    assert max(abs(np.corrcoef(column, data.y)[0, 1]) for column in data.X.T) < 0.96


def test_the_leaking_column_of_energy_would_be_seen():
    heating, cooling = benchmark("energy-heating"), benchmark("energy-cooling")
    np.testing.assert_array_equal(heating.X, cooling.X)
    assert np.corrcoef(heating.y, cooling.y)[0, 1] > 0.96


def test_heart_is_the_distinct_rows_of_its_leaking_copy():
    leaking, heart = benchmark("heart-1025"), benchmark("heart")
    distinct = leaking.distinct()
    assert len(distinct.y) == len(heart.y) == len(heart.distinct().y)
    np.testing.assert_array_equal(distinct.X, heart.X)
    np.testing.assert_array_equal(distinct.y, heart.y)


@pytest.mark.parametrize(
    ("name", "repeated"),
    [("wine-quality", 240), ("wine-white", 937), ("abalone", 0), ("breast", 234), ("power", 41), ("boston", 0)],
)
def test_the_repeated_rows_are_as_many_as_the_notes_say(name, repeated):
    data = benchmark(name)
    assert len(data.y) - len(data.distinct().y) == repeated
    assert str(repeated) in data.note or not repeated


def test_a_missing_file_is_one_sentence_that_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PARTICLEGVI_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(datasets.MissingData, match="boston") as caught:
        datasets.load("boston")
    words = str(caught.value)
    assert isinstance(caught.value, ValueError)
    for part in ("boston.csv.gz", str(tmp_path), "PARTICLEGVI_DATA", "particlegvi data boston says how"):
        assert part in words
    assert "\n" not in words


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("yacht.csv", b"a,b\n1,2\n", "is not the file that was meant"),
        ("yacht.csv", b"", "is not the file that was meant"),
        ("yacht.csv.gz", gzip.compress(b"a,b\n1,2\n", mtime=0), "is not the file that was meant"),
        ("yacht.csv.gz", gzip.compress(b"a" * 1000, mtime=0)[:-9], "yacht.csv.gz cannot be unpacked"),
    ],
)
def test_another_file_of_that_name_is_refused(name, content, words, tmp_path, monkeypatch):
    (tmp_path / name).write_bytes(content)
    monkeypatch.setenv("PARTICLEGVI_DATA", str(tmp_path))
    refuse(lambda: datasets.load("yacht"), words)


# The sets that come with scikit-learn


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


def test_digits_are_images_of_ten_classes():
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    data = datasets.load("digits")
    assert data.X.shape == (1797, 64) and (data.X.min(), data.X.max()) == (0.0, 16.0)
    assert np.array_equal(np.unique(data.y), np.arange(10)) and np.bincount(data.y.astype(int)).min() >= 174


# Splits


@pytest.mark.parametrize("rows", [308, 506, 1030, 1599, 11934])
def test_the_standard_splits_are_those_of_the_papers_program(rows):
    stream = np.random.RandomState(1)
    for train, test in standard_splits(rows, count=20):
        order = stream.choice(range(rows), rows, replace=False)
        end = round(np.floor(rows * 0.9 + 0.5))
        np.testing.assert_array_equal(train, order[:end])
        np.testing.assert_array_equal(test, order[end:])


@pytest.mark.parametrize("rows", [20, 302, 308, 351, 506, 768, 892, 1025, 1030, 1599, 9568])
@pytest.mark.parametrize("seed", [0, 4])
def test_the_thesis_splits_are_those_of_scikit_learn(rows, seed):
    selection = pytest.importorskip("sklearn.model_selection", reason="needs scikit-learn")
    every = np.arange(rows)
    ours = thesis_split(rows, seed, "classification")
    theirs = selection.train_test_split(every, test_size=0.25, random_state=seed)
    np.testing.assert_array_equal(ours.train, theirs[0])
    np.testing.assert_array_equal(ours.test, theirs[1])
    assert len(ours.validation) == 0

    ours = thesis_split(rows, seed, "regression")
    train, rest = selection.train_test_split(every, test_size=1 - 0.8, random_state=seed)
    tested = 1 - 0.8 - 0.1
    validation, test = selection.train_test_split(rest, test_size=tested / (tested + 0.1), random_state=seed)
    for mine, other in zip(ours, (train, validation, test), strict=True):
        np.testing.assert_array_equal(mine, other)
