"""Commands that work on one run: ``run``, ``resume`` and ``plot``."""

from __future__ import annotations

import argparse

from particlegvi.cli import sweeping
from particlegvi.cli.options import (
    CHECKPOINT,
    LOOK,
    NO_FIGURE,
    PARTS,
    QUIET,
    SEED,
    YES,
    Commands,
    changed,
    changes,
    flag,
    look,
    option,
    patient,
)
from particlegvi.cli.reporting import DIVERGED, DONE, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from particlegvi.runs.results import Results

COMMANDS = Commands()


@COMMANDS(
    "simulate a scenario, compare with the truth, draw",
    option("scenario", "a scenario of the list, or a TOML file", metavar="NAME|FILE.toml"),
    option("--out", "folder of the results (default runs/NAME, runs/NAME-2, ...)", metavar="DIR"),
    flag("--overwrite", "start over in the folder of an earlier run"),
    SEED,
    changes("change a setting, such as particles=1000 or methods.DRLE.kl_weight=0.3; may be repeated"),
    QUIET,
    YES,
    NO_FIGURE,
    PARTS,
    CHECKPOINT,
    *LOOK,
)
def run(options: argparse.Namespace) -> int:
    from particlegvi import scenario

    overrides = {f"style.{key}": value for key, value in look(options).items()}
    overrides |= changed(options)
    chosen: list[str] = []
    settings = scenario.load(options.scenario, overrides, chosen)
    if chosen and not options.quiet:
        say("chosen for what the file leaves out or calls auto:\n  " + "\n  ".join(chosen))
    with patient(options) as progress:
        # this import takes a second: the bar is shown before
        from particlegvi.runs.execute import execute, prepared_results
        from particlegvi.simulation.storage import Saving

        saving = Saving(options.out, options.overwrite, options.checkpoint_every, pictures=not options.no_figure)
        results = execute(prepared_results(settings, options.seed), progress, saving)
    return conclude(results, options)


@COMMANDS(
    "finish an interrupted run or sweep, bit for bit",
    option("folder", "folder of the results", metavar="DIR"),
    QUIET,
    YES,
    NO_FIGURE,
    PARTS,
    CHECKPOINT,
    sweeping.WORKERS,
    sweeping.ANYWAY,
    *LOOK,
)
def resume(options: argparse.Namespace) -> int | None:
    style = look(options)
    with patient(options) as progress:
        from particlegvi.runs.resume import ENDED, resume_run
        from particlegvi.runs.storage.folder import open_folder
        from particlegvi.sweeps.folder import is_sweep

        if is_sweep(options.folder):
            sweeping.resume(options, progress, style)
            return None
        ended = open_folder(options.folder).manifest["status"] in ENDED
        results = resume_run(
            options.folder,
            progress=progress,
            checkpoint_every=options.checkpoint_every,
            pictures=not options.no_figure,
            style=style,
            anyway=options.anyway,
        )
    if results.status == "diverged" and ended:
        raise ValueError(f"{options.folder} holds a run that diverged, and would diverge again; see its summary.json")
    if not ended:
        return conclude(results, options)
    if not options.quiet:
        from particlegvi.tools.quoting import as_argument

        again = f"; to draw its pictures in this style say: particlegvi plot {as_argument(options.folder)}"
        print(f"{options.folder} is finished, and its files are as they were written{again if style else ''}")
    return None


def conclude(results: Results, options: argparse.Namespace) -> int:
    """Print the table of the results, and where they are saved; return the exit code."""
    if not options.quiet:
        print(results.describe())
        pictures = [] if options.no_figure else results.pictures
        names = f" (pictures: {', '.join(pictures)})" if pictures else ""
        if not options.no_figure and not results.scenario.get("figures"):
            names = " (no picture: the scenario has no [[figures]])"
        print(f"\nsaved in {results.folder}{names}")
    ran_away = results.kind.diverged(results.summary)
    if ran_away:
        away = {label: results[label].info.get("advice", "try a smaller step size") for label in ran_away}
        say("; ".join(f"{label} {words}, {away[label]}" for label, words in ran_away.items()))
    return DIVERGED if ran_away else DONE


@COMMANDS(
    "draw the figures of a finished run again",
    option("folder", "folder of the results", nargs="?", metavar="DIR"),
    option("--figure", "draw these kinds, whatever figures the scenario has", nargs="+", metavar="KIND"),
    option("--methods", "draw these methods only, in this order", nargs="+", metavar="LABEL"),
    option("--help-figure", "instead say what this kind of figure shows, and its options", metavar="KIND"),
    PARTS,
    *LOOK,
)
def plot(options: argparse.Namespace) -> None:
    from particlegvi.tools.progress import command_bars

    if options.help_figure is not None:
        from particlegvi.plotting.explaining import explained

        print(explained(options.help_figure))
        return
    if options.folder is None:
        raise ValueError("plot needs DIR, the folder of results, or --help-figure with a kind of figure")
    style = look(options)
    chosen = {} if options.methods is None else {"methods": options.methods}
    with command_bars(quiet=False) as progress:
        from particlegvi import plotting
        from particlegvi.runs.results import load
        from particlegvi.sweeps.folder import is_sweep
        from particlegvi.tools.quoting import refuse

        if is_sweep(options.folder):
            sweeping.plot(options.folder, options.figure or [None], {**style, **chosen})
            return
        results = load(options.folder)
        for label in options.methods or ():
            if label not in results:
                raise refuse("--methods", label, f"among {', '.join(results)}")
        if options.figure:
            for kind in options.figure:
                plotting.check({"kind": kind}, results.kind.name)
            own = {figure["kind"]: figure for figure in reversed(results.scenario["figures"])}
            results.scenario["figures"] = [own.get(kind, {"kind": kind}) for kind in options.figure]
        pictures = results.draw_pictures(progress, {**style, **chosen})
        results.note_pictures(pictures)
    for picture in pictures:
        print(picture)
