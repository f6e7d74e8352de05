"""Every registered loss: its gradient, its compiled form, and what is known of it in closed form."""

import math

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm

from particlegvi import losses
from particlegvi.engine.terms.trial import agree

from ..differences import slopes
from ..refusals import refused

# Beside the defaults: other parameters, and more coordinates where the loss has any number of them.
VARIANTS = [
    ("abs-sine", {"depth": 2.5}),
    ("banana", {"scale": 1.0, "steepness": 3.0, "minimum": -0.5}),
    ("double-well", {"height": 0.5}),
    ("four-gaussians", {"offset": 1.2, "sd": 0.7}),
    ("funnel", {"sd": 1.5, "dim": 4}),
    ("gaussian-mixture", {"means": [[0.0, 1.0, -1.0], [2.0, 0.0, 1.0]], "sds": [0.7, 1.3], "weights": [1.0, 3.0]}),
    ("quadratic", {"curvature": [1.0, 4.0, 0.3], "centre": [0.5, -1.0, 2.0]}),
    ("ring", {"radius": 1.0, "width": 0.8}),
    ("tilted-double-well", {"scale": 0.4}),
]
ALL = [(name, {}) for name in losses.names()] + VARIANTS


def test_every_loss_with_parameters_has_a_variant():
    with_parameters = {name for name in losses.names() if losses.get(name).term._fields}
    missing = with_parameters - {name for name, _ in VARIANTS}
    assert not missing, f"add {sorted(missing)} to VARIANTS"
    assert with_parameters > {name for name, _ in VARIANTS[1:]}  # control: each is needed


def points_for(loss, spread=1.5):
    """More than one block of lanes, and a block that is not full."""
    return np.random.default_rng(5).normal(scale=spread, size=(70, loss.dim))


def disagreement(gradient, value, points):
    """The largest error of ``gradient`` against differences, relative to the gradient's own size."""
    expected = slopes(value, points)
    return np.max(np.abs(gradient - expected) / (1.0 + np.abs(expected).max(axis=1, keepdims=True)))


@pytest.mark.parametrize(("name", "parameters"), ALL)
def test_gradient_agrees_with_differences(name, parameters):
    loss = losses.get(name, **parameters)
    points = points_for(loss)
    assert disagreement(loss.gradient(points), loss.value, points) < 1e-6
    assert disagreement(1.001 * loss.gradient(points), loss.value, points) > 1e-4  # control
    agree(f"the gradient of {name}", "its value", loss.value, loss.gradient, points)  # as losses of users are tried


@pytest.mark.parametrize(
    ("name", "parameters"), [case for case in ALL if losses.get(case[0], **case[1]).minima is not None]
)
def test_known_minima_are_minima(name, parameters):
    loss = losses.get(name, **parameters)
    np.testing.assert_allclose(loss.gradient(loss.minima), 0.0, atol=1e-10)
    nearby = loss.minima[:, None] + 1e-2 * np.random.default_rng(1).normal(size=(1, 50, loss.dim))
    for minimum, around in zip(loss.minima, nearby, strict=True):
        assert np.all(loss.value(around) > loss.value(minimum[None])[0])


@pytest.mark.parametrize("name", losses.names())
def test_every_loss_describes_itself(name):
    loss = losses.get(name)
    assert loss.name == name
    assert loss.title
    assert loss.term.source
    assert len(loss.plot_window) == loss.dim
    assert all(low < high for low, high in loss.plot_window)
    if loss.minima is not None:
        low, high = np.array(loss.plot_window).T
        assert np.all((low < loss.minima) & (loss.minima < high))


def test_tilted_double_well_is_the_thesis_formula():
    t = np.linspace(-4.0, 3.0, 101)
    loss = losses.get("tilted-double-well")
    np.testing.assert_allclose(loss.value(t), 1.5 * (t**4 / 4 + t**3 / 3 - t**2) - 3 / 8, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(loss.value([-2.0, 0.0, 1.0]), [-35 / 8, -3 / 8, -1.0], rtol=1e-15)
    np.testing.assert_array_equal(loss.gradient([-2.0, 0.0, 1.0]), 0.0)


def test_four_gaussians_is_the_thesis_mixture():
    loss = losses.get("four-gaussians")
    points = points_for(loss, spread=3.0)
    density = sum(
        0.25 / (2.0 * math.pi) * np.exp(-0.5 * ((points - [a, b]) ** 2).sum(axis=1)) for a in (-3, 3) for b in (-3, 3)
    )
    np.testing.assert_allclose(loss.value(points), -np.log(density), rtol=1e-13)
    mixture = losses.get("gaussian-mixture", means=[[a, b] for a in (-3, 3) for b in (-3, 3)])
    np.testing.assert_allclose(loss.gradient(points), mixture.gradient(points), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(np.abs(loss.minima), 3.0, atol=1e-6)


def test_four_gaussians_closer_than_their_width_have_one_mode():
    np.testing.assert_array_equal(losses.get("four-gaussians", offset=0.9).minima, [[0.0, 0.0]])


def test_abs_sine_has_the_minima_of_c139():
    loss = losses.get("abs-sine")
    minima = math.pi / 2 + math.pi * np.arange(-1000, 1000)
    np.testing.assert_allclose(loss.value(minima), -1.0, rtol=1e-15)
    np.testing.assert_allclose(loss.gradient(minima), 0.0, atol=1e-12)  # 3000 radians are known to 5e-13
    assert loss.gradient(0.0)[0] == 0.0
    np.testing.assert_allclose(loss.gradient([1e-3, -1e-3]), [[-math.cos(1e-3)], [math.cos(1e-3)]])


@pytest.mark.parametrize("dim", [1, 2, 5])
def test_mixture_agrees_with_scipy(dim):
    rng = np.random.default_rng(dim)
    means, sds, weights = rng.normal(size=(4, dim)) * 3, rng.uniform(0.5, 2.0, size=(4, dim)), rng.uniform(1, 5, size=4)
    loss = losses.get("gaussian-mixture", means=means, sds=sds, weights=weights)
    points = rng.normal(scale=4.0, size=(30, dim))
    log_parts = norm.logpdf(points, means[:, None], sds[:, None]).sum(axis=2) + np.log(weights / weights.sum())[:, None]
    np.testing.assert_allclose(loss.value(points), -logsumexp(log_parts, axis=0), rtol=1e-12)


@pytest.mark.parametrize("distance", [1e2, 1e6, 1e100])
def test_mixtures_are_right_where_every_component_underflows(distance):
    loss = losses.get("gaussian-mixture", means=[[-3.0, 0.0], [3.0, 0.0]])
    far = np.array([[distance, 0.0], [0.0, -distance]])
    np.testing.assert_allclose(loss.gradient(far)[0], [distance - 3.0, 0.0], rtol=1e-12)
    np.testing.assert_allclose(loss.gradient(far)[1], [0.0, -distance], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(losses.get("four-gaussians").gradient(far)[0], [distance - 3.0, 0.0], rtol=1e-12)
    assert np.isfinite(loss.value(far)).all()


def test_funnel_is_minus_the_log_density_of_its_two_steps():
    loss = losses.get("funnel", dim=3, sd=3.0)
    points = points_for(loss)
    v = points[:, 0]
    log_density = norm(0, 3).logpdf(v) + norm(0, np.exp(0.5 * v)[:, None]).logpdf(points[:, 1:]).sum(axis=1)
    np.testing.assert_allclose(loss.value(points), -log_density, rtol=1e-12)


def test_ring_is_flat_along_the_ring_and_gaussian_across_it():
    loss = losses.get("ring", radius=2.0, width=0.4)
    angle = np.linspace(0.0, 2.0 * math.pi, 13)
    ring = 2.0 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    np.testing.assert_allclose(loss.value(ring), 0.0, atol=1e-28)
    offset = 1e-4
    np.testing.assert_allclose(loss.value(ring * (1.0 + offset / 2.0)), 0.5 * (offset / 0.4) ** 2, rtol=1e-3)


test_wrong_parameters_are_named = refused(
    lambda name, parameters: losses.get(name, **parameters),
    *[
        ("duble-well", {}, 'did you mean "double-well"'),
        ("double-well", {"heigth": 1.0}, 'did you mean "height"'),
        ("double-well", {"height": -1.0}, "height of double-well must be a positive number, not -1.0"),
        ("double-well", {"height": "high"}, 'height of double-well must be a number, not "high"'),
        ("funnel", {"dim": 1}, "dim of funnel must be a whole number from 2 to 16777216, not 1"),
        ("quadratic", {"curvature": [1.0, 0.0]}, "must be a positive number, or positive numbers, not [1.0, 0.0]"),
        ("quadratic", {"curvature": [1.0, 1.0], "centre": [0.0, 0.0, 0.0]}, "one for each of 3 coordinates, not an"),
        ("gaussian-mixture", {"means": [[0.0, math.inf]]}, "means of gaussian-mixture must be a finite number, not "),
        ("gaussian-mixture", {"sds": [1.0, 2.0, 3.0]}, "sds of gaussian-mixture must be one number, or "),
        ("gaussian-mixture", {"weights": [1.0]}, "weights of gaussian-mixture must have the shape (2,), not (1,)"),
    ],
    plain=True,
)
