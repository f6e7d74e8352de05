"""Colour on terminals: names of methods as in the figures, verdicts in bold, warnings. Piped output has no colour.

A non-empty ``NO_COLOR`` switches colour off, a non-empty ``FORCE_COLOR`` on; ``--color`` overrides both.
"""

from __future__ import annotations

import os
import re
import sys

from particlegvi.cli.options import option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import IO

OPTION = option(
    "--color", "colour of what is printed (default auto)", choices=("auto", "always", "never"), default="auto"
)
# The colours that the figures have (by Okabe and Ito): red, green, blue.
METHODS = {
    "DE": (213, 94, 0), "DLE": (0, 114, 178), "DRLE": (0, 158, 115), "DRE": (230, 159, 0), "FDGVI": (86, 180, 233)
}  # fmt: skip
# The words, good and bad, with which verify, bench and doctor judge.
TESTED = (
    "holds", "fails", "failed", "passed", "FAILED", "NOT VERIFIED", "IT CANNOT BE WRITTEN", "ok", "TOO LARGE",
    "DIFFERENT",
)  # fmt: skip
BOLD, YELLOW, RESET = "\x1b[1m", "\x1b[33m", "\x1b[0m"


_asked = ["auto"]  # the choice of the current command


def choose(choice: str) -> None:
    """Set the choice of ``--color``: "auto", "always" or "never"."""
    _asked[0] = choice


def is_wanted(stream: IO[str] | None) -> bool:
    """Whether output to this stream is coloured."""
    if stream is None or _asked[0] != "auto":
        return stream is not None and _asked[0] == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def put(text: str, labels: Iterable[str] = (), verdicts: Iterable[str] = ()) -> None:
    """Print a text at once. If colour is wanted, names of methods are in colour, and verdicts in bold."""
    print(painted(text, labels, verdicts) if is_wanted(sys.stdout) else text, flush=True)


def put_tested(text: str) -> None:
    """`put` for ``verify``, ``bench`` and ``doctor``."""
    put(text, verdicts=TESTED)


def painted(text: str, labels: Iterable[str], verdicts: Iterable[str]) -> str:
    """A text with names of methods in colour, at the start of a row or in a heading, and with verdicts in bold."""
    words = "|".join(re.escape(verdict) for verdict in sorted(verdicts, key=len, reverse=True))
    if words:
        text = re.sub(rf"(?<!\w)(?:{words})(?!\w)", rf"{BOLD}\g<0>{RESET}", text)
    for label in labels:
        code = METHODS.get(label)
        escape = "\x1b[38;2;{};{};{}m".format(*code) if code else BOLD
        name = re.escape(label)
        text = re.sub(rf"^{name}(?=  |:)|(?<=, ){name}$", rf"{escape}\g<0>{RESET}", text, flags=re.MULTILINE)
    return text


def verdicts_of(summary: Mapping[str, Mapping[str, Mapping[str, object]]]) -> list[str]:
    """The first words of the verdicts on the methods of a run."""
    found = [facts.get("equilibrium") for facts in summary["methods"].values()]
    said = [str(each.get("verdict", "")).partition(":")[0] for each in found if isinstance(each, dict)]
    return [each for each in said if each]


def warned(text: str) -> str:
    """A message with its first word (warning, diverged, failed, interrupted) in colour."""
    return re.sub(r"^(warning|diverged|failed|interrupted)\b", rf"{YELLOW}{BOLD}\1{RESET}", text)
