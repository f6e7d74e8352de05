"""The sentence of each preset is true: particles of the page's engine at its settings do what the sentence says."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.pages.content import PRESETS
from particlegvi.tools import words

MOVE = """
const problem = PG.problem({ ...PG.DEFAULTS, ...settings }, null), n = problem.particles;
return problem.methods.map(name => {
  const s = PG.method(problem, name), e = PG.ensemble(s), start = Array.from(e.x[0]), q = PG.truth(s);
  e.advance(problem.steps / 2);
  const middle = Array.from(e.x[0]);
  e.advance(problem.steps / 2);
  return { name, start, middle, end: Array.from(e.x[0]), w1: PG.w1(e.x[0], q), floor: PG.w1_floor(q, n) };
});
"""
CHANCE = 4.0  # standard errors: a chance of 6e-5, of seeds that are fixed


@pytest.fixture(scope="module")
def particles(engine):
    @cache
    def of(key: str, **changes: float) -> dict:
        found = engine(MOVE, settings=PRESETS[key] | changes)
        return {
            each.pop("name"): {name: np.array(value) for name, value in each.items()} for each in found
        }

    return of


def truth(key: str, method: str) -> pg.targets.DensityTarget:
    settings = PRESETS[key]
    mmd_weight = settings["mmd_weight"] if method == "DRLE" else 0.0
    kernel = pg.kernels.SquaredExponential(lengthscale=settings["lengthscale"])
    made = pg.methods.DRLE(settings["kl_weight"], mmd_weight, kernel=kernel)
    return pg.target(pg.losses.get("tilted-double-well"), made, pg.priors.Normal(0.0, 1.0))


def left(x: np.ndarray) -> float:
    return float(np.mean(x < 0.0))


def standard_error(share: float, number: int) -> float:
    return float(np.sqrt(share * (1.0 - share) / number))


@pytest.mark.thorough
def test_stuck(particles):
    found = particles("stuck")
    de, dle = found["DE"], found["DLE"]
    settled = np.where(de["start"] < 0.0, -2.0, 1.0)
    np.testing.assert_allclose(de["end"], settled, atol=1e-3)  # the minimum of its own basin
    assert abs(left(de["end"]) - 0.5) < CHANCE * standard_error(0.5, 300)
    assert left(dle["end"]) > 0.5 + CHANCE * standard_error(0.5, 300)  # most are in the deep well


def test_too_cold(particles):
    x, target = particles("too_cold")["DLE"], truth("too_cold", "DLE")
    share = float(target.cdf(0.0))
    crossed = np.mean((x["middle"] < 0.0) != (x["end"] < 0.0))
    assert crossed < 0.02
    assert left(x["end"]) < share - 0.2  # the truth has nearly all on the left
    for side in (-1, 1):  # inside each well the spread is the truth's
        grid = np.linspace(-4.0, 4.0, 4001)
        inside = grid[(grid * side > 0.2) & (np.abs(grid) < 3.5)]
        weights = target.pdf(inside) / target.pdf(inside).sum()
        sd = np.sqrt(weights @ (inside - weights @ inside) ** 2)
        ours = x["end"][(x["end"] * side > 0.2)]
        assert abs(ours.std() / sd - 1.0) < CHANCE * 1.2 / np.sqrt(2 * len(ours))


@pytest.mark.thorough
def test_too_hot(particles):
    x, target = particles("too_hot")["DLE"], truth("too_hot", "DLE")
    assert abs(target.mean) < 0.5 and abs(np.sqrt(target.variance) - 1.0) < 0.25  # nearly the prior
    grid = np.linspace(-3.0, 3.0, 601)
    density = target.pdf(grid)
    assert np.sum(np.diff(np.sign(np.diff(density))) < 0) == 1  # one hump: no wells to be seen
    assert abs(grid[np.argmax(density)]) < 0.75  # on top of the barrier, between -2 and 1
    assert x["w1"] < 2.0 * x["floor"][1]


def test_large_step(particles):
    truth_variance = 1.0 / 5.0  # loss 2 t^2 and prior t^2 / 2: the curvature is 5
    error = CHANCE * np.sqrt(2.0 / 300)
    for when in ("middle", "end"):  # Euler-Maruyama: variance / (1 - step_size curvature / 2), 4 times the truth's
        variance = np.mean(particles("large_step")["DLE"][when] ** 2)
        assert abs(variance / truth_variance / 4.0 - 1.0) < error
    small = particles("large_step", step_size=0.01, steps=1000)["DLE"]  # the control: small steps are right
    assert abs(np.mean(small["end"] ** 2) / truth_variance - 1.0) < error + 0.03


def test_four_particles(particles):
    for name, x in particles("four_particles").items():
        target = truth("four_particles", name)
        assert len(x["end"]) == 4
        assert x["w1"] < x["floor"][1]
        assert x["floor"][0] > 0.15 * np.sqrt(target.variance)  # even exact draws are far


@pytest.mark.slow
def test_repulsion(particles):
    found = particles("repulsion")
    shares = {name: 1.0 - left(x["end"]) for name, x in found.items()}
    error = standard_error(0.25, 300)
    assert shares["DRLE"] > shares["DLE"] + CHANCE * error
    assert truth("repulsion", "DRLE").variance > 1.3 * truth("repulsion", "DLE").variance


def test_every_preset_has_its_words_and_a_test():
    for language in words.languages():
        table = words.of(language).table("page")
        for key in PRESETS:
            assert table[f"preset_{key}"] and table[f"preset_{key}_watch"]
    assert {f"test_{key}" for key in PRESETS} <= set(globals())
