"""A kind of figure and its options in words, from its docstring: ``particlegvi plot --help-figure``."""

from __future__ import annotations

import inspect
import re
import textwrap

from particlegvi.plotting.kind import FigureKind, kinds
from particlegvi.settings.look import KEYS as STYLE

WIDTH = 100
_ENTRY = re.compile(r"(\w+(?:, \w+)*) : (.*)")
METHODS = ("sequence of str, optional", "Labels of the methods to draw, in this order; all by default.")


def explained(name: str) -> str:
    """The purpose of a kind of figure, each option with its default value, and the settings that every kind has."""
    kind: FigureKind = kinds[name]
    purpose, _, rest = inspect.cleandoc(kind.__doc__ or "").partition("\nParameters\n")
    found = {"methods": METHODS, **_entries(rest)}
    lines = [f"{name}: {purpose.strip()}", "", "options, in [[figures]] of a scenario or in Python:"]
    for option, default in kind.defaults.items():
        form, words = found.get(option, ("bool" if isinstance(default, bool) else "", ""))
        lines.append(f"  {option} = {default!r}" + (f"  ({form})" if form else ""))
        lines += textwrap.wrap(words, WIDTH, initial_indent="      ", subsequent_indent="      ")
    if not kind.defaults:
        lines.append("  none")
    every = ", ".join(STYLE)
    lines += ["", *textwrap.wrap(f"settings of every kind: {every} (docs/slides.md)", WIDTH)]
    lines.append("it can be filmed" if kind.moves else "it cannot be filmed")
    return "\n".join(lines)


def _entries(text: str) -> dict[str, tuple[str, str]]:
    """By option, its form and its words in a section "Parameters" of a docstring."""
    found: dict[str, tuple[str, str]] = {}
    names: list[str] = []
    for line in text.splitlines():
        head = _ENTRY.fullmatch(line)
        if head is not None:
            names = head[1].split(", ")
            found.update(dict.fromkeys(names, (head[2], "")))
        elif line.startswith("    "):
            found.update({name: (found[name][0], f"{found[name][1]} {line.strip()}".strip()) for name in names})
        elif line.strip() and not set(line) <= {"-"}:
            break
    return found
