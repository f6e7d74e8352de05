"""Names of the coordinates of a loss on axes: those of its formula, else the Greek letter theta."""

from __future__ import annotations

import re

from particlegvi.losses.loss import Loss

PLAIN = re.compile(r"([A-Za-z]+)(?:_?([0-9]+))?")
FUNCTION = r"$\ell(\theta)$"  # for a loss without a formula


def coordinates(loss: object, dim: int) -> list[str]:
    """A symbol for each coordinate, as mathtext with its dollar signs."""
    if isinstance(loss, Loss) and loss.formula is not None and len(loss.variables) == dim:
        return [f"${symbol(name)}$" for name in loss.variables]
    return [r"$\theta$"] if dim == 1 else [rf"$\theta_{{{number + 1}}}$" for number in range(dim)]


def symbol(name: str) -> str:
    """A variable's name as mathtext: one letter in italics, with its number as a subscript; longer names upright."""
    found = PLAIN.fullmatch(name)
    word, number = found.groups() if found is not None else (name.replace("_", r"\_"), None)
    letter = word if len(word) == 1 else rf"\mathrm{{{word}}}"
    return letter if number is None else rf"{letter}_{{{number}}}"


def loss_of(loss: object, dim: int) -> str:
    """The loss as a function of its coordinates, as mathtext with its dollar signs."""
    inside = ", ".join(each.strip("$") for each in coordinates(loss, dim))
    return rf"$\ell({inside})$"
