"""The command ``particlegvi verify``: the table, the JSON, the figures, and whether all claims hold."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path

from particlegvi.tools import files
from particlegvi.verification import claims
from particlegvi.verification.claim import Outcome, Row, check, complete

REPORT = "verify.json"
at_once = partial(print, flush=True)
HEADER = ("claim", "measured", "", "bound", "verdict", "control")


def verify(
    name: str | None = None,
    *,
    seed: int = 0,
    out: str | None = None,
    overwrite: bool = False,
    as_json: bool = False,
    figures: bool = True,
    quiet: bool = False,
    say: Callable[[str], None] = at_once,
    begin: Callable[[str], object] | None = None,
) -> bool:
    """Check one claim, or all, and report each at once.

    The other arguments are the options of the command. ``say`` prints a line of the table, at once; ``begin`` is called
    with a description of each claim before its check.

    Returns
    -------
    bool
        Whether every claim holds and every control failed.
    """
    from particlegvi.engine.numerics.noise import key_words

    key_words(seed)
    known = claims.registry.parts()
    chosen = known if name is None else {name: claims.registry[name]}
    for part in chosen.values():
        complete(part)
    folder = None if out is None else _folder(out, overwrite)
    rows: list[Row] = []
    table = Table(chosen, say, shown=not as_json, quiet=quiet)
    good = True
    for part in chosen.values():
        if begin is not None:
            begin(f"{part.name}, as claimed and wrong")
        outcome = check(part(), seed)
        row = outcome.row()
        if folder is not None:
            if figures:
                row["figure"] = _draw(outcome, folder)
            files.write_json(folder / REPORT, [*rows, row])  # after each, so that an interrupted run leaves a report
        rows.append(row)
        good &= outcome.good
        table.line(outcome)
    if as_json:
        print(json.dumps(rows, indent=2, allow_nan=False))
    table.close(rows, good, folder)
    return good


class Table:
    """A line for each claim, printed as soon as it is known."""

    def __init__(self, names: Collection[str], say: Callable[[str], None], *, shown: bool, quiet: bool) -> None:
        self.say, self.shown, self.quiet = say, shown, quiet
        self.width, self.alone = max(len(name) for name in names), len(names) == 1
        if shown and not quiet:
            self._print(*HEADER)

    def line(self, outcome: Outcome) -> None:
        """Print the outcome of one claim; with ``quiet`` only if it is not good."""
        if not self.shown or (self.quiet and outcome.good):
            return
        made = outcome.right.decisive if outcome.right is not None else None
        numbers = (_short(made.measured), made.relation, _short(made.bound)) if made else ("-", "", "-")
        self._print(outcome.claim.name, *numbers, outcome.verdict, outcome.control)
        if not outcome.good:
            self.say(_explanation(outcome))
        elif self.alone and made:
            self.say(f"measured: {made.quantity}")

    def close(self, rows: list[Row], good: bool, folder: Path | None) -> None:
        """Print the last line: the number of claims that hold, and the folder of the report."""
        if not self.shown or self.quiet:
            return
        held = sum(row["verdict"] == "holds" for row in rows)
        failed = sum(row["control"] == "failed" for row in rows)
        seconds = sum(row["seconds"] for row in rows)
        self.say(
            f"\n{held} of {len(rows)} claims hold, {failed} of {len(rows)} wrong variants fail as they must"
            f" ({seconds:.0f} s){'' if good else ': NOT VERIFIED'}"
        )
        self.say(f"written to {folder}" if folder else "--out DIR draws a figure for each and writes the report")

    def _print(self, name: str, measured: str, relation: str, bound: str, verdict: str, control: str) -> None:
        line = f"{name:{self.width}}  {measured:>9} {relation:2} {bound:<9}  {verdict:7}  {control}"
        self.say(line.rstrip())


def _explanation(outcome: Outcome) -> str:
    lines = [f"    {outcome.claim.claim} ({outcome.claim.source})"]
    if outcome.right is not None:
        lines += [
            f"    {check.quantity}: {_short(check.measured)}, which should be {check.relation} {_short(check.bound)}"
            for check in outcome.right.checks
            if not check.holds
        ]
    if outcome.control == "passed":
        lines.append(f"    the wrong variant should fail and does not: {outcome.claim.wrong}")
    if outcome.error:
        lines.append(f"    {outcome.error}")
    return "\n".join(lines)


def _short(value: float) -> str:
    return f"{value:.3g}"


def _draw(outcome: Outcome, folder: Path) -> str | None:
    """Name of the picture of an outcome, drawn in the folder; None, and a message on stderr, if that fails."""
    from particlegvi.verification import figure

    if outcome.right is None or outcome.wrong is None:
        return None
    picture = folder / f"{outcome.claim.name}.png"
    try:
        figure.save(outcome, picture)
    except Exception as error:  # a picture that fails must not lose the verdict
        print(f"particlegvi: {picture.name} cannot be drawn: {error}", file=sys.stderr)
        return None
    return picture.name


def _folder(out: str, overwrite: bool) -> Path:
    """The folder of the report: a new one, or that of an earlier report, whose files are deleted."""
    path = Path(out)
    try:
        if out and not path.exists():
            path.mkdir(parents=True)
        elif not out or not overwrite:
            raise ValueError(f"{path} exists already; choose another folder, or say --overwrite")
        elif any(path.iterdir()):
            report = path / REPORT
            if not report.is_file():
                raise ValueError(f"{path} is not the folder of a report, so it is not overwritten")
            for name in (REPORT, *(f"{name}.png" for name in claims.registry.names())):
                (path / name).unlink(missing_ok=True)
    except OSError as error:
        raise ValueError(f"the folder {path} cannot be used for the report: {error.strerror}") from None
    return path
