"""Colour on terminals: names of methods as in the figures, verdicts in bold, warnings. Nothing where output is piped.

``NO_COLOR`` switches it off and ``FORCE_COLOR`` on (both where they are not empty), ``--color`` decides over both.
"""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import IO

OPTION = (
    ("--color",),
    {"choices": ("auto", "always", "never"), "default": "auto", "help": "of what is printed (default auto)"},
)
# Okabe and Ito's colours of the figures (particlegvi.plotting), red, green, blue.
METHODS = {
    "DE": (213, 94, 0), "DLE": (0, 114, 178), "DRLE": (0, 158, 115), "DRE": (230, 159, 0), "FDGVI": (86, 180, 233)
}  # fmt: skip
BOLD, YELLOW, RESET = "\x1b[1m", "\x1b[33m", "\x1b[0m"


def is_wanted(stream: IO[str] | None, choice: str = "auto") -> bool:
    """Whether to colour what goes to this stream."""
    if stream is None or choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def painted(text: str, summary: Mapping[str, Mapping[str, Mapping[str, object]]]) -> str:
    """The table of results with the names of methods in colour, and the beginning of their verdicts in bold."""
    for label, facts in summary["methods"].items():
        code = METHODS.get(label)
        escape = "\x1b[38;2;{};{};{}m".format(*code) if code else BOLD
        found = facts.get("equilibrium")
        verdict = str(found.get("verdict", "")).partition(":")[0] if isinstance(found, dict) else ""
        if verdict:
            text = text.replace(f"{label}: {verdict}", f"{label}: {BOLD}{verdict}{RESET}", 1)
        text = re.sub(rf"^{re.escape(label)}(?=  |:)", f"{escape}{label}{RESET}", text, flags=re.MULTILINE)
    return text


def warned(text: str) -> str:
    """A message with the word that says what it is in colour."""
    return re.sub(r"^(warning|diverged|failed|interrupted)\b", rf"{YELLOW}{BOLD}\1{RESET}", text)
