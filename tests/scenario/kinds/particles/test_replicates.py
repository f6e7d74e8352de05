"""Replicates of a scenario: other seeds of the same run, what they cover, and what independent particles can."""

import itertools

import numpy as np
import pytest

import particlegvi as pg


def test_no_law_of_independent_particles_covers_more():
    """By enumeration of all outcomes: equality for equal probabilities, and less for any others."""
    random = np.random.default_rng(0)
    for particles, modes in ((1, 3), (3, 3), (4, 2), (5, 1)):
        outcomes = list(itertools.product(range(modes), repeat=particles))
        for p in (np.full(modes, 1.0 / modes), *random.dirichlet(np.ones(modes), size=5)):
            mean = sum(np.prod(p[list(outcome)]) * len(set(outcome)) for outcome in outcomes)
            most = pg.diagnostics.independent_coverage(particles, modes)
            assert mean <= most + 1e-12
            assert mean == pytest.approx(most) if np.allclose(p, p[0]) else particles == 1 or mean < most


def test_the_interval_is_that_of_the_mean():
    mean, low, high = pg.diagnostics.mean_interval([1.0, 2.0, 3.0, 4.0])
    assert mean == 2.5 and high - mean == pytest.approx(1.959964 * np.sqrt(5.0 / 3.0 / 4.0)) == mean - low
    with pytest.raises(ValueError, match="at least 2"):
        pg.diagnostics.mean_interval([1.0])


@pytest.mark.thorough
def test_replicates_are_the_runs_of_the_next_seeds():
    short = {"steps": 300, "replicates": 4}
    results = pg.run("repulsion-pays", seed=11, **short)
    modes = np.arange(8.0)[:, None]
    single = [pg.run("repulsion-pays", seed=11 + r, steps=300, replicates=2) for r in range(4)]
    for label in ("DE", "DRLE"):
        covered = [np.count_nonzero(pg.diagnostics.mode_occupancy(run[label].final, modes)) for run in single]
        assert results[label].info["replicates"]["modes_covered"] == covered
    with pytest.raises(ValueError, match="replicates count modes, and the key modes is missing"):
        pg.run("repulsion-pays", modes=None, **short)


def test_replicates_that_all_agree_have_no_interval_of_width_zero():
    from particlegvi.scenario.kinds.particles.table import _notes

    for covered, said in (((8.0, 8.0, 8.0), "8 modes in each of 3 replicates"), ((7.5, 6.9, 8.1), "95% interval 6.90")):
        run = {"replicates": {"number": 3, "mean_modes_covered": covered}}
        facts = {"run": run, "target": {"kind": "density"}}
        assert any(said in note for note in _notes("DRLE", facts))
