"""Values of swept keys and seeds: what may be written, and what it stands for."""

import numpy as np
import pytest

from particlegvi.settings import grids

from ..refusals import refused


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ([1, 0.5, "a", [1.0, 2.0], {"name": "ring"}, True], [1, 0.5, "a", [1.0, 2.0], {"name": "ring"}, True]),
        ("0:2:9", [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2]),
        ("100:400:4", [100, 200, 300, 400]),
        ("0.01:10:4:log", [0.01, 0.1, 1.0, 10.0]),
        ("1e-3:1e-1:3:log", [0.001, 0.01, 0.1]),
        ("2.0:-2.0:3", [2.0, 0.0, -2.0]),
        ("0.0:1.0:11", [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]),
        ("1:16:5:log", [1, 2, 4, 8, 16]),
    ],
)
def test_values(given, values):
    assert grids.values(given, "over.key") == values


def test_ranges_are_those_of_numpy():
    np.testing.assert_allclose(grids.values("-1.5:2.25:17", "key"), np.linspace(-1.5, 2.25, 17), rtol=1e-12)
    np.testing.assert_allclose(grids.values("0.003:7:13:log", "key"), np.geomspace(0.003, 7.0, 13), rtol=1e-12)
    assert not np.allclose(grids.values("0.003:7:13", "key"), np.geomspace(0.003, 7.0, 13))


test_bad_values = refused(
    lambda given: grids.values(given, "over.key"),
    ([], r"over\.key must be a list of at least one value, none twice, or a range .*, not \[\]"),
    ([1, 1], "none twice"),
    ("0:1", "must be a list"),
    ("0:1:3:cubic", 'there is no spacing "cubic"'),
    ("1:1:3", r"over\.key must be a range"),
    ([object()], "over.key must be a text, a number"),
    ([float("nan")], "finite"),
)


@pytest.mark.parametrize(
    ("given", "seeds"), [(3, [0, 1, 2]), ("2:5", [2, 3, 4]), ([7, 1], [7, 1]), ("0:10", list(range(10)))]
)
def test_seeds(given, seeds):
    assert grids.seeds(given) == seeds
