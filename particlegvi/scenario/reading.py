"""Read a name, a file or a table as a complete scenario: merge variants, apply overrides, check every key; write it.

A file is data. It is read once, as TOML, within limits of size. It can refer to one other file only: a scenario of the
package, by its name, in ``based_on``.
"""

from __future__ import annotations

import copy
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tomli_w

from particlegvi.contracts import Facts, Scenario
from particlegvi.scenario import catalogue, kinds
from particlegvi.scenario.kinds.kind import at_key
from particlegvi.settings import checks, keys
from particlegvi.settings.checks import plain
from particlegvi.tools.files import read_text
from particlegvi.tools.quoting import shown
from particlegvi.tools.registry import unknown

REMOVED = {
    "seed": "the seed is not part of a scenario; give it to the run (--seed, or seed= in Python)",
    "based_on": "based_on can only be used in a file",
}
# Keys that may change after a run: they affect pictures, texts and sweeps, but not the simulation.
WORDS = ("title", "source", "description", "style", "figures", "sweep")
# The keys on which the law of the particles depends.
OF_THE_LAW = {"loss", "prior", "initial", "kernel", "methods", "integrator", "preconditioner"}
LARGEST_FILE = 1_000_000  # bytes
# A key of 17 parts or more. Python's reader takes quadratic time over a long one, minutes within the limit of size.
LONG_KEY = re.compile(r"""(?:(?:(?<![\w-])[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){16}""")
# Matches a list of numbers that tomli_w wrote over several lines. Texts never match: their line ends are written as \n.
NUMBERS = re.compile(r"\[\n((?: *[-+.\w]+,\n)+) *\]")


def load(
    scenario: str | os.PathLike[str] | Mapping[str, Any],
    overrides: Mapping[str, Any] | None = None,
    chosen: list[str] | None = None,
) -> Facts:
    """Read a scenario and complete it. The result is plain data, which `text` writes and a run stores.

    A missing key gets its default. Some defaults follow from the loss; they are equal on every machine.

    Parameters
    ----------
    scenario : str, path or mapping
        The name of a scenario of the package, the path of a TOML file, or the content of one.
    overrides : mapping, optional
        Values by key. A key reaches into tables with dots, ``"methods.DRLE.kl_weight"``; a value that is a table is
        merged into what is there; None removes the key, and False a method.
    chosen : list, optional
        Receives a phrase for each value that was chosen for a missing key.

    Raises
    ------
    ValueError
        If a key or a value is bad: one sentence with the file or name, the key, the value and the allowed values.
    """
    origin, content = _source(scenario)
    try:
        own = content.get("methods") if "based_on" not in content else None
        content = _based(plain(content, ""), [content.get("name")])
        overrides = overrides or {}
        kind = content.get("kind", keys.HEAD["kind"].default)
        if kinds.has(kind) and any(str(key).startswith("methods.") for key in overrides):
            content.setdefault("methods", copy.deepcopy(kinds.get(kind).methods))  # the overrides change these
        if "loss" in overrides:  # another loss is not that figure of the source, and has a title of its own
            content = {key: value for key, value in content.items() if key not in ("title", "source", "description")}
        for key, value in overrides.items():
            assign(content, key, value)
        if isinstance(content.get("sweep"), dict) and _changes_the_law(overrides):
            content["sweep"].pop("laws", None)  # those of the scenario as it was
        methods = content.get("methods")
        if isinstance(methods, dict) and methods and not _kept(methods) and methods != own:
            raise ValueError("methods must have at least one method, not none: all are left out")
        return _complete(content, chosen)
    except ValueError as error:
        raise ValueError(f"{origin}: {error}") from None


def _changes_the_law(overrides: Mapping[str, Any]) -> bool:
    """Whether overrides change the law of the particles, and bring no formula of the new one."""
    changed = {str(key).partition(".")[0] for key in overrides}
    return bool(changed & OF_THE_LAW) and not any(str(key).startswith("sweep.laws") for key in overrides)


def check(scenario: Facts) -> Facts:
    """Check every key of a scenario, fill in defaults, and put the keys in the order of its kind's table."""
    return _complete(checks.plain(scenario, ""))


def _complete(scenario: Facts, chosen: list[str] | None = None) -> Facts:
    """The complete scenario, from plain data; ``chosen`` receives a phrase for each value that the kind chooses."""
    scenario = widened(scenario)
    default = keys.HEAD["kind"].default
    with at_key("kind"):
        kind = kinds.get(scenario.get("kind", default))
    for name in scenario:
        if name in REMOVED:
            raise ValueError(REMOVED[name])
        if name not in kind.keys:
            of_kind = "" if kind.name == default else f" of the kind {kind.name}"
            inside = keys.places(name, {"methods": kind.methods, **scenario})
            raise unknown(f"key{of_kind}", name, kind.keys, " or ".join(inside))
    methods = scenario.get("methods")
    if isinstance(methods, dict):
        scenario["methods"] = _kept(methods) or methods
    filled = kind.complete(scenario)
    missing = [name for name, key in kind.keys.items() if key.default is keys.REQUIRED and name not in scenario]
    if missing:
        raise ValueError(keys.missing(missing, kind.keys, kind.smallest))
    if chosen is not None:
        chosen += filled
    resolved: Facts = {}
    for name, key in kind.keys.items():
        value = scenario.get(name, key.default)
        if value is not keys.ABSENT and value is not keys.CHOSEN:
            resolved[name] = key.check(value, name)
    kind.agree(resolved)
    return resolved


def _kept(methods: Facts) -> Facts:
    """The methods, without any that the value False leaves out."""
    return {label: entry for label, entry in methods.items() if entry is not False}


def _source(scenario: Any) -> tuple[str, Facts]:
    if isinstance(scenario, Mapping):
        return "scenario", {"name": "scenario", **scenario}
    if not isinstance(scenario, str | os.PathLike):
        raise ValueError(f"a scenario is a name, a path or a table, not {shown(scenario)}")
    place = os.fspath(scenario)
    if not isinstance(place, str):
        raise ValueError(f"the path of a scenario is a text, not {shown(place)}")
    if isinstance(scenario, os.PathLike) or place.endswith(".toml") or os.sep in place:
        content = read(Path(place))
        content.setdefault("name", Path(place).stem)
        return place, content
    return place, {"name": place, **read(catalogue.path(place))}


def read(path: Path) -> Facts:
    """Read a TOML file; a ValueError of one sentence if that fails."""
    text = read_text(path, LARGEST_FILE).removeprefix("\ufeff")  # the mark that Notepad puts before the first line
    try:
        if LONG_KEY.search(text):
            raise ValueError("it has a key of more than 16 parts")
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError(f"{path} is nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, or a number with too many digits
        raise ValueError(f"{path} is not valid TOML: {error}") from None


def _based(content: Facts, visited: list[Any]) -> Facts:
    """The content merged into the scenario that it is based on, which may be based on another."""
    if "based_on" not in content:
        return widened(content)
    name = content.pop("based_on")
    if not catalogue.has(name):
        raise ValueError(f"based_on: {unknown('scenario', name, catalogue.names())}")
    if name in visited[1:] or len(visited) > 8:
        raise ValueError(f"based_on leads in a circle: {', '.join(map(str, [*visited[1:], name]))}")
    base, over = _based(read(catalogue.path(name)), [*visited, name]), widened(content)
    base.pop("source", None)  # another scenario is not that figure of the source
    if isinstance(over.get("methods"), dict):
        for label, entry in over["methods"].items():
            _check_left_out(base.get("methods", {}), label, entry)
    return merged(base, over)


def _check_left_out(methods: Any, label: str, entry: Any) -> None:
    """Refuse to leave out a method that is not among the methods, which may be None yet."""
    if entry is False and methods and label not in methods:
        raise unknown("method to leave out", label, methods)


def widened(table: Facts) -> Facts:
    """Replace the short form of a part, its name, by a table with this name; also inside the methods."""
    wide = dict(table)
    for name in keys.CHOICES:
        if isinstance(wide.get(name), str):
            wide[name] = {"how" if name == "embedding" else "name": wide[name]}
    if isinstance(wide.get("methods"), dict):
        wide["methods"] = {
            label: widened(entry) if isinstance(entry, dict) else entry for label, entry in wide["methods"].items()
        }
    return wide


def merged(base: Facts, over: Facts) -> Facts:
    """``base`` with the values of ``over``: tables are merged, other values are replaced."""
    result = dict(base)
    for name, value in over.items():
        below = result.get(name)
        if isinstance(value, dict) and isinstance(below, dict) and not (name in keys.PICKED and _other(below, value)):
            result[name] = merged(below, value)
        else:
            result[name] = value
    return result


def _other(base: Facts, over: Facts) -> bool:
    """Whether ``over`` names another part than ``base``."""
    return any(selector in over and over[selector] != base.get(selector) for selector in keys.SELECTORS)


def assign(scenario: Facts, key: str, value: Any) -> None:
    """Set the value that a dotted key reaches, in place; steps into a list are its numbers from 0."""
    *way, last = _steps(key)
    place: Any = scenario
    for depth, step in enumerate(way):
        if isinstance(place, list):
            place = place[_index(place, step, key)]
        else:
            place = place.setdefault(step, {})
        if not isinstance(place, dict | list):
            raise ValueError(f"{key} cannot be set: {'.'.join(way[: depth + 1])} is {shown(place)}, not a table")
    if isinstance(place, list):
        place[_index(place, last, key)] = _plain_value(value, key)
    elif value is None:
        place.pop(last, None)
    elif way == ["methods"] and value is False:
        _check_left_out(place, last, value)
        place[last] = False
    else:
        if way and way[-1] in keys.PICKED and _other(place, {last: value}):
            place.clear()  # the new choice does not have the parameters of the old one
        place.update(merged(place, widened({last: _plain_value(value, key)})))


def _steps(key: str) -> Sequence[str]:
    steps = key.split(".") if isinstance(key, str) else []
    if not 1 <= len(steps) <= 6 or not all(steps):
        raise ValueError(f"{shown(key)} is not a key; write it as particles or methods.DLE.kl_weight")
    return steps


def _index(values: list[Any], step: str, key: str) -> int:
    if not step.isdecimal() or len(step) > 6 or int(step) >= len(values):
        raise ValueError(f"{key} cannot be set: {shown(step)} is not a place in a list of {len(values)}")
    return int(step)


def _plain_value(value: Any, key: str) -> Any:
    return plain(_unwrapped(value), key)


def _unwrapped(value: Any) -> Any:
    """Turn numpy's scalars and arrays into Python's numbers and lists."""
    if isinstance(value, dict):
        return {name: _unwrapped(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_unwrapped(part) for part in value]
    return value.tolist() if type(value).__module__ == "numpy" and hasattr(value, "tolist") else value


def decisive(scenario: Scenario) -> Facts:
    """The keys of a scenario that determine the numbers of a run."""
    return {key: value for key, value in scenario.items() if key not in WORDS}


def text(scenario: Facts) -> str:
    """TOML with a comment over each key; reading it gives ``scenario`` back exactly."""
    keys = kinds.of(scenario).keys
    # Single values come before the first table: whatever follows a table's header would belong to that table.
    single = [name for name, value in scenario.items() if not _is_table(value)]
    tables = [name for name, value in scenario.items() if _is_table(value)]
    return "\n".join(f"# {keys[name].help}\n{_dump(name, scenario[name])}" for name in [*single, *tables])


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) or _is_list_of_tables(value)


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _dump(name: str, value: Any) -> str:
    if isinstance(value, str):
        return tomli_w.dumps({name: value}, multiline_strings="\n" in value)
    if _is_list_of_tables(value):
        return "\n".join(f"[[{name}]]\n{_on_one_line(tomli_w.dumps(table))}" for table in value)
    return _on_one_line(tomli_w.dumps({name: value}))


def _on_one_line(written: str) -> str:
    return NUMBERS.sub(lambda match: "[" + ", ".join(match[1].replace(",", " ").split()) + "]", written)
