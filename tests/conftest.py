"""Fixtures of every test: a backend without windows, child processes that see the checkout, and data of its own."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import signal
import sys
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent

os.environ["MPLBACKEND"] = "Agg"
# Where the package is installed from a wheel, children see what the tests see: that wheel, and not the checkout.
if Path(importlib.util.find_spec("particlegvi").origin).is_relative_to(ROOT):
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])

# A child inherits which signals its parent ignores, and no other handler. `nohup`, a shell without job control and many
# CI runners ignore some: the tests send them to their children and to themselves. A closed terminal still ends nothing.
HANDLERS = {"SIGINT": signal.default_int_handler, "SIGTERM": signal.SIG_DFL, "SIGHUP": lambda *_: None}
for number in [getattr(signal, name) for name in HANDLERS if hasattr(signal, name)]:
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, HANDLERS[number.name])


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give tests `thorough` and `slow` by their markers `needs`, `sample` and `often`, and check the names of these."""
    unused: dict[str, set[str]] = {}

    def fits(item: pytest.Item, marker: pytest.Mark) -> bool:
        fitting = {name for name in marker.args if fnmatchcase(item.callspec.id, name)}
        test = f"{marker.name} of {item.nodeid.split('[')[0]}"
        unused.setdefault(test, set(marker.args)).difference_update(fitting)
        return bool(fitting)

    for item in items:
        needs = {name for marker in item.iter_markers("needs") for name in marker.args}
        if needs:
            item.add_marker("thorough")
        missing = sorted(name for name in needs if importlib.util.find_spec(name) is None)
        if missing:
            extras = "pip install -e '.[thorough,jax,torch,numpyro,pymc]'"
            item.add_marker(pytest.mark.skip(reason=f"needs {', '.join(missing)}: {extras}"))
        sample, often = item.get_closest_marker("sample"), item.get_closest_marker("often")
        sampled = sample is not None and fits(item, sample)
        if sample is not None and not sampled:
            item.add_marker("thorough")
        if often is not None and not fits(item, often) and not sampled:
            item.add_marker("slow")
    wrong = [f"{test}: {', '.join(sorted(names))}" for test, names in unused.items() if names]
    if wrong and config.args in ([], ["tests"], [str(ROOT)], [str(ROOT / "tests")]):  # not where a part was asked for
        raise pytest.UsageError("names fit no parameter: " + "; ".join(wrong))


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the checkout: the one that holds setup.cfg."""
    return ROOT


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test works in an empty folder of its own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def no_wait_for_the_disk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for the disk, 4 ms a file, is left to the tests of what writes files and to child processes."""
    if request.node.path.parent.name not in ("storage", "tools"):
        monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def own_name(node: pytest.Item) -> str:
    """The test's file relative to tests/, its class, its name and its parameters: the same on every machine."""
    places = [each.name for each in node.listchain() if isinstance(each, pytest.Class | pytest.Function)]
    return "::".join([node.path.relative_to(Path(__file__).parent).as_posix(), *places])


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers seeded by the test's own name, so that a test has the same data alone and in any order."""
    digest = hashlib.sha256(own_name(request.node).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "little"))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The synthetic set of tables of approximations has sixty rows."""
    from particlegvi.scenario.tables.approximation import exact as problems

    monkeypatch.setitem(problems.SETS, "synthetic", problems.Rows(60, 30, 20))
    caches = problems._prepared, problems.exact_process
    for each in caches:
        each.cache_clear()
    yield
    for each in caches:
        each.cache_clear()


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, few: None) -> list:
    """The data sets of tables are made ones, and every model is a toy; the calls of it are in the list returned."""
    from particlegvi.scenario.tables.functions import models
    from particlegvi.scenario.tables.functions import protocols as problems

    from .data_sets import first_input, made

    calls: list = []

    def model(problem, settings):
        calls.append(problem)
        return first_input(problem, settings)

    monkeypatch.setattr(problems, "load", made)
    monkeypatch.setattr(models, "get", lambda name: model)
    return calls


@pytest.fixture
def remembered_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests share what `particlegvi.targets.target` has found: seconds in two dimensions, and many want the same."""
    from particlegvi import targets

    from .remembered import target

    monkeypatch.setattr(targets, "target", target)


@pytest.fixture
def nothing_from_outside(tmp_path: Path) -> Iterator[None]:
    """This process knows nothing from outside, before and after."""
    from particlegvi.tools import plugins

    tables = (plugins._registered, plugins._imported, plugins._refused, plugins.loaded_files)
    kept = [dict(table) for table in tables]

    def forget() -> None:
        for table in tables:
            table.clear()
        for each in (plugins.installed, plugins.scenarios):
            each.cache_clear()

    forget()
    yield
    forget()
    for table, before in zip(tables, kept, strict=True):
        table.update(before)
    for name, module in list(sys.modules.items()):
        if str(tmp_path) in str(vars(module).get("__file__")):
            del sys.modules[name]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nothing_from_outside: None) -> Callable[..., None]:
    """Puts a distribution with these entry points, by group, and these files on the path."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def put(name: str, groups: dict[str, list[str]], **files: str) -> None:
        about = tmp_path / f"{name}-1.5.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n", encoding="utf-8")
        lines = [f"[particlegvi.{group}]\n" + "\n".join(entries) for group, entries in groups.items()]
        (about / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
        for file, content in files.items():
            place = tmp_path / name / file.replace("__", ".").replace("_in_", "/")
            place.parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / "__init__.py").touch()
            place.write_text(content, encoding="utf-8")

    return put
