"""A kind of figure and its options in words, from its docstring: ``particlegvi plot --help-figure``."""

from __future__ import annotations

import inspect
import textwrap

from particlegvi.plotting.kind import FigureKind, kinds
from particlegvi.settings.pictures import KEYS as STYLE
from particlegvi.tools.calls import entries, form_and_words

WIDTH = 100
METHODS = ("sequence of str, optional", "Labels of the methods to draw, in this order; all by default.")


def explained(name: str) -> str:
    """The purpose of a kind of figure, each option with its default value, and the settings that every kind has."""
    kind: FigureKind = kinds[name]
    purpose = inspect.cleandoc(kind.__doc__ or "").partition("\n\nParameters\n")[0]
    found = {"methods": METHODS, **{key: form_and_words(entry) for key, entry in entries(kind).items()}}
    lines = [f"{name}: {purpose}", "", "options, in [[figures]] of a scenario or in Python:"]
    for option, default in kind.defaults.items():
        form, words = found.get(option, ("bool" if isinstance(default, bool) else "", ""))
        lines.append(f"  {option} = {default!r}" + (f"  ({form})" if form else ""))
        lines += textwrap.wrap(words, WIDTH, initial_indent="      ", subsequent_indent="      ")
    if not kind.defaults:
        lines.append("  none")
    every = ", ".join(STYLE)
    lines += ["", *textwrap.wrap(f"settings of every kind: {every}; particlegvi plot --help explains them", WIDTH)]
    lines.append("it can be filmed" if kind.moves else "it cannot be filmed")
    return "\n".join(lines)
