"""Losses from JAX, PyTorch, differences and linear models, against scipy's densities, closed forms and each other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import particlegvi as pg
from particlegvi.engine.terms.trial import trial_points
from particlegvi.losses.automatic import in_few_shapes, value_and_gradient

from ..refusals import refuse, refused

pytestmark = pytest.mark.thorough

FAMILIES = ("bernoulli", "gaussian", "poisson")


def data(family, n=27, dim=3, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, dim)) * 0.7
    f = X @ rng.normal(size=dim)
    noise = {"bernoulli": rng.logistic(size=n), "gaussian": rng.normal(size=n), "poisson": 0.0}[family]
    y = {"bernoulli": f + noise > 0.0, "gaussian": f + noise, "poisson": rng.poisson(np.exp(f))}[family]
    return X, y.astype(float)


def log_likelihood(family, f, y, noise_variance):
    if family == "bernoulli":
        return stats.bernoulli.logpmf(y, 1.0 / (1.0 + np.exp(-f)))
    if family == "gaussian":
        return stats.norm.logpdf(y, f, noise_variance**0.5)
    return stats.poisson.logpmf(y, np.exp(f))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("rows", [1, 4, 27])  # the compiled products take four rows at a time
def test_a_linear_model_is_minus_the_log_likelihood(family, rows, rng):
    X, y = (part[:rows] for part in data(family))
    loss = pg.losses.linear_model(X, y, family, noise_variance=0.3)
    theta = rng.normal(size=(5, 3))
    expected = [-log_likelihood(family, X @ each, y, 0.3).sum() for each in theta]
    assert np.allclose(loss.value(theta), expected, rtol=1e-12)
    numerical = pg.Loss.from_numpy(loss.value, "differences", dim=3)
    assert np.allclose(loss.gradient(theta), numerical.gradient(theta), rtol=1e-7, atol=1e-7)
    assert np.array_equal(loss.gradient(theta[0]), loss.gradient(theta)[0])
    assert not np.allclose(loss.gradient(theta), 1.01 * numerical.gradient(theta), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.slow
def test_mala_on_a_linear_model_is_that_on_its_log_likelihood(family):
    """The compiled step has value and gradient by the same products; that in Python asks scipy for the value."""
    X, y = data(family)
    model = pg.losses.linear_model(X, y, family, noise_variance=0.3)
    values = lambda theta: np.array([-log_likelihood(family, X @ each, y, 0.3).sum() for each in theta])
    plain = pg.Loss.from_numpy(values, model.gradient, dim=3)
    doubled = pg.Loss.from_numpy(lambda t: 2.0 * values(t), lambda t: 2.0 * model.gradient(t), dim=3)
    settings = {"prior": pg.priors.Normal(np.zeros(3)), "particles": 9, "steps": 20, "step_size": 0.02, "seed": 2}
    runs = [pg.simulate(loss, pg.methods.DLE(1.0), integrator="mala", **settings) for loss in (model, plain, doubled)]
    assert runs[0].info["acceptance_rate"] == runs[1].info["acceptance_rate"] < 1.0
    np.testing.assert_allclose(runs[0].final, runs[1].final, rtol=1e-9)
    assert not np.allclose(runs[0].final, runs[2].final, rtol=1e-3)  # control: another law


def test_far_out_coefficients_give_finite_slopes_of_labels():
    loss = pg.losses.linear_model([[1.0], [1.0]], [0, 1])
    assert np.allclose(loss.gradient([[-900.0], [900.0]]), [[-1.0], [1.0]])
    assert np.allclose(loss.value([[-900.0], [900.0]]), [900.0, 900.0])


@pytest.mark.parametrize("batches", ["epochs", "fresh"])
def test_the_mean_of_minibatches_is_the_gradient(batches):
    X, y = data("poisson")
    loss = pg.losses.linear_model(X, y, "poisson", batch_size=9, batches=batches)
    at = np.array([[0.1, -0.2, 0.3]])
    found = np.array([loss.gradient_at(at, step, 5)[0] for step in range(300)])
    if batches == "epochs":  # three batches are all rows
        assert np.allclose(found.reshape(100, 3, 3).mean(axis=1), loss.gradient(at), rtol=1e-12)
    error = found.std(axis=0) / np.sqrt(len(found))
    assert np.all(np.abs(found.mean(axis=0) - loss.gradient(at)[0]) < 4.5 * error)
    assert np.array_equal(found[7], loss.gradient_at(at, 7, 5)[0])
    assert not np.array_equal(found[7], loss.gradient_at(at, 7, 6)[0])


test_bad_data_of_a_linear_model_are_refused = refused(
    lambda given: pg.losses.linear_model(**({"X": [[1.0], [2.0]], "y": [0, 1]} | given)),
    ({"y": [0, 2]}, "y must be labels 0 and 1, not 2"),
    ({"y": [0.5, 1], "family": "poisson"}, 'y must be counts 0, 1, 2, ... for the family "poisson", not 0.5'),
    ({"family": "binomial"}, 'family must be one of "bernoulli", "gaussian" and "poisson", not "binomial"'),
    ({"batch_size": 3}, "batch_size"),
    ({"famly": "gaussian"}, 'there is no argument of linear_model "famly"; did you mean "family"?'),
    ({"batches": "all"}, 'batches must be one of "epochs" and "fresh", not "all"'),
    ({"X": [[np.nan], [1.0]]}, "X must be"),
    plain=True,
)


def test_differences_have_ten_digits_whatever_the_scale():
    loss = pg.Loss.from_numpy(lambda X: np.cosh(X[:, 0] * 3.0) + X[:, 1] ** 4, "differences", dim=2)
    at = np.array([[0.5, 2.0], [-1.0, 300.0], [0.0, 0.0]])
    expected = np.stack([3.0 * np.sinh(3.0 * at[:, 0]), 4.0 * at[:, 1] ** 3], axis=1)
    size = np.abs(expected).max(axis=1, keepdims=True) + 1.0
    assert np.all(np.abs(loss.gradient(at) - expected) < 1e-9 * size)
    run = pg.simulate(loss, pg.methods.DE(), initial=at, particles=3, steps=2, step_size=1e-6)
    assert run.info["loss"].startswith("numpy, gradient by differences")


def test_a_loss_that_is_finite_nearly_nowhere_is_tried_there():
    """Finite for -2 < x, y < -1 alone: at none of the first points, and at a sixteenth of those that follow."""
    square = lambda X: 0.25 - (X + 1.5) ** 2
    value = lambda X: -np.log(np.maximum(square(X), 0.0)).sum(axis=1)
    slope = lambda X: 2.0 * (X + 1.5) / square(X)
    with np.errstate(divide="ignore"):
        assert not np.isfinite(value(trial_points(2))).any()
    assert pg.Loss.from_numpy(value, slope, dim=2).value([-1.5, -1.5]) == pytest.approx(2.0 * np.log(4.0))
    refuse(lambda: pg.Loss.from_numpy(value, lambda X: -slope(X), dim=2), "must be .*, as differences of its value say")


@pytest.mark.parametrize("library", ["jax", "torch"])
def test_a_missing_library_is_named_with_its_extra(library, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=rf"pip install 'particlegvi\[{library}\]'"):
        getattr(pg.Loss, f"from_{library}")(lambda x: x.sum(), dim=2)


def same_as_the_linear_model(kind, one, many):
    """A loss from a library of one particle (3,), and one of many (n, 3), beside the linear model of `data`."""
    here = np.random.default_rng(0).normal(size=(7, 3))
    own = pg.losses.linear_model(*data("bernoulli"))
    make = {"JAX": pg.Loss.from_jax, "PyTorch": pg.Loss.from_torch}[kind]
    for loss in (make(one, dim=3), make(many, dim=3, batched=True)):
        assert loss.kind == kind
        assert np.allclose(loss.value(here), own.value(here), rtol=1e-12)
        assert np.allclose(loss.gradient(here), own.gradient(here), rtol=1e-10, atol=1e-12)


@pytest.mark.needs("jax")
def test_a_loss_of_jax_is_the_linear_model():
    import jax
    import jax.numpy as jnp

    X, y = data("bernoulli")
    one = lambda x: jnp.sum(jnp.logaddexp(0.0, X @ x) - y * (X @ x))
    jax.config.update("jax_enable_x64", False)
    refuse(lambda: pg.Loss.from_jax(one, dim=3), "JAX must compute in float64")
    jax.config.update("jax_enable_x64", True)
    many = lambda P: jnp.sum(jnp.logaddexp(0.0, P @ X.T) - y * (P @ X.T), axis=1)
    same_as_the_linear_model("JAX", one, many)
    refuse(lambda: pg.Loss.from_jax(lambda x: x**2, dim=3), r"shape \(3,\) for one point .* must return one number")
    refuse(lambda: pg.Loss.from_jax(one), "Loss.from_jax: missing a required argument: 'dim'")


@pytest.mark.needs("torch")
def test_a_loss_of_torch_is_the_linear_model():
    import torch

    X, y = map(torch.tensor, data("bernoulli"))
    one = lambda x: (torch.nn.functional.softplus(X @ x) - y * (X @ x)).sum()
    many = lambda P: (torch.nn.functional.softplus(P @ X.T) - y * (P @ X.T)).sum(dim=1)
    same_as_the_linear_model("PyTorch", one, many)
    refuse(lambda: pg.Loss.from_torch(lambda x: x.float().sum(), dim=3), "f must return float64")
    refuse(lambda: pg.Loss.from_torch(lambda x: x**2, dim=3), "must return one number")


@pytest.mark.parametrize("n", [1, 2, 16, 17, 128, 300, 2049])
def test_a_function_is_compiled_for_few_shapes_and_keeps_its_last_points(n):
    shapes = []

    def both(X):
        shapes.append(len(X))
        return (X**2).sum(axis=1), 2.0 * X

    value, gradient = value_and_gradient(in_few_shapes(both))
    X = np.arange(2.0 * n).reshape(n, 2)
    assert np.array_equal(value(X), (X**2).sum(axis=1)) and np.array_equal(gradient(X), 2.0 * X)
    assert set(shapes) <= {1, 16, 128, 2049} and sum(shapes) < n + 128
    assert np.array_equal(gradient(X + 1.0), 2.0 * X + 2.0)  # other points of the same shape
