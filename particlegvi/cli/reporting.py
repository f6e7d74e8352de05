"""Messages on stderr, the exit codes, and hints for options that are keys of a scenario."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from particlegvi.tools.quoting import as_argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


DONE, FAILED, BAD_INPUT, DIVERGED = 0, 1, 2, 3
MISSPELT = 0.7  # likeness of a key and an option from which on one may be meant by the other


def report(error: BaseException) -> int:
    """Print an error on stderr in a line or two; return the exit code."""
    folder = getattr(vars(error).get("results"), "folder", None)
    if folder and not os.path.isdir(folder):  # the folder was removed: nothing can be resumed
        folder = None
    kept = f"; what was recorded is in {folder}" if folder else ""
    again = f"{kept}; to go on say: particlegvi resume {as_argument(folder)}" if folder else ""
    if isinstance(error, KeyboardInterrupt):
        say(f"interrupted{again}")
        return 128 + vars(error).get("number", 2)
    if type(error).__name__ == "Diverged":  # by name: importing the class takes time
        say(f"diverged: {error}{kept}")
        return DIVERGED
    if isinstance(error, ValueError):
        say(f"{error}{again if type(error).__name__ == 'TooLong' else ''}")
        return BAD_INPUT
    if isinstance(error, OSError):
        place = f": {error.filename}" if error.filename else ""
        say(f"failed: {error.strerror or error}{place}{again}")
    elif isinstance(error, MemoryError):
        say(f"failed: not enough memory{again}")
    elif isinstance(error, Exception):
        remedy = f"; {vars(error)['remedy']}" if "remedy" in vars(error) else ""
        say(f"failed: {type(error).__name__}: {error}{kept}{remedy} (PARTICLEGVI_TRACEBACK=1 shows where)")
    else:
        raise error
    if os.environ.get("PARTICLEGVI_TRACEBACK"):
        import traceback

        traceback.print_exception(error)
    return FAILED


def say(text: str) -> None:
    """Print a line or two on stderr, without control characters from a file or an argument."""
    plain = "".join(character if character.isprintable() or character == "\n" else " " for character in text)
    if sys.stderr is not None:
        with suppress(OSError):  # a full disk below the log, or a reader that has left: the work goes on
            print(f"particlegvi: {plain}", file=sys.stderr, flush=True)


def said_otherwise(rest: Sequence[str], options: Mapping[str, object]) -> str:
    """The right form of an unknown option, which is added to the message about it; empty if there is none.

    ``rest`` are the unknown arguments and ``options`` the known ones, among them ``set`` and ``scenario`` if the
    command takes settings.
    """
    if "set" not in options or not rest[0].startswith("--"):
        return ""
    option, _, value = rest[0].partition("=")
    name = option[2:].replace("-", "_")
    value = value or next((word for word in rest[1:] if not word.startswith("--")), "VALUE")
    own = next((known for known in options if known in (f"{name}s", name.removesuffix("s"))), "")
    if own:
        return f"; say --{own.replace('_', '-')} {value}"
    keys = keys_for(name, options.get("scenario"))
    said = " or ".join(f"--set {key}={value}" for key in keys)
    return f"; say {said}" if said else "; the options of a command are those that it prints with --help"


def keys_for(name: str, scenario: object) -> list[str]:
    """The keys that an option may mean: the key of that name, keys in tables of the scenario, or the nearest key."""
    from difflib import SequenceMatcher

    from particlegvi.scenario import kinds, load
    from particlegvi.settings.keys import places
    from particlegvi.tools.registry import nearest

    try:
        content = load(str(scenario))
    except ValueError:
        content = {}
    known = kinds.of(content).keys
    if name in known:
        return [name]
    keys = places(name, {"methods": kinds.of(content).methods, **content})
    alike = nearest(name, known)
    return keys or ([alike] if alike and SequenceMatcher(None, name, alike).ratio() > MISSPELT else [])
