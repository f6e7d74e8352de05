"""From runs that are done to the page that replays them."""

from __future__ import annotations

from typing import Protocol

from particlegvi.pages import building
from particlegvi.pages.building import Page, build
from particlegvi.pages.content import Subject, content, kind_of, variables_of
from particlegvi.pages.functions import page_of_function_runs
from particlegvi.pages.replay import JudgedRun, replay
from particlegvi.pages.subjects import particles_of
from particlegvi.plotting.protocols import Results
from particlegvi.scenario.kinds.functions.building import FunctionParts
from particlegvi.simulation.problem import Settings
from particlegvi.tools import arguments, words
from particlegvi.tools.quoting import refuse

MOST_FRAMES = 1000
SPARE = 3000  # bytes of a page kept free for what a replay adds beside its frames


class PagedRuns(Results, Protocol):
    """The parts of results that a page reads."""

    @property
    def parts(self) -> object: ...  # `particlegvi.scenario.kinds.particles.building.Parts`
    @property
    def seed(self) -> int: ...


def page_of_runs(runs: PagedRuns, frames: int, live: bool, language: str) -> Page:
    """The page of runs that are done: their replay, and the live page below it where the browser can compute the flow.

    The runs are of particles on the line or in the plane, or of functions of one input; the rest as `particlegvi.page`.
    """
    words.check(language)
    frames = arguments.whole("frames", frames, 0, MOST_FRAMES)
    live = arguments.flag("live", live)
    if isinstance(runs.parts, FunctionParts):
        return page_of_function_runs(runs, runs.parts, runs.seed, live, language)
    known = particles_of(runs.parts)
    if not len(runs):
        raise ValueError("a page needs at least one run that is done, not none")
    counts = {label: run.positions.shape[1] for label, run in runs.items()}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{label} has {count}" for label, count in counts.items())
        raise ValueError(f"a page needs runs with equally many particles, and {told}")
    if frames == 1 or not (frames or live):
        raise refuse("frames", frames, "2 or more, or 0 for a page that is only live")
    run = next((run for run in runs.values() if kind_of(run.method)), runs[next(iter(runs))])
    integrators = {label: str(run.info.get("integrator", "")) for label, run in runs.items()}
    settings = Settings(run.particles, int(run.steps[-1]), run.step_size, seed=runs.seed)
    subject = Subject(str(runs.scenario["title"]), str(runs.scenario["source"]), *known[:4], settings, integrators)
    chosen = runs.scenario.get("style", {}).get("colours", {})
    subject = subject._replace(modes=runs.scenario.get("modes") or (), colours=chosen)
    found = content(subject, language, live)
    if not frames:
        if found["why"]:
            raise ValueError(f"frames must be 2 or more, not 0: {found['why']}")
        return build(found, language)
    facts = runs.summary["methods"]
    recorded = {label: JudgedRun(runs[label], runs.targets[label], facts[label]) for label in runs}
    said = words.of(language)
    watch = "page.watch_replay" if known[0].dim == 1 else "page.watch_replay_plane"
    found |= {"watch": said(watch), "watch_live": found["watch"]}
    left = building.LARGEST - len(build(found, language).html.encode())
    found["replay"] = replay(recorded, variables_of(known[0]), frames, left - SPARE)
    for method in found["replay"]["methods"]:  # the verdicts of summaries are in English
        if method["verdict"]:
            method["verdict"] = said("page.verdict_of_program", verdict=method["verdict"])
    return build(found, language)
