"""Gaussian Wasserstein inference: its laws, and the shares of truth that its bands cover."""

import numpy as np
import pytest

from particlegvi import functionspace as fs
from particlegvi.functionspace import covariances, likelihoods, means, selection
from particlegvi.functionspace.wasserstein.process_distance import process_w2_squared
from particlegvi.functionspace.wasserstein.rules import fixed_point

from ..refusals import refused

X = np.linspace(0.0, 1.0, 50)[:, None]
Y = np.sin(6.0 * X[:, 0]) + 0.2 * np.cos(60.0 * X[:, 0])
K, NOISE = covariances.SquaredExponential(0.2, 1.0), likelihoods.Gaussian(noise_variance=0.05)
LOOK = [[0.33], [0.77], [1.2]]


def fitted(**settings):
    return fs.GaussianWasserstein(K, NOISE, X[::7], **settings).fit(X, Y)


def law(model):
    """The features at X, the mean there, and the covariance S of the coefficients."""
    e = model.basis.features(X)
    inverse = np.linalg.pinv(e)
    S = inverse @ (model.covariance(X) - K(X) + e @ e.T) @ inverse.T
    return e, model.predict(X), 0.5 * (S + S.T)


def objective(model, mean, S):
    e = model.basis.features(X)
    r = K(X) - e @ e.T + e @ S @ e.T

    def covariance(A, B):
        a, b = model.basis.features(A), model.basis.features(B)
        return K(A, B) - a @ b.T + a @ S @ b.T

    distance = process_w2_squared(K, covariance, X) + np.mean(mean**2)
    return np.sum((Y - mean) ** 2 + r.diagonal()) / 0.1 + 25.0 * np.log(2.0 * np.pi * 0.05) + distance


def test_the_objective_is_the_sum_that_it_says_and_no_other_mean_is_better(rng):
    closed, svgp = (fitted(covariance=rule) for rule in ("closed", "svgp"))
    for model in (closed, svgp):
        assert model.objective_ == pytest.approx(objective(model, *law(model)[1:]), abs=1e-6)
    assert svgp.objective_ > closed.objective_ + 1.0
    e, mean, S = law(closed)
    for _ in range(40):
        moved = mean + 1e-3 * e @ rng.standard_normal(len(S))
        assert objective(closed, moved, S) > closed.objective_ - 1e-7
    sparse = fs.SparseGaussianProcess(K, NOISE, X[::7]).fit(X, Y)
    assert np.allclose(svgp.predict(LOOK, True)[1], sparse.predict(LOOK, True)[1], rtol=1e-9)


@pytest.mark.parametrize(("points", "minimum", "closed"), [(10, 0.81852, 0.82103), (15, 0.97985, 0.98044)])
def test_the_covariance_part_is_within_a_third_of_a_per_cent_of_the_minimum_of_the_convex_problem(
    points, minimum, closed
):
    """The minima over S were found once by a solver of semidefinite problems."""
    x, k = np.linspace(-1.0, 1.0, 150)[:, None], covariances.SquaredExponential(0.15, 1.0)
    noise, Z = likelihoods.Gaussian(noise_variance=0.25), np.linspace(-1.0, 1.0, points)[:, None]
    model = fs.GaussianWasserstein(k, noise, Z).fit(x, np.zeros(150))
    e = model.basis.features(x)
    kept = np.trace(model.covariance(x) - k(x) + e @ e.T) / 150.0
    value = (model.shrinkage_**-0.5 - 1.0) * kept + model.w2_squared_
    assert value == pytest.approx(closed, abs=2e-5) and minimum < value < 1.0032 * minimum


def test_weights_that_depend_on_the_distance_are_fixed_points():
    printed, code = fitted(w2_weight="unsquared"), fitted(w2_weight="code")
    assert printed.w2_weight_ == pytest.approx(0.5 / np.sqrt(printed.w2_squared_))
    assert code.w2_weight_ == pytest.approx(25.0 / np.sqrt(code.w2_squared_))
    with pytest.warns(UserWarning, match="w2_weight is 0"):
        free = fitted(w2_weight=0.0)
    e = free.basis.features(X)
    assert free.shrinkage_ == 0.0 and np.allclose(free.predict(X), e @ np.linalg.lstsq(e, Y, rcond=None)[0])
    assert np.allclose(free.predict(X), fitted(w2_weight=1e-9).predict(X), atol=1e-8)


@pytest.mark.parametrize(("rows", "noise", "rule"), [(20, 1.0, "closed"), (40, 1.05, "svgp"), (30, 30.0, "svgp")])
def test_weights_are_found_where_fixed_points_are_slow(rows, noise, rule, rng):
    x = rng.standard_normal((rows, 1))
    settings = {"w2_weight": "code", "covariance": rule}
    model = fs.GaussianWasserstein(K, likelihoods.Gaussian(noise), x[:8], **settings).fit(x, np.sin(2.0 * x[:, 0]))
    assert model.w2_weight_ == pytest.approx(0.5 * rows / np.sqrt(model.w2_squared_), rel=1e-9)


def test_a_distance_that_outweighs_the_data_leaves_the_prior():
    """2 w W2 stays below N for all w: of W2 without a square the minimum is at 0."""
    model = fs.GaussianWasserstein(K, likelihoods.Gaussian(100.0), X[::7], w2_weight="code")
    with pytest.warns(UserWarning, match="outweighs the data"):
        model.fit(X, Y)
    mean, sd = model.predict(LOOK, return_std=True)
    assert np.allclose(mean, 0.0, atol=1e-5) and np.allclose(sd, 1.0, atol=1e-5)


@pytest.mark.parametrize("rounding", [0.0, 4e-16, 9e-16])
def test_rounding_of_the_distance_is_no_weight(rounding):
    """Near the prior W2^2 is rounding, which differs by processor; 0.01 / w^2 outweighs the data all the same."""
    with pytest.warns(UserWarning, match="outweighs the data"):
        weight = fixed_point(lambda w: max((0.1 / (1.0 + w)) ** 2, rounding), 50.0, 0.25)
    assert weight == 0.25e6


def test_any_model_gets_error_bars():
    plain = fitted(mean=means.Given(lambda x: 2.0 * x[:, 0]), w2_weight="unsquared")
    mean, sd = plain.predict(X, return_std=True, of="target")
    assert np.array_equal(mean, 2.0 * X[:, 0]) and np.all(sd**2 >= 0.05)


@pytest.mark.thorough
def test_a_network_learns_and_stops_early(rng):
    x = rng.uniform(-3.0, 3.0, (300, 1))
    y = np.sin(x[:, 0]) + 0.1 * rng.standard_normal(300)
    settings = {"mean": means.MeanNetwork(hidden=(10,), epochs=400, batch_size=100), "w2_weight": 1.0, "seed": 4}
    made = [
        fs.GaussianWasserstein(covariances.SquaredExponential(1.0, 1.0), likelihoods.Gaussian(0.01), 15, **settings)
        .fit(x[:240], y[:240], validation=(x[240:], y[240:]))
        for _ in range(2)
    ]  # fmt: skip
    assert np.array_equal(made[0].predict(x), made[1].predict(x))
    assert np.sqrt(np.mean((made[0].predict(x) - np.sin(x[:, 0])) ** 2)) < 0.12
    assert 1 <= made[0].info_["epochs"] <= 400 and 0.3 < made[0].variance_factor_ < 4.0


def test_samples_have_the_moments_of_predictions():
    model = fitted(covariance="svgp")
    draws = model.sample(LOOK, draws=4000)
    mean, sd = model.predict(LOOK, return_std=True)
    assert draws.shape == (4000, 3) and np.array_equal(draws, model.sample(LOOK, draws=4000))
    assert np.all(np.abs(draws.mean(axis=0) - mean) < 5.0 * sd / np.sqrt(4000))
    assert np.allclose(draws.std(axis=0), sd, rtol=5.0 / np.sqrt(8000))


def test_more_points_than_rows_and_points_twice_are_allowed():
    many = fs.GaussianWasserstein(K, NOISE, np.linspace(0.0, 1.0, 80)[:, None]).fit(X, Y)
    twice = fs.GaussianWasserstein(K, NOISE, np.repeat(X[::7], 2, axis=0)).fit(X, Y)
    assert many.info_["kept"] < 80 and np.allclose(twice.predict(LOOK), fitted().predict(LOOK), atol=1e-6)
    assert np.isfinite(fs.GaussianWasserstein(K, NOISE, 5).fit(X, np.ones(50)).objective_)


test_what_cannot_be_is_refused = refused(
    (lambda: fitted(w2_weight=-1.0), "w2_weight must be"),
    (lambda: fitted(covariance="best"), "covariance must be one of closed, svgp"),
    (lambda: fs.GaussianWasserstein(K, likelihoods.Bernoulli(), 5), "likelihood must be likelihoods.Gaussian"),
    (lambda: fs.GaussianWasserstein(K, NOISE, 5).fit([[0.0]], [1.0]), "at least 2 rows"),
    (lambda: fs.GaussianWasserstein(K, NOISE, 5).fit(X, Y, (np.empty((0, 1)), [])), "at least one row"),
    (lambda: fs.GaussianWasserstein(K, NOISE, 5).fit(X, Y, 3), "validation must be two arrays"),
    (lambda: means.MeanNetwork(hidden=10), "hidden must be one to four"),
    (lambda: means.Given(3), "function must be a function of inputs"),
    (lambda: fitted(mean=means.MeanNetwork), "mean must be one of"),
    (lambda: means.MeanNetwork(step_size=0.0), "step_size must be"),
)


def test_learned_inducing_points_have_a_lower_objective_than_greedy_ones(rng):
    X = rng.uniform(-2.0, 2.0, (80, 2))
    y = np.sin(3.0 * X[:, 0]) + 0.1 * rng.standard_normal(80)
    k, noise = covariances.SquaredExponential([0.7, 2.0]), likelihoods.Gaussian(noise_variance=0.05)
    greedy, learned = (fs.GaussianWasserstein(k, noise, 8, placement=rule).fit(X, y)
                       for rule in ("greedy", "elbo"))  # fmt: skip
    targets = selection.Targets(y, 0.05)
    assert np.array_equal(learned.basis.inducing_points, selection.select("elbo", k, X, 8, targets=targets).points)
    assert learned.objective_ < 0.8 * greedy.objective_ and "placement" in learned.info_
    again = fs.GaussianWasserstein(k, noise, greedy.basis.inducing_points, placement="elbo").fit(X, y)
    assert again.info_["placement"]["start"] == "given" and again.objective_ == pytest.approx(learned.objective_)
