"""Inducing points placed by an objective: values against dense formulas, gradients against differences, and results."""

import itertools
import math
import tracemalloc

import numpy as np
import pytest

from particlegvi import functionspace as fs
from particlegvi.functionspace import covariances, divergences, likelihoods, selection
from particlegvi.functionspace.covariances import Matern12, Matern32, Matern52, SquaredExponential
from particlegvi.functionspace.selection.objectives import CollapsedBound, SquaredDivergence
from particlegvi.functionspace.selection.rules import place

from ..differences import slopes
from ..refusals import refused
from .references import huggins

SCALES = np.array([0.7, 1.4])
NOISE = 0.07


def data(seed=0, n=40):
    r = np.random.default_rng([8, seed])
    X = r.uniform(-2.0, 2.0, (n, 2))
    return X, np.sin(2.0 * X[:, 0]) + 0.3 * r.normal(size=n), r.uniform(-1.8, 1.8, (7, 2))


@pytest.mark.thorough
@pytest.mark.parametrize("k", [SquaredExponential(SCALES, 1.3), SquaredExponential(0.8, 0.5) + Matern52(SCALES, 0.7)])
def test_the_squared_divergence_and_its_gradient(k):
    """Against `divergences`, which computes it in another way; control: without the constant it is another number."""
    X, y, Z = data(1)
    problem = SquaredDivergence(k, X, selection.Targets(y, NOISE), X[:12])
    value, gradient = problem.at(Z)
    exact = fs.ExactGaussianProcess(k, NOISE).fit(X, y)
    nu = fs.SubsetOfRegressors(k, NOISE, X[:12]).fit(X, y)
    sparse = fs.SparseGaussianProcess(k, likelihoods.Gaussian(NOISE), Z).fit(X, y)
    right = divergences.preconditioned_fisher(sparse, exact, nu) ** 2
    assert value == pytest.approx(right, rel=1e-5)
    assert abs(value - problem.constant / NOISE**2) > 0.1 * right
    differences = slopes(lambda z: problem.at(z.reshape(Z.shape))[0], Z.ravel())
    np.testing.assert_allclose(gradient.ravel(), differences, rtol=1e-4, atol=1e-5 * np.abs(differences).max())


class TestNinePoints:
    """R3, R4: from random starts, within one per cent."""

    k, noise = SquaredExponential(0.5, 1.0), 0.05
    inputs, targets = huggins(1300, 300)
    X, y, new = inputs[:300], targets[:300], inputs[300:]
    exact = fs.ExactGaussianProcess(k, noise).fit(X, y)

    def errors(self, Z):
        model = fs.SparseGaussianProcess(self.k, likelihoods.Gaussian(self.noise), Z).fit(self.X, self.y)
        found, right = model.predict(self.new, True), self.exact.predict(self.new, True)
        mean, sd = found[0] - right[0], found[1] - right[1]
        kl = self.exact.log_marginal_likelihood() - model.bound
        return kl, math.sqrt(np.mean(mean**2)), math.sqrt(np.mean(sd**2))

    def start(self, trial):
        r = np.random.default_rng(trial)
        return self.X[r.permutation(300)[:9]]

    @pytest.mark.thorough
    def test_elbo_from_every_start_and_regressors_there_have_the_same_mean(self):
        assert self.exact.log_marginal_likelihood() == pytest.approx(-86.1725786, rel=1e-7)
        problem = CollapsedBound(self.k, self.X, self.y, self.noise)
        for trial in range(5):
            Z, facts = place(lambda z: problem.at(z)[:2], self.start(trial), self.X, 500)
            errors = self.errors(Z)
            assert errors == pytest.approx((5.99, 0.0147, 0.0143), rel=0.01)
            assert facts["objective"]["after"] < facts["objective"]["before"]
        degenerate = fs.SubsetOfRegressors(self.k, self.noise, Z).fit(self.X, self.y)
        found, right = degenerate.predict(self.new, True), self.exact.predict(self.new, True)
        in_mean, in_sd = (math.sqrt(np.mean((one - other) ** 2)) for one, other in zip(found, right, strict=True))
        assert in_mean == pytest.approx(errors[1], rel=1e-9) and in_sd == pytest.approx(0.0031, rel=0.02)


@pytest.mark.parametrize("placement", ["elbo", "fisher"])
def test_placed_points_are_better_than_greedy_ones(placement):
    X, y, _ = data(2, 120)
    k, gaussian = SquaredExponential(SCALES, 1.3), likelihoods.Gaussian(NOISE)
    greedy = fs.SparseGaussianProcess(k, gaussian, 9, seed=1).fit(X, y)
    model = fs.SparseGaussianProcess(k, gaussian, 9, seed=1, placement=placement).fit(X, y)
    again = fs.SparseGaussianProcess(k, gaussian, 9, seed=1, placement=placement).fit(X, y)
    assert model.predict(X).tobytes() == again.predict(X).tobytes()
    assert model.bound > greedy.bound + 1.0
    facts = model.facts
    assert facts["selection"] == placement and facts["start"] == "greedy" and facts["found"] == 9
    assert facts["objective"]["after"] < facts["objective"]["before"]
    search = facts["placement"]
    assert search["start"] == "greedy" and search["steps"] == facts["iterations"] and search["after"] < search["before"]
    assert search["converged"] == facts["converged"] and "placement" not in greedy.facts
    Z = model.inducing_points_
    assert np.all(np.abs(Z - 0.5 * (X.min(axis=0) + X.max(axis=0))) <= 0.5 * np.ptp(X, axis=0) + 1e-12)
    if placement == "elbo":
        assert -facts["objective"]["after"] == pytest.approx(model.bound, rel=1e-6)
        assert model.certify().kl < greedy.certify().kl


def test_the_path_of_a_search_falls_to_its_end(rng):
    """The iterates of 003's Figure 1: the objective falls along them, and the mean is nearer at the end."""
    X = rng.uniform(-2.0, 2.0, (60, 1))
    y, k, path = np.sin(3.0 * X[:, 0]) + 0.1 * rng.normal(size=60), SquaredExponential(0.6), []
    problem, start = CollapsedBound(k, X, y, 0.01), X[:5]
    end, facts = place(problem.at, start, X, 40, path)
    assert np.array_equal(path[-1], end) and len(path) == facts["iterations"] > 5
    values = [problem.at(Z)[0] for Z in (start, *path)]
    assert np.all(np.diff(values) <= 1e-9 * abs(values[0])) and values[-1] == facts["objective"]["after"]
    exact = fs.ExactGaussianProcess(k, 0.01).fit(X, y).predict(X)
    errors = [np.abs(fs.SparseGaussianProcess(k, likelihoods.Gaussian(0.01), Z).fit(X, y).predict(X) - exact).max()
              for Z in (start, path[-1])]  # fmt: skip
    assert errors[1] < errors[0]


def test_points_given_are_the_start():
    X, y, Z = data(3)
    k, gaussian = Matern52(SCALES), likelihoods.Gaussian(NOISE)
    model = fs.SparseGaussianProcess(k, gaussian, Z, placement="elbo").fit(X, y)
    assert model.facts["start"] == "given" and model.bound > fs.SparseGaussianProcess(k, gaussian, Z).fit(X, y).bound
    regressors = fs.SubsetOfRegressors(k, NOISE, Z, placement="elbo").fit(X, y)
    assert regressors.predict(X).tobytes() == model.predict(X).tobytes()


@pytest.mark.thorough
def test_a_kink_is_stated():
    X, y, _ = data(5)
    for k, placement, kinked in (
        (Matern12(0.8), "fisher", True), (Matern32(0.8), "elbo", False), (Matern52(1.0) * Matern12(1.0), "elbo", True)
    ):  # fmt: skip
        model = fs.SparseGaussianProcess(k, likelihoods.Gaussian(NOISE), 3, placement=placement).fit(X, y)
        assert ("kink" in model.facts) is kinked


def test_a_constant_column_stays():
    X, y, _ = data(4)
    X = np.hstack([X, np.full((len(X), 1), 7.0)])
    model = fs.SparseGaussianProcess(Matern12(1.0), likelihoods.Gaussian(NOISE), 6, placement="elbo").fit(X, y)
    assert np.all(model.basis.inducing_points[:, 2] == 7.0)


PLACED, GAUSSIAN = data(), likelihoods.Gaussian(NOISE)
test_bad_placements_are_refused = refused(
    lambda points, more: fs.SparseGaussianProcess(Matern52(), GAUSSIAN, points, **more).fit(*PLACED[:2]),
    (5, {"placement": "greddy"}, 'did you mean "greedy"'),
    (PLACED[2], {"placement": "random"}, 'a whole number with placement="random"'),
    ("auto", {"placement": "elbo"}, "inducing_points must be an array"),
    (41, {"placement": "elbo"}, "at most 40, the rows of X"),
)


RNG = np.random.default_rng(2)
X = RNG.normal(size=(60, 2))
K = Matern52([0.8, 1.2], 1.5)


def left_over(k, X, Z):
    """The conditional variances at X given the values at Z, by dense linear algebra."""
    return k.diagonal(X) - np.einsum("nm,mn->n", k(X, Z), np.linalg.solve(k(Z), k(Z, X)))


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
