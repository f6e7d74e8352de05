"""Options that several commands share, and the shape of a command in the tables of commands."""

from __future__ import annotations

import argparse

TYPE_CHECKING = False  # as in typing, which would take longer to import than everything else here
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    # what it does, in a few words, its arguments as argparse takes them
    Command = tuple[Callable[[argparse.Namespace], int | None], str, Sequence[tuple[tuple[str, ...], dict[str, Any]]]]


def whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        from particlegvi.tools.quoting import shown

        raise argparse.ArgumentTypeError(f"{shown(text)} is not a whole number") from None


SEED = (
    ("--seed",),
    {"type": whole_number, "default": 0, "metavar": "N", "help": "seed of the random numbers (default 0)"},
)
QUIET = (("--quiet",), {"action": "store_true", "help": "print nothing but errors and warnings"})
NO_FIGURE = (("--no-figure",), {"action": "store_true", "help": "draw nothing"})
CHECKPOINT = (
    ("--checkpoint-every",),
    {
        "type": float,
        "default": 4.0,
        "metavar": "SECONDS",
        "help": "time between checkpoints, as much work as can be lost (default 4)",
    },
)
