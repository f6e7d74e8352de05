"""Which likelihoods may enter the cache of compiled code: those whose sources its digest covers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlegvi.engine.numerics.compiled import is_ours
from particlegvi.engine.steps import projected
from particlegvi.functionspace import likelihoods
from particlegvi.functionspace.sampling.cost import DataCost


class _Fields(NamedTuple):
    weight: float = 2.0


class Absolute(_Fields, likelihoods.Likelihood):
    """A user's likelihood."""

    __slots__ = ()

    def cost_at(self, f, y):
        return self.weight * abs(f - y)

    def slope_at(self, f, y):
        return self.weight * (1.0 if f > y else -1.0)

    def curvature_at(self, f, y):
        return 0.0 * f


def test_the_packages_own_are_covered_by_the_digest():
    assert all(is_ours(each) for each in (likelihoods.Gaussian(1.0), likelihoods.Poisson(), likelihoods.Bernoulli()))
    assert not is_ours(Absolute())


def test_one_from_outside_is_compiled_but_never_cached_on_disk():
    assert projected.add_costs.for_terms(Absolute()) is not projected.add_costs.cached
    assert projected.add_costs.for_terms(likelihoods.Gaussian(1.0)) is projected.add_costs.cached
    features, y, z = np.eye(3), np.array([1.0, -1.0, 0.5]), np.array([[0.0, 0.0, 1.0]])
    forces, costs = DataCost(Absolute(3.0), features, y).forces(z)
    np.testing.assert_array_equal(forces, [[-3.0, 3.0, 3.0]])
    np.testing.assert_array_equal(costs, [7.5])
    np.testing.assert_array_equal(Absolute().curvature(z, y), np.zeros((1, 3)))
