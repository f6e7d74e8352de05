"""Each rule of the verdict: it gives the verdict where its condition alone holds, and another rule does elsewhere."""

from types import SimpleNamespace

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.diagnostics.outliers import escaped, problem_scale
from particlegvi.scenario.kinds.particles.evidence import TargetDistance
from particlegvi.scenario.kinds.particles.truth import Movement
from particlegvi.scenario.kinds.particles.verdict import RULES, equilibrium, rule_of

from .test_verdict import evidence_of

MOVING = SimpleNamespace(name="mean loss", change=1.0, standard_errors=9.0, significant=True, _asdict=dict)
RESTING = SimpleNamespace(significant=False, _asdict=dict)
GOAL = {"mean": [0.0], "sd": [1.0], "objective": 1.0}
FITTED = {"optima": {"all": [GOAL], "reached": 0}, "run": {"mean": [0.0], "sd": [1.0]}}
DONE = SimpleNamespace(arrived=True, exactly=True, unlikely="", left="left", since=2.0)
WELL = {
    "usable": True, "escaped": 0, "run": SimpleNamespace(particles=30, info={}), "found": FITTED, "descent": DONE,
    "moving": RESTING, "wrong_shares": "", "stuck": "", "crossed": False, "slow": "", "held": "", "beyond": "",
    "misplaced": "", "too_few": False, "unfound": "", "distance": TargetDistance(1.0, 2.0), "near": "near",
    "measured": "W1", "since": 3.0, "movement": Movement(0.1, True),
}  # fmt: skip
START = {"gradients": 20}
JUDGED = {"counted": 8, "arrived": True, "accuracy": 0.1, "reason": "", "worst": "", "gradients": 900, "start": START}
ARRIVED = SimpleNamespace(particles=30, steps=[0, 9], info=JUDGED)
WANDERING = SimpleNamespace(particles=30, steps=[0, 9], info=JUDGED | {"arrived": False, "reason": "drifts"})
# kind, what differs from a run that has arrived, and the name of the rule that then applies
CASES = [
    ("density", {}, "arrived"),
    ("gaussians", {}, "fitted"),
    ("atoms", {}, "descended"),
    ("noise", {}, "resting"),
    ("silent", {}, "resting"),
    ("density", {"usable": False}, "diverged"),
    ("atoms", {"escaped": 3}, "escaping"),
    ("gaussians", {"found": FITTED | {"optima": {"all": [GOAL], "reached": None}}}, "no optimum"),
    ("gaussians", {"found": FITTED | {"run": {"mean": [0.5], "sd": [1.0]}}}, "fitting"),
    ("gaussians", {"found": FITTED | {"run": {"mean": [np.nan], "sd": [1.0]}}}, "fitting"),
    ("atoms", {"descent": SimpleNamespace(**vars(DONE) | {"arrived": False})}, "descending"),
    ("atoms", {"descent": SimpleNamespace(**vars(DONE) | {"unlikely": "too many"})}, "unlikely"),
    ("density", {"moving": MOVING}, "drifting"),
    ("density", {"wrong_shares": "wrong", "stuck": "none"}, "metastable"),
    ("density", {"wrong_shares": "wrong"}, "shares"),
    ("density", {"beyond": "W1", "slow": "slow"}, "short"),
    ("density", {"wrong_shares": "wrong", "stuck": "none", "slow": "slow"}, "short"),
    ("density", {"stuck": "none", "slow": "slow"}, "too short"),
    ("density", {"beyond": "W1"}, "far"),
    ("density", {"beyond": "W1", "moving": None}, "far, unrecorded"),
    ("density", {"misplaced": "one"}, "misplaced"),
    ("density", {"held": "two"}, "held"),
    ("density", {"stuck": "none"}, "stuck"),
    ("density", {"stuck": "none", "crossed": True}, "arrived"),
    ("density", {"too_few": True}, "too few"),
    ("density", {"slow": "slow"}, "too short"),
    ("density", {"distance": TargetDistance(2.5, 2.0)}, "near"),
    ("density", {"unfound": "half"}, "unfound"),
    ("noise", {"run": ARRIVED, "held": "two"}, "sampled"),
    ("noise", {"run": WANDERING}, "not sampled"),
    ("density", {"run": WANDERING, "beyond": "W1"}, "far"),
    ("noise", {"moving": None}, "unknown"),
    ("noise", {"moving": MOVING}, "drifting"),
    ("noise", {"held": "two"}, "held"),
    ("noise", {"slow": "slow"}, "too short"),
    ("silent", {"movement": None}, "unknown"),
    ("silent", {"movement": Movement(3.0, False)}, "moving"),
]


@pytest.mark.parametrize(("kind", "differs", "name"), CASES)
def test_the_rule_that_applies(kind, differs, name):
    evidence = SimpleNamespace(**WELL | differs, kind=kind)
    rule = rule_of(evidence)
    assert rule.name == name
    said = equilibrium(evidence)
    assert said["reached"] is rule.reached and said["verdict"] and (said["since"] is None or rule.reached)


def test_every_rule_has_its_case():
    assert {(kind, name) for kind, _, name in CASES} >= {(kind, r.name) for r in RULES for kind in r.kinds[:1]} - {
        ("gaussians", "diverged"), ("gaussians", "escaping")
    }  # fmt: skip


BOWL = pg.Loss.from_formula("4*x^2", ["x"])


def test_a_share_that_escapes_is_told(rng):
    """112 of 300 grow exponentially beyond 1000 scales: the others hide them from a t-test."""
    x = rng.normal(size=(41, 300, 1))
    x[:, :112] *= np.exp(np.linspace(0.0, 20.0, 41))[:, None, None]
    prior = pg.priors.Normal(0.0, 1.0)
    run = pg.simulation.run.Run("made", BOWL, prior, pg.methods.DLE(1.0), x, np.arange(41), 1.0, 0)
    said = equilibrium(evidence_of(run, None))
    assert said["rule"] == "escaping" and said["reached"] is False and "of 300 particles" in said["verdict"]


def test_what_has_not_escaped():
    """Diffusion from one point, a far minimum, and a start far out: none grows tenfold in its second half."""
    times, point = np.linspace(0.0, 1.0, 41), np.zeros((1, 20, 1))
    scale = problem_scale(point[0], pg.priors.Flat(1), np.empty((0, 1)))
    assert scale == 1.0
    spreading = 1e5 * np.sqrt(times)[:, None, None] * np.ones((1, 20, 1))
    assert not escaped(spreading, times, scale).any()
    arriving = 1e6 * (1.0 - np.exp(-9.0 * times))[:, None, None] * np.ones((1, 20, 1))
    assert not escaped(arriving, times, scale).any()
    assert escaped(np.exp(30.0 * times)[:, None, None] * np.ones((1, 20, 1)), times, scale).all()
    assert escaped(np.full((2, 3, 1), np.nan), np.arange(2.0), scale).all()


def test_a_flat_loss_is_within_chance():
    """The levels of log q differ by rounding, which counts as no distance from the expected energy."""
    loss, prior, method = pg.Loss.from_formula("0*t", ["t"]), pg.priors.Uniform(-4.0, 4.0), pg.methods.DLE(1.0)
    target = pg.target(loss, method, prior)
    excess = pg.diagnostics.excess_energy(target.sample(300), target, 1.0)
    assert abs(excess.deviation) < 1.0 and excess.standard_error < 1e-12
    tilted = pg.target(pg.Loss.from_formula("1e-9*t", ["t"]), method, prior)  # control: a slope is no rounding
    assert pg.diagnostics.excess_energy(np.full(300, 4.0), tilted, 1.0).deviation > 4.0
