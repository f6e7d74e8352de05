"""The page's engine alone, in V8 without a browser; and sources with one line changed, for controls."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from particlegvi.pages import building

Answers = Callable[..., Any]


def started(source: str) -> tuple[Any, Answers]:
    racer = pytest.importorskip("py_mini_racer", reason="needs pip install mini-racer")
    context = racer.MiniRacer()
    context.eval(source.replace("const PG = {};", "var PG = {};"))

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
def changed() -> Iterator[Callable[[str, str], Answers]]:
    """``changed(old, new)``: the engine with one text of its source replaced."""
    contexts = []

    def make(old: str, new: str) -> Answers:
        source = building.engine()
        assert source.count(old) == 1, f"{source.count(old)} places have {old!r}"
        context, answer = started(source.replace(old, new))
        contexts.append(context)
        return answer

    yield make
    for context in contexts:
        context.close()
