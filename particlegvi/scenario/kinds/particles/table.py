"""The summary as a table for a terminal, in plain ASCII."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from particlegvi import integrators
from particlegvi.contracts import Facts, Scenario
from particlegvi.integrators.schedules import shown
from particlegvi.scenario.kinds.particles.verdict import JUMPS, MORE_STEPS
from particlegvi.scenario.kinds.text_table import MISSING, Column, described, printed, short_number
from particlegvi.simulation.sampling.sample import verdict_in_words

COMMON = 1.01  # the usual limit of R-hat for single chains
SINGLE = (
    "One particle's path alone would have to be much longer to come below 1.01; an ensemble is at its equilibrium long"
    " before that, and the verdicts above are about the ensemble"
)
REMEDY = (
    "{label}: jumps = true in [methods.{label}], or jumps=True in Python, takes particles over barriers, exactly"
    " (particlegvi show methods.{method}.jumps)"
)


def if_known(distance: float | None) -> str:
    """A distance; empty for None."""
    return "" if distance is None else short_number(distance)


def interval(ends: list[float] | None) -> str:
    """Two quantiles; empty for None."""
    return f"{short_number(ends[0])} to {short_number(ends[1])}" if ends else ""


def worst(chains: Mapping[str, Any] | None, of: Any) -> str:
    """The smallest effective sample size (``of`` is min) or the largest R-hat (max) of the coordinates."""
    known = [value for value in (chains or {}).get("r_hat" if of is max else "effective_sample_size", ())
             if value is not None]  # fmt: skip
    return ("%.2f" if of is max else "%.0f") % of(known) if known else ""


def to_draws(name: str) -> Callable[[Facts], object]:
    """The distance of this name to draws that stand for the truth, with the 5% and 95% quantiles of as many draws."""

    def value(facts: Facts) -> object:
        if facts.get("target", {}).get("kind") != "draws" or name not in facts.get("distances", {}):
            return MISSING
        distance = facts["distances"][name]
        return [distance["value"], *distance["floor"][:2]]

    return value


def beside(three: list[float]) -> str:
    """A distance and two quantiles."""
    return f"{short_number(three[0])} ({interval(three[1:])})"


def in_words(facts: Facts) -> object:
    """The verdict on the distance; the truth of DE is the limit of its own flow, and not Q*."""
    own = facts.get("target", {}).get("kind") == "atoms"
    return f"{facts['verdict']} of its own limit" if own and "verdict" in facts else facts.get("verdict", MISSING)


def modes_covered(facts: Facts) -> Any:
    """The number of modes with at least one particle."""
    occupancy = facts.get("mode_occupancy")
    return MISSING if occupancy is None else int(np.count_nonzero(occupancy))


COLUMNS = (
    Column("kl_weight", None, "weights.kl_weight"),
    Column("mmd_weight", None, "weights.mmd_weight"),
    Column("mean", "mean"),
    Column("sd", "sd"),
    Column("average_loss", None, "average_loss.last"),
    Column("w1", "W1 to truth", form=if_known),
    Column("w1_floor", "exact draws", form=interval),
    Column("sliced_w1", "sliced W1", form=if_known),
    Column("sliced_w1_floor", "exact draws", form=interval),
    Column("", "", in_words, str),
    Column("energy_distance", None, to_draws("energy")),
    Column("mmd", None, to_draws("mmd")),
    Column("modes_covered", value=modes_covered),
    Column("reached_equilibrium", None, "equilibrium.reached"),
    Column("equilibrium", None, "equilibrium.rule"),
)
ON_THE_LINE, IN_THE_PLANE = ("w1", "w1_floor"), ("sliced_w1", "sliced_w1_floor")
CHECKS = (
    Column("", "energy distance (exact draws)", to_draws("energy"), beside),
    Column("", "MMD (exact draws)", to_draws("mmd"), beside),
    Column("", "free energy", "free_energy.total", lambda over_time: short_number(over_time[-1])),
    Column("", "of truth", "free_energy.target.total"),
    Column("", "excess energy", "excess_energy.mean"),
    Column("", "expected", "excess_energy.expected"),
    Column("", "ESS of paths", "chains", lambda chains: worst(chains, min)),
)


def _steps(scenario: Scenario) -> str:
    if "preconditioner" in scenario:
        scale = scenario["preconditioner"]
        by = {"ensemble": "the ensemble", "diagonal": "its diagonal", "none": "nothing"}
        return f"at most {scenario['steps']} steps, scaled by {by.get(scale) if isinstance(scale, str) else 'a matrix'}"
    return f"{scenario['steps']} steps of {shown(scenario['step_size'])}"


def describe(scenario: Scenario, summary: Facts) -> str:
    """Heading, one row per method, and notes on how each method was simulated."""
    methods = summary["methods"]
    checks = printed(CHECKS, methods)
    more = [[row for row in checks if any(row[1:])]] if any(cell for row in checks[1:] for cell in row[2:]) else []
    notes = [f"{label}: {note}" for label, facts in methods.items() for some in NOTES for note in some(facts)]
    notes += _of_single_particles(methods)
    for label in (label for label, facts in methods.items() if _may_jump(scenario, label, facts)):
        name = scenario.get("methods", {}).get(label, {}).get("method", label)
        notes.append(REMEDY.format(label=label, method="DRLE" if name == "DRLE" else "DLE"))  # the method's own key
    notes += _more_steps(scenario, methods)
    about = f"{scenario['particles']} particles, {_steps(scenario)}"
    return described(scenario, summary, about, [cells(summary), *more], notes)


def cells(summary: Facts) -> list[list[str]]:
    """The table as texts, its head first; with the distances of the plane or with those of the line."""
    methods = summary["methods"]
    hidden = ON_THE_LINE if any("sliced_w1" in facts for facts in methods.values()) else IN_THE_PLANE
    return printed([column for column in COLUMNS if column.key not in hidden], methods)


def _of_single_particles(methods: Mapping[str, Facts]) -> list[str]:
    """R-hat, with the sentence that says why it does not contradict a verdict on the ensemble."""
    known = {label: worst(facts["chains"], max) for label, facts in methods.items() if facts.get("chains")}
    listed = ", ".join(f"{label} {value}" for label, value in known.items() if value)
    needed = any(float(value) >= COMMON for value in known.values() if value)
    return [f"R-hat of single particles: {listed}{f'. {SINGLE}' if needed else ''}"] if listed else []


def _more_steps(scenario: Scenario, methods: Mapping[str, Facts]) -> list[str]:
    """The words to add to the command for methods that need more steps; for DLE also the steps of an ensemble."""
    slow = [label for label, facts in methods.items() if facts.get("equilibrium", {}).get("remedy") == MORE_STEPS]
    if not slow or "preconditioner" in scenario:
        return []
    said = f"{', '.join(slow)}: ten times the steps are --set steps={10 * scenario['steps']}"
    if "DLE" in slow:
        others = "".join(f" --set methods.{label}=false" for label in methods if label != "DLE")
        said += (
            "; DLE alone, with steps that the ensemble scales, takes --set preconditioner=ensemble --set steps=auto"
            f" --set step_size=auto --set integrator=mala{others}"
        )
    return [said]


def _may_jump(scenario: Scenario, label: str, facts: Mapping[str, Any]) -> bool:
    """Whether a method could use jumps: it allows them, has none, and has not arrived.

    A run that still moves needs them only where several basins are known; otherwise it needs more steps.
    """
    settings = scenario.get("methods", {}).get(label, {})
    allows = settings.get("method", label) in ("DLE", "DRLE", "free energy")
    noisy = allows and facts.get("weights", {}).get("kl_weight")
    integrator = settings.get("integrator", scenario.get("integrator", "euler-maruyama"))
    can = not integrators.carries_noise(integrators.get(integrators.integrator_from(integrator).name))
    equilibrium = facts.get("equilibrium", {})
    moving = equilibrium.get("rule") in ("drifting", "short", "near") and "basin_occupancy" in facts
    return bool(
        noisy and can and "jumps" not in facts.get("run", {}) and (moving or equilibrium.get("remedy") == JUMPS)
    )


def _mean_and_sd(fitted: Facts) -> str:
    return f"mean {short_number(fitted['mean'])}, sd {short_number(fitted['sd'])}"


def _of_places(facts: Facts) -> Iterator[str]:
    """Where the particles are: the equilibrium, the basins, the modes, and those of replicates."""
    if "equilibrium" in facts:
        yield facts["equilibrium"]["verdict"]
    for basin in facts.get("basins", [])[:8]:
        low, high = basin["limits"]
        within = "within" if low <= basin["count"] <= high else "outside"
        yield f"{basin['count']} at {short_number(basin['atom'])}, {within} the 99% limits {low} to {high}"
    if "mode_occupancy" in facts and "equilibrium" not in facts and not facts.get("basins"):
        counts = facts["mode_occupancy"]
        few = ", ".join(map(str, counts[:12])) + ", ..." * (len(counts) > 12)
        yield f"{sum(count > 0 for count in counts)} of {len(counts)} modes: {few} particles"
    if "replicates" in facts.get("run", {}):
        runs, (mean, low, high) = (facts["run"]["replicates"][key] for key in ("number", "mean_modes_covered"))
        interval = f"on average over {runs} replicates, 95% interval {low:.2f} to {high:.2f}"
        # If all replicates agree, the interval has no width and is left out.
        yield f"{mean:.2f} modes {interval}" if high > low else f"{mean:g} modes in each of {runs} replicates"


def _of_fit(facts: Facts) -> Iterator[str]:
    """The Gaussian that is fitted, the optimum that it belongs to, and a free energy below the least that there is."""
    run = facts.get("run", {})
    if "mean" in run and "sd" in run:
        yield f"fitted Gaussian: {_mean_and_sd(run)}"
    if "optima" in facts:
        optima, reached = facts["optima"]["all"], facts["optima"]["reached"]
        mean_and_sd = "none" if reached is None else _mean_and_sd(optima[reached])
        yield f"local optimum of this start, one of {len(optima)}: {mean_and_sd}"
    over_time, of_truth = facts.get("free_energy", {}), facts.get("free_energy", {}).get("target")
    if of_truth and over_time["total"][-1] is not None and over_time["total"][-1] < of_truth["total"]:
        yield "the free energy of particles is an estimate: that of the truth is the least that there is"


def _of_steps(facts: Facts) -> Iterator[str]:
    """How the steps were taken and the sums computed, and why there is no truth."""
    run = facts.get("run", {})
    if "lengthscale_rule" in run and "kernel" in run:
        yield f"{run['kernel']} kernel, {run['lengthscale_rule']}"
    if "embedding" in run:
        yield f"mean embedding: {run['embedding']}"
    if "arrived" in run and "sampled" not in facts["equilibrium"]["rule"]:
        yield verdict_in_words(run, f"{facts['steps']} steps")
    if "acceptance_rate" in run:
        yield f"{run['integrator']}: {run['acceptance_rate']:.1%} of the proposals accepted"
    if "expected_bias" in run:
        bias = run["expected_bias"]
        how_much = f"about {bias:.1%} too large" if math.isfinite(bias) else "without bound; try a smaller step_size"
        yield f"{run['integrator']}: by its step size, variances are expected to be {how_much}"
    jumps = run.get("jumps", {})
    if jumps.get("proposed"):
        rate, number_of = jumps["acceptance_rate"], jumps["proposed"]
        yield f"jumps every {jumps['every']} steps: {rate:.1%} of {number_of} proposals accepted"
    if run.get("repulsion"):
        used = ", ".join(f"{way} ({steps} steps)" for way, steps in run["repulsion"].items())
        bound = f", error at most {run['repulsion_error_bound']:.0e}" if run["repulsion_error_bound"] else ""
        yield f"repulsion: {used}{bound}"
    if facts["target"].get("reason"):
        yield f"no truth to compare with: {facts['target']['reason']}"


NOTES = (_of_places, _of_fit, _of_steps)  # counts and choices that do not fit into a row, one line each
