"""Compute the basis of a fit once, store its state, and restore the basis from it bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from particlegvi.contracts import Array, Basis, Facts
from particlegvi.functionspace import basis as bases
from particlegvi.functionspace.basis.nystroem import Nystroem
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.simulation.journal import Journal

NAME = "basis"  # name of the packed array that holds the name of the basis, as code points


def find(journal: Journal, covariance: KernelLike, make: Callable[[], tuple[Basis, Facts]]) -> tuple[Basis, Facts]:
    """The two results of ``make``: the basis, and facts about its choice.

    The journal stores the state of the basis. The basis that is returned is always restored from that state, so that
    an interrupted fit continues with the same bits. A fit that is resumed needs a basis from the registry.
    """
    made: list[type[Any]] = []

    def once() -> tuple[Any, ...]:
        basis, facts = make()
        made.append(type(basis))
        state = {key: _plain(value) for key, value in basis.state().items()}
        return basis.name, list(state), *state.values(), facts

    name, keys, *values, facts = journal.once("basis", once)
    kind = made[0] if made else bases.get(name)
    return kind.restore(covariance, dict(zip(keys, values, strict=True))), facts


def packed(basis: Basis) -> dict[str, Array]:
    """The state of a basis as arrays by name, and the name of the basis unless it is a Nystroem basis.

    The names of arrays have small letters and underscores only, because they become files of a run's folder.
    """
    name = {} if basis.name == Nystroem.name else {NAME: [ord(letter) for letter in basis.name]}
    state = {**basis.state(), **name}
    return {_written(key): np.atleast_1d(np.asarray(each, dtype=np.float64)) for key, each in state.items()}


def unpacked(covariance: KernelLike, arrays: Mapping[str, Array]) -> Basis:
    """The basis with these `packed` arrays; further arrays are ignored."""
    name = "".join(chr(int(code)) for code in arrays[NAME]) if NAME in arrays else Nystroem.name
    return bases.get(name).restore(covariance, {_read(key): each for key, each in arrays.items()})


LETTERS = str.maketrans("0123456789", "abcdefghij")
DIGITS = str.maketrans("abcdefghij", "0123456789")


def _written(key: str) -> str:
    """A key of a state as a name: "0.spherical-harmonics.degree" becomes "a__spherical_harmonics__degree"."""
    return key.translate(LETTERS).replace(".", "__").replace("-", "_") if "." in key else key


def _read(name: str) -> str:
    """The key again: numbers and names of sets take turns before the last piece, also in sets of sets."""
    pieces = name.split("__")
    pieces[:-1:2] = [number.translate(DIGITS) for number in pieces[:-1:2]]
    pieces[1:-1:2] = [name.replace("_", "-") for name in pieces[1:-1:2]]
    return ".".join(pieces)


def _plain(each: Any) -> Any:
    """A matrix or vector as it is; a number as JSON can hold it."""
    return each.item() if isinstance(each, np.ndarray | np.generic) and each.ndim == 0 else each
