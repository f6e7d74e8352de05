"""The command line: `COMMANDS` are its commands, a few in each module of this folder.

Modules that take time to import are imported inside the command that needs them, so that ``--help`` and ``list``
start at once. Exit codes: 0 done, 1 failed, 2 bad input or usage, 3 diverged, 130 interrupted (143 by SIGTERM).
"""

from __future__ import annotations

import argparse
import atexit
import gc
import io
import os
import sys
import warnings

from particlegvi.cli import checking, completion, data, looking, making, plugin, running, sampling, sweeping
from particlegvi.cli.reporting import BAD_INPUT, DONE, report, say
from particlegvi.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from particlegvi.cli.options import Command

__all__ = ["COMMANDS", "main", "parser"]

BETWEEN_COLLECTIONS = 500_000  # objects: imports alone make half as many, and each collection takes long

COMMANDS: dict[str, Command] = {
    **looking.COMMANDS,
    **plugin.COMMANDS,
    **data.COMMANDS,
    **running.COMMANDS,
    **sampling.COMMANDS,
    **making.COMMANDS,
    **sweeping.COMMANDS,
    **checking.COMMANDS,
    **completion.COMMANDS,
}


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser of all commands, with the arguments of ``only`` one command if it is named: adding them takes time."""
    top = argparse.ArgumentParser(
        prog="particlegvi",
        description="Particle simulation of generalised variational inference.",
        allow_abbrev=False,
    )
    top.add_argument("-V", "--version", action="version", version=f"particlegvi {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, (function, purpose, arguments) in COMMANDS.items():
        sub = commands.add_parser(name, help=purpose, description=purpose, allow_abbrev=False)
        sub.set_defaults(function=function, commands=COMMANDS)
        needed = [str(settings["metavar"]) for flags, settings in arguments if not flags[0].startswith("-")]
        sub.usage = " ".join(["%(prog)s", *needed, "[options]"])  # one line, also before an error
        if only is None or only == name:
            for flags, settings in arguments:
                sub.add_argument(*flags, **settings)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code and lets no error through."""
    try:
        words = sys.argv[1:] if arguments is None else arguments
        top = parser(next((word for word in words if not word.startswith("-")), ""))
        options, rest = top.parse_known_args(words)
        if rest:
            from particlegvi.cli.reporting import said_otherwise

            top.error(f"unrecognized arguments: {' '.join(rest)}{said_otherwise(rest, vars(options))}")
    except SystemExit as stop:  # argparse has printed help, version or a usage error
        return stop.code if isinstance(stop.code, int) else BAD_INPUT
    from particlegvi.tools.signals import stop_signals

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a title may have letters that this terminal cannot show
    if vars(options).get("quiet"):  # matplotlib logs that its cache cannot be written
        import logging

        logging.getLogger("matplotlib").setLevel(logging.ERROR)
    gc.set_threshold(BETWEEN_COLLECTIONS)
    atexit.register(gc.freeze)  # without this the last collection takes 0.4 s, and Ctrl-C waits for it
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = lambda message, *_: say(f"warning: {message}")
            with stop_signals():
                threads = os.environ.get("NUMBA_NUM_THREADS", "1")  # numba's own error would name no key
                if threads.removeprefix("-").isdigit() and int(threads) < 1:
                    raise ValueError(f"NUMBA_NUM_THREADS must be a whole number of 1 or more, not {threads}")
                if vars(options).get("parts"):
                    from particlegvi.tools import plugins

                    for place in options.parts:
                        plugins.load_file(place)
                code = options.function(options)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # the reader (head, less) has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except BaseException as error:
        return report(error)
    return DONE if code is None else code
