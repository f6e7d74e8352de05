"""EnsembleJumps alone leave exp(-E / kl_weight) invariant: the law of two and three particles, by quadrature.

Independent states are drawn from the law on a grid, jump a few times, and must still have it: means of functions of the
state are compared with the quadrature in standard errors. The claim `jump-law` says it of DLE.
"""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.jumps.ensemble import EnsembleJumps
from particlegvi.engine.terms.evaluate import profile_values

KL, MMD = 0.5, 1.5
LOSS = pg.Loss.from_formula("(t**2 - 1)**2 + 0.3*t", variables=["t"])
NORMAL, BOX, FLAT = pg.priors.Normal(0.2, 1.3), pg.priors.Uniform(-1.0, 1.2), pg.priors.Flat(1)
SQUARED, MATERN = pg.kernels.SquaredExponential(0.6), pg.kernels.Matern32(0.6)
STATES, TIMES = 2000, 2
FUNCTIONS = {
    "x": lambda x: x.mean(axis=1),
    "x^2": lambda x: (x**2).mean(axis=1),
    "x < 0": lambda x: (x < 0.0).mean(axis=1),
    "x near the wall": lambda x: (x < -0.9).mean(axis=1),
    "x y": lambda x: x[:, 0] * x[:, -1],
    "|x - y| < 0.4": lambda x: 1.0 * (np.abs(x[:, 0] - x[:, -1]) < 0.4),
}


def law(prior, kernel, particles, halved=True):
    """Grid (n,) and probabilities (n, ..., n) of its cells under exp(-E / KL)."""
    low, high = (-1.0, 1.2) if prior is BOX else (-2.9, 2.9)
    cells = {2: 500, 3: 150}[particles]
    t = low + (np.arange(cells) + 0.5) * (high - low) / cells
    v = (t**2 - 1.0) ** 2 + 0.3 * t - KL * prior.log_density(t[:, None])
    pairs = 2.0 * MMD * profile_values(kernel, (t[:, None] - t) ** 2) / particles * (1.0 if halved else 2.0)
    if prior is not FLAT:  # mu_P by the trapezoidal rule
        s = np.linspace(*((-1.0, 1.2) if prior is BOX else (-9.0, 9.0)), 4001)
        kappa = profile_values(kernel, (t[:, None] - s) ** 2)
        v = v - 2.0 * MMD * np.trapezoid(kappa * np.exp(prior.log_density(s[:, None])), s, axis=1)
    energy = v[:, None] + v + pairs
    if particles == 3:
        energy = energy[:, :, None] + v + pairs[:, None, :] + pairs[None, :, :]
    p = np.exp(-(energy - energy.min()) / KL)
    return t, p / p.sum()


def errors(prior, kernel, particles, start=None):
    """The deviations of means of functions of the state after jumps, in standard errors."""
    t, p = law(prior, kernel, particles)
    rng = np.random.default_rng(11)
    q = p if start is None else start
    cells = np.array(np.unravel_index(np.searchsorted(np.cumsum(q.ravel()), rng.random(STATES)), q.shape)).T
    x = t[cells] + (t[1] - t[0]) * (rng.random(cells.shape) - 0.5)
    term = None if prior is FLAT else pg.priors.embedding(prior, kernel).term
    jumps = EnsembleJumps(
        LOSS, prior, term, kernel, kl_weight=KL, lambda1=2.0 * MMD, share=0.3, tolerance=1e-12, seed=11,
        particles=particles,
    )  # fmt: skip
    for state in range(STATES):
        y = np.ascontiguousarray(x[state][:, None])
        for time in range(TIMES):
            jumps.jump(y, state * TIMES + time)
        x[state] = y[:, 0]
    assert jumps.counts["jumps accepted"] > 0.15 * jumps.counts["jumps proposed"] > 0.0
    points = np.array(np.meshgrid(*[t] * p.ndim, indexing="ij")).reshape(p.ndim, -1).T
    found = {}
    for name, function in FUNCTIONS.items():
        values = function(points)
        mean = p.ravel() @ values
        found[name] = float((function(x).mean() - mean) / np.sqrt(p.ravel() @ (values - mean) ** 2 / STATES))
    return found


@pytest.mark.parametrize(
    ("prior", "kernel", "particles"),
    [(NORMAL, SQUARED, 2), (NORMAL, MATERN, 3), (BOX, SQUARED, 3), (FLAT, MATERN, 3)],
)
@pytest.mark.slow
def test_jumps_leave_the_law_of_few_particles_invariant(prior, kernel, particles):
    found = errors(prior, kernel, particles)
    assert max(map(abs, found.values())) < 4.0, found


@pytest.mark.slow
def test_the_law_of_an_energy_without_the_half_is_another():
    _, p = law(NORMAL, SQUARED, 2, halved=False)
    found = errors(NORMAL, SQUARED, 2, start=p)
    assert max(map(abs, found.values())) > 5.0, found


def mixture_errors(dim, prior, particles=4000):
    """Deviations of the shares of a Gaussian mixture's three components after jumps of exact draws, in errors."""
    rng = np.random.default_rng(dim)
    means, sds, weights = 4.0 * rng.standard_normal((3, dim)), np.array([0.6, 1.0, 1.4]), np.array([0.2, 0.3, 0.5])
    # under a normal prior the loss is the mixture's over that prior, so that Q* is the mixture for either prior
    mixture = pg.losses.get("gaussian-mixture", means=means, sds=sds, weights=weights)
    loss = mixture if prior.name == "flat" else pg.Loss.from_numpy(
        lambda x: mixture.value(x) + prior.log_density(x), lambda x: mixture.gradient(x) - x / prior.sd**2, dim=dim
    )  # fmt: skip

    def drawn(number):
        own = rng.choice(3, number, p=weights)
        return means[own] + sds[own, None] * rng.standard_normal((number, dim))

    def shares(x):
        nearest = (((x[:, None] - means) / sds[:, None]) ** 2).sum(axis=-1).argmin(axis=1)
        return np.bincount(nearest, minlength=3) / len(x)

    x, exact = drawn(particles), shares(drawn(400_000))
    jumps = EnsembleJumps(
        loss, prior, None, None, kl_weight=1.0, lambda1=0.0, share=0.3, tolerance=1e-12, seed=1, particles=particles
    )
    for number in range(3):
        jumps.jump(x, number)
    error = np.sqrt(exact * (1.0 - exact) * (1.0 / particles + 1.0 / 4e5))
    return (shares(x) - exact) / error, jumps.counts["jumps accepted"] / (3 * particles)


@pytest.mark.parametrize("dim", [3, 5, 10])
@pytest.mark.parametrize("flat", [True, False], ids=["flat", "normal"])
@pytest.mark.slow
def test_mixtures_in_more_dimensions_stay_what_they_are(dim, flat):
    prior = pg.priors.Flat(dim) if flat else pg.priors.Normal(np.zeros(dim), 5.0)
    found, accepted = mixture_errors(dim, prior)
    assert np.abs(found).max() < 4.5 and accepted > {3: 0.05, 5: 0.005, 10: 1e-5}[dim], (found, accepted)
