"""The proven bound on the mass that a target misses: against closed forms, and against wells that the survey misses."""

from __future__ import annotations

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.targets import minimisers
from particlegvi.targets.quadrature import missed, nodes, potential

pytestmark = pytest.mark.thorough

LINE, PLANE = pg.priors.Normal(0.0, 2.0), pg.priors.Normal([0.0, 0.0], [2.0, 2.0])
CENTRE, DEPTH = -1.8201645613672577, 18.0


def spike(width: float) -> pg.Loss:
    """A parabola with a narrow well, which holds 82% of Q* where it is 2e-6 wide."""
    well = f"{DEPTH}*exp(-(t - ({CENTRE!r}))^2/(2*({width!r})^2))"
    return pg.Loss.from_formula(f"t^2/2 - {well}", ["t"])


def mean_with_spike(width: float) -> float:
    """By quadrature of exp over the well alone: the parabola is constant there."""
    z = np.linspace(-12.0, 12.0, 48001)
    mass = width * (np.exp(DEPTH * np.exp(-0.5 * z * z)) - 1.0).sum() * (z[1] - z[0]) * np.exp(-0.625 * CENTRE**2)
    return CENTRE * mass / (mass + np.sqrt(np.pi / 0.625))


@pytest.mark.parametrize("width", [2e-6, 1e-8])
def test_a_well_that_the_survey_misses_is_found(width):
    target = pg.target(spike(width), pg.methods.DLE(kl_weight=1.0), prior=LINE)
    assert target.mean == pytest.approx(mean_with_spike(width), rel=1e-6)
    assert target.missed < 1e-5 and "proven" in repr(target)
    assert width < target.resolution / 12.0


def test_without_the_search_it_is_missed_and_the_bound_says_so(monkeypatch):
    monkeypatch.setattr(minimisers, "MOST_SEARCHES", 0)
    with pytest.warns(UserWarning, match="may have missed up to 82% of its mass"):
        target = pg.target(spike(2e-6), pg.methods.DLE(kl_weight=1.0), prior=LINE)
    assert abs(target.mean) < 1e-9 and target.error < 1e-12  # the numbers that used to be stated
    assert target.missed == pytest.approx(mean_with_spike(2e-6) / CENTRE, rel=1e-5)  # the share that the well holds


@pytest.mark.slow
def test_a_well_in_the_plane_is_found():
    well = f"{DEPTH}*exp(-((t - ({CENTRE!r}))^2 + (u - 0.3)^2)/(2*2e-4^2))"
    loss = pg.Loss.from_formula(f"t^2/2 + u^2 - 3*{well}", ["t", "u"])
    target = pg.target(loss, pg.methods.DLE(kl_weight=1.0), prior=PLANE)
    assert target.mean == pytest.approx([CENTRE, 0.3], abs=1e-3)
    assert target.missed is not None and target.missed < 0.01 and target.resolution > 0.01


def test_drle_finds_the_same_well():
    method = pg.methods.DRLE(kl_weight=1.0, mmd_weight=0.1, kernel=pg.kernels.SquaredExponential(lengthscale=1.0))
    target = pg.target(spike(1e-5), method, prior=LINE)
    near = target.cdf([CENTRE - 1e-3, CENTRE + 1e-3])
    assert near[1] - near[0] > 0.8


BOUNDED = [
    ("t^2/2", LINE, 1.0),
    ("3/2*(t**4/4 + t**3/3 - t**2) - 3/8", pg.priors.Normal(0.0, 1.0), 1.0),
    ("abs(sin(t)) + t^2/8", pg.priors.Laplace(0.5, 1.0), 0.1),
    ("t^2/10", pg.priors.StudentT(degrees_of_freedom=3.0, location=0.2, scale=1.5), 1.0),
    ("sqrt(t) + 1/t", pg.priors.Uniform(0.0, 5.0), 0.7),
    ("t^4 - 2*t^2", pg.priors.Flat(1), 0.01),
    ("1/t^2 + t^2", LINE, 1.0),
    ("1/abs(t - 0.3)", LINE, 1.0),
    ("log(t)^2", pg.priors.Uniform(-1.0, 3.0), 1.0),
    ("t", pg.priors.GaussianMixture(means=[[0.0], [3.0]], sds=[[1.0], [0.5]], weights=[0.3, 0.7]), 2.0),
    ("tanh(50*(t - 1))*t", pg.Prior.from_formula("exp(-x^4)*(1 + 1e1*x^2)"), 1.0),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "prior", "kl_weight"), BOUNDED, ids=[row[0] for row in BOUNDED])
def test_the_bounds_hold_the_quadrature_and_are_close(formula, prior, kl_weight):
    loss = pg.Loss.from_formula(formula, ["t"])
    place = potential.domain_of(prior)
    found = nodes.discretise(potential.gibbs_log_weight(loss, prior, kl_weight), place)
    bounds = minimisers.certifier(loss, prior, kl_weight, place).missed(found)
    assert bounds.least <= 1.0 + 1e-9 and bounds.most >= 1.0 - 1e-9 and bounds.share < 2e-6
    # a quadrature that lost a share of the mass lies outside the bounds
    lost = found._replace(log_normaliser=found.log_normaliser + np.log(1.0 - 1e-4))
    assert minimisers.certifier(loss, prior, kl_weight, place).missed(lost).least > 1.0 + 5e-5


def test_nothing_is_proven_of_what_is_no_formula():
    in_numpy = pg.Loss.from_numpy(lambda x: (x**2).sum(axis=1), lambda x: 2 * x, dim=1)
    for loss in (pg.losses.get("double-well"), in_numpy):
        target = pg.target(loss, pg.methods.DLE(kl_weight=1.0), prior=LINE)
        assert target.missed is None and "proven" not in repr(target)
    pole = pg.Loss.from_formula("t*log(t)", ["t"])  # its bounds over a box that ends at 0 are infinite
    with pytest.warns(UserWarning, match="may have missed a part of its mass, of which no bound is known"):
        target = pg.target(pole, pg.methods.DLE(kl_weight=1.0), prior=pg.priors.Uniform(0.0, 2.0))
    assert target.missed == 1.0 and "proven" not in repr(target)


def test_a_narrow_valley_in_the_plane_is_no_alarm():
    loss = pg.Loss.from_formula("(a - 3)^2/2 + 50*(b - 2*a)^2", ["a", "b"])
    assert pg.target(loss, pg.methods.DLE(1.0), prior=pg.priors.Normal([0.0, 0.0], [1.0, 1.0])).missed < 0.01


def test_far_boxes_are_empty_on_both_sides_of_a_kink(monkeypatch):
    """The value of 3e3 (abs(t) + t) over a far box is hardly bounded: its slope is, with its rounding."""
    loss, prior = pg.Loss.from_formula("3e3*(abs(t) + t)", ["t"]), pg.priors.Laplace(0.0, 1.0)
    assert pg.target(loss, pg.methods.DLE(kl_weight=1.0), prior).missed < 1e-5
    monkeypatch.setattr(missed, "ROUNDING", np.inf)
    with pytest.warns(UserWarning, match="may have missed"):  # control
        assert pg.target(loss, pg.methods.DLE(kl_weight=1.0), prior).missed > 0.5


def welled(places: list[np.ndarray], width: float, depth: float) -> pg.Loss:
    """No loss but round wells of this full width at places (dim,), in plain numpy, of which nothing is proven."""

    def bowls(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        gaps = [x - place for place in places]
        away = np.min([np.sqrt((gap**2).sum(axis=1)) for gap in gaps], axis=0)
        nearest = np.argmin([(gap**2).sum(axis=1) for gap in gaps], axis=0)
        return away, np.choose(nearest[:, None], gaps), 2.0 * np.pi / width

    def value(x: np.ndarray) -> np.ndarray:
        away, _, k = bowls(x)
        return np.where(away < 0.5 * width, -0.5 * depth * (1.0 + np.cos(k * away)), 0.0)

    def gradient(x: np.ndarray) -> np.ndarray:
        away, gap, k = bowls(x)
        steep = 0.5 * depth * k * np.sin(k * away) / np.maximum(away, 1e-300)
        return np.where((away < 0.5 * width)[:, None], steep[:, None] * gap, 0.0)

    return pg.Loss.from_numpy(value, gradient, dim=len(places[0]))


@pytest.mark.slow
@pytest.mark.parametrize(("prior", "scales", "number"), [(LINE, 12.0, 40), (PLANE, 6.0, 6)], ids=["line", "plane"])
def test_each_well_as_wide_as_the_resolution_is_met(prior, scales, number, rng):
    """At random places within so many scales; the control is a well of a thousandth of the width."""
    width = pg.target(welled([np.zeros(prior.dim)], 1.0, 1.0), pg.methods.DLE(1.0), prior=prior).resolution
    z = np.linspace(-0.5, 0.5, 4001)

    def is_met(place: np.ndarray, wide: float) -> bool:
        depth = -float(prior.log_density(place[None])[0]) - prior.dim * np.log(wide) + 3.0
        target = pg.target(welled([place], wide, depth), pg.methods.DLE(1.0), prior=prior)
        level = np.exp(0.5 * depth * (np.cos(2.0 * np.pi * z) - 1.0))
        mass = np.exp(3.0) * (level.mean() if prior.dim == 1 else np.pi * (level * np.abs(z)).mean())
        exact = mass / (1.0 + mass) * place
        return bool(np.abs(np.atleast_1d(target.mean) - exact).max() < 0.05 * np.abs(exact).max())

    places = 2.0 * scales * rng.uniform(-1.0, 1.0, (number, prior.dim))
    assert all(is_met(place, width) for place in places)
    assert not all(is_met(place, 1e-3 * width) for place in places[:6])
