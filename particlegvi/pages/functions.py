"""The content of a page about functions of one input: data, prior and noise for the live part, runs to be shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from particlegvi.contracts import Array, Facts, Scenario
from particlegvi.functionspace.likelihoods.regression import Gaussian
from particlegvi.pages.building import Page, build
from particlegvi.pages.colours import colours_of
from particlegvi.pages.content import NotLive
from particlegvi.scenario.kinds.functions.building import FunctionParts
from particlegvi.scenario.kinds.functions.run import FunctionRun
from particlegvi.tools import arguments, words

if TYPE_CHECKING:  # it imports matplotlib
    from particlegvi.plotting.protocols import Results

COVARIANCES = ("squared-exponential", "matern-12", "matern-32", "matern-52")
MOST_DATA = 700  # of the live part: the exact process follows a drag
MOST_INDUCING, MOST_FUNCTIONS = 60, 300
GRID = 121
BEYOND = 0.04  # part of the width of the data that is shown beyond them
DRAWN = 40  # functions of a run on its page
BAND = 1.959964  # sd on both sides: 95%


def page_of_functions(scenario: Scenario, parts: FunctionParts, seed: int, language: str) -> Page:
    """The live page of a complete scenario over functions of one input.

    A ValueError if the browser cannot compute the exact process, or the inputs are not on the line.
    """
    one_input(parts)
    try:
        live = _live(scenario, parts, arguments.seed(seed))
    except NotLive as reason:
        said = words.of()(f"page.{reason}")
        told = "Run it, and give the folder of the run: its functions are shown."
        raise ValueError(f"{scenario['name']}: {said} {told}") from None
    return build(_content(scenario, {}, live, language), language)


def page_of_function_runs(runs: Results, parts: FunctionParts, seed: int, live: bool, language: str) -> Page:
    """The page of fitted functions: mean, band and draws of each method, and the live part where it can be computed."""
    one_input(parts)
    shown = [run for run in runs.values() if isinstance(run, FunctionRun)]
    if not shown:
        raise ValueError("a page needs at least one run that is done, not none")
    why, found = "", None
    try:
        found = _live(runs.scenario, parts, seed) if live else None
    except NotLive as reason:
        why = words.of(language)(f"page.{reason}")
    names = {run.label: run.method.name for run in shown}
    content = _content(runs.scenario, names, found, language) | {"why": why}
    window = _window(runs.scenario, parts, seed)
    content["functions"] |= window | {"runs": [_shown(run, window) for run in shown]}
    return build(content, language)


def one_input(parts: FunctionParts) -> None:
    """Refuse data whose inputs are not on the line, or that are not values at points."""
    if parts.data.inputs > 1:
        raise ValueError(f"a page of functions must be of functions of one input, not of {parts.data.inputs}")
    if parts.data.observed() is not None:
        raise ValueError("a page of functions must be of values at points, not of means over intervals and slopes")


def _content(scenario: Scenario, names: Mapping[str, str], live: Facts | None, language: str) -> Facts:
    """The content without runs, whose models ``names`` has by their labels."""
    said, chosen = words.of(language), scenario.get("style", {}).get("colours", {})
    sentences = [said("page.watch_functions" if live else "page.watch_fitted")]
    if live and live["truth"]:
        sentences.append(said("page.dotted_truth"))
    if live and (number := live["settings"]["inducing_points"]) > (count := _number(scenario["inducing_points"])):
        sentences.append(said("page.functions_denser", count=count, more=number))
    return {
        "title": said.title(scenario["title"]),
        "source": said.source(scenario["source"]),
        "watch": " ".join(sentences),
        "words": {**said.table("page"), "decimal": said.number(".")},
        "live": live is not None,
        "colours": colours_of(names, {"GP": "GP", "PLS": "PLS"}, chosen),
        "functions": {} if live is None else live,
    }


def _live(scenario: Scenario, parts: FunctionParts, seed: int) -> Facts:
    """The settings of the live part."""
    kernel, likelihood, settings = parts.kernel, parts.likelihood, parts.settings
    if not isinstance(likelihood, Gaussian):
        raise NotLive("why_likelihood")
    if kernel.name not in COVARIANCES or np.ndim(kernel.lengthscale):
        raise NotLive("why_covariance")
    if parts.data.rows > MOST_DATA:
        raise NotLive("why_many_data")
    window = _window(scenario, parts, seed)
    given = _number(settings["inducing_points"])
    left, right = _around_data(parts.problem(seed).X)
    low, high, _ = window["grid"]
    number = round(given * max(1.0, (high - low) / (right - left)))  # as dense in a wider picture
    return window | {
        "settings": {
            "kernel": kernel.name,
            "lengthscale": float(kernel.lengthscale),
            "variance": float(kernel.variance),
            "noise": float(f"{likelihood.noise_variance**0.5:.6g}"),
            "inducing_points": min(max(number, 2), MOST_INDUCING),
            "particles": min(settings["particles"], MOST_FUNCTIONS),
            "step_size": 0.02,
            "place": round(float(np.mean(window["grid"][:2])), 1) + 0.0,
            "seed": str(seed),
        },
    }  # fmt: skip


def _number(inducing_points: int | list[float]) -> int:
    """The number of inducing points, which may be given themselves."""
    return len(inducing_points) if isinstance(inducing_points, list) else inducing_points


def _around_data(X: Array) -> list[float]:
    low, high = float(X.min()), float(X.max())
    margin = BEYOND * (high - low or 1.0)
    return [low - margin, high + margin]


def _window(scenario: Scenario, parts: FunctionParts, seed: int) -> Facts:
    """The ends of the picture and the number of places, the range of the values, and the true function if known.

    The ends are those of the scenario's figure of functions, if it has a window.
    """
    problem = parts.problem(seed)
    chosen = (each["window"] for each in scenario["figures"] if each["kind"] == "functions" and each.get("window"))
    ends = [float(end) for end in next(chosen, _around_data(problem.X))]
    grid = _grid(ends)
    truth = parts.data.value(grid[:, None]) if parts.data.truth is not None else np.empty(0)
    levels = problem.likelihood.levels(problem.y) if problem.likelihood.even else problem.y[None]
    x, y = np.tile(problem.X[:, 0], len(levels)), levels.ravel()
    seen = np.concatenate([y, truth[np.isfinite(truth)]])
    return {
        "grid": [*ends, GRID],
        "range": [float(seen.min()), float(seen.max())],
        "data": [_short(pair, 6) for pair in np.column_stack([x, y])],
        "truth": _short(truth),
    }


def _grid(ends: Sequence[float]) -> Array:
    return np.linspace(ends[0], ends[1], GRID)


def _short(values: Array, digits: int = 5) -> list[float]:
    return [float(f"{each:.{digits}g}") for each in values]


def _shown(run: FunctionRun, window: Facts) -> Facts:
    """Mean, band and draws of one method at the places of the picture; no band where f and -f explain the data."""
    grid = _grid(window["grid"])[:, None]
    marginals = run.marginals(grid)
    functions = run.sample(grid)[:DRAWN]
    mean, sd = marginals.mean(), marginals.sd()
    name, even = run.method.name, run.problem.likelihood.even
    turning = int(np.argmin(np.abs(grid[:, 0] - run.problem.X[np.argmax(run.problem.y), 0])))
    return {
        **({"signs": (functions[:, turning] > 0.0).tolist()} if even else {}),
        "label": run.label,
        "type": name,
        "note": "" if name in run.label else name,
        "mean": [] if even else _short(mean),
        "sd": [] if even else _short(sd),
        "draws": [_short(each) for each in functions],
    }
