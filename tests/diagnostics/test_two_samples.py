"""Distances between two samples: transport against closed forms and other solvers, null quantiles against chance."""

import itertools

import numpy as np
import pytest
from scipy import stats

from particlegvi import diagnostics
from particlegvi.diagnostics import transport

from ..refusals import refused


@pytest.mark.parametrize(("order", "distance"), [(1, diagnostics.wasserstein1), (2, diagnostics.wasserstein2)])
def test_transport_is_the_best_of_all_matchings(rng, order, distance):
    x, y = rng.normal(size=(6, 3)), rng.normal(size=(6, 3)) + 0.5
    cost = np.linalg.norm(x[:, None] - y, axis=2) ** order
    best = min(cost[range(6), list(each)].mean() for each in itertools.permutations(range(6)))
    assert distance(x, y) == pytest.approx(best ** (1 / order))
    assert distance(x, x + [3.0, 4.0, 0.0]) == pytest.approx(5.0)
    assert distance(np.repeat(x, 2, axis=0), y) == pytest.approx(distance(x, y))  # 12 points and 6
    assert distance(x, y) < cost.mean() ** (1 / order)  # control: a plan that is not the best


def test_the_linear_program_is_the_assignment(rng, monkeypatch):
    x, y = rng.normal(size=(10, 2)), rng.normal(size=(15, 2))
    matched = diagnostics.wasserstein2(x, y)
    monkeypatch.setattr(transport, "MOST_MATCHED", 1)
    assert diagnostics.wasserstein2(x, y) == pytest.approx(matched, rel=1e-6)


def test_distances_to_draws_are_those_of_their_formulas(rng):
    x, y = rng.normal(size=(40, 3)), rng.normal(size=(80, 3)) + 0.3
    found = diagnostics.distances_to_draws(x, y, seed=5)
    assert list(found) == ["sliced_w1", "energy", "mmd"] and {each.particles for each in found.values()} == {40}
    one, other = diagnostics.distances_to_draws(y[:40], y), diagnostics.distances_to_draws(y[:40] + 2.0, y)
    for name in found:
        assert one[name].value <= one[name].floor[2] < found[name].floor[2] * 10 < other[name].value * 10
    # against all draws, of which a part is used
    assert found["energy"].value == pytest.approx(diagnostics.energy_distance(x, y), rel=0.3)
    assert found["sliced_w1"].value == pytest.approx(diagnostics.sliced_wasserstein(x, y), rel=0.3)


@pytest.mark.thorough
@pytest.mark.parametrize("dim", [1, 20])
def test_exact_draws_stay_below_the_quantiles_as_often_as_they_say(rng, dim):
    trials, above = 200, {}
    for _ in range(trials):
        scale = np.linspace(0.5, 2.0, dim)
        x, y = rng.normal(size=(30, dim)) * scale, rng.normal(size=(120, dim)) * scale
        for name, each in diagnostics.distances_to_draws(x, y).items():
            above[name] = above.get(name, 0) + (each.value > each.floor[1])
    low, high = stats.binom.ppf([0.0005, 0.9995], trials, 0.05)
    assert all(low - 2 <= count <= high + 2 for count in above.values()), above  # 2: the error of 400 parts


POINTS = np.zeros((4, 2))
test_refused = refused(
    lambda call: call(),
    (lambda: diagnostics.wasserstein1(POINTS, np.zeros((4, 3))), "target"),
    (lambda: diagnostics.wasserstein2(POINTS, [[np.nan, 0.0]]), "target"),
    (lambda: diagnostics.wasserstein1(np.zeros((997, 2)), np.zeros((1009, 2))), "as many points"),
    (lambda: diagnostics.wasserstein1(POINTS, "posterior"), "target"),
    (lambda: diagnostics.distances_to_draws(POINTS, np.zeros((4, 3))), "draws"),
    (lambda: diagnostics.distances_to_draws(POINTS, np.zeros((3, 2))), "at least 4"),
)
