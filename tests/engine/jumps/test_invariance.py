"""EnsembleJumps alone leave exp(-E / kl_weight) invariant: the law of two and three particles, by quadrature.

Independent states are drawn from the law on a grid, jump a few times, and must still have it: means of functions of the
state are compared with the quadrature in standard errors. A wrong acceptance moves particles at the first jump, so that
every control fails by far.
"""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.jumps.ensemble import EnsembleJumps
from particlegvi.verification.wrong_jumps import Folded, WithoutRatio

KL, MMD = 0.5, 1.5
LOSS = pg.Loss.from_formula("(t**2 - 1)**2 + 0.3*t", variables=["t"])
NORMAL, BOX, FLAT = pg.priors.Normal(0.2, 1.3), pg.priors.Uniform(-1.0, 1.2), pg.priors.Flat(1)
SQUARED, MATERN = pg.kernels.SquaredExponential(0.6), pg.kernels.Matern32(0.6)
STATES, TIMES = 2000, 2
OF_ONE = {
    "x": lambda x: x,
    "x^2": lambda x: x**2,
    "x < 0": lambda x: 1.0 * (x < 0.0),
    "x near the wall": lambda x: 1.0 * (x < -0.9),
}
OF_ALL = {
    **{name: lambda x, of=of: of(x).mean(axis=1) for name, of in OF_ONE.items()},
    "x y": lambda x: x[:, 0] * x[:, -1],
    "|x - y| < 0.4": lambda x: 1.0 * (np.abs(x[:, 0] - x[:, -1]) < 0.4),
}


def profile(kernel, d2):
    if kernel is None:
        return np.zeros_like(d2)
    if kernel is SQUARED:
        return np.exp(-0.5 * d2 / 0.36)
    r = np.sqrt(3.0 * d2) / 0.6
    return (1.0 + r) * np.exp(-r)


def law(prior, kernel, particles, double=False):
    """Grid (n,) and probabilities (n, ..., n) of its cells under exp(-E / KL); of one particle without a kernel."""
    low, high = (-1.0, 1.2) if prior is BOX else (-2.9, 2.9)
    cells = {2: 500, 3: 150}.get(particles, 500)
    t = low + (np.arange(cells) + 0.5) * (high - low) / cells
    v = (t**2 - 1.0) ** 2 + 0.3 * t - KL * prior.log_density(t[:, None])
    pairs = 2.0 * MMD * profile(kernel, (t[:, None] - t) ** 2) / particles * (2.0 if double else 1.0)
    if kernel is not None and prior is not FLAT:  # mu_P by the trapezoidal rule
        s = np.linspace(*((-1.0, 1.2) if prior is BOX else (-9.0, 9.0)), 4001)
        kappa = profile(kernel, (t[:, None] - s) ** 2)
        v = v - 2.0 * MMD * np.trapezoid(kappa * np.exp(prior.log_density(s[:, None])), s, axis=1)
    energy = v
    if kernel is not None:
        energy = v[:, None] + v + pairs
    if kernel is not None and particles == 3:
        energy = energy[:, :, None] + v + pairs[:, None, :] + pairs[None, :, :]
    p = np.exp(-(energy - energy.min()) / KL)
    return t, p / p.sum()


def errors(make, prior, kernel, particles, start=None):
    """The deviations of means of functions of the state after jumps, in standard errors."""
    t, p = law(prior, kernel, particles)
    rng = np.random.default_rng(11)
    q = p if start is None else start
    shape = (STATES, particles) if kernel is None else (STATES,)
    cells = np.unravel_index(np.searchsorted(np.cumsum(q.ravel()), rng.random(shape)), q.shape)
    cells = cells[0] if kernel is None else np.array(cells).T
    x = t[cells] + (t[1] - t[0]) * (rng.random(cells.shape) - 0.5)
    term = None if kernel is None or prior is FLAT else pg.priors.embedding(prior, kernel).term
    jumps = make(
        LOSS, prior, term, kernel, kl_weight=KL, lambda1=2.0 * MMD, share=0.3, tolerance=1e-12, seed=11,
        particles=particles,
    )  # fmt: skip
    for state in range(STATES):
        y = np.ascontiguousarray(x[state][:, None])
        for time in range(TIMES):
            jumps.jump(y, state * TIMES + time)
        x[state] = y[:, 0]
    assert jumps.counts["jumps accepted"] > 0.15 * jumps.counts["jumps proposed"] > 0.0
    points = t[:, None] if kernel is None else np.array(np.meshgrid(*[t] * p.ndim, indexing="ij")).reshape(p.ndim, -1).T
    found = {}
    for name, function in OF_ALL.items():
        if kernel is None and name not in OF_ONE:
            continue
        values = function(points)
        mean = p.ravel() @ values
        variance = p.ravel() @ (values - mean) ** 2 / (particles if kernel is None else 1)
        found[name] = float((function(x).mean() - mean) / np.sqrt(variance / STATES))
    return found


CASES = [
    pytest.param(BOX, None, 12, marks=pytest.mark.slow), (NORMAL, None, 2), (NORMAL, SQUARED, 2), (NORMAL, MATERN, 3),
    (BOX, SQUARED, 3), (FLAT, MATERN, 3),
]  # fmt: skip


@pytest.mark.parametrize(("prior", "kernel", "particles"), CASES)
@pytest.mark.thorough
def test_jumps_leave_the_law_of_few_particles_invariant(prior, kernel, particles):
    found = errors(EnsembleJumps, prior, kernel, particles)
    assert max(map(abs, found.values())) < 4.0, found


class WithoutRatioOfMany(EnsembleJumps):
    """In more than one dimension; on the line there is one in `particlegvi.verification.wrong_jumps`."""

    def propose(self, x, mine, proposal, number):
        new, log_ratio, log_uniform = super().propose(x, mine, proposal, number)
        return new, np.where(np.isfinite(log_ratio), 0.0, log_ratio), log_uniform


class BothOfPairs(EnsembleJumps):
    """The change of the energy without its 1/2."""

    def __init__(self, *parts, lambda1, **others):
        super().__init__(*parts, lambda1=lambda1, **others)
        self._accept_with = 2.0 * lambda1

    def _settle(self, line, x, side):
        kept, self.lambda1 = self.lambda1, self._accept_with
        taken = super()._settle(line, x, side)
        self.lambda1 = kept
        return taken


@pytest.mark.parametrize(
    ("make", "prior", "kernel", "particles"),
    [(WithoutRatio, NORMAL, SQUARED, 2), (Folded, BOX, None, 12), (BothOfPairs, NORMAL, SQUARED, 2)],
)
@pytest.mark.thorough
def test_the_controls_do_not(make, prior, kernel, particles):
    found = errors(make, prior, kernel, particles)
    assert max(map(abs, found.values())) > 6.0, found


@pytest.mark.thorough
def test_the_law_of_an_energy_without_the_half_is_another():
    t, p = law(NORMAL, SQUARED, 2, double=True)
    found = errors(EnsembleJumps, NORMAL, SQUARED, 2, start=p)
    assert max(map(abs, found.values())) > 5.0, found


def mixture_errors(dim, prior, make=EnsembleJumps, particles=400, rounds=10, times=3):
    """Deviations after jumps of exact draws of a Gaussian mixture with three components, in standard errors."""
    rng = np.random.default_rng(dim)
    means, sds, weights = 4.0 * rng.standard_normal((3, dim)), np.array([0.6, 1.0, 1.4]), np.array([0.2, 0.3, 0.5])
    # under a normal prior the loss is the mixture's over that prior, so that Q* is the mixture for either prior
    mixture = pg.losses.get("gaussian-mixture", means=means, sds=sds, weights=weights)
    loss = mixture if prior.name == "flat" else pg.Loss.from_numpy(
        lambda x: mixture.value(x) + prior.log_density(x), lambda x: mixture.gradient(x) - x / prior.sd**2, dim=dim
    )  # fmt: skip
    found, accepted = [], 0
    for round_ in range(rounds):
        own = rng.choice(3, particles, p=weights)
        x = means[own] + sds[own, None] * rng.standard_normal((particles, dim))
        jumps = make(
            loss, prior, None, None, kl_weight=1.0, lambda1=0.0, share=0.3, tolerance=1e-12, seed=round_,
            particles=particles,
        )  # fmt: skip
        for number in range(times):
            jumps.jump(x, number)
        accepted += jumps.counts["jumps accepted"]
        found.append(x)
    x = np.concatenate(found)
    assert accepted > 0
    nearest = (((x[:, None] - means) / sds[:, None]) ** 2).sum(axis=-1).argmin(axis=1)
    exact = rng.choice(3, 400_000, p=weights)  # the classes of exact draws, for the share that is nearest to each
    drawn = means[exact] + sds[exact, None] * rng.standard_normal((400_000, dim))
    shares = (
        np.bincount((((drawn[:, None] - means) / sds[:, None]) ** 2).sum(axis=-1).argmin(axis=1), minlength=3) / 4e5
    )
    counts = np.bincount(nearest, minlength=3) / len(x)
    of_shares = (counts - shares) / np.sqrt(shares * (1.0 - shares) * (1.0 / len(x) + 1.0 / 4e5))
    mean, variance = weights @ means, weights @ (sds[:, None] ** 2 + (means - weights @ means) ** 2)
    of_means = (x.mean(axis=0) - mean) / np.sqrt(variance / len(x))
    return np.concatenate([of_shares, of_means]), accepted / (rounds * times * particles)


@pytest.mark.parametrize("dim", [3, 5, 10])
@pytest.mark.parametrize("flat", [True, False], ids=["flat", "normal"])
@pytest.mark.thorough
def test_mixtures_in_more_dimensions_stay_what_they_are(dim, flat):
    prior = pg.priors.Flat(dim) if flat else pg.priors.Normal(np.zeros(dim), 5.0)
    found, accepted = mixture_errors(dim, prior)
    print(f"{dim} dimensions, {prior.name} prior: {accepted:.2f} accepted, largest deviation {np.abs(found).max():.1f}")
    assert np.abs(found).max() < 4.5 and accepted > {3: 0.05, 5: 0.005, 10: 1e-5}[dim], (found, accepted)


@pytest.mark.thorough
def test_the_control_in_more_dimensions_does_not():
    assert np.abs(mixture_errors(3, pg.priors.Flat(3), WithoutRatioOfMany)[0]).max() > 9.0
