"""Whether a run has reached its equilibrium: a table of rules, of which the first that applies is the verdict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.scenario.kinds.particles.evidence import Evidence
from particlegvi.simulation.run import Run
from particlegvi.simulation.sampling.sample import verdict_in_words

MORE_STEPS, MORE_PARTICLES, JUMPS, SMALLER = "more steps", "more particles", "jumps", "a smaller step size"
NO_RECORD = "unknown: there is no truth to compare with and no record to tell whether it still moves"


class Rule(NamedTuple):
    """A verdict, for runs of some kinds (`Evidence.kind`)."""

    name: str
    kinds: tuple[str, ...]
    reached: bool | None  # None: undecidable
    applies: Callable[[Evidence], object]
    words: Callable[[Evidence], str]
    remedy: str = ""


ANY = ("gaussians", "atoms", "density", "noise", "silent")
RULES = (
    Rule("diverged", ANY, False, lambda e: not e.usable, lambda e: "diverged: particles have run away", SMALLER),
    Rule("escaping", ANY, False, lambda e: e.escaped,
         lambda e: f"escaping: {e.escaped} of {e.run.particles} particles have left every scale of the problem,"
                   " and go farther and farther", SMALLER),
    # the Gaussian of FD-GVI, beside the local optimum of its start
    Rule("no optimum", ("gaussians",), None, lambda e: _miss(e) is None,
         lambda e: "unknown: this start leads to no local optimum"),
    Rule("fitting", ("gaussians",), False, lambda e: not _miss(e) <= 0.1,
         lambda e: f"not yet converged: its mean and sd are up to {_miss(e):.2g} sd off the local optimum of this"
                   " start",
         MORE_STEPS),
    Rule("fitted", ("gaussians",), True, lambda e: True,
         lambda e: f"converged: its mean and sd are within {_miss(e):.2g} sd of the local optimum of this start"
                   f"{_better(e)}"),
    # deep ensembles, beside the minima of their starts
    Rule("descending", ("atoms",), False, lambda e: not e.descent.arrived,
         lambda e: f"not yet converged: {e.descent.left}", MORE_STEPS),
    Rule("unlikely", ("atoms",), False, lambda e: e.descent.unlikely,
         lambda e: f"converged, but {e.descent.unlikely}"),
    Rule("descended", ("atoms",), True, lambda e: True,
         lambda e: f"{'' if e.descent.exactly else 'nearly '}converged{_from(e.descent.since)} to the local minima that"
                   f" the starts flow to: {e.descent.left}"),
    # flows with noise, beside Q*
    Rule("drifting", ("density",), False, lambda e: _drifts(e),
         lambda e: f"not yet at equilibrium: {_drifting(e.moving)} ({e.measured})", MORE_STEPS),
    Rule("short", ("density",), False, lambda e: e.slow and (e.wrong_shares or e.beyond),
         lambda e: f"not yet at equilibrium: {e.slow} ({e.wrong_shares or e.beyond})", MORE_STEPS),
    Rule("metastable", ("density",), False, lambda e: e.wrong_shares and e.stuck,
         lambda e: "metastable: at rest inside the basins, whose shares come from the start and are not Q*'s:"
                   f" {e.wrong_shares}; {e.stuck}", JUMPS),
    Rule("shares", ("density",), False, lambda e: e.wrong_shares,
         lambda e: f"not at Q*: {e.wrong_shares} ({e.measured})", JUMPS),
    Rule("far", ("density",), False, lambda e: e.beyond and e.moving is not None,
         lambda e: f"at rest, but not at Q*: {_and(e.beyond, e.held)}"),
    Rule("far, unrecorded", ("density",), False, lambda e: e.beyond,
         lambda e: f"not at Q*: {_and(e.beyond, e.held)}, and no records to tell whether it still moves", JUMPS),
    Rule("misplaced", ("density",), False, lambda e: e.misplaced, lambda e: e.misplaced),
    Rule("held", ("density",), None, lambda e: e.held, lambda e: f"{e.near}, but {e.held} ({e.measured})"),
    Rule("stuck", ("density",), None, lambda e: e.stuck and not e.slow and not e.crossed,
         lambda e: f"{e.near}, but metastable: {e.stuck}, so that their shares come from the start ({e.measured})",
         JUMPS),
    Rule("too few", ("density",), None, lambda e: e.too_few,
         lambda e: f"{e.near}, as {_particles(e.run.particles)} can be anywhere: too few to tell ({e.measured})",
         MORE_PARTICLES),
    Rule("too short", ("density",), None, lambda e: e.slow,
         lambda e: f"{e.near}, but {e.slow}: too short to tell ({e.measured})", MORE_STEPS),
    Rule("near", ("density",), None, lambda e: e.distance.value > e.distance.of_draws,
         lambda e: f"{e.near}: {e.measured}"),
    Rule("unfound", ("density",), None, lambda e: e.unfound, lambda e: f"{e.near}, but {e.unfound} ({e.measured})"),
    Rule("arrived", ("density",), True, lambda e: True,
         lambda e: f"at equilibrium{_from(e.since)}: {e.measured}"),
    # flows with noise, without a truth; the steps of an ensemble have judged themselves
    Rule("sampled", ("noise",), True, lambda e: e.run.info.get("arrived"), lambda e: _own(e.run)),
    Rule("not sampled", ("noise",), False, lambda e: "arrived" in e.run.info, lambda e: _own(e.run)),
    Rule("unknown", ("noise",), None, lambda e: e.moving is None, lambda e: NO_RECORD),
    Rule("drifting", ("noise",), False, lambda e: _drifts(e),
         lambda e: f"not yet at equilibrium: {_drifting(e.moving)}", MORE_STEPS),
    Rule("held", ("noise",), False, lambda e: e.held, lambda e: f"not at equilibrium: {e.held}"),
    Rule("too short", ("noise",), None, lambda e: e.slow,
         lambda e: f"unknown: {e.slow}, too short to tell", MORE_STEPS),
    Rule("resting", ("noise",), None, lambda e: True,
         lambda e: "at rest over the second half, as far as its mean loss, means and spreads tell"),
    # flows without noise and without a known end
    Rule("unknown", ("silent",), None, lambda e: e.movement is None, lambda e: NO_RECORD),
    Rule("resting", ("silent",), None, lambda e: e.movement.is_rest,
         lambda e: f"at rest: no particle moved by more than {e.movement.farthest:.2g} in the last quarter"),
    Rule("moving", ("silent",), False, lambda e: True,
         lambda e: f"not yet at rest: a particle still moved by {e.movement.farthest:.2g} in the last quarter",
         MORE_STEPS),
)  # fmt: skip


def rule_of(evidence: Evidence) -> Rule:
    """The first rule that applies to a run."""
    return next(rule for rule in RULES if evidence.kind in rule.kinds and rule.applies(evidence))


def equilibrium(evidence: Evidence) -> Facts:
    """``reached`` (None if undecidable), ``since``, ``verdict``, ``rule``, ``remedy`` and the largest ``drift``."""
    rule = rule_of(evidence)
    facts: Facts = {"reached": rule.reached, "since": None, "verdict": rule.words(evidence), "rule": rule.name}
    if rule.reached and evidence.kind in ("density", "atoms"):
        facts["since"] = evidence.since if evidence.kind == "density" else evidence.descent.since
    if rule.remedy:
        facts["remedy"] = rule.remedy
    if evidence.usable and evidence.kind in ("density", "noise", "silent") and evidence.moving is not None:
        facts["drift"] = evidence.moving._asdict()
    return facts


def _own(run: Run) -> str:
    return verdict_in_words(run.info, f"{run.steps[-1]} steps")


def _drifts(evidence: Evidence) -> bool:
    return evidence.moving is not None and evidence.moving.significant


def _drifting(moving: Any) -> str:
    way = "rises" if moving.change > 0.0 else "falls"
    return f"the {moving.name} still {way} by {abs(moving.standard_errors):.1f} standard errors over the last quarter"


def _from(since: float | None) -> str:
    return "" if since is None else f" since t = {since:.3g}"


def _and(first: str, second: str) -> str:
    return f"{first}; {second}" if second else first


def _particles(number: int) -> str:
    return "1 particle" if number == 1 else f"{number} particles"


def _miss(evidence: Evidence) -> Any:
    """The largest distance of the fitted mean and sd from the local optimum of the start, in its sds, or None."""
    optima, run = evidence.found["optima"], evidence.found["run"]
    if optima["reached"] is None or "mean" not in run:
        return None
    goal = optima["all"][optima["reached"]]
    sd = np.array(goal["sd"])
    return float(np.max(np.abs([np.array(run["mean"]) - goal["mean"], np.array(run["sd"]) - sd]) / sd))


def _better(evidence: Evidence) -> str:
    optima = evidence.found["optima"]
    worse = optima["all"][optima["reached"]]["objective"] - optima["all"][0]["objective"]
    return f"; the best optimum is lower by {worse:.3g}" if worse > 1e-6 else ""
