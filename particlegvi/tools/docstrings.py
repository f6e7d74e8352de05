"""Docstrings that say a parameter once: the entries that one lacks come from a base class or from another function.

``help`` and the reference show every parameter, and the code has its words at one place.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import TypeVar

C = TypeVar("C", bound=Callable[..., object])

# The words before the section Parameters, its entries, and the sections that follow.
_PARTS = re.compile(r"(.*?)(?:\n\nParameters\n-{3,}\n(.*?))?(\n\n\w[\w ]*\n-{3,}\n.*)?", re.DOTALL)


def _parts(documented: object) -> tuple[str, str, str]:
    found = _PARTS.fullmatch(inspect.cleandoc(documented.__doc__ or ""))
    assert found is not None  # it matches every text
    return found[1], found[2] or "", found[3] or ""


def entries(documented: object) -> dict[str, str]:
    """The entries of the section Parameters of an object's docstring, by the names in their first lines."""
    found = {}
    for entry in filter(None, re.split(r"\n(?=\S)", _parts(documented)[1])):
        for name in entry.partition("\n")[0].partition(" :")[0].split(", "):
            found[name.lstrip("*")] = entry
    return found


def form_and_words(entry: str) -> tuple[str, str]:
    """The type of a parameter, as its entry says it, and its meaning on one line."""
    head, _, words = entry.partition("\n")
    return head.partition(" : ")[2], " ".join(words.split())


def shares_parameters(*sources: object) -> Callable[[C], C]:
    """Decorate a function or a class: add the entries of parameters that its docstring does not have.

    They are those of ``sources``, and for a class of its bases.
    """

    def completed(thing: C) -> C:
        if thing.__doc__ is not None:  # python -OO has no docstrings
            before, _, after = _parts(thing)
            known = entries(thing)
            for source in (*sources, *(thing.__mro__[1:] if isinstance(thing, type) else ())):
                known = {**entries(source), **known}
            said = [known[name] for name in inspect.signature(thing).parameters if name in known]
            section = "\n".join(dict.fromkeys([*said, *entries(thing).values()]))
            thing.__doc__ = f"{before}\n\nParameters\n----------\n{section}{after}\n"
        return thing

    return completed
