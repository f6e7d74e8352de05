"""From a name, a file or a table to one complete scenario: variants merged, overrides applied, every key checked.

A file is data. It is read once, as TOML, within limits of size; the only other file it can lead to is a scenario that
comes with the package, by its name, in ``based_on``.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from particlegvi import kinds
from particlegvi.contracts import Facts, Scenario
from particlegvi.scenario import catalogue
from particlegvi.settings import checks, keys
from particlegvi.settings.checks import plain
from particlegvi.tools.files import read_text
from particlegvi.tools.quoting import shown
from particlegvi.tools.registry import unknown

REMOVED = {
    "seed": "the seed is not part of a scenario; give it to the run (--seed, or seed= in Python)",
    "based_on": "based_on can only be used in a file",
}
# Keys that may be changed after a run: they change what is drawn and said, not what is simulated.
WORDS = ("title", "source", "description", "style", "figures")
LARGEST_FILE = 1_000_000  # bytes
# A key of 17 parts or more. Python's reader takes quadratic time over a long one, minutes within the limit of size.
LONG_KEY = re.compile(r"""(?:(?:(?<![\w-])[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){16}""")


def load(
    scenario: str | os.PathLike[str] | Mapping[str, Any], overrides: Mapping[str, Any] | None = None
) -> Facts:
    """The complete scenario as plain data: what `text` writes and a run stores.

    Parameters
    ----------
    scenario : str, path or mapping
        The name of a scenario of the package, the path of a TOML file, or the content of one.
    overrides : mapping, optional
        Values by key. A key reaches into tables with dots, ``"methods.DRLE.kl_weight"``; a value that is a table is
        merged into what is there; None removes the key.

    Raises
    ------
    ValueError
        In one sentence that begins with the file or the name and names the key, the value and what is allowed.
    """
    origin, content = _source(scenario)
    try:
        content = _based(plain(content, ""), [content.get("name")])
        for key, value in (overrides or {}).items():
            assign(content, key, value)
        return check(content)
    except ValueError as error:
        raise ValueError(f"{origin}: {error}") from None


def check(scenario: dict[str, Any]) -> Facts:
    """The scenario with every key checked, defaults filled in, and the keys in the order of its kind's table."""
    scenario = checks.plain(scenario, "")
    default = keys.HEAD["kind"].default
    name_of_kind = checks.one_of(kinds.names(), "kind of scenario")(scenario.get("kind", default), "kind")
    chosen = kinds.get(name_of_kind)
    for name in scenario:
        if name in REMOVED:
            raise ValueError(REMOVED[name])
        if name not in chosen.keys:
            of_kind = "" if chosen.name == default else f" of the kind {chosen.name}"
            raise unknown(f"key{of_kind}", name, chosen.keys)
    chosen.complete(scenario)
    resolved: dict[str, Any] = {}
    for name, key in chosen.keys.items():
        value = scenario.get(name, key.default)
        if value is keys.REQUIRED:
            raise ValueError(f'the key "{name}" is missing: {key.help}')
        if value is not keys.ABSENT:
            resolved[name] = key.check(value, name)
    chosen.agree(resolved)
    return resolved


def _source(scenario: Any) -> tuple[str, dict[str, Any]]:
    if isinstance(scenario, Mapping):
        return "scenario", dict(scenario)
    if not isinstance(scenario, str | os.PathLike):
        raise ValueError(f"a scenario is a name, a path or a table, not {shown(scenario)}")
    if isinstance(scenario, str) and scenario in catalogue.names():
        return scenario, read(catalogue.path(scenario))
    place = os.fspath(scenario)
    if not isinstance(place, str):
        raise ValueError(f"the path of a scenario is a text, not {shown(place)}")
    if isinstance(scenario, os.PathLike) or place.endswith(".toml") or os.sep in place:
        content = read(Path(place))
        content.setdefault("name", Path(place).stem)
        return place, content
    raise unknown("scenario", place, catalogue.names())


def read(path: Path) -> Facts:
    """The content of a TOML file, or one sentence that says why there is none."""
    text = read_text(path, LARGEST_FILE)
    try:
        if LONG_KEY.search(text):
            raise ValueError("it has a key of more than 16 parts")
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError(f"{path} is nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, or a number with too many digits
        raise ValueError(f"{path} is not valid TOML: {error}") from None


def _based(content: dict[str, Any], seen: list[Any]) -> Facts:
    """The content merged into the scenario that it is based on, which may be based on another."""
    if "based_on" not in content:
        return widened(content)
    name = content.pop("based_on")
    if not isinstance(name, str) or name not in catalogue.names():
        raise ValueError(f"based_on: {unknown('scenario', name, catalogue.names())}")
    if name in seen[1:] or len(seen) > 8:
        raise ValueError(f"based_on leads in a circle: {', '.join(map(str, [*seen[1:], name]))}")
    return merged(_based(plain(read(catalogue.path(name)), ""), [*seen, name]), widened(content))


def widened(table: dict[str, Any]) -> Facts:
    """Replace a name that stands for a part by the table that it is short for; also inside the methods."""
    wide = dict(table)
    for name in keys.CHOICES:
        if isinstance(wide.get(name), str):
            wide[name] = {"how" if name in ("embedding", "repulsion") else "name": wide[name]}
    if isinstance(wide.get("methods"), dict):
        wide["methods"] = {
            label: widened(entry) if isinstance(entry, dict) else entry for label, entry in wide["methods"].items()
        }
    return wide


def merged(base: dict[str, Any], over: dict[str, Any]) -> Facts:
    """``base`` with the values of ``over``: tables are merged, all else is replaced."""
    result = dict(base)
    for name, value in over.items():
        there = result.get(name)
        if isinstance(value, dict) and isinstance(there, dict) and not (name in keys.PICKED and _other(there, value)):
            result[name] = merged(there, value)
        else:
            result[name] = value
    return result


def _other(base: dict[str, Any], over: dict[str, Any]) -> bool:
    """Whether ``over`` picks something else than ``base`` does."""
    return any(selector in over and over[selector] != base.get(selector) for selector in keys.SELECTORS)


def assign(scenario: dict[str, Any], key: str, value: Any) -> None:
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
    else:
        if way and way[-1] in keys.PICKED and _other(place, {last: value}):
            place.clear()  # the parameters of what was there before are not those of what is picked now
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
    """numpy's scalars and arrays as Python's numbers and lists."""
    if isinstance(value, dict):
        return {name: _unwrapped(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_unwrapped(each) for each in value]
    return value.tolist() if type(value).__module__ == "numpy" and hasattr(value, "tolist") else value


def setting(argument: str) -> tuple[str, Any]:
    """``("steps", 100)`` from ``"steps=100"``: the value is read as TOML, and is a text where it is not TOML."""
    key, equals, value = argument.partition("=")
    if not equals or not key.strip():
        raise ValueError(f"--set {shown(argument)}: write KEY=VALUE, such as particles=1000")
    try:
        parsed = tomllib.loads(f"value = {value}")
        if set(parsed) == {"value"}:
            return key.strip(), parsed["value"]
    except (ValueError, RecursionError):
        pass
    return key.strip(), value.strip()



def decisive(scenario: Scenario) -> Facts:
    """The part of a scenario that decides about the numbers of a run."""
    return {key: value for key, value in scenario.items() if key not in WORDS}
