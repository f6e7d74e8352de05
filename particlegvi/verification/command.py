"""The command ``particlegvi verify``: the table or the JSON, and whether all claims hold."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from functools import partial
from typing import Any

from particlegvi.verification import claims, problems
from particlegvi.verification.claim import Outcome, check, decisive, settings

at_once = partial(print, flush=True)
HEADER = ("claim", "measured", "", "bound", "verdict", "control")


def verify(
    name: str | None = None,
    *,
    seed: int = 0,
    as_json: bool = False,
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
    chosen = claims.registry.parts() if name is None else {name: claims.registry[name]}
    width = max(map(len, chosen))
    if not as_json and not quiet:
        say(_line(width, *HEADER))
    outcomes = []
    for experiment in chosen.values():
        if begin is not None:
            begin(f"{experiment.name}, as claimed and wrong")
        problems.simulated.clear()
        outcome = check(experiment, seed)
        outcomes.append(outcome)
        if not as_json and not (quiet and outcome.good):
            say(_row(width, outcome))
    good = all(outcome.good for outcome in outcomes)
    if as_json:
        print(json.dumps([outcome.row() for outcome in outcomes], indent=2, allow_nan=False))
    elif not quiet:
        say(described(outcomes[0].experiment) if name is not None else _counts(outcomes))
        if name is not None:
            say("".join(f"run: {words}\n" for words in problems.simulated))
    return good


def _line(width: int, *cells: str) -> str:
    name, measured, relation, bound, verdict, control = cells
    return f"{name:{width}}  {measured:>9} {relation:2} {bound:<9}  {verdict:7}  {control}".rstrip()


def _row(width: int, outcome: Outcome) -> str:
    """The line of one claim, and below it an explanation if it is not good."""
    most = decisive(outcome.right)
    numbers = (f"{most.measured:.3g}", most.relation, f"{most.bound:.3g}") if most else ("-", "", "-")
    lines = [_line(width, outcome.experiment.name, *numbers, outcome.verdict, outcome.control)]
    if not outcome.good:
        lines.append(f"    {outcome.experiment.claim} ({outcome.experiment.source})")
        lines += [
            f"    {check.quantity}: {check.measured:.3g}, which should be {check.relation} {check.bound:.3g}"
            for check in outcome.right
            if not check.holds
        ]
        if outcome.control == "passed":
            lines.append(f"    the wrong variant should fail and does not: {outcome.experiment.wrong}")
        if outcome.error:
            lines.append(f"    {outcome.error}")
    return "\n".join(lines)


def described(experiment: Any) -> str:
    """The claim in words, its measurement and its settings."""
    values = [f"{key.replace('_', ' ')}: {value}" for key, value in settings(experiment).items()]
    lines = ["", inspect.getdoc(experiment) or "", "", f"source: {experiment.source}"]
    return "\n".join([*lines, f"wrong variant: {experiment.wrong}", *values])


def _counts(outcomes: list[Outcome]) -> str:
    """The last line: the number of claims that hold."""
    held = sum(outcome.verdict == "holds" for outcome in outcomes)
    failed = sum(outcome.control == "failed" for outcome in outcomes)
    seconds = sum(outcome.seconds for outcome in outcomes)
    good = held == failed == len(outcomes)
    return (
        f"\n{held} of {len(outcomes)} claims hold, {failed} of {len(outcomes)} wrong variants fail as they must"
        f" ({seconds:.0f} s){'' if good else ': NOT VERIFIED'}"
    )
