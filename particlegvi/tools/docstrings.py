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
    match = _PARTS.fullmatch(inspect.cleandoc(documented.__doc__ or ""))
    assert match is not None  # it matches every text
    return match[1], match[2] or "", match[3] or ""


def entries(documented: object) -> dict[str, str]:
    """The entries of the section Parameters of an object's docstring, by the names in their first lines."""
    by_name = {}
    for entry in filter(None, re.split(r"\n(?=\S)", _parts(documented)[1])):
        for name in entry.partition("\n")[0].partition(" :")[0].split(", "):
            by_name[name.lstrip("*")] = entry
    return by_name


def form_and_words(entry: str) -> tuple[str, str]:
    """The type of a parameter, as its entry says it, and its meaning on one line."""
    head, _, words = entry.partition("\n")
    return head.partition(" : ")[2], " ".join(words.split())


def shares_parameters(*sources: object) -> Callable[[C], C]:
    """Decorate a function or a class: add the entries of parameters that its docstring does not have.

    They are those of ``sources``, and for a class of its bases.
    """

    def completed(documented: C) -> C:
        if documented.__doc__ is not None:  # python -OO has no docstrings
            before, _, after = _parts(documented)
            known = entries(documented)
            for source in (*sources, *(documented.__mro__[1:] if isinstance(documented, type) else ())):
                known = {**entries(source), **known}
            said = [known[name] for name in inspect.signature(documented).parameters if name in known]
            section = "\n".join(dict.fromkeys([*said, *entries(documented).values()]))
            documented.__doc__ = f"{before}\n\nParameters\n----------\n{section}{after}\n"
        return documented

    return completed
