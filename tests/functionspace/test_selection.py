"""The rules that choose inducing points, against the slow definitions and what they promise."""

from __future__ import annotations

import itertools
import tracemalloc

import numpy as np
import pytest

from particlegvi.functionspace import covariances, selection
from particlegvi.functionspace.covariances import Matern32, Matern52, SquaredExponential

from ..refusals import refused

RNG = np.random.default_rng(2)
X = RNG.normal(size=(60, 2))
K = Matern52([0.8, 1.2], 1.5)


def left_over(k, X, Z):
    """The conditional variances at X given the values at Z, by dense linear algebra."""
    return k.diagonal(X) - np.einsum("nm,mn->n", k(X, Z), np.linalg.solve(k(Z), k(Z, X)))


def test_every_file_is_found():
    assert {"greedy", "k-means", "random"} <= set(selection.names())


class TestGreedy:
    @pytest.mark.parametrize("k", [K, Matern32(0.5) * covariances.Periodic(2.0) + SquaredExponential(3.0)])
    def test_each_point_has_the_largest_variance_left(self, k):
        found = selection.select("greedy", k, X, 20)
        assert found.facts == {"selection": "greedy", "asked": 20, "found": 20, "seed": 0}
        assert np.array_equal(found.points, X[found.indices])
        for m in range(1, 20):
            left = left_over(k, X, found.points[:m])
            assert left[found.indices[m]] == pytest.approx(left.max(), abs=1e-10)

    def test_the_first_of_equal_points_is_random(self):
        firsts = {int(selection.select("greedy", K, X, 1, seed).indices[0]) for seed in range(40)}
        assert len(firsts) > 15

    def test_stops_where_nothing_is_left(self):
        found = selection.select("greedy", K, np.repeat(X[:7], 3, axis=0), 15)
        assert found.facts["asked"] == 15 and found.facts["found"] == len(found.points) == 7
        assert len(np.unique(found.points, axis=0)) == 7

    def test_smooth_covariance_runs_out_of_rank_before_the_points_do(self):
        smooth = SquaredExponential(3.0)
        found = selection.select("greedy", smooth, X, 60)
        assert 10 < found.facts["found"] < 60
        assert np.abs(left_over(smooth, X, found.points)).max() < 1e-8

    def test_work_and_memory_grow_with_the_points_not_the_square_of_the_rows(self, rng):
        class Counting(Matern32):
            entries = 0

            def __call__(self, A, B=None):
                matrix = super().__call__(A, B)
                Counting.entries += matrix.size
                return matrix

        rows = rng.normal(size=(4000, 3))
        tracemalloc.start()
        found = selection.select("greedy", Counting(1.0), rows, 40)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert found.facts["found"] == 40
        assert Counting.entries == 4000 * 40
        assert peak < 1.5 * 4000 * 40 * 8


class TestRandom:
    def test_every_pair_is_equally_likely(self):
        pairs = dict.fromkeys(itertools.combinations(range(4), 2), 0)
        for seed in range(1200):
            pairs[tuple(sorted(selection.select("random", K, X[:4], 2, seed).indices.tolist()))] += 1
        chi2 = sum((count - 200) ** 2 / 200 for count in pairs.values())
        assert chi2 < 20.5  # the 99.9% point with five degrees of freedom


class TestKMeans:
    def test_centres_are_the_means_of_their_clusters(self):
        found = selection.select("k-means", K, X, 6)
        nearest = np.linalg.norm(X[:, None] - found.points, axis=2).argmin(axis=1)
        for m, centre in enumerate(found.points):
            np.testing.assert_allclose(X[nearest == m].mean(axis=0), centre, atol=1e-12)
        assert found.indices is None

    def test_finds_clusters_that_lie_apart(self, rng):
        middles = np.array([[0.0, 0.0], [50.0, 0.0], [0.0, 50.0], [50.0, 50.0]])
        blobs = (middles[:, None] + rng.normal(size=(4, 30, 2))).reshape(-1, 2)
        for seed in range(10):  # k-means++ starts in all four but with probability of about 1e-3
            found = selection.select("k-means", K, blobs, 4, seed).points
            order = np.lexsort(np.round(found, -1).T)
            expected = blobs.reshape(4, 30, 2).mean(axis=1)
            np.testing.assert_allclose(found[order], expected[np.lexsort(middles.T)], atol=1e-12)

    def test_fewer_distinct_rows_than_asked_for(self):
        found = selection.select("k-means", K, np.repeat(X[:5], 4, axis=0), 9)
        assert found.facts["found"] == 5
        np.testing.assert_allclose(np.sort(found.points, axis=0), np.sort(X[:5], axis=0))


@pytest.mark.parametrize("name", [name for name in selection.names() if not selection.uses_targets(name)])
def test_same_seed_same_points_and_all_rows_are_allowed(name):
    first, again = (selection.select(name, K, X, 8, seed=3).points for _ in range(2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, selection.select(name, K, X, 8, seed=4).points)
    everything = selection.select(name, K, X, 60).points
    np.testing.assert_allclose(np.sort(everything, axis=0), np.sort(X, axis=0), atol=1e-12)


test_bad_input_is_refused = refused(
    lambda name, count: selection.select(name, K, X, count),
    ("greddy", 5, 'did you mean "greedy"'),
    ("greedy", 61, "the number of inducing points must be at most 60, the rows of X, not 61"),
    ("greedy", 0, "whole number of 1 or more"),
    ("greedy", 2.5, "whole number of 1 or more"),
)
