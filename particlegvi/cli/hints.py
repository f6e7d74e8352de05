"""Hints for options that do not exist: most are keys of a scenario, for ``--set``."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def said_otherwise(rest: Sequence[str], options: Mapping[str, object]) -> str:
    """The right form of an unknown option, which is added to the message about it; empty if there is none.

    Parameters
    ----------
    rest : sequence of str
        The unknown arguments.
    options : mapping
        The known arguments. If the command takes settings, ``set`` and ``scenario`` are among them.
    """
    if "set" not in options or not rest[0].startswith("--"):
        return ""
    option, _, value = rest[0].partition("=")
    name = option[2:].replace("-", "_")
    value = value or next((each for each in rest[1:] if not each.startswith("--")), "VALUE")
    keys = keys_for(name, options.get("scenario"))
    said = " or ".join(f"--set {key}={value}" for key in keys)
    return f"; say {said}" if said else ""


def keys_for(name: str, scenario: object) -> list[str]:
    """The keys that an option may mean: the key of that name, keys in tables of the scenario, or the nearest key."""
    from particlegvi.scenario import kinds, load
    from particlegvi.settings.keys import places
    from particlegvi.tools.registry import nearest

    try:
        content = load(str(scenario))
    except ValueError:
        content = {}
    known = kinds.of(content).keys
    if name in known:
        return [name]
    found = places(name, {"methods": kinds.of(content).methods, **content})
    alike = nearest(name, known)
    return found or ([alike] if alike else [])
