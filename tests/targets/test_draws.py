"""Draws from targets against their laws."""

import numpy as np
import pytest
from scipy import stats

import particlegvi as pg

PLANE = pg.losses.get("quadratic", curvature=[1.0, 4.0], centre=[1.0, -2.0])


def test_draws_on_the_line_follow_the_distribution_function():
    target = pg.target(pg.losses.get("tilted-double-well"), pg.methods.DLE(1.0), prior=pg.priors.Normal())
    x = target.sample(4000, seed=1)
    assert x.shape == (4000, 1)
    assert stats.kstest(x[:, 0], target.cdf).pvalue > 1e-3
    assert stats.kstest(1.1 * x[:, 0], target.cdf).pvalue < 1e-3


def test_draws_in_the_plane_follow_the_density():
    """The quadratic's Gibbs density is Normal: squared radii of standardised draws are chi-squared, angles uniform."""
    target = pg.target(PLANE, pg.methods.DLE(0.5), prior=pg.priors.Flat(2))
    x = target.sample(20_000, seed=2)
    z = (x - [1.0, -2.0]) / np.sqrt([0.5, 0.125])
    assert stats.kstest(np.sum(z**2, axis=1), stats.chi2(2).cdf).pvalue > 1e-3
    assert stats.kstest(np.arctan2(z[:, 1], z[:, 0]), stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > 1e-3
    assert np.array_equal(x, target.sample(20_000, seed=2))
    assert not np.array_equal(x, target.sample(20_000, seed=3))


@pytest.mark.parametrize("name", ["banana", "four-gaussians", "ring"])
def test_draws_fall_into_boxes_as_often_as_the_quadrature_says(name):
    target = pg.target(pg.losses.get(name), pg.methods.DLE(0.5), prior=pg.priors.Normal([0.0, 0.0], [4.0, 4.0]))
    x, number = target.sample(40_000, seed=4), 5
    edges = [np.quantile(x[::2, i], np.linspace(0, 1, number + 1)[1:-1]) for i in range(2)]

    def cell(points):
        return number * np.searchsorted(edges[0], points[:, 0]) + np.searchsorted(edges[1], points[:, 1])

    expected = np.bincount(cell(target.grid), target.masses, number**2) * len(x)
    seen = np.bincount(cell(x), minlength=number**2)
    few = expected < 20
    expected, seen = (np.append(counts[~few], counts[few].sum()) for counts in (expected, seen))
    # nodes are not spread evenly over the cut cells: one per cent more than chance is put up with
    error = np.sqrt(expected) + 0.01 * expected + 1.0
    assert np.all(np.abs(seen - expected) < 4.5 * error)
    moved = np.bincount(cell(x + 0.2 * x.std(axis=0)), minlength=number**2)
    moved = np.append(moved[~few], moved[few].sum())
    assert np.any(np.abs(moved - expected) > 4.5 * error)


def test_draws_of_atoms_and_of_a_gaussian():
    atoms = pg.target(
        pg.losses.get("tilted-double-well"), pg.methods.DE(), initial=pg.priors.Normal(0.5, 1.0)
    )
    x = atoms.sample(5000, seed=0)
    low, high = pg.diagnostics.binomial_limits(5000, atoms.weights[0], 0.999)
    assert low <= np.sum(x == atoms.atoms[0]) <= high
    fitted = pg.target(PLANE, pg.methods.FDGVI(0.5), prior=pg.priors.Flat(2))
    z = (fitted.sample(5000) - [1.0, -2.0]) / np.sqrt([0.5, 0.125])
    assert stats.kstest(z.ravel(), "norm").pvalue > 1e-3
    with pytest.raises(ValueError, match="number must be a whole number from 1 to 4294967296, not 0"):
        fitted.sample(0)
