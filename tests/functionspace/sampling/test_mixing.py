"""The rate f^2: many modes, in the right proportions; against quadrature and a Metropolis sampler."""

import numpy as np
import pytest
from scipy import stats

import particlegvi as pg
from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods
from particlegvi.functionspace.sampling import mixing
from particlegvi.functionspace.sampling.cost import DataCost
from particlegvi.functionspace.sampling.langevin import LangevinFlow
from particlegvi.functionspace.sampling.mixing import MixingFlow, anneal, resampled
from particlegvi.simulation.journal import Journal

from ...refusals import refuse
from ..references import grid_posterior

PARTICLES = 2000
SQUARE = likelihoods.Poisson()


def energy_of(features, y, prior_variances):
    """V by plain numpy, for coefficients in rows."""

    def energy(u):
        f = u @ features.T
        cost = f * f - 2.0 * y * np.log(np.abs(f) + 1e-300)
        return cost.sum(axis=1) + 0.5 * np.sum(u * u / prior_variances, axis=1)

    return energy


def assert_same_functions(u, grid, weights, features):
    """Sizes |f|, squares and products of signs with the first, within 5 standard errors of the quadrature."""
    f, g = u @ features.T, grid @ features.T
    for of in (np.abs, np.square, lambda values: np.sign(values) * np.sign(values[:, :1]), np.sign):
        mean = weights @ of(g)
        error = np.sqrt(np.maximum(weights @ of(g) ** 2 - mean**2, 1e-12) / len(u))
        # one count in the particles, where a sign is all but certain
        assert np.all(np.abs(of(f).mean(axis=0) - mean) < 5.0 * error + 2.0 / len(u))


@pytest.mark.parametrize(("seed", "rows", "prior"), [(0, 3, "gp"), (1, 5, "rkhs"), (2, 12, "gp"), (3, 1, "rkhs")])
@pytest.mark.thorough
def test_small_counts_against_quadrature(seed, rows, prior):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (rows, 1))
    y = rng.integers(0, 4, rows).astype(float)
    pls = ProjectedLangevinSampler(
        pg.kernels.SquaredExponential(0.8, 3.0), SQUARE, np.array([[-1.0], [1.0]]), PARTICLES, prior=prior, seed=seed
    ).fit(X, y)
    variances = pls.basis_.prior_variances(prior)
    grid, weights = grid_posterior(energy_of(pls.basis(X), y, variances), variances)
    assert_same_functions(pls.coefficients_, grid, weights, pls.basis(np.array([[-1.9], [-0.6], [0.5], [1.7]])))


def test_plain_sampling_does_not_get_there_and_says_so():
    """A rate well away from 0, at inputs without a gap, where plain sampling leaves its particles between the modes."""
    X, size = np.linspace(-2.0, 2.0, 80)[:, None], 16
    y = np.random.default_rng(6).poisson((3.0 + np.sin(2.0 * X[:, 0])) ** 2).astype(float)
    kernel, settings = pg.kernels.SquaredExponential(0.2, 4.0), {"moves": "none", "steps": 4000}
    plain = ProjectedLangevinSampler(kernel, SQUARE, size, 100, **settings).fit(X, y)
    energies = plain.potential(plain.coefficients_)
    energy = energy_of(plain.basis(X), y, plain.eigenvalues_)
    np.testing.assert_allclose(energies[:20], energy(plain.coefficients_[:20]), rtol=1e-9)
    plausible = 0.5 * size + 6.0 * np.sqrt(0.5 * size)  # half of the size is expected near a mode
    outside = np.mean(energies > plain.info_["lowest_potential"] + plausible)
    assert outside > 0.9
    told = plain.info_["equilibrium"]
    assert not told["reached"]
    assert "above the lowest energy" in told["because"]
    assert np.isclose(told["inside"], 1.0 - outside)


@pytest.mark.parametrize(("step_size", "size"), [(0.05, 1.0), (0.5, 1.0), (2.0, 1.0), (0.5, 0.3)])
def test_exact_draws_stay_exact_in_one_dimension(step_size, size):
    """At any step size, also where the prior counts as the data do; control: a large step without acceptance shows."""
    features, y = size * np.array([[0.9], [1.4], [0.3], [1.0]]), np.array([2.0, 1.0, 0.0, 3.0])
    edges = np.linspace(-6.0, 6.0, 200_001)
    energy = energy_of(features, y, np.ones(1))(0.5 * (edges[1:] + edges[:-1])[:, None])
    cumulative = np.concatenate([[0.0], np.cumsum(np.exp(energy.min() - energy))])
    cumulative /= cumulative[-1]
    start = np.interp(np.random.default_rng(7).random(20_000), cumulative, edges)[:, None]

    def p_value(flow):
        flow.advance(0, 24)
        return stats.kstest(flow.state[:, 0], lambda x: np.interp(x, edges, cumulative)).pvalue

    mixing = MixingFlow(DataCost(SQUARE, features, y), np.array([9.0]), step_size, start.copy(), 3, [])
    assert p_value(mixing) > 1e-3
    if step_size == 2.0:
        tamed = DataCost(SQUARE.tamed(), features, y)
        plain = LangevinFlow(lambda z, step: tamed.gradients(z), mixing.langevin, start.copy(), 3)
        assert p_value(plain) < 1e-6


def test_resampling_gives_each_particle_its_share():
    logs = np.random.default_rng(1).normal(size=300) * 3.0
    share = 300.0 * np.exp(logs) / np.exp(logs).sum()
    counts = np.bincount(resampled(logs, np.array([[0.37]])), minlength=300)
    assert np.all(np.abs(counts - share) < 1.0 + 1e-9)


class Falling(DataCost):
    """The cost -f^2, whose posterior under N(0, I) cannot be normalised."""

    def _sweep(self, z, slope, count=True):
        f = z @ self.features.T
        return -2.0 * f @ self.features, -np.sum(f * f, axis=1)


def test_a_posterior_that_cannot_be_normalised_is_refused(monkeypatch):
    monkeypatch.setattr(mixing, "MOST_LEVELS", 20)
    cost = Falling(likelihoods.StudentT(3.0, 1.0), np.ones((4, 1)), np.zeros(4))
    refuse(lambda: anneal(cost, np.zeros(1), 20, 0, [], Journal(None)), "whose posterior can be normalised")
