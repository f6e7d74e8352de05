"""The commands that make files for others: ``export``, ``page``, ``animate`` and ``gallery``."""

from __future__ import annotations

import argparse

from particlegvi.cli.options import (
    LOOK,
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
    whole_number,
)
from particlegvi.cli.reporting import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.figure import Figure

    from particlegvi.contracts import Facts

QUICK = {"particles": 40, "steps": 200, "record_every": 200, "trials": 2}  # largest values of `gallery --quick`
# Seeds of `gallery` where 0 is no typical one. multimodal: the smallest seed at which each quadrant has a number of the
# 300 starting points within the 90% limits of a quarter of them, 63 to 87. At seed 0 one has 96 and one 52, by chance.
SEEDS = {"multimodal": 1}
COMMANDS = Commands()


@COMMANDS(
    "write a run for other programs: NetCDF, CSV, numpy, LaTeX",
    option("folder", "folder of the results", metavar="DIR"),
    option("--to", "a file .nc, .csv, .npz or .tex: the suffix decides", metavar="FILE", required=True),
    PARTS,
    flag("--records", "the rows of all records, not of the last alone"),
    flag("--overwrite", "replace the file if it exists"),
)
def export(options: argparse.Namespace) -> None:
    from particlegvi.tools.export.writing import destination

    destination(options.to, options.overwrite, key="--to")  # before anything is read
    from particlegvi.runs.results import load

    print(load(options.folder).export(options.to, options.records, options.overwrite))


@COMMANDS(
    "an html page in which students move the particles",
    option("what", "a scenario, a TOML file, or the folder of a run", metavar="NAME|FILE.toml|DIR"),
    option("--out", "the page (default NAME.html)", metavar="FILE.html"),
    option("--frames", "moments of a replay (default 120)", type=whole_number, default=120, metavar="N"),
    flag("--no-live", "only the replay of a run"),
    option("--language", "language of the words (default en)", default="en", metavar="en|de"),
    flag("--overwrite", "replace the file if it exists"),
    SEED,
    PARTS,
    changes("change a setting of a scenario"),
)
def page(options: argparse.Namespace) -> None:
    from pathlib import Path

    from particlegvi.tools.progress import command_bars

    source = Path(options.what)
    is_run = source.is_dir()
    out = Path(options.out) if options.out else Path(f"{source.resolve().name if is_run else source.stem}.html")
    if out.exists() and not options.overwrite:
        raise ValueError(f"{out} exists; say --overwrite to replace it, or --out to write another file")
    changes = changed(options)
    with command_bars(quiet=False, first="making the page"):
        from particlegvi.runs.pages import page as make

        made = make(
            options.what, seed=options.seed, frames=options.frames, live=not options.no_live,
            language=options.language, **changes,
        )  # fmt: skip
        place = made.save(out, overwrite=options.overwrite)
    print(place)


@COMMANDS(
    "film a run: gif, webp or mp4",
    option("source", "the folder of a run, or a scenario, which is run first", metavar="DIR|NAME|FILE.toml"),
    option("--out", "its suffix is the format (default FIGURE.gif in DIR, NAME-FIGURE.gif)", metavar="FILE"),
    option("--figure", "the figure that moves, such as histograms or particles", metavar="KIND"),
    option("--methods", "these methods only", nargs="+", metavar="LABEL"),
    option("--frames", "at most (default 120, or what a short film allows)", type=whole_number, metavar="N"),
    option("--seconds", "length of the film (default 8)", type=float, default=8.0, metavar="S"),
    option("--width", "in pixels (default 800)", type=whole_number, default=800, metavar="N"),
    flag("--even", "frames at equal times, not half of them in the first tenth"),
    flag("--loop", "repeat without end, not three times"),
    flag("--overwrite", "replace FILE if it is there"),
    option("--seed", "seed of the run of a scenario (default 0)", type=whole_number, metavar="N"),
    changes("change a setting of the scenario, such as particles=1000; may be repeated"),
    PARTS,
    QUIET,
    YES,
    *(entry for entry in LOOK if entry[0] != ("--format",)),  # the suffix of the file says the format
)
def animate(options: argparse.Namespace) -> None:
    from particlegvi.runs.animate import FILM
    from particlegvi.runs.animate import animate as film

    chosen = {name: getattr(options, name) for name in FILM} | look(options)
    chosen |= {} if options.methods is None else {"methods": options.methods}
    with patient(options) as progress:
        path = film(
            options.source,
            options.out,
            options.figure,
            seed=options.seed,
            overrides=changed(options),
            progress=progress,
            **chosen,
        )
    if not options.quiet:
        print(path)


@COMMANDS(
    "run every scenario and fill a folder with the pictures",
    option("--out", "folder of the pictures (default plots)", metavar="DIR", default="plots"),
    option("--only", "these scenarios only", nargs="+", metavar="NAME"),
    flag("--quick", "few particles and steps, to see whether it works"),
    flag("--check", "write no picture, but report words that overlap, leave a slide of 16:9, or are dropped"),
    option("--seed", "seed of every run (default 0, and 1 for multimodal)", type=whole_number, metavar="N"),
    QUIET,
    YES,
    *LOOK,
)
def gallery(options: argparse.Namespace) -> None:
    from pathlib import Path

    from particlegvi import scenario
    from particlegvi.scenario import catalogue
    from particlegvi.tools import arguments

    arguments.seed(options.seed or 0)
    names = options.only or sorted(catalogue.ours())
    style = {f"style.{key}": value for key, value in look(options).items()}
    settings = {name: scenario.load(catalogue.path(name), style) for name in names}
    from particlegvi.runs.execute import check_figures

    folder = Path(options.out)
    try:
        if not options.check:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"the folder {folder} cannot be used for pictures: {error.strerror}") from None
    for wanted in settings.values():
        check_figures(wanted)
    faults = 0
    for name, wanted in settings.items():
        if options.quick:
            fewer = {key: min(most, wanted[key]) for key, most in QUICK.items() if key in wanted}
            wanted = scenario.load(wanted, fewer)
        draw = _draw_sweep if "sweep" in wanted else _draw_runs
        faults += draw(name, wanted, folder, options)
    if faults:
        raise ValueError(f"the words of {faults} slides must not overlap, leave them or be dropped")


def _draw_runs(name: str, wanted: Facts, folder: Path, options: argparse.Namespace) -> int:
    """Run a scenario and write its pictures into the folder, or else check them; the number of faults."""
    import tempfile
    from functools import partial

    from particlegvi import plotting
    from particlegvi.datasets import MissingData
    from particlegvi.runs.execute import execute, prepared_results

    if not wanted["figures"]:
        say(f"{name} is left out: it has no picture")
        return 0
    seed = SEEDS.get(name, 0) if options.seed is None else options.seed
    try:
        with patient(options, name) as progress:
            results = execute(prepared_results(wanted, seed), progress)
    except MissingData as error:
        say(f"{name} is left out: {error}")
        return 0
    if options.check:
        return sum(_check(name, partial(plotting.figure, results, **entry)) for entry in results.scenario["figures"])
    with tempfile.TemporaryDirectory(dir=folder, prefix=".") as drawn:
        for number, picture in enumerate(plotting.draw(results, drawn)):
            place = folder / (f"{name}-{picture.name}" if number else f"{name}{picture.suffix}")
            picture.replace(place)
            if not options.quiet:
                print(place, flush=True)
    return 0


def _draw_sweep(name: str, wanted: Facts, folder: Path, options: argparse.Namespace) -> int:
    """Run the sweep of a scenario and write its picture into the folder, or else check it; the number of faults."""
    from particlegvi.plotting.style import save
    from particlegvi.sweeps import plan as plans
    from particlegvi.sweeps import running

    plan = plans.plan(wanted)
    if options.quick:
        ends = {key: [values[0], values[-1]] for key, values in plan.grid.over.items()}
        plan = plans.plan(plans.with_sweep_table(wanted, ends, seeds=1))
    with patient(options, name) as progress:
        sweep = running.run(plan, progress=progress)
    if options.check:
        return _check(name, sweep.plot)
    written = save(sweep.plot(), folder / f"{name}.{sweep.scenario.get('style', {}).get('format', 'png')}")
    if not options.quiet:
        print(written, flush=True)
    return 0


def _check(name: str, draw: Callable[..., Figure]) -> int:
    """Print what is wrong with a figure on slides; the number of faults."""
    from particlegvi.plotting.checking import complaints_on_slides

    complaints = [f"{name}, {complaint}" for complaint in complaints_on_slides(draw)]
    print(*complaints, sep="\n", end="\n" * bool(complaints), flush=True)
    return len(complaints)
