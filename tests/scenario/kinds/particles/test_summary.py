"""The numbers of the summary against numpy and scipy, and the table that shows them."""

import itertools

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.scenario.kinds.particles import table
from particlegvi.scenario.kinds.particles.facts.comparison import counts, verdict
from particlegvi.scenario.kinds.text_table import short_number

from ....plain_parts import PlainAtoms


def test_basins_count_the_nearest_particles():
    atoms = np.array([[-2.0, 0.0], [1.0, 0.0]])
    target = PlainAtoms(atoms, np.array([0.5, 0.5]))
    particles = np.array([[-2.0, 0.1], [-1.9, 0.0], [1.0, 0.0], [0.9, -0.2]])
    first, second = counts(particles, target, np.full(4, True))
    assert (first["count"], second["count"]) == (2, 2)
    assert first["farthest"] == pytest.approx(0.1)
    assert second["farthest"] == pytest.approx(np.hypot(0.1, 0.2))
    assert first["atom"] == [-2.0, 0.0]
    assert first["limits"] == [0, 4]  # 0.5^4 = 6% lies at either end
    empty = PlainAtoms(np.array([[0.0], [5.0]]), np.array([0.9, 0.1]))  # nobody reaches the second
    assert [basin["count"] for basin in counts(np.zeros((6, 1)), empty, np.arange(6) > 0)] == [5, 0]


def test_moments_of_a_run_that_diverged_are_numbers(tmp_path):
    """Squares of particles near 1e305 overflow; the folder is loaded all the same."""
    scenario = {"kind": "particles", "name": "wild", "loss": {"name": "quadratic", "curvature": [1.0, 4.0]},
                "methods": {"DE": {}}, "particles": 20, "steps": 5000, "step_size": 0.9, "record_every": 1}  # fmt: skip
    with pytest.warns(UserWarning, match="stability limit"), pytest.raises(pg.Diverged):
        pg.run(scenario, out=tmp_path / "run")
    results = pg.load(tmp_path / "run")
    found, final = results.summary["methods"]["DE"], results["DE"].final
    assert "basins" not in found and "within the 99% limits" not in results.describe()
    assert np.abs(final).max() > 1e200
    assert found["mean"] == pytest.approx(1e200 * (final / 1e200).mean(axis=0))
    scale = 1e300
    assert found["sd"] == pytest.approx(scale * (final / scale).std(axis=0))


def test_the_verdict_compares_with_the_floor():
    assert verdict(0.1, 0.12) == "as close as exact draws"
    assert verdict(0.13, 0.12) == "nearly as close as exact draws"
    assert verdict(0.2, 0.12) == "farther than exact draws"
    assert table.in_words({"verdict": verdict(0.1, 0.12), "target": {"kind": "density"}}) == "as close as exact draws"
    own = table.in_words({"verdict": verdict(0.1, 0.12), "target": {"kind": "atoms"}})
    assert own == "as close as exact draws of its own limit"


SCENARIO = {"name": "small", "title": "A small one", "particles": 8, "steps": 20, "step_size": 1e-4}


def facts(**changes):
    return {"mean": -1.25, "sd": 0.5, "target": {"kind": "density"}, "run": {}, **changes}


def described(**methods) -> str:
    return table.describe(SCENARIO, {"seed": 3, "status": "finished", "methods": methods})


def test_the_verdict_and_the_checks_are_shown():
    energy = {"total": [-1.0, -1.92], "target": {"total": -1.924}}
    long = "not yet at equilibrium: the mean loss still falls by 3.1 standard errors over the last quarter (W1 0.31)"
    text = described(
        DE=facts(equilibrium={"verdict": "converged"}, free_energy={"total": [-2.71]}),
        DLE=facts(
            equilibrium={"verdict": long}, free_energy=energy, sliced_w1=0.3, sliced_w1_floor=[0.1, 0.2],
            excess_energy={"mean": 0.795, "expected": 0.794},
            chains={"r_hat": [1.01, 1.234], "effective_sample_size": [276.2, None]},
        ),
    )  # fmt: skip
    lines = text.splitlines()
    assert all(len(line) < 100 and line == line.rstrip() for line in lines)
    assert "DE: converged" in lines
    assert " ".join(line.strip() for line in lines).count(f"DLE: {long}") == 1
    heading = next(line for line in lines if "free energy" in line)
    assert lines[lines.index(heading) + 2].split() == ["DLE", "-1.920", "-1.924", "0.795", "0.794", "276"]
    assert "0.100 to 0.200" in text and "R-hat of single particles: DLE 1.23." in text
    assert "R-hat" not in described(DE=facts(equilibrium={"verdict": "converged"}))


@pytest.mark.parametrize(
    ("value", "text"),
    [([-4.01e-33, -0.251], "(0.000, -0.251)"), ([1e-14, 1.0], "(1e-14, 1.000)"),
     (-8.7e-23, "0.000"), (3e-19, "3e-19"), ([1e-19, 2e-19], "(1e-19, 2e-19)"), (None, "not finite")],
)  # fmt: skip
def test_rounding_beside_a_number_is_printed_as_0(value, text):
    assert short_number(value) == text


@pytest.mark.parametrize(("rule", "hint"), [("near", True), ("arrived", False)])
def test_two_wells_have_the_hint_of_jumps_where_shares_are_wrong(rule, hint):
    well = facts(equilibrium={"verdict": "near Q*", "rule": rule}, basin_occupancy={}, weights={"kl_weight": 1.0})
    assert ("DRLE: jumps = true in [methods.DRLE]" in described(DRLE=well)) == hint


def test_more_steps_are_a_command_and_a_free_energy_below_the_least_is_explained():
    slow = facts(equilibrium={"verdict": "not yet", "rule": "drifting", "remedy": "more steps"})
    text = " ".join(described(DE=facts(), DLE=slow).split())
    assert "DLE: ten times the steps are --set steps=200;" in text and "methods.DE=false" in text
    assert "--set" not in described(DLE=facts(equilibrium={"verdict": "at equilibrium", "rule": "arrived"}))
    below, above = (facts(free_energy={"total": [last], "target": {"total": -0.5}}) for last in (-0.6, -0.4))
    assert "is an estimate" in described(DLE=below) and "is an estimate" not in described(DLE=above)


def test_counts_are_shown_with_their_limits():
    basin = {"atom": [-2.0], "weight": 0.5, "count": 9, "limits": [1, 7], "farthest": 0.0}
    text = described(DE=facts(basins=[basin]), DLE=facts(mode_occupancy=[3, 0, 5]))
    assert "DE: 9 at (-2.000), outside the 99% limits 1 to 7" in text
    assert "DLE: 2 of 3 modes: 3, 0, 5 particles" in text


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
@pytest.mark.filterwarnings("ignore:step_size", "ignore:DE has diverged")
def test_replicates_of_a_run_that_ran_away_are_counted():
    """Its particles are near 1e187, whose squares overflow."""
    scenario = {"loss": {"formula": "-t^2", "variables": ["t"]}, "prior": {"name": "normal", "mean": 0.0, "sd": 1.0}}
    short = {"particles": 5, "steps": 180, "step_size": 5.0, "modes": [-1.0, 1.0], "replicates": 2}
    results = pg.run({**scenario, **short, "methods": {"DE": {}}})
    assert 1e150 < np.abs(results["DE"].final).max() < np.inf
    assert results["DE"].info["replicates"]["number"] == 2
    assert results.summary["methods"]["DE"]["equilibrium"]["rule"] == "diverged"


@pytest.mark.slow
def test_replicates_are_the_runs_of_the_next_seeds():
    short = {"steps": 300, "replicates": 4}
    results = pg.run("repulsion-pays", seed=11, **short)
    modes = np.arange(8.0)[:, None]
    single = [pg.run("repulsion-pays", seed=11 + r, steps=300, replicates=2) for r in range(4)]
    for label in ("DE", "DRLE"):
        covered = [np.count_nonzero(pg.diagnostics.mode_occupancy(run[label].final, modes)) for run in single]
        assert results[label].info["replicates"]["modes_covered"] == covered
    with pytest.raises(ValueError, match="modes must be given where there are replicates, which are counted by mode"):
        pg.run("repulsion-pays", modes=None, **short)
