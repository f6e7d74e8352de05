"""The sum of Stein variational descent against sums over pairs in numpy, and the bits of its threads."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.numerics import threads
from particlegvi.engine.pairs.stein import stein_sum
from particlegvi.engine.steps.flow import descend

KERNELS = [pg.kernels.SquaredExponential(0.7, 1.3), pg.kernels.Matern52(0.9)]


def by_pairs(kernel, x, vectors, weight):
    """The sum as it is written, one pair at a time."""
    total = np.zeros_like(x)
    for i in range(len(x)):
        for j in range(len(x)):
            gap = x[i] - x[j]
            r2 = float(gap @ gap)
            total[i] += kernel.value(r2) * vectors[j] + weight * 2.0 * kernel.slope(r2) * gap
    return total / len(x)


@pytest.mark.sample("1-1-matern-52")
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("dim", [1, 2, 3, 5])
@pytest.mark.parametrize("number", [1, 31, 33])
def test_is_the_sum_over_pairs(kernel, dim, number):
    random = np.random.default_rng(dim)
    x, vectors = random.normal(size=(number, dim)), random.normal(size=(number, dim))
    got = stein_sum(kernel, x, vectors, 0.4)
    np.testing.assert_allclose(got, by_pairs(kernel, x, vectors, 0.4), rtol=1e-12, atol=1e-13)
    if number > 1:  # control: the sum of the other sign of the repulsion is another one
        assert np.abs(got - by_pairs(kernel, x, vectors, -0.4)).max() > 1e-3


@pytest.mark.thorough
def test_threads_change_no_bit(monkeypatch):
    random = np.random.default_rng(7)
    x, vectors = random.normal(size=(1300, 2)), random.normal(size=(1300, 2))
    found = []
    for count in (1, 3, 8):
        monkeypatch.setattr(threads, "count", lambda count=count: count)
        found.append(stein_sum(KERNELS[0], x, vectors, 1.0).tobytes())
    assert len(set(found)) == 1


def test_an_explicit_step_is_reflected_at_the_walls():
    inf = np.array([np.inf])
    x = np.array([[0.1], [0.5], [0.9]])
    free, boxed = x.copy(), x.copy()
    drift = np.array([[2.0], [0.0], [-2.0]])
    descend(free, drift, 0.1, -inf, inf)
    descend(boxed, drift, 0.1, np.zeros(1), np.ones(1))
    np.testing.assert_allclose(free[:, 0], [-0.1, 0.5, 1.1])
    np.testing.assert_allclose(boxed[:, 0], [0.1, 0.5, 0.9])
