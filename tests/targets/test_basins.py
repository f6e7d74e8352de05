"""DE's atoms: basins against an ODE solver, distribution functions of scipy, and cases solved by hand."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import solve_ivp

import particlegvi as pg
from particlegvi.targets.basins import basins_line

from ..refusals import refuse, refused

pytestmark = pytest.mark.thorough

DE = pg.methods.DE()
BOX = pg.priors.Uniform(-1.0, 3.0)
NORMAL = pg.priors.Normal(0.0, 1.0)
PLANE = pg.priors.Normal([0.0, 0.0], [1.0, 1.0])


def line(formula):
    return pg.Loss.from_formula(formula, ["t"])


def plane(formula):
    return pg.Loss.from_formula(formula, ["x", "y"])


def ends(loss, starts, time=300.0):
    """Where the gradient flow takes each start, by scipy's stiff solver."""
    flow = lambda _, x: -loss.gradient(x[None])[0]
    solved = (solve_ivp(flow, (0.0, time), start, method="LSODA", rtol=1e-8, atol=1e-10) for start in starts)
    return np.array([each.y[:, -1] for each in solved])


def test_figure_5_2_for_symmetric_and_asymmetric_starts():
    loss = pg.losses.get("tilted-double-well")
    for prior in (NORMAL, pg.priors.Normal(0.3, 2.0), pg.priors.Uniform(-1.0, 7.0)):
        target = pg.target(loss, DE, initial=prior)
        law = stats.norm(prior.mean[0], prior.sd[0]) if prior.name == "normal" else stats.uniform(-1.0, 8.0)
        assert target.atoms[:, 0] == pytest.approx([-2.0, 1.0], abs=1e-12)
        assert target.weights == pytest.approx([law.cdf(0.0), law.sf(0.0)], abs=1e-13)
        assert target.error < 1e-12 and target.residual < 1e-12
    # It is not the minimiser of the average loss, which sits on the global minimum alone.
    assert pg.target(loss, DE, initial=NORMAL).mean == pytest.approx(-0.5)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.sample("0")
def test_random_losses_against_an_ode_solver(seed):
    a, b, c, d = np.random.default_rng(seed).normal(size=4)
    made = line(f"0.05*t^4 + {a}*sin(3*t + {b}) + {c}*cos(1.7*t) + {0.2 * d}*t")
    target = pg.target(made, DE, initial=pg.priors.Normal(0.4, 1.5))
    starts = stats.norm(0.4, 1.5).ppf((np.arange(60) + 0.5) / 60.0)[:, None]
    reached = ends(made, starts)[:, 0]
    nearest = np.argmin(np.abs(reached[:, None] - target.atoms[:, 0]), axis=1)
    assert np.max(np.abs(reached - target.atoms[nearest, 0])) < 1e-4
    # A start decides for the whole of its stratum, so each basin's end may be off by one of them.
    shares = np.bincount(nearest, minlength=len(target.atoms)) / 60.0
    assert np.all(np.abs(shares - target.weights) <= 2.0 / 60.0)
    # Between two neighbouring starts that part, the weights' cumulative sum is the cdf of the dividing maximum.
    for k, edge in enumerate(np.cumsum(target.weights)[:-1]):
        divide = stats.norm(0.4, 1.5).ppf(edge)
        sides = ends(made, np.array([[divide - 1e-4], [divide + 1e-4]]))[:, 0]
        assert sides == pytest.approx(target.atoms[k : k + 2, 0], abs=1e-3)


def test_thousands_of_minima_and_kinks():
    box = pg.priors.Uniform(-1000.0 * math.pi, 1000.0 * math.pi)
    target = pg.target(pg.losses.get("abs-sine"), DE, prior=box, initial=box)
    assert target.atoms[:, 0] == pytest.approx(math.pi * (np.arange(-1000, 1000) + 0.5), abs=1e-9)
    assert target.weights == pytest.approx(np.full(2000, 1.0 / 2000.0), abs=1e-13)
    assert target.error < 1e-10
    narrow = pg.target(pg.losses.get("abs-sine"), DE, prior=box, initial=pg.priors.Normal(1.0, 4.0))
    law = stats.norm(1.0, 4.0)
    k = np.round((narrow.atoms[:, 0] - math.pi / 2.0) / math.pi)
    assert narrow.weights == pytest.approx(law.cdf((k + 1.0) * math.pi) - law.cdf(k * math.pi), abs=1e-12)


@pytest.mark.parametrize("degrees", [1.0, 4.3])
def test_starts_with_heavy_tails_do_not_hide_the_middle(degrees, monkeypatch):
    """They have some mass at 1e15, where a grid that goes so far sees none of the minima around the start."""
    start, law = pg.priors.StudentT(degrees, 1.0, 0.9), stats.t(degrees, 1.0, 0.9)

    def difference():
        target = pg.target(line("1 - cos(2*t)"), DE, initial=start)
        k = np.arange(-3, 4)
        weights = [target.weights[np.abs(target.atoms[:, 0] - math.pi * each) < 1e-6].sum() for each in k]
        return np.abs(weights - law.cdf((k + 0.5) * math.pi) + law.cdf((k - 0.5) * math.pi)).max()

    assert difference() < 1e-9
    if degrees > 1.0:
        monkeypatch.setattr(basins_line, "FINE", 2**15)  # the control is quick
        monkeypatch.setattr(basins_line, "WORTH", 0.0)
        assert difference() > 0.1


def test_a_minimum_at_a_kink_and_one_of_high_order():
    for formula in ("abs(t - 0.3)", "(t - 0.3)^6"):
        target = pg.target(line(formula), DE, initial=NORMAL)
        assert target.atoms[:, 0] == pytest.approx([0.3], abs=1e-12) and target.weights.tolist() == [1.0]


def test_the_sides_of_a_box_are_minima():
    assert pg.target(line("-t"), DE, prior=BOX, initial=BOX).atoms.tolist() == [[3.0]]
    hill = pg.target(line("-t^2"), DE, prior=BOX, initial=BOX)
    assert hill.atoms.tolist() == [[-1.0], [3.0]] and hill.weights == pytest.approx([0.25, 0.75], abs=1e-13)


def test_a_stationary_slope_stops_what_comes_down_to_it():
    """t^3/3 - t^5/5 rises through an inflection at 0: starts in (0, 1) come down to it and stay."""
    target = pg.target(line("t^3/3 - t^5/5"), DE, initial=pg.priors.Uniform(-0.9, 0.6))
    assert target.atoms[:, 0] == pytest.approx([-1.0, 0.0], abs=1e-7)
    assert target.weights == pytest.approx([0.6, 0.4], abs=1e-7)


def test_starts_given_as_points():
    loss = pg.losses.get("tilted-double-well")
    target = pg.target(loss, DE, initial=np.array([-1.0, 0.2, 0.0, 3.0]))
    assert target.atoms[:, 0] == pytest.approx([-2.0, 0.0, 1.0], abs=1e-12)  # a start on the maximum stays
    assert target.weights.tolist() == [0.25, 0.25, 0.5]
    far = pg.target(line("(t - 900)^2"), DE, initial=np.array([[-50.0]]))
    assert far.atoms[:, 0] == pytest.approx([900.0])


def test_an_atomic_target_has_the_laws_of_its_atoms():
    target = pg.target(pg.losses.get("tilted-double-well"), DE, initial=pg.priors.Normal(0.3, 2.0))
    p = target.weights[0]
    assert target.mean == pytest.approx(-2.0 * p + 1.0 - p) and target.variance == pytest.approx(9.0 * p * (1.0 - p))
    assert target.cdf(np.array([-2.1, -1.9, 0.9, 1.1])) == pytest.approx([0.0, p, p, 1.0])
    assert target.quantile([0.1, 0.9]).tolist() == target.atoms[:, 0].tolist()
    refuse(lambda: target.pdf(0.0), "no density")


test_what_has_no_isolated_minimum_is_refused = refused(
    lambda loss, initial: pg.target(loss, DE, initial=initial),
    (line("0*t"), NORMAL, "isolated"),
    (line("t"), NORMAL, "-infinity"),
    (line("-t"), BOX, "infinity"),  # the box is the start's, not the prior's
    (plane("(sqrt(x^2 + y^2) - 1)^2"), PLANE, "not isolated"),
    (plane("x^2 - y^2"), PLANE, "infinity"),
)


@pytest.mark.slow
def test_four_basins_in_the_plane():
    """The basins of the four Gaussians are the quadrants, also for an asymmetric start."""
    loss = pg.losses.get("four-gaussians")
    target = pg.target(loss, DE, initial=PLANE)
    assert np.abs(target.atoms) == pytest.approx(np.full((4, 2), 3.0), abs=1e-6)
    assert target.weights == pytest.approx(np.full(4, 0.25), abs=1e-9)
    shifted = pg.target(loss, DE, initial=pg.priors.Normal([0.5, -0.3], [1.0, 2.0]))
    right, up = stats.norm(0.5, 1.0).sf(0.0), stats.norm(-0.3, 2.0).sf(0.0)
    exact = [(1 - right) * (1 - up), (1 - right) * up, right * (1 - up), right * up]
    assert np.sum(np.abs(shifted.weights - exact)) < min(shifted.error, 1e-3)
    assert shifted.error < 1e-2


@pytest.mark.slow
def test_curved_basins_against_an_ode_solver(monkeypatch):
    monkeypatch.setattr("particlegvi.targets.basins.basins_plane.HALVINGS", 2)

    loss = plane("(x^2 - 1)^2 + 3*(y - sin(3*x))^2 + 0.3*x*y")
    target = pg.target(loss, DE, initial=pg.priors.Normal([0.2, 0.1], [1.0, 1.0]))
    z = stats.norm.ppf((np.arange(6) + 0.5) / 6.0)
    grid = np.stack(np.meshgrid(0.2 + z, 0.1 + z), axis=-1).reshape(-1, 2)
    reached = ends(loss, grid, 40.0)
    gaps = np.linalg.norm(reached[:, None] - target.atoms, axis=2)
    assert np.max(np.min(gaps, axis=1)) < 1e-3
    same = pg.target(loss, DE, initial=grid)
    counts = np.bincount(np.argmin(np.linalg.norm(reached[:, None] - same.atoms, axis=2), axis=1))
    assert same.weights * 36.0 == pytest.approx(counts)
    shares = np.bincount(np.argmin(gaps, axis=1), minlength=len(target.atoms)) / 36.0
    assert np.sum(np.abs(shares - target.weights)) < 0.2
    assert np.max(np.abs(loss.gradient(target.atoms))) < 1e-8


def test_the_box_in_the_plane():
    box = pg.priors.Uniform([-1.0, -2.0], [1.0, 2.0])
    target = pg.target(plane("x^2 - y^2"), DE, prior=box, initial=box)
    assert target.atoms == pytest.approx(np.array([[0.0, -2.0], [0.0, 2.0]]), abs=1e-9)
    assert target.weights == pytest.approx([0.5, 0.5], abs=1e-9)
    assert pg.target(plane("x + y"), DE, prior=box, initial=box).atoms.tolist() == [[-1.0, -2.0]]
