"""The sentence about code of a user that numba cannot compile or that fails as it runs, in place of numba's pages."""

from __future__ import annotations

import re
from pathlib import Path
from types import FunctionType

import numba
from numba.core.errors import NumbaError, UnsupportedBytecodeError

NOT_COMPILED = (NumbaError, UnsupportedBytecodeError)
CAUSES = ("Untyped global name", "Unknown attribute", "NameError", "Cannot ")  # of the innermost sentence of numba
FAILED = "Failed in"  # begins the line above the sentence, in each of nested reports
OURS = (str(Path(__file__).resolve().parents[2]), str(Path(numba.__file__).resolve().parent))
PLACES = re.compile(r'File "([^"\n]+)", line (\d+)')
COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # which numba adds where colorama is installed


def is_of_compiling(error: BaseException) -> bool:
    """Whether an exception comes from numba as it compiles: of its own kind, or any that leaves its compiler.

    A failed assertion of the compiler, for example, says nothing at all.
    """
    if isinstance(error, NOT_COMPILED):
        return True
    step = error.__traceback__
    while step is not None:
        if Path(step.tb_frame.f_code.co_filename).match("numba/core/compiler*.py"):
            return True
        step = step.tb_next
    return False


def failed(name: str, error: BaseException, owners: tuple[object, ...], way_out: str = "") -> ValueError:
    """The error, ready to raise, for what is called ``name`` and defined by these functions or classes.

    It says whether the code could not be compiled, or raised the exception as it ran.
    """
    more = f"; {way_out}" if way_out else ""
    fault = f"cannot be compiled by numba ({_reason(error)})" if is_of_compiling(error) else f"failed with {error!r}"
    return ValueError(f"{name} {fault}, {_place(error, owners)}{more}")


def _reason(error: BaseException) -> str:
    """The sentence in a message of numba that says what is wrong."""
    lines = [line.strip() for line in COLOURS.sub("", str(error)).splitlines() if line.strip()]
    causes = [line for line in lines if line.startswith(CAUSES)]
    after = [line for before, line in zip(lines, lines[1:], strict=False) if before.startswith(FAILED)]
    said = [line for line in after if not line.startswith((FAILED, "- "))]
    return (causes[-1:] + said[-1:] + lines + [type(error).__name__])[0]


def _place(error: BaseException, owners: tuple[object, ...]) -> str:
    """The line at fault as numba names it, or else the line where the definition begins."""
    for file, line in PLACES.findall(COLOURS.sub("", str(error))):
        if not str(Path(file).resolve()).startswith(OURS):
            return f"{Path(file).name}, line {line}"
    for owner in owners:
        functions = {"": owner} if isinstance(owner, FunctionType) else vars(owner)
        for name, function in functions.items():
            if isinstance(function, FunctionType) and not name.startswith("_"):  # those have a NamedTuple's own
                code = function.__code__
                return f"defined in {Path(code.co_filename).name} from line {code.co_firstlineno} on"
    return "defined by the user"
