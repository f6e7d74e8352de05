"""FD-GVI's local optima against closed forms, scipy's optimiser and scipy's ODE solver."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad, solve_ivp
from scipy.optimize import minimize

import particlegvi as pg

from .references import line_loss, plane_loss, tilted


@pytest.mark.thorough
def test_a_quadratic_loss_has_the_conjugate_answer():
    """Under N(m, s^2): precision c/kl_weight + 1/s^2 in each coordinate; the objective is minus the log evidence."""
    loss = plane_loss(lambda x, y: x**2 + 2.0 * (y - 1.0) ** 2)
    target = pg.target(loss, pg.methods.FDGVI(0.5), prior=pg.priors.Normal([1.0, -2.0], [1.0, 3.0]))
    (best,) = target.optima
    precision = np.array([2.0, 4.0]) / 0.5 + np.array([1.0, 1.0 / 9.0])
    mean = (np.array([0.0, 4.0]) / 0.5 + np.array([1.0, -2.0 / 9.0])) / precision
    assert best.mean == pytest.approx(mean, abs=1e-9) and best.sd == pytest.approx(precision**-0.5, abs=1e-9)
    gibbs = pg.target(loss, pg.methods.DLE(0.5), prior=pg.priors.Normal([1.0, -2.0], [1.0, 3.0]))
    assert best.objective == pytest.approx(-0.5 * gibbs.log_normaliser, abs=1e-7)
    assert target.mean == pytest.approx(mean) and target.variance == pytest.approx(1.0 / precision)
    x = np.array([[0.3, 0.7], [-1.0, 2.0]])
    assert target.pdf(x) == pytest.approx(np.prod(stats.norm(best.mean, best.sd).pdf(x), axis=1))


def objective(loss, nu, kl_weight):
    """(C.136) on the line, by scipy."""
    mean, sd = nu[0], math.exp(0.5 * nu[1])
    law = stats.norm()
    average = quad(lambda z: loss(mean + sd * z) * law.pdf(z), -9.0, 9.0, epsabs=1e-10, epsrel=1e-10, limit=400)[0]
    return average - 0.5 * kl_weight * (nu[1] + math.log(2.0 * math.pi) + 1.0)


@pytest.mark.slow
def test_figure_5_3_has_the_pairs_of_optima_of_a_line():
    """The loss is a sum over coordinates. Scipy finds the optima of a line in the last test but one."""
    part = line_loss(
        lambda t: math.log(math.sqrt(8.0 * math.pi)) - np.logaddexp(-0.5 * (t - 3.0) ** 2, -0.5 * (t + 3.0) ** 2)
    )
    line = pg.target(part, pg.methods.FDGVI(0.5), prior=pg.priors.Flat(1)).optima
    start = pg.priors.Normal([0.0, 0.0], [1.0, 1.0])
    target = pg.target(pg.losses.get("four-gaussians"), pg.methods.FDGVI(0.5), prior=pg.priors.Flat(2), initial=start)
    assert len(line) == 3 and len(target.optima) == 9 and target.residual < 1e-6
    sums = sorted(a.objective + b.objective for a, b in itertools.product(line, repeat=2))
    assert [found.objective for found in target.optima] == pytest.approx(sums, abs=1e-6)
    best = target.optima[:4]
    assert len({tuple(np.sign(found.mean)) for found in best}) == 4
    for found in best:
        assert np.abs(found.mean) == pytest.approx(np.full(2, abs(line[0].mean[0])), abs=1e-5)
        assert found.sd == pytest.approx(np.full(2, line[0].sd[0]), abs=1e-5)


@pytest.mark.thorough
def test_the_basin_of_a_start_is_where_the_flow_goes():
    """scipy's solver on (C.136)'s gradient flow in (mean, log variance), with scipy's quadrature by Gauss-Hermite."""
    loss = line_loss(lambda t: 0.25 * (t**2 - 4.0) ** 2 + 0.2 * t, lambda t: t * (t**2 - 4.0) + 0.2)
    target = pg.target(loss, pg.methods.FDGVI(0.3), prior=pg.priors.Normal(0.0, 3.0))
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    weights = weights / weights.sum()

    def flow(_, nu):
        sd = math.exp(0.5 * nu[1])
        points = nu[0] + sd * nodes
        slope = points * (points**2 - 4.0) + 0.2 + 0.3 * points / 9.0
        return [-weights @ slope, -0.5 * sd * (weights @ (slope * nodes)) + 0.15]

    assert len(target.optima) >= 2
    for mean, sd in ((0.5, 0.3), (-0.4, 0.2), (0.03, 0.5), (3.0, 1.0), (-0.1, 2.0)):
        end = solve_ivp(flow, (0.0, 200.0), [mean, 2.0 * math.log(sd)], rtol=1e-8, atol=1e-10).y[:, -1]
        found = target.optima[target.basin_of(mean, sd)]
        assert found.mean[0] == pytest.approx(end[0], abs=1e-4)
        assert found.sd[0] == pytest.approx(math.exp(0.5 * end[1]), abs=1e-4)


@pytest.mark.slow
def test_an_optimum_of_figure_5_2_is_one_for_scipy():
    target = pg.target(pg.losses.get("tilted-double-well"), pg.methods.FDGVI(1.0), prior=pg.priors.Flat(1))
    for found in target.optima:
        start = [found.mean[0], 2.0 * math.log(found.sd[0])]
        assert found.objective == pytest.approx(objective(tilted, start, 1.0), abs=1e-8)
        again = minimize(
            lambda nu: objective(tilted, nu, 1.0), start, method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-13}
        )
        assert again.x == pytest.approx(start, abs=1e-4)
    best = target.optima[0]
    law = stats.norm(best.mean[0], best.sd[0])
    assert target.cdf(-1.0) == pytest.approx(law.cdf(-1.0)) and target.quantile(0.3) == pytest.approx(law.ppf(0.3))


def test_what_fd_gvi_cannot_have():
    with pytest.raises(ValueError, match="infinite KL"):
        pg.target(line_loss(lambda t: t**2), pg.methods.FDGVI(0.5), prior=pg.priors.Uniform(-1.0, 1.0))
    with pytest.raises(ValueError, match="sd must be positive"):
        pg.target(line_loss(lambda t: t**2), pg.methods.FDGVI(0.5), prior=pg.priors.Flat(1)).basin_of(0.0, -1.0)
