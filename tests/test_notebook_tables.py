"""Tables in a notebook: own colours, every text escaped, small; for everything that has a registry."""

import importlib
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.scenario import kinds

from .small_scenarios import SHORT_RUNS

HOSTILE = "</td><script>alert('x')</script><img src=x onerror=alert(1)>&\"'\x00\u202e"


class Reader(HTMLParser):
    """Tags that are opened and closed, attributes, and the text of what a notebook would show."""

    def __init__(self, shown: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.words = ""
        self.feed(shown)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes += attributes
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += data


def read(thing) -> Reader:
    """The table of a thing, if it keeps the rules of all of them."""
    assert callable(getattr(thing, "_repr_html_", None)), f"{thing!r} has no _repr_html_"
    shown = thing._repr_html_()
    assert len(shown.encode()) < 20_000
    assert "color: inherit" in shown and "background" not in shown
    found = Reader(shown)
    assert found.open == []
    allowed = {"div", "strong", "table", "tr", "th", "td", "svg", "path", "polyline", "details", "summary", "pre"}
    assert found.tags <= allowed
    assert not [name for name, _ in found.attributes if name.startswith("on") or name in ("href", "src")]
    colours = re.findall(r"(?:color|fill|stroke)\s*[:=]\s*['\"]?([\w#]+)", shown)
    assert set(colours) <= {"inherit", "currentColor", "none"}
    return found


@pytest.fixture(scope="module")
def results():
    return pg.run("global-minimiser", particles=60, steps=300, step_size=2e-3)


OVER = {"initial": 0.1, "final": 0.01, "over": 10.0}
GIVEN = {
    "flat": {"dim": 1}, "formula": {"formula": "exp(-t^2/2)", "variables": ["t"]}, "uniform": {"low": 0.0, "high": 1.0},
    "gaussian-mixture": {"means": [-1.0]}, "cosine": OVER, "geometric": OVER, "linear": OVER,
}  # fmt: skip
REGISTRIES = (pg.losses, pg.methods, pg.priors, pg.schedules, pg.scenarios)


@pytest.mark.parametrize(("registry", "name"), [(each, name) for each in REGISTRIES for name in each.names()])
def test_every_part_has_a_table(registry, name):
    given = GIVEN.get(name, {"initial": 0.1} if registry is pg.schedules else {})
    try:
        part = registry.get(name, **given)
        part = part() if isinstance(part, type) else part
    except (TypeError, ValueError):  # it has parameters without a default
        if registry is pg.losses:
            pytest.skip("it needs parameters")
        part = registry.get(name)(np.zeros((3, 1)))
    shown = {pg.priors: type(part).__name__, pg.schedules: "initial"}.get(registry, name)
    words = read(part).words
    assert shown in words and (registry is not pg.scenarios or "as a file" in words)


def test_networks_and_estimators_show_themselves():
    assert "Jumps" in read(pg.jumps.Jumps()).words
    assert "relu" in read(pg.networks.Network(2, (5,))).words
    pytest.importorskip("sklearn")
    for part in ("functionspace", "networks"):
        module = importlib.import_module(f"particlegvi.{part}.estimators")
        for name in module.__all__:
            if isinstance(getattr(module, name), type):
                made = getattr(module, name)()
                assert name in read(made).words
                assert made._repr_mimebundle_()["text/html"] == made._repr_html_()


@pytest.mark.parametrize("name", kinds.names())
def test_every_kind_of_scenario_has_a_table(name, toy, monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    scenario, settings = SHORT_RUNS[name]
    results = pg.run(scenario, **settings)
    found = read(results).words
    assert results.name in found and "seed 0" in found and "finished" in found
    for label, run in results.items():
        assert label in found or name in ("table", "approximation")
        read(run)


@pytest.mark.thorough
def test_every_kind_of_target_has_a_table(results):
    words = {label: read(target).words for label, target in results.targets.items()}
    assert "AtomicTarget" in words["DE"] and "DensityTarget" in words["DLE"]
    loss, prior = pg.losses.get("tilted-double-well"), pg.priors.Normal(0.0, 1.0)
    assert "optimum 1" in read(pg.target(loss, pg.methods.FDGVI(), prior)).words
    assert "svg" in read(results.targets["DRLE"]).tags


@pytest.mark.thorough
def test_a_comparison_and_a_moment_have_tables(results):
    loss, label = pg.Loss.from_formula("t^2", ["t"]), HOSTILE[:-2]  # a label has printable characters alone
    found = pg.compare(loss, {label: pg.methods.DLE(1.0)}, pg.priors.Normal(0.0, 1.0), 10, 10, title=HOSTILE)
    shown = read(found)
    assert "Comparison" in shown.words and "<script>alert('x')" in shown.words  # as text
    assert "script" not in shown.tags and "img" not in shown.tags
    assert "script" not in read(found[label]).tags
    chosen = pg.scenarios.get("global-minimiser", title=label, description="<b>bold</b>" * 50)
    assert "<b>bold</b>" in read(chosen).words and "b" not in read(chosen).tags
    assert "global-minimiser" in read(results.at(0)).words
