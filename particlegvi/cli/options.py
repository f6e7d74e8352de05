"""Options that several commands share, and the shape of a command in the tables of commands."""

from __future__ import annotations

import argparse
import contextlib

TYPE_CHECKING = False  # importing typing would take longer than all else here
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, TypeVar

    from particlegvi.contracts import Facts
    from particlegvi.tools.patience import TimeEstimate

    # the function, its purpose in a few words, and its arguments for argparse
    Option = tuple[tuple[str, ...], Facts]
    Command = tuple[Callable[[argparse.Namespace], int | None], str, Sequence[Option]]
    Run = TypeVar("Run", bound=Callable[[argparse.Namespace], int | None])


class Commands(dict[str, "Command"]):
    """Commands by name; ``@commands(purpose, *arguments)`` adds the function below."""

    def __call__(self, purpose: str, *arguments: Option, name: str = "") -> Callable[[Run], Run]:
        def add(function: Run) -> Run:
            self[name or function.__name__] = function, purpose, arguments
            return function

        return add


def whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        from particlegvi.tools.quoting import shown

        raise argparse.ArgumentTypeError(f"{shown(text)} is not a whole number") from None


def option(name: str, help: str, **more: Any) -> Option:
    """An argument of a command: what ``add_argument`` of argparse takes."""
    return (name,), {**more, "help": help}


def flag(name: str, help: str) -> Option:
    return option(name, help, action="store_true")


def changes(help: str) -> Option:
    """The option ``--set`` of a command."""
    return option("--set", help, action="append", default=[], metavar="KEY=VALUE")


def changed(options: argparse.Namespace) -> Facts:
    """Keys and values of every ``--set``."""
    return dict(map(setting, options.set))


def setting(argument: str) -> tuple[str, Any]:
    """``("steps", 100)`` from ``"steps=100"``: the value is read as TOML, and otherwise as a text."""
    import tomllib

    from particlegvi.tools.quoting import shown

    key, equals, value = argument.partition("=")
    if not equals or not key.strip():
        raise ValueError(f"--set {shown(argument)}: write KEY=VALUE, such as particles=1000")
    try:
        parsed = tomllib.loads(f"value = {value}")
        if set(parsed) == {"value"}:
            return key.strip(), parsed["value"]
    except (ValueError, RecursionError):
        pass
    return key.strip(), value.strip()


SEED = option("--seed", "seed of the random numbers (default 0)", type=whole_number, default=0, metavar="N")
QUIET = flag("--quiet", "print nothing but errors and warnings")
YES = flag("--yes", "do not stop where the work would take more than an hour")
LANGUAGE = option("--language", "language of pictures and pages (default en)", metavar="en|de|...")
# The style of pictures: each option is a key of `particlegvi.settings.pictures`, which checks its value.
LOOK = [
    option("--size", "16:9 or 4:3 (a slide), column (of a paper), or inches such as 10x5.6", metavar="SIZE"),
    option("--font-size", "size of the smallest words in the picture", metavar="POINTS"),
    option("--palette", "colours; grey is for prints without colour", metavar="light|dark|grey"),
    option("--colours", "colours of single methods", nargs="+", metavar="LABEL=#RRGGBB"),
    LANGUAGE,
    option("--format", "format of the files (default png)", metavar="png|pdf|svg"),
    option("--title", 'words over the picture; "" for no heading'),
    option("--vertical-axis", "whether panels that show the same share one", metavar="shared|own"),
    option(
        "--no-note",
        "no line of settings, and no words about the numbers in panels",
        dest="note",
        action="store_false",
        default=None,
    ),
]


def look(options: argparse.Namespace) -> Facts:
    """The settings of style that were given, checked."""
    from particlegvi.settings.pictures import KEYS, check

    chosen = {key: value for key, value in vars(options).items() if key in KEYS and value is not None}
    if "font_size" in chosen:
        with contextlib.suppress(ValueError):  # the check refuses it
            chosen["font_size"] = float(chosen["font_size"])
    return check(chosen) if chosen else {}


PARTS = option(
    "--parts", "a file of Python that registers parts of your own; may be repeated", action="append", default=[],
    metavar="FILE.py",
)  # fmt: skip
NO_FIGURE = flag("--no-figure", "draw nothing")
CHECKPOINT = option(
    "--checkpoint-every",
    "time between checkpoints, as much work as can be lost (default 4)",
    type=float,
    default=4.0,
    metavar="SECONDS",
)


@contextlib.contextmanager
def patient(options: argparse.Namespace, heading: str = "") -> Iterator[TimeEstimate]:
    """The progress of a command with ``--quiet`` and ``--yes``: a bar, and how long the work will take."""
    from particlegvi.cli.reporting import say
    from particlegvi.tools.patience import TimeEstimate
    from particlegvi.tools.progress import command_bars

    with command_bars(options.quiet, heading) as bars:
        aside = (lambda words: bars.aside(lambda: say(words))) if bars is not None else say
        yield TimeEstimate(bars, None if options.quiet else aside, options.yes)
