"""Values for the missing keys of a scenario of particles; only the loss is required.

The values go into the complete scenario, which a run stores: a user reads them there, and a resumed run uses them
again. The terminal shows a phrase for each choice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from particlegvi.contracts import Facts
from particlegvi.losses.formulas.parser import is_formula, variables_of
from particlegvi.scenario.kinds.particles.keys import KEYS

if TYPE_CHECKING:
    from particlegvi.scenario.kinds.particles.building import Parts

PARTICLES = 300
LONGEST_TITLE = 70
BY_DIMENSION = ("prior", "step_size", "steps", "figures")
METHODS: dict[str, Facts] = {"DE": {}, "DLE": {"kl_weight": 1.0}, "DRLE": {"kl_weight": 1.0, "mmd_weight": 0.5}}
FIGURES = {1: "histograms", 2: "particles"}  # by dimension; no figure shows particles in more dimensions
MOST_STEPS = {1: 100_000}  # by dimension; a step costs more if the repulsion is not a Fourier series
MOST_STEPS_ELSE = 20_000
LEAST_STEPS = 500


def loss(value: Any) -> Any:
    """Complete the entry of a loss: a text that names no loss is a formula, and the names in it are the variables.

    The check of the key refuses other mistakes.
    """
    from particlegvi import losses

    if not isinstance(value, dict):
        return value
    name = value.get("name")
    if isinstance(name, str) and "formula" not in value and is_formula(name) and name not in losses.names():
        value = {"formula" if key == "name" else key: each for key, each in value.items()}
    if isinstance(value.get("formula"), str) and "variables" not in value:
        try:
            value = {**value, "variables": variables_of(value["formula"])}
        except ValueError as error:
            raise ValueError(f"loss: {error}") from None
    return value


def fill(scenario: Facts) -> list[str]:
    """Fill in missing values, in place; return a phrase for each choice."""
    chosen: list[str] = []
    if "loss" in scenario:
        scenario["loss"] = loss(scenario["loss"])
    left_out = scenario.get("methods", {None: False})
    if isinstance(left_out, dict) and left_out and all(each is False for each in left_out.values()):
        scenario["methods"] = {label: dict(each) for label, each in METHODS.items() if label not in left_out}
        weights = {label: ", ".join(f"{key} {value:g}" for key, value in METHODS[label].items())
                   for label in scenario["methods"]}  # fmt: skip
        told = [f"{label} ({each})" if each else label for label, each in weights.items()]
        chosen.append(f"methods = {', '.join(told)}")
    formula = scenario["loss"].get("formula") if isinstance(scenario.get("loss"), dict) else None
    if isinstance(formula, str) and len(formula) <= LONGEST_TITLE and formula.isprintable():
        scenario.setdefault("title", formula)
    started = scenario.get("initial")
    if isinstance(started, dict) and isinstance(started.get("points"), list) and started["points"]:
        scenario.setdefault("particles", len(started["points"]))
    if "particles" not in scenario:
        scenario["particles"] = PARTICLES
        chosen.append(f"particles = {PARTICLES}")
    wanted = [key for key in BY_DIMENSION if key not in scenario]
    if "loss" in scenario and wanted:
        chosen += _by_dimension(scenario)
    return chosen


def _by_dimension(scenario: Facts) -> list[str]:
    """Fill in prior, figures, step size and steps, which depend on the loss."""
    from particlegvi.scenario.kinds.particles import building

    chosen = []
    dim = building.loss_of(KEYS["loss"].check(scenario["loss"], "loss")).dim
    if "prior" not in scenario:
        scenario["prior"] = {"name": "normal", "mean": 0.0 if dim == 1 else [0.0] * dim, "sd": 1.0}
        chosen.append("prior = a standard normal one")
    if "figures" not in scenario:
        scenario["figures"] = [{"kind": FIGURES[dim]}] if dim in FIGURES else []
        chosen.append(f"figures = {FIGURES.get(dim, f'none, because none shows particles in {dim} dimensions')}")
    if "step_size" in scenario and "steps" in scenario:
        return chosen
    checked = {key: KEYS[key].check(scenario[key], key) for key in KEYS if key in scenario}
    return [*chosen, *_step_size_and_steps(scenario, building.physics(checked))]


def _step_size_and_steps(scenario: Facts, parts: Parts) -> list[str]:
    from particlegvi.integrators import schedules
    from particlegvi.methods.free_energy import FreeEnergy
    from particlegvi.scenario.kinds.particles import estimates

    problem = estimates.problem_of(parts.loss, parts.prior, parts.initial, list(parts.methods.values()))
    chosen = []
    if "step_size" not in scenario:
        scenario["step_size"] = estimates.step_size(problem)
        why = f"about 1/{estimates.SAFETY:.0f} of the largest stable one at the start"
        chosen.append(f"step_size = {scenario['step_size']:g}, {why}")
    if "steps" in scenario:
        return chosen
    size = schedules.resolved(scenario["step_size"])
    first = size.initial if isinstance(size, schedules.Schedule) else size
    most = MOST_STEPS.get(problem.loss.dim, MOST_STEPS_ELSE)
    time, why = estimates.time_needed(problem)
    if time <= most * first:
        steps = estimates.rounded(max(time / first, LEAST_STEPS), up=True)
        scenario["steps"] = min(most, int(steps))
    else:
        scenario["steps"] = most
        noisy = [each for each in parts.methods.values() if each.kl_weight > 0.0]
        jump = noisy and all(isinstance(each, FreeEnergy) and each.jumps for each in noisy)
        why = f"the most that is chosen{'; jumps cross the barriers' if jump else f', although {why}'}"
    chosen.append(f"steps = {scenario['steps']}, {why}")
    return chosen
