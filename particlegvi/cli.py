"""The command line: ``particlegvi list | show | run | resume | plot | gallery | verify | bench``.

Everything that takes time to import is imported inside the command that needs it, so that ``--help`` and ``list``
start at once. Exit codes: 0 done, 1 failed, 2 bad input or usage, 3 diverged, 130 interrupted (143 by SIGTERM).
"""

from __future__ import annotations

import argparse
import gc
import io
import os
import sys
import warnings

from particlegvi import __version__
from particlegvi.quoting import as_argument
from particlegvi.signals import Answered

TYPE_CHECKING = False  # as in typing, which would take longer to import than everything else here
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import Any

    from particlegvi.results import Results

    Command = tuple[Callable[[argparse.Namespace], int | None], str, Sequence[tuple[tuple[str, ...], dict[str, Any]]]]

DONE, FAILED, BAD_INPUT, DIVERGED = 0, 1, 2, 3
BETWEEN_COLLECTIONS = 500_000  # objects: imports alone make half as many, and looking through them takes long
QUICK = {"particles": 40, "steps": 200}  # what `gallery --quick` allows at most


def list_scenarios(options: argparse.Namespace) -> None:
    from particlegvi import catalogue

    entries = catalogue.entries()
    if options.json:
        import json

        print(json.dumps(entries, indent=2))
        return
    width = max(len(entry["name"]) for entry in entries)
    for entry in entries:
        print(f"{entry['name']:{width}}  {entry['title']} ({entry['source']})")


def show(options: argparse.Namespace) -> None:
    from particlegvi import scenario

    text = scenario.text(scenario.load(options.scenario))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # TOML is, whatever the terminal's language
    print(text, end="")


def run(options: argparse.Namespace) -> None:
    from particlegvi import scenario

    settings = scenario.load(options.scenario, dict(scenario.setting(argument) for argument in options.set))
    from particlegvi import plotting, runner

    for figure in settings["figures"]:
        plotting.check(figure)
    with ProgressBar(options.quiet) as progress:
        results = runner.execute(
            settings,
            options.seed,
            options.out,
            options.overwrite,
            progress,
            checkpoint_every=options.checkpoint_every,
            draw=None if options.no_figure else draw,
        )
    conclude(results, options)


def resume(options: argparse.Namespace) -> None:
    from particlegvi import resuming
    from particlegvi.results.folder import open_folder

    finished = open_folder(options.folder).manifest["status"] == "finished"
    with ProgressBar(options.quiet) as progress:
        results = resuming.go_on(
            options.folder,
            progress=progress,
            checkpoint_every=options.checkpoint_every,
            draw=None if options.no_figure else draw,
        )
    if results.status == "diverged":
        raise ValueError(f"{options.folder} holds a run that diverged, and would diverge again; see its summary.json")
    if not finished:
        conclude(results, options)
    elif not options.quiet:
        print(f"{options.folder} is finished, and its files are as they were written")


def conclude(results: Results, options: argparse.Namespace) -> None:
    """Say what came out."""
    from particlegvi.results.folder import open_folder

    assert results.folder is not None
    if not options.quiet:
        print(results.describe())
        pictures = [] if options.no_figure else open_folder(results.folder).manifest["figures"]
        names = f" (pictures: {', '.join(pictures)})" if pictures else ""
        print(f"\nsaved in {results.folder}{names}")


def plot(options: argparse.Namespace) -> None:
    from particlegvi.results import load

    results = load(options.folder)
    pictures = draw(results)
    results.note_pictures(pictures)
    for picture in pictures:
        print(picture)


def draw(results: Results) -> list[Path]:
    """Draw the figures of saved results into their folder."""
    from particlegvi import plotting

    folder = results.folder
    assert folder is not None
    try:
        return plotting.draw(results, folder)
    except ValueError as error:
        mend = f"change [[figures]] in {folder / 'scenario.toml'} and say: particlegvi plot {as_argument(folder)}"
        raise ValueError(f"the results are in {folder}, but a figure cannot be drawn: {error}; {mend}") from None


def gallery(options: argparse.Namespace) -> None:
    import tempfile
    from pathlib import Path

    from particlegvi import arguments, catalogue, scenario

    arguments.seed(options.seed)
    names = options.only or catalogue.names()
    settings = {name: scenario.load(catalogue.path(name)) for name in names}
    from particlegvi import plotting, runner
    from particlegvi.datasets import MissingData

    folder = Path(options.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"the folder {folder} cannot be used for pictures: {error.strerror}") from None
    for name, wanted in settings.items():
        if not wanted["figures"]:
            say(f"{name} is left out: it has no picture")
            continue
        if options.quick:
            fewer = {key: min(most, wanted[key]) for key, most in QUICK.items() if key in wanted}
            wanted = scenario.load(wanted, fewer)
        try:
            with ProgressBar(options.quiet, name) as progress:
                results = runner.execute(wanted, options.seed, progress=progress, save=False)
        except MissingData as error:
            say(f"{name} is left out: {error}")
            continue
        with tempfile.TemporaryDirectory(dir=folder, prefix=".") as drawn:
            for number, picture in enumerate(plotting.draw(results, drawn)):
                place = folder / (f"{name}-{picture.name}" if number else f"{name}.png")
                picture.replace(place)
                if not options.quiet:
                    print(place, flush=True)


def verify(options: argparse.Namespace) -> int:
    from particlegvi.verification import command

    good = command.verify(
        options.name, options.seed, options.out, options.overwrite, options.json, not options.no_figure, options.quiet
    )
    return DONE if good else FAILED


def bench(options: argparse.Namespace) -> None:
    from particlegvi.bench import command

    command.bench(options.only, options.quick, options.out)


class ProgressBar:
    """A bar on a terminal for whatever takes longer than a second; None, so that nobody calls it, otherwise."""

    def __init__(self, quiet: bool, heading: str = "") -> None:
        self.shown = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self.heading = heading
        self.label = ""
        self.bar: Any = None

    def __enter__(self) -> Callable[[str, int, int], None] | None:
        return self.update if self.shown else None

    def update(self, label: str, done: int, steps: int) -> None:
        """``done`` of ``steps`` steps of a method are made; another label begins another bar."""
        if label != self.label:
            from tqdm import tqdm

            self.__exit__()
            self.label = label
            self.bar = tqdm(total=steps, desc=f"{self.heading} {label}".strip(), unit="step", delay=1.0, leave=False)
        self.bar.update(done - self.bar.n)

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()


def whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        from particlegvi.quoting import shown

        raise argparse.ArgumentTypeError(f"{shown(text)} is not a whole number") from None


SEED = (
    ("--seed",),
    {"type": whole_number, "default": 0, "metavar": "N", "help": "seed of the random numbers (default 0)"},
)
QUIET = (("--quiet",), {"action": "store_true", "help": "print nothing but errors and warnings"})
NO_FIGURE = (("--no-figure",), {"action": "store_true", "help": "draw nothing"})
CHECKPOINT = (
    ("--checkpoint-every",),
    {
        "type": float,
        "default": 2.0,
        "metavar": "SECONDS",
        "help": "time between checkpoints, as much work as can be lost (default 2)",
    },
)

COMMANDS: dict[str, Command] = {
    "list": (
        list_scenarios,
        "every scenario",
        [(("--json",), {"action": "store_true", "help": "as JSON: name, title, source"})],
    ),
    "show": (
        show,
        "the settings of a scenario, as a TOML file to edit and run",
        [(("scenario",), {"metavar": "NAME", "help": "a scenario of the list, or a TOML file"})],
    ),
    "run": (
        run,
        "simulate a scenario, compare with the truth, draw",
        [
            (("scenario",), {"metavar": "NAME|FILE.toml", "help": "a scenario of the list, or a TOML file"}),
            (("--out",), {"metavar": "DIR", "help": "folder of the results (default runs/NAME, runs/NAME-2, ...)"}),
            (("--overwrite",), {"action": "store_true", "help": "start over in the folder of an earlier run"}),
            SEED,
            (
                ("--set",),
                {
                    "action": "append",
                    "default": [],
                    "metavar": "KEY=VALUE",
                    "help": "change a setting, such as particles=1000 or methods.DRLE.kl_weight=0.3; may be repeated",
                },
            ),
            QUIET,
            NO_FIGURE,
            CHECKPOINT,
        ],
    ),
    "resume": (
        resume,
        "finish an interrupted run, bit for bit",
        [(("folder",), {"metavar": "DIR", "help": "folder of the results"}), QUIET, NO_FIGURE, CHECKPOINT],
    ),
    "plot": (
        plot,
        "draw the figures of a finished run again",
        [(("folder",), {"metavar": "DIR", "help": "folder of the results"})],
    ),
    "gallery": (
        gallery,
        "run every scenario and fill a folder with the pictures",
        [
            (("--out",), {"metavar": "DIR", "default": "plots", "help": "folder of the pictures (default plots)"}),
            (("--only",), {"nargs": "+", "metavar": "NAME", "help": "these scenarios only"}),
            (("--quick",), {"action": "store_true", "help": "few particles and steps, to see whether it works"}),
            SEED,
            QUIET,
        ],
    ),
    "verify": (
        verify,
        "the theorems of the sources as experiments that can fail",
        [
            (("name",), {"nargs": "?", "metavar": "NAME", "help": "this claim only"}),
            (("--json",), {"action": "store_true", "help": "as JSON: claim, source, measured, bound, verdict, ..."}),
            (("--out",), {"metavar": "DIR", "help": "folder for verify.json and a figure of each claim"}),
            (("--overwrite",), {"action": "store_true", "help": "start over in the folder of an earlier report"}),
            SEED,
            (("--quiet",), {"action": "store_true", "help": "print nothing but what does not hold"}),
            (("--no-figure",), {"action": "store_true", "help": "draw nothing"}),
        ],
    ),
    "bench": (
        bench,
        "ratios against what one would write instead",
        [
            (("--only",), {"nargs": "+", "metavar": "WORKLOAD", "help": "these workloads only"}),
            (("--quick",), {"action": "store_true", "help": "two rounds and smaller sizes, to see whether it works"}),
            (("--out",), {"metavar": "DIR", "help": "folder for results.json and scaling.png"}),
        ],
    ),
}


def parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    top = argparse.ArgumentParser(
        prog="particlegvi",
        description="Particle simulation of generalised variational inference.",
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"particlegvi {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, (function, purpose, arguments) in COMMANDS.items():
        sub = commands.add_parser(name, help=purpose, description=purpose, allow_abbrev=False)
        sub.set_defaults(function=function)
        needed = [str(settings["metavar"]) for flags, settings in arguments if not flags[0].startswith("-")]
        sub.usage = " ".join(["%(prog)s", *needed, "[options]"])  # one line, also before an error
        for flags, settings in arguments:
            sub.add_argument(*flags, **settings)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code and lets no error through."""
    try:
        options = parser().parse_args(arguments)
    except SystemExit as stop:  # help, version or wrong usage, which argparse has printed
        return stop.code if isinstance(stop.code, int) else BAD_INPUT
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a title may hold what this terminal cannot show
    gc.set_threshold(BETWEEN_COLLECTIONS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = lambda message, *_: say(f"warning: {message}")
            with Answered():
                code = options.function(options)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # the reader (head, less) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except BaseException as error:
        return report(error)
    return DONE if code is None else code


def report(error: BaseException) -> int:
    """Say on stderr in a line or two what went wrong; the exit code."""
    results = getattr(error, "results", None)
    folder = getattr(results, "folder", None)
    kept = f"; what was recorded is in {folder}" if folder else ""
    again = f"{kept}; to go on say: particlegvi resume {as_argument(folder)}" if folder else ""
    if isinstance(error, KeyboardInterrupt):
        say(f"interrupted{again}")
        return 128 + getattr(error, "number", 2)
    if type(error).__name__ == "Diverged":  # by name: its module must not be loaded for a mistyped command
        say(f"diverged: {error}{kept}")
        return DIVERGED
    if isinstance(error, ValueError):
        say(str(error))
        return BAD_INPUT
    if isinstance(error, OSError):
        place = f": {error.filename}" if error.filename else ""
        say(f"failed: {error.strerror or error}{place}{again}")
    elif isinstance(error, MemoryError):
        say(f"failed: not enough memory{again}")
    elif isinstance(error, Exception):
        say(f"failed: {type(error).__name__}: {error}{kept} (PARTICLEGVI_TRACEBACK=1 shows where)")
    else:
        raise error
    if os.environ.get("PARTICLEGVI_TRACEBACK"):
        import traceback

        traceback.print_exception(error)
    return FAILED


def say(text: str) -> None:
    """A line or two on stderr, without the control characters that a file or an argument may hold."""
    plain = "".join(character if character.isprintable() or character == "\n" else " " for character in text)
    if sys.stderr is not None:
        print(f"particlegvi: {plain}", file=sys.stderr)
