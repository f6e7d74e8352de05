"""The likeliest hyperparameters: recovered, averaged over subsets, bounded; and covariances that nobody chose."""

import numpy as np
import pytest
from scipy.spatial import KDTree
from threadpoolctl import threadpool_limits

from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import ExactGaussianProcess, SparseGaussianProcess, fit_hyperparameters
from particlegvi.functionspace.covariances import Matern52, SquaredExponential
from particlegvi.functionspace.gp import hyperparameters
from particlegvi.functionspace.gp.laplace import laplace_evidence
from particlegvi.functionspace.likelihoods import Gaussian

from ...differences import slopes
from ...refusals import refused

RNG = np.random.default_rng(12)
TRUTH = SquaredExponential([0.4, 1.1], 1.5)
NOISE = 0.08
X = RNG.uniform(-2.0, 2.0, size=(250, 2))
Y = np.linalg.cholesky(TRUTH(X) + NOISE * np.eye(250)) @ RNG.normal(size=250)


def log_parameters(covariance, noise):
    return np.append(covariance.log_parameters(), np.log(noise))


def standard_errors(k, noise, X):
    """Of the log parameters, from the Fisher information ``tr(C^-1 dC_i C^-1 dC_j) / 2`` with dC by differences."""
    start = log_parameters(k, noise)

    def matrix(vector):
        return k.with_log_parameters(vector[:-1])(X) + np.exp(vector[-1]) * np.eye(len(X))

    inverse = np.linalg.inv(matrix(start))
    parts = [part @ inverse for part in np.moveaxis(slopes(matrix, start), -1, 0)]
    information = [[0.5 * np.sum(a * b.T) for b in parts] for a in parts]
    return np.sqrt(np.diag(np.linalg.inv(information)))


def test_the_truth_is_recovered_within_the_sampling_error():
    k, noise, facts = fit_hyperparameters(SquaredExponential([1.0, 1.0], 1.0), X, Y, 0.5)
    errors = standard_errors(TRUTH, NOISE, X)
    assert np.all(errors < 0.3)  # so that the next line says something
    assert np.all(np.abs(log_parameters(k, noise) - log_parameters(TRUTH, NOISE)) < 3.5 * errors)
    (fit,) = facts["fits"]
    assert fit["converged"] and fit["at_bound"] == [] and facts["rows"] == 250
    assert list(fit["parameters"]) == ["lengthscale[0]", "lengthscale[1]", "variance", "noise_variance"]
    # the control: had the data come from other parameters, the test would have said so
    other = log_parameters(SquaredExponential([0.4, 0.7], 1.5), NOISE)
    assert np.any(np.abs(log_parameters(k, noise) - other) > 3.5 * errors)


def test_it_is_a_maximum():
    k, noise, facts = fit_hyperparameters(SquaredExponential([1.0, 1.0], 1.0), X[:120], Y[:120], 0.5)
    model = ExactGaussianProcess(k, noise).fit(X[:120], Y[:120])
    likelihoods = facts["fits"][0]["log_marginal_likelihood"]
    assert model.log_marginal_likelihood() == pytest.approx(likelihoods["after"], abs=1e-6)
    start = ExactGaussianProcess(SquaredExponential([1.0, 1.0], 1.0), 0.5).fit(X[:120], Y[:120])
    assert start.log_marginal_likelihood() == pytest.approx(likelihoods["before"], abs=1e-9)
    assert likelihoods["after"] >= ExactGaussianProcess(TRUTH, NOISE).fit(X[:120], Y[:120]).log_marginal_likelihood()
    assert np.abs(model.log_marginal_likelihood_gradient()).max() < 1e-2
    for step in 0.05 * np.vstack([np.eye(4), -np.eye(4)]):
        moved = log_parameters(k, noise) + step
        near = ExactGaussianProcess(k.with_log_parameters(moved[:-1]), np.exp(moved[-1])).fit(X[:120], Y[:120])
        assert near.log_marginal_likelihood() < likelihoods["after"]


def test_above_the_threshold_subsets_of_nearest_rows_are_averaged():
    k, noise, facts = fit_hyperparameters(SquaredExponential(1.0), X, Y, 0.5, threshold=40, subsets=4, seed=3)
    assert len(facts["fits"]) == 4 and facts["rows"] == 40
    # the arithmetic mean of the four
    for name, found in [*k.facts().items(), ("noise_variance", noise)]:
        if name != "name":
            assert found == pytest.approx(np.mean([fit["parameters"][name] for fit in facts["fits"]]), rel=1e-12)
    # each subset is a row and its neighbours, by another algorithm
    tree, of_neighbours = KDTree(X), []
    for row in X:
        neighbours = tree.query(row, 40)[1]
        of_neighbours.append(ExactGaussianProcess(SquaredExponential(1.0), 0.5).fit(X[neighbours], Y[neighbours]))
    evidences = [process.log_marginal_likelihood() for process in of_neighbours]
    for fit in facts["fits"]:
        assert np.abs(np.array(evidences) - fit["log_marginal_likelihood"]["before"]).min() < 1e-9
    # and the estimate is still near the truth: a third of the rows, so within larger errors
    isotropic = fit_hyperparameters(SquaredExponential(1.0), X, Y, 0.5)[0]
    assert abs(np.log(k.lengthscale / isotropic.lengthscale)) < 0.7


def test_noise_free_targets_end_at_the_least_noise_and_say_so():
    x = np.linspace(-1.0, 1.0, 30)
    _, noise, facts = fit_hyperparameters(SquaredExponential(1.0), x, np.sin(3.0 * x), 1e-2)
    assert "noise_variance" in facts["fits"][0]["at_bound"]
    assert noise == pytest.approx(1e-6 * np.mean(np.sin(3.0 * x) ** 2), rel=1e-6)


def test_a_constant_column_and_repeated_rows_are_fine():
    wide = np.hstack([X[:60], np.full((60, 1), 2.0)])
    k, _, facts = fit_hyperparameters(SquaredExponential([1.0] * 3), np.vstack([wide, wide]), np.tile(Y[:60], 2), 0.5)
    assert k.lengthscale[2] == pytest.approx(1.0)  # nothing is known of it: it stays
    assert facts["fits"][0]["converged"]


test_bad_input_is_refused = refused(
    lambda change: fit_hyperparameters(SquaredExponential(1.0), **{"X": X, "y": Y, "noise_variance": 0.1, **change}),
    ({"y": np.zeros(250)}, "y must vary"),
    ({"noise_variance": -1.0}, r"noise_variance must be a positive finite number from 1e-150 to 1e.*, not -1\.0"),
    ({"threshold": 0}, "threshold must be a whole number of 1 or more, not 0"),
    ({"threshold": 100, "subsets": 0}, "subsets must be a whole number of 1 or more, not 0"),
    ({"bound": "ELBO"}, 'there is no bound "ELBO"; did you mean "elbo"'),
    ({"bound": "elbo", "inducing_points": np.ones((3, 1))}, "inducing_points must be a whole number"),
)


def test_any_number_of_threads_of_the_linear_algebra_library_gives_the_same_bits():
    found = []
    for limit in (1, 2):
        with threadpool_limits(limit, user_api="blas"):
            k, noise, _ = fit_hyperparameters(SquaredExponential([1.0, 1.0], 1.0), X, Y, 0.5, most_iterations=3)
            gp = ExactGaussianProcess(k, noise).fit(X, Y)
            sparse = SparseGaussianProcess(k, Gaussian(noise), X[:60]).fit(X, Y)
            parts = [log_parameters(k, noise), gp.predict(X + 0.1), sparse.predict(X + 0.1)]
            found.append(b"".join(part.tobytes() for part in parts))
    assert found[0] == found[1]


def test_much_noise_at_the_start_does_not_hide_the_signal():
    """From the default kernel itself the search ends with all of this wave explained as noise."""
    X = np.linspace(-2.0, 2.0, 60)[:, None]
    y = np.sin(12.0 * X[:, 0])
    y = (y - y.mean()) / y.std()
    with one_blas_thread():
        assert fit_hyperparameters(hyperparameters.default_kernel(1), X, y, 0.1)[1] > 0.9
    k, noise = hyperparameters.regression_covariance(X, y)
    assert noise < 0.05
    assert k.lengthscale[0] < 0.5


def test_rows_that_come_twice_do_not_hide_the_noise():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + rng.normal(size=80)
    y = (y - y.mean()) / y.std()
    again = rng.integers(80, size=40)
    twice = np.vstack([X, X[again]]), np.append(y, y[again])
    once = hyperparameters.regression_covariance(X, y)[1]
    assert 0.2 < once < 0.9
    assert hyperparameters.regression_covariance(*twice)[1] == pytest.approx(once, rel=1e-3)
    start = SquaredExponential(np.full(3, 0.3 * np.sqrt(3.0)), 1.0)
    assert fit_hyperparameters(start, *twice, 0.01)[1] < 0.01


@pytest.mark.thorough
def test_one_lengthscale_for_labels_and_one_for_each_input_of_a_regression():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    f = np.sin(3.0 * X[:, 0])
    y, labels = f + 0.05 * rng.normal(size=90), (f > 0.0).astype(float)
    k = hyperparameters.classification_covariance(X, labels)
    assert k.lengthscale.ndim == 0
    assert hyperparameters.regression_covariance(X, y)[0].lengthscale.shape == (2,)
    start = laplace_evidence(hyperparameters.default_kernel(2, shared=True), X, labels).value
    assert laplace_evidence(k, X, labels).value > start + 1.0
    # a kernel of one's own is where the search begins
    assert isinstance(hyperparameters.regression_covariance(X, y, Matern52(1.0))[0], Matern52)
    assert isinstance(hyperparameters.classification_covariance(X, labels, Matern52(1.0)), Matern52)
