"""The page's engine alone, in V8 without a browser; sources with one line changed, for controls; a page in Chromium."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import particlegvi as pg
from particlegvi.pages import building
from particlegvi.pages.content import known_losses

from .chromium import CHROMIUM, DRIVER, OPTIONS

Answers = Callable[..., Any]


# The places of the particles of each method after steps in pieces, in each coordinate.
MOVE = """const problem = PG.problem({ ...PG.DEFAULTS, ...settings }, settings.own, settings.types);
const { loss, seed, particles } = problem;
const noise = PG.noise(seed, particles, loss.dim);
return problem.methods.map(name => {
  const ensemble = PG.ensemble(PG.method(problem, name, noise));
  for (const steps of pieces) ensemble.advance(steps);
  return ensemble.x.map(row => Array.from(row));
});"""


def started(source: str) -> tuple[Any, Answers]:
    racer = pytest.importorskip("py_mini_racer", reason="needs pip install mini-racer")
    context = racer.MiniRacer()
    context.eval(source.replace("const PG = {};", "var PG = {};"))
    if "PG.losses" in source:
        context.eval(f"PG.losses = {json.dumps(known_losses())};")

    def answer(body: str, **values: Any) -> Any:
        given = "".join(f"const {name} = {json.dumps(value)};" for name, value in values.items())
        return json.loads(context.eval(f"JSON.stringify((() => {{ {given} {body} }})())"))

    return context, answer


@pytest.fixture(scope="module")
def engine() -> Iterator[Answers]:
    """``engine("return PG.f(x);", x=1.0)``: the answer of JavaScript to a body of a function, through JSON."""
    context, answer = started(building.engine())
    yield answer
    context.close()


@pytest.fixture
def changed() -> Iterator[Callable[..., Answers]]:
    """``changed(old, new)``: the engine with one text of its source replaced, or several: ``old, new, old, new``."""
    contexts = []

    def make(*texts: str) -> Answers:
        source = building.engine()
        for old, new in zip(texts[::2], texts[1::2], strict=True):
            assert source.count(old) == 1, f"{source.count(old)} places have {old!r}"
            source = source.replace(old, new)
        context, answer = started(source)
        contexts.append(context)
        return answer

    yield make
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    return pg.page("global-minimiser").save(tmp_path_factory.mktemp("page") / "page.html")


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Any]:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for option in [*OPTIONS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}", "--window-size=1280,1000"]:
        options.add_argument(option)
    options.binary_location = CHROMIUM
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()
