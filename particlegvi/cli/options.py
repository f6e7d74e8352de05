"""Options that several commands share, and the shape of a command in the tables of commands."""

from __future__ import annotations

import argparse
import contextlib

TYPE_CHECKING = False  # importing typing would take longer than all else here
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    # the function, its purpose in a few words, and its arguments for argparse
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
LANGUAGE = (("--language",), {"metavar": "en|de|...", "help": "language of pictures and pages (default en)"})
# The style of pictures: each option is a key of `particlegvi.settings.style`, which checks its value.
LOOK = [
    (("--size",), {"metavar": "SIZE", "help": "16:9, 4:3, column (of a paper), or inches such as 10x5.6"}),
    (("--font-size",), {"metavar": "POINTS", "help": "size of the smallest words in the picture"}),
    (("--palette",), {"metavar": "light|dark|grey", "help": "colours; grey is for prints without colour"}),
    (("--colours",), {"nargs": "+", "metavar": "LABEL=#RRGGBB", "help": "colours of single methods"}),
    LANGUAGE,
    (("--format",), {"metavar": "png|pdf|svg", "help": "format of the files (default png)"}),
    (("--title",), {"help": 'words over the picture; "" for no heading'}),
    (("--vertical-axis",), {"metavar": "shared|own", "help": "whether panels that show the same share one"}),
]


def look(options: argparse.Namespace) -> dict[str, Any]:
    """The settings of style that were given, checked."""
    from particlegvi.settings.style import KEYS, check

    given = {key: value for key, value in vars(options).items() if key in KEYS and value is not None}
    if "font_size" in given:
        with contextlib.suppress(ValueError):  # the check refuses it
            given["font_size"] = float(given["font_size"])
    return check(given)


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
