"""Jumps between the modes of a rate f^2: volumes by differences, the law by quadrature, the shares over many seeds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import particlegvi as pg
from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods, selection
from particlegvi.functionspace.sampling import plans
from particlegvi.functionspace.sampling.cost import DataCost
from particlegvi.functionspace.sampling.mixing import MixingFlow
from particlegvi.functionspace.sampling.sign_moves import Jumps, find_jumps

from ..references import grid_posterior

SQUARE = likelihoods.Poisson()


class TestTwoCounts:
    """Two coefficients, and counts that leave the relative sign of two of the data open."""

    features = np.array([[1.0, 0.3], [0.4, 1.1], [0.9, -0.2]])
    y = np.array([5.0, 2.0, 3.0])
    cost = DataCost(SQUARE, features, y)

    def energy(self, z):
        f = z @ self.features.T
        return np.sum(f * f - 2.0 * self.y * np.log(np.abs(f) + 1e-300), axis=1) + 0.5 * np.sum(z * z, axis=1)

    def draws(self):
        grid, weights = grid_posterior(self.energy, np.ones(2), points=600)
        return grid, weights, grid[np.random.default_rng(0).choice(len(grid), 20_000, p=weights)]

    def jumps(self):
        return Jumps(*find_jumps(self.cost, self.draws()[2][:200]))

    def together(self, z):
        return np.prod(np.sign(z @ self.features[:2].T), axis=1)

    def test_centres_are_minima_and_factors_their_curvature(self):
        jumps = self.jumps()
        assert len(jumps.centres) >= 2
        for centre, factor in zip(jumps.centres, jumps.factors, strict=True):
            width = 1e-4
            around = self.energy(centre + width * np.concatenate([np.eye(2), -np.eye(2)])).reshape(2, 2)
            here = self.energy(centre[None])[0]
            assert np.all(around > here)
            curvature = (around.sum(axis=0) - 2.0 * here) / width**2
            np.testing.assert_allclose((factor @ factor.T).diagonal(), curvature, rtol=1e-4)

    def test_a_jump_changes_volumes_as_it_says_and_is_undone(self):
        jumps = self.jumps()
        jumps = jumps._replace(factors=jumps.factors * np.linspace(1.0, 2.0, len(jumps.centres))[:, None, None])
        z = np.concatenate([jumps.centres, -jumps.centres])
        u = np.full(len(z), 0.4)
        there, ratio = jumps.jumped(z, u)
        assert np.all(np.isfinite(ratio)) and np.any(np.abs(ratio) > 0.1)
        columns = [(jumps.jumped(z + 1e-5 * e, u)[0] - jumps.jumped(z - 1e-5 * e, u)[0]) / 2e-5 for e in np.eye(2)]
        np.testing.assert_allclose(np.linalg.slogdet(np.stack(columns, axis=2))[1], ratio, atol=1e-6)
        others = len(jumps.centres) - 1
        for back in (np.arange(others) + 0.5) / others:  # one of the modes to jump to is the first one
            home, undone = jumps.jumped(there, np.full(len(z), back))
            same = np.all(np.isclose(home, z, atol=1e-9), axis=1)
            np.testing.assert_allclose(undone[same], -ratio[same], atol=1e-9)
            z = np.where(same[:, None], np.inf, z)
        assert np.all(np.isinf(z))

    @pytest.mark.parametrize("right", [True, False])
    @pytest.mark.thorough
    def test_exact_draws_stay_exact_unless_volumes_are_forgotten(self, right):
        grid, weights, start = self.draws()
        jumps = self.jumps()
        stretched = jumps._replace(factors=jumps.factors * np.linspace(1.0, 1.6, len(jumps.centres))[:, None, None])

        class Forgetful(Jumps):
            def jumped(self, z, uniforms):
                moved, ratio = super().jumped(z, uniforms)
                return moved, np.where(np.isfinite(ratio), 0.0, ratio)

        used = stretched if right else Forgetful(*stretched)
        flow = MixingFlow(self.cost, np.full(2, 8.0), 0.3, start.copy(), 3, [], jumps=used)
        flow.advance(0, 160)
        assert flow.acceptance("jump") > 0.03
        for of in (self.together, lambda z: np.abs(z @ self.features.T).sum(axis=1)):
            mean = weights @ of(grid)
            error = np.sqrt((weights @ of(grid) ** 2 - mean**2) / len(start))
            if of == self.together:
                assert (abs(of(flow.state).mean() - mean) < 5.0 * error) == right
            elif right:
                assert abs(of(flow.state).mean() - mean) < 5.0 * error


@pytest.mark.parametrize("jumping", [True, False])
@pytest.mark.thorough
def test_shares_of_modes_scatter_as_those_of_independent_draws(jumping, monkeypatch):
    if not jumping:
        monkeypatch.setattr(plans, "_jumps", lambda *_: None)
    rng = np.random.default_rng(6)
    X = rng.uniform(-2.0, 2.0, (80, 1))
    y = rng.poisson((3.0 + np.sin(2.0 * X[:, 0])) ** 2).astype(float)
    k = pg.kernels.SquaredExponential(0.25, 4.0)
    Z = selection.select("greedy", k, X, 14, seed=1).points  # two modes, that part in the widest gap of the inputs
    shares, seeds, particles = [], 8, 200
    for seed in range(seeds):
        pls = ProjectedLangevinSampler(k, SQUARE, Z, particles, prior="gp", seed=seed).fit(X, y)
        signs = np.sign(pls.coefficients_ @ pls.basis(X).T)
        shares.append(np.mean(np.all(signs == signs[:, :1], axis=1)))
    p = np.mean(shares)
    scatter = np.sum((np.array(shares) - p) ** 2) / (p * (1.0 - p) / particles)
    assert 0.4 < p < 0.8
    assert (scatter < stats.chi2(seeds - 1).ppf(0.999)) == jumping
