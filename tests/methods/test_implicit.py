"""The implicit step against closed forms, its limit, and what it refuses."""

import numpy as np
from scipy.optimize import minimize

import particlegvi as pg

from ..refusals import refuse

KERNEL = pg.kernels.SquaredExponential(0.8)
WELL = pg.losses.get("tilted-double-well")


def test_without_weights_each_particle_takes_the_proximal_step():
    start = np.array([[2.0], [-1.0], [0.5]])  # (5.2) on V = t^2/2: theta / (1 + eta)
    run = pg.simulate(pg.losses.get("quadratic"), pg.methods.JKO(0.0), initial=start, steps=2, step_size=3.0)
    np.testing.assert_allclose(run.final, start / 16.0, atol=1e-10)


def test_a_step_minimises_the_written_out_objective(rng):
    """Against scipy's Nelder-Mead in five particles, with prior, repulsion and entropy; the order stays the start's."""
    start, prior = np.array([[0.3], [-1.2], [1.1], [-0.1], [0.8]]), pg.priors.Normal(0.2, 0.9)
    method, eta = pg.methods.JKO(0.5, 0.7, KERNEL), 0.4
    end = pg.simulate(WELL, method, prior=prior, initial=start, steps=1, step_size=eta).final[:, 0]

    def objective(x):
        gaps = np.diff(np.sort(x))
        if np.any(gaps <= 0.0):
            return np.inf
        pairs = np.exp(-0.5 * (x[:, None] - x) ** 2 / 0.64)
        mu = 0.8 / np.sqrt(0.64 + 0.81) * np.exp(-0.5 * (x - 0.2) ** 2 / (0.64 + 0.81))
        potential = WELL.value(x[:, None]) - 1.4 * mu + 0.5 * 0.5 * ((x - 0.2) / 0.9) ** 2
        moved = np.mean((x - start[:, 0]) ** 2) / (2.0 * eta)
        return potential.mean() + 0.7 * pairs.mean() - 0.5 * np.log(gaps).sum() / 5.0 + moved

    best = minimize(objective, end + 0.01 * rng.normal(size=5), method="Nelder-Mead",
                    options={"xatol": 1e-9, "fatol": 1e-14, "maxiter": 20_000})  # fmt: skip
    np.testing.assert_allclose(end, best.x, atol=1e-5)
    assert np.array_equal(np.argsort(end), np.argsort(start[:, 0]))
    assert objective(end) < objective(end + np.array([0.0, 0.0, 1e-3, 0.0, 0.0]))


def test_it_ends_at_q_star_at_any_step_size():
    """200 quantiles: W1 to Q* far below that of 200 draws, with steps far beyond the limit of Euler."""
    prior, method = pg.priors.Normal(0.0, 1.0), pg.methods.JKO(1.0, 0.5, KERNEL)
    target = pg.target(WELL, pg.methods.DRLE(1.0, 0.5, KERNEL), prior=prior)
    run = pg.simulate(WELL, method, prior=prior, particles=200, steps=8, step_size=20.0, seed=1)
    assert pg.diagnostics.wasserstein1(run.final[:, 0], target) < 0.02
    other = pg.target(WELL, pg.methods.DRLE(1.0, 0.25, KERNEL), prior=prior)
    assert pg.diagnostics.wasserstein1(run.final[:, 0], other) > 0.03


def test_what_it_cannot_do_is_refused():
    method, prior = pg.methods.JKO(1.0), pg.priors.Normal(0.0, 1.0)
    plane, start = pg.losses.get("four-gaussians"), np.arange(6.0).reshape(3, 2)
    refuse(lambda: pg.simulate(plane, method, initial=start, steps=1, step_size=0.1), "JKO needs a loss on the line")
    refuse(lambda: pg.simulate(WELL, method, prior=prior, initial=np.zeros((3, 1)), steps=1, step_size=0.1),
           "initial must be distinct points for JKO")  # fmt: skip
    refuse(lambda: pg.simulate(WELL, method, prior=pg.priors.Uniform(-3.0, 3.0), particles=5, steps=1, step_size=0.1),
           "prior must be one without walls for JKO")  # fmt: skip
    refuse(lambda: pg.methods.JKO(-1.0), "kl_weight must be")
