"""The tables of numbers in the course: `python docs/course/tables.py [LECTURE ...]` computes them again.

A row has five cells: a number with the name that the lecture's code gives it, its value in the run, its error, a
formula that does not use the package, and where the error comes from: a formula (three standard errors), "rounding"
(half a unit of the last digit), or words.
"""

from __future__ import annotations

import math
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

from formulas import NAMES  # noqa: E402
from notebooks import LECTURES, blocks, source  # noqa: E402

ROW = re.compile(r"^\| ([^|`]*): `([^`]+)` \| (\S+) \| (\S+) \| `([^`]+)` \| (.+) \|$", re.MULTILINE)


class Number(NamedTuple):
    """A row of a table."""

    words: str
    name: str  # in the code of the lecture
    value: str
    error: str
    formula: str
    origin: str  # of the error

    def exact(self) -> float:
        return computed(self.formula)

    def error_in_theory(self) -> float | None:
        """The error by its formula, or None where words say where it comes from."""
        if self.origin.startswith("`"):
            return computed(self.origin.strip("`"))
        return 0.5 * 10.0 ** -decimals(self.value) if self.origin == "rounding" else None

    def holds(self) -> bool:
        """Whether the value is within its error of its formula, and the error is no larger than its own formula."""
        in_theory = self.error_in_theory()
        fair = in_theory is None or float(self.error) <= 1.1 * in_theory
        return fair and abs(float(self.value) - self.exact()) <= float(self.error)

    def again(self, value: float) -> Number:
        """This row with another value, and the error by its formula in two digits."""
        in_theory, digits, error = self.error_in_theory(), decimals(self.value), self.error
        if in_theory is not None and self.origin != "rounding":
            digits = max(1 - math.floor(math.log10(in_theory)), 0)
            error = f"{math.ceil(in_theory * 10**digits - 1e-9) / 10**digits:.{digits}f}"
        return self._replace(value=f"{value:.{digits}f}", error=error)

    def __str__(self) -> str:
        return f"| {self.words}: `{self.name}` | {self.value} | {self.error} | `{self.formula}` | {self.origin} |"


@cache
def computed(formula: str) -> float:
    return float(eval(formula, dict(NAMES)))


def decimals(number: str) -> int:
    return len(number.partition(".")[2])


def numbers(text: str) -> list[Number]:
    """The rows of all tables of a page."""
    return [Number(*found) for found in ROW.findall(text)]


def executed(name: str) -> dict[str, Any]:
    """The names that the Python of a lecture and of its exercises leaves."""
    names: dict[str, Any] = {}
    for block in blocks(source(name)):
        exec(compile(block, f"{name}.md", "exec"), names)
    return names


def main() -> None:
    import matplotlib

    matplotlib.use("Agg")
    for name in sys.argv[1:] or LECTURES:
        names, path = executed(name), FOLDER / "exercises" / f"{name}.md"
        text = path.read_text(encoding="utf-8")
        for number in numbers(text):
            again = number.again(float(eval(number.name, names)))
            text = text.replace(str(number), str(again))
            if not again.holds():
                print(f"{name}: {again.words}: {again.value} is not within its error of {again.exact()}")
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
