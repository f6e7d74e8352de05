"""The progress of a command on a terminal."""

from __future__ import annotations

import sys

from particlegvi.tools.bars import Bars


class ProgressBar(Bars):
    """Bars for whatever takes time; none where stderr is no terminal, and none where ``quiet`` was said."""

    def __init__(self, quiet: bool, heading: str = "", first: str = "loading") -> None:
        seen = not quiet and sys.stderr is not None and sys.stderr.isatty()
        super().__init__("command" if seen else None, heading, first=first)
