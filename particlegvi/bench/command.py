"""The command ``particlegvi bench``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from particlegvi.bench import figure, report, scaling


def bench(only: list[str] | None, quick: bool, out: str | None, say: Callable[[str], None] = print) -> None:
    """Measure, print the tables through ``say``, and with ``out`` write ``results.json`` and ``scaling.png`` there."""
    folder = None if out is None else Path(out)
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"the folder {folder} cannot be used for results: {error.strerror}") from None
    result = report.run(only, quick, say)
    if only is None:
        numbers = scaling.NUMBERS[:5] if quick else scaling.NUMBERS
        result["scaling"] = {str(dim): scaling.measure(dim, numbers=numbers) for dim in (1, 2, 3)}
    if folder is not None:
        (folder / "results.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8", newline="\n")
        if "scaling" in result:
            figure.draw_scaling(result["scaling"], folder / "scaling.png")
        say(f"\nwritten to {folder}")
