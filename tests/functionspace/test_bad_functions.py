"""Every argument of function space, of metrics, calibration, data sets and tables against every kind of bad value."""

from typing import Any

import numpy as np

import particlegvi as pg
from particlegvi import functionspace as fs
from particlegvi.functionspace import basis, covariances, divergences, functionals, likelihoods, selection
from particlegvi.functionspace.linear import bayesian

from ..bad_values import Calls, add, answered, table
from ..refusals import refuse

X, Y = np.linspace(-1.0, 1.0, 6)[:, None], np.array([0.0, 1.0, 1.0, 0.0, 1.0, 0.0])
KERNEL = covariances.SquaredExponential(0.5)
GIVEN = {
    "X": X, "y": Y, "labels": Y, "kernel": KERNEL, "covariance": KERNEL, "inducing_points": X[:3], "centres": X[:3],
    "likelihood": likelihoods.Gaussian(0.1), "noise_variance": 0.1, "most_iterations": 3, "particles": 2, "steps": 2,
    "degrees_of_freedom": 4.0, "scale": 1.0, "shift": 1.0, "count": 2, "select name": "greedy", "mean": Y + 0.1,
    "covariances.get name": "matern-52", "probability": 0.5, "score": Y, "low": Y - 1.0, "high": Y + 1.0, "sd": 1.0,
    "noise_sd": 1.0, "samples": np.ones((2, 6)), "rows": 40, "test": 0.25, "seed": 0, "task": "regression",
    "name": "boston", "source": "nowhere", "ProjectedSettings rows": ("boston",), "row": "boston", "metric": "nll",
    "model": "pls", "threshold": 4, "subsets": 1, "placement": "greedy", "selection": "random",
    "basis": basis.Nystroem(KERNEL, X[:3]), "penalty": 0.1, "of": X[:3], "k": KERNEL, "r": KERNEL, "method": "points",
    "points": 3, "other_mean": Y, "other_covariance": np.eye(6), "gaussian_w2_squared covariance": np.eye(6),
    "features": np.abs, "kl": "exact", "coordinates": (0,),
    "GaussianWasserstein mean": None, "GaussianWasserstein covariance": "closed", "ExactGaussianProcess mean": None,
}  # fmt: skip
CALLS: Calls = {}
CALLS |= table(fs, GIVEN)
CALLS |= table(covariances, {**GIVEN, "name": "matern-52"}, left_out="Covariance Sum Product register")
CALLS |= table(likelihoods, {**GIVEN, "name": "bernoulli-logistic"}, left_out="Likelihood register")
CALLS |= table(basis, GIVEN, left_out="Basis PRIORS")
LINE = {"Fourier low": 0.0, "Fourier high": 1.0, "frequencies": 2, "widths": 0.1}
CALLS |= table(functionals, {**GIVEN, **LINE, "inputs": X[:3]}, left_out="Functionals")
CALLS["TensorProduct set"] = lambda value: functionals.TensorProduct(functionals.Fourier(0.0, 1.0, 2), value)
CALLS |= table(selection, {**GIVEN, "targets": None, "name": "greedy"}, left_out="Selection Targets")
for key in selection.Targets._fields:
    CALLS[f"targets with {key}"] = lambda value, key=key: selection.select(
        "elbo", KERNEL, X, 2, 0, selection.Targets(Y, 0.1)._replace(**{key: value})
    )
CALLS |= table(pg.metrics, GIVEN) | table(pg.calibration, GIVEN)
CALLS |= table(pg.datasets, GIVEN, left_out="Dataset MissingData Split standard_splits")
add(CALLS, "standard_splits", lambda **given: list(pg.datasets.standard_splits(**given)), "rows count seed", rows=9)
for part in (covariances.Sum, covariances.Product):
    CALLS[f"{part.__name__} part"] = lambda value, part=part: part(KERNEL, value)
add(CALLS, "covariance of inputs", lambda A, B: KERNEL(A, B), "A B", A=X, B=X)


def fitted(model: Any, *answers: str) -> None:
    """Its fit, and what it answers at inputs after one."""
    name = type(model).__name__
    CALLS[f"{name}.fit X"] = lambda value: model.fit(value, Y)
    CALLS[f"{name}.fit y"] = lambda value: model.fit(X, value)
    for answer in answers:
        CALLS[f"{name}.{answer}"] = lambda value, answer=answer: getattr(model.fit(X, Y), answer)(value)


fitted(fs.ExactGaussianProcess(KERNEL, 0.1), "predict", "posterior_covariance")
fitted(fs.SparseGaussianProcess(KERNEL, likelihoods.Gaussian(0.1), X[:3]), "predict")
fitted(fs.SubsetOfRegressors(KERNEL, 0.1, X[:3]), "predict")
CERTIFIED = fs.SparseGaussianProcess(KERNEL, likelihoods.Gaussian(0.1), X[:3]).fit(X, Y)
CALLS["mean_error"] = CERTIFIED.certify().mean_error
CALLS["sd_range"] = CERTIFIED.certify().sd_range
CALLS |= table(fs.scores, {**GIVEN, "samples": X, "at": X, "kept": 0.9})
LINEAR = {"steps": 2, "sets": 2, "points": 2, "draws": 3}
for key in ("points", "step_size", "sets", "draws"):
    for kl in bayesian.KL_TERMS:
        CALLS[f"fit of {kl} with {key}"] = lambda value, key=key, kl=kl: fs.BayesianLinearRegression(
            np.abs, kl=kl, optimiser="adam", **LINEAR | {key: value}
        ).fit(X, Y)
CALLS |= table(divergences, {**GIVEN, "q": CERTIFIED, "p": CERTIFIED, "nu": CERTIFIED, "name": "kl"})
CALLS["placement"] = lambda value: fs.SparseGaussianProcess(KERNEL, likelihoods.Gaussian(0.1), 2, placement=value).fit(
    X, Y
)
for key in ("inducing_points", "most_iterations", "noise_variance", "y"):
    CALLS[f"hyperparameters by the bound with {key}"] = lambda value, key=key: fs.fit_hyperparameters(**{
        "kernel": KERNEL, "X": X, "y": Y, "noise_variance": 0.1, "bound": "elbo", "most_iterations": 2
    } | {key: value})  # fmt: skip
fitted(fs.LinearRegression(), "predict")
fitted(fs.BayesianLinearRegression(np.abs, **LINEAR), "predict", "kl_to_prior")
fitted(fs.LogisticRegression(), "predict")
SAMPLER = fs.ProjectedLangevinSampler(KERNEL, likelihoods.Gaussian(0.1), X[:3], particles=2, steps=2)
fitted(SAMPLER, "predict", "sample", "basis", "potential")
SAMPLED = "kernel likelihood inducing_points particles steps step_size initial prior residual seed integrator moves"
for key in SAMPLED.split():
    CALLS[f"fit of the sampler with {key}"] = lambda value, key=key: fs.ProjectedLangevinSampler(**{
        "kernel": KERNEL, "likelihood": likelihoods.Gaussian(0.1), "inducing_points": X[:3], "particles": 2, "steps": 2
    } | {key: value}).fit(X, Y)  # fmt: skip


test_a_dozen_values_of_an_argument_are_answered, test_every_value_of_every_argument_is_answered = answered(CALLS)


# What has a defined answer -------------------------------------------------------------------------------------------


def sampler(Z: Any = X[:3], **settings: Any) -> fs.ProjectedLangevinSampler:
    given = {"particles": 3, "steps": 5, "likelihood": likelihoods.Gaussian(0.1)} | settings
    return fs.ProjectedLangevinSampler(KERNEL, inducing_points=Z, **given)


def test_one_row_is_data():
    for model in (sampler(X[:1]), sampler(1), fs.ExactGaussianProcess(KERNEL, 0.1), fs.LinearRegression()):
        assert np.all(np.isfinite(model.fit(X[:1], Y[:1] + 1.0).predict(X)))
    refuse(lambda: fs.LogisticRegression().fit(X[:1], Y[:1]), "0 and 1, each at least once")


def test_one_particle_is_a_sample():
    assert sampler(particles=1).fit(X, Y).sample(X).shape == (1, 6)
