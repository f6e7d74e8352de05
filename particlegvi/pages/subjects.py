"""From a scenario to the page about it. Nothing that draws figures is loaded, so that it is quick."""

from __future__ import annotations

import numpy as np

from particlegvi import integrators
from particlegvi.contracts import Scenario
from particlegvi.integrators.schedules import step_size_from
from particlegvi.pages.building import Page, build
from particlegvi.pages.content import Subject, content
from particlegvi.pages.functions import page_of_functions
from particlegvi.scenario.kinds.functions.building import FunctionParts
from particlegvi.scenario.kinds.particles.building import Parts
from particlegvi.simulation.problem import Settings
from particlegvi.tools import arguments, words


def page_of_scenario(scenario: Scenario, parts: object, seed: int, language: str) -> Page:
    """The live page of a complete scenario with its parts; nothing is simulated.

    A ValueError if it is not of particles on the line or in the plane nor of functions of one input, or the browser
    cannot compute it.
    """
    words.check(language)
    if isinstance(parts, FunctionParts):
        return page_of_functions(scenario, parts, seed, language)
    known = particles_of(parts)
    settings = Settings(
        scenario["particles"],
        scenario["steps"],
        step_size_from(scenario["step_size"]),
        integrators.integrator_from(scenario["integrator"]).name,
        seed=arguments.seed(seed),
    )
    own = {
        label: integrators.integrator_from(entry["integrator"]).name
        for label, entry in scenario["methods"].items() if "integrator" in entry
    }  # fmt: skip
    look = scenario.get("modes") or (), scenario.get("style", {}).get("colours", {})
    subject = Subject(scenario["title"], scenario["source"], *known[:4], settings, own, *look)
    if reason := content(subject, words.DEFAULT)["why"]:
        raise ValueError(f"{scenario['name']}: {reason} Run it, and give the folder of the run: that is replayed.")
    return build(content(subject, language), language)


def particles_of(parts: object) -> Parts:
    """The parts, if a page can be about them; a ValueError otherwise."""
    if not isinstance(parts, Parts):
        raise ValueError("a page must be of a scenario of particles or of functions, not of another kind")
    if parts.loss.dim > 2:
        raise ValueError(f"a page must be of particles on the line or in the plane, not in {parts.loss.dim} dimensions")
    if isinstance(parts.initial, np.ndarray) and not len(parts.initial):
        raise ValueError("a page needs at least one particle, not none")
    return parts
