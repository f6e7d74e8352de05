"""The sentence that answers a bad value, and how it quotes one: any object, on one line, and never long."""

from __future__ import annotations

from types import FunctionType
from typing import Any

LONGEST = 60
POSITIVE = "a positive finite number"  # defined here because settings needs it without loading numpy
PLAIN = ("bool", "int", "uint", "float")  # types of numbers that are quoted, without their bits


def refuse(key: str, value: Any, allowed: str) -> ValueError:
    """The error for a value, ready to raise."""
    return ValueError(f"{key} must be {allowed}, not {shown(value)}")


def shown(value: Any) -> str:
    """A value as an error message quotes it, a text in double quotes."""
    if isinstance(value, str):
        return '"' + short(plain(value[: LONGEST + 1])) + '"'
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**20:
        return "a number of more than 20 digits"
    if isinstance(value, list | tuple) and len(value) > 20:
        return f"a {type(value).__name__} of {len(value)} entries"
    if getattr(value, "shape", None) and hasattr(value, "dtype"):
        if len(value.shape) == 1 and value.shape[0] <= 5 and str(value.dtype).rstrip("0123456789") in PLAIN:
            return short(str(value.tolist()))
        return f"an array of {value.dtype} with the shape {value.shape}"
    try:
        text = repr(value)
    except Exception:  # the repr of a foreign object may fail in any way
        text = f"a {type(value).__name__}"
    if " at 0x" in text.lower():  # Python's own words about functions and objects
        text = f"a {type(value).__name__}" + (f" {value.__name__}" if isinstance(value, FunctionType) else "")
    return short(plain(" ".join(text[:1000].split())))


def short(text: str, longest: int = LONGEST) -> str:
    """At most 60 characters of a text, or as many as ``longest``."""
    return text if len(text) <= longest else text[: longest - 3] + "..."


def plain(text: str) -> str:
    """A text with unprintable characters escaped as in a Python string."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def as_argument(path: object) -> str:
    """A path as it is typed into a shell, where spaces, quotes and a leading dash have a meaning."""
    import shlex  # imported only for an error, not at every start

    text = str(path)
    return shlex.quote(f"./{text}" if text.startswith("-") else text)
