"""Jumps of a page: the same particles as the engine's, their law, and what is refused."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.pages.content import prior_of

from .conftest import MOVE
from .test_pages import data_of

WELLS = "0.366*t^4 - 2.419*t^2 + 0.1*t"
KERNEL = pg.kernels.SquaredExponential(lengthscale=0.7)
PRIORS = {
    "normal": (pg.priors.Normal(-0.6, 1.6), None),
    "uniform": (pg.priors.Uniform(-3.0, 3.5), None),
    "flat": (pg.priors.Flat(1), pg.priors.Normal(0.3, 1.2)),
    "normal plane": (pg.priors.Normal([0.3, -0.2], [1.5, 2.0]), None),
    "uniform plane": (pg.priors.Uniform([-3.0, -3.5], [3.2, 3.0]), None),
    "flat plane": (pg.priors.Flat(2), pg.priors.Normal([0.0, 0.0], [1.0, 1.2])),
}
LOSSES = {1: "double-well", 2: "four-gaussians"}
SETTINGS = {"loss": LOSSES[1], "kl_weight": 0.25, "mmd_weight": 0.5, "lengthscale": 0.7, "step_size": 2e-3}
SETTINGS |= {"methods": "DLE,DRLE", "jump_every": 10, "jump_share": 0.15, "seed": "5"}
WRONG = {
    "normal": ("/ kl_weight + ratio[k]", "/ kl_weight"),
    "normal plane": ("? ((1 - share) * near)", "? ((0.9 - share) * near)"),
}
slow = pytest.mark.slow


def moved(prior: str, particles: int, steps: int) -> list[np.ndarray]:
    jumps = pg.jumps.Jumps(every=10, share=0.15)
    law, initial = PRIORS[prior]
    methods = [pg.methods.DLE(0.25, jumps=jumps), pg.methods.DRLE(0.25, 0.5, kernel=KERNEL, jumps=jumps)]
    loss = pg.losses.get(LOSSES[law.dim])
    return [pg.simulate(loss, method, law, particles, steps, 2e-3, initial=initial, seed=5).final for method in methods]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("prior", "particles"),
    [
        ("normal", 40), ("normal", 1), pytest.param("normal", 700, marks=slow), ("uniform", 7), ("flat", 40),
        ("flat", 2), ("normal plane", 40), ("flat plane", 90), ("uniform plane", 40),
    ],
)  # fmt: skip
@pytest.mark.often("normal-1")
def test_jumping_particles_are_those_of_the_engine(engine, changed, prior, particles):
    law, initial = PRIORS[prior]
    given = {"prior": prior_of(law), "initial": "" if initial is None else prior_of(initial), "particles": particles}
    given |= {"loss": LOSSES[law.dim]}
    found = engine(MOVE, settings=SETTINGS | given, pieces=[7, 40, 54])
    for ours, theirs in zip(found, moved(prior, particles, 101), strict=True):
        np.testing.assert_allclose(np.transpose(ours), theirs, rtol=0.0, atol=1e-9)
    if particles == 40 and prior in WRONG:
        wrong = changed(*WRONG[prior])
        others = wrong(MOVE, settings=SETTINGS | given, pieces=[101])
        assert max(np.abs(np.subtract(a, b)).max() for a, b in zip(found, others, strict=True)) > 1e-3


@pytest.mark.slow
def test_jumps_bring_the_shares_of_the_truth(engine):
    """2,000 particles of DLE that all begin on the right, 40 jumps: the share of the left well within 5 sd of Q*'s."""
    given = {"loss": WELLS, "variables": "t", "prior": "normal:-0.6:1.6", "initial": "normal:1.8:0.2"}
    given |= {"particles": 2000, "methods": "DLE"}
    loss, prior = pg.Loss.from_formula(WELLS, "t"), pg.priors.Normal(-0.6, 1.6)
    due = float(pg.target(loss, pg.methods.DLE(0.25), prior=prior).cdf(np.array([0.0]))[0])
    spread = 5.0 * np.sqrt(due * (1.0 - due) / 2000.0)
    with_jumps, without = (
        np.mean(np.array(engine(MOVE, settings=SETTINGS | given | {"jump_every": every}, pieces=[400])[0][0]) < 0.0)
        for every in (10, 0)
    )
    assert abs(with_jumps - due) < spread and abs(without - due) > 10.0 * spread


def test_the_page_of_a_scenario_has_its_jumps():
    data = data_of(pg.page("over-the-barrier").html)
    settings = data["settings"]
    assert settings["methods"] == "DLE,DLE + jumps,DRLE,DRLE + jumps"
    assert settings["jump_every"] == 0 and settings["DLE + jumps.jump_every"] == 50
    assert settings["DRLE + jumps.jump_every"] == 50 and settings["DLE.jump_every"] == 0
    assert "DLE kinetic" in data["watch"]


@pytest.mark.parametrize(
    "given",
    [
        {"jump_every": -1}, {"jump_every": 1.5}, {"jump_share": 0}, {"jump_share": 2}, {"particles": 3000},
    ],
)  # fmt: skip
def test_jumps_that_a_page_cannot_have_are_refused(engine, given):
    tried = "try { PG.problem({ ...PG.DEFAULTS, ...given }, null); return ''; } catch (e) { return e.key; }"
    assert engine(tried, given=SETTINGS) == ""
    assert engine(tried, given=SETTINGS | given).startswith("jump_")
