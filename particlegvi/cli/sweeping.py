"""The command that runs a scenario over a grid, ``sweep``; and ``resume`` and ``plot`` of a sweep."""

from __future__ import annotations

import argparse

from particlegvi.cli.options import (
    NO_FIGURE,
    PARTS,
    QUIET,
    YES,
    Commands,
    changed,
    changes,
    flag,
    option,
    patient,
    setting,
    whole_number,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from particlegvi.contracts import Facts, Progress
    from particlegvi.sweeps import Sweep

COMMANDS = Commands()
WORKERS = option("--workers", "processes of a sweep (default: one for each processor)", type=whole_number, metavar="N")
ANYWAY = flag("--anyway", "go on although versions or code have changed; the manifest says so")


@COMMANDS(
    "run a scenario over a grid of settings and seeds",
    option("scenario", "a scenario of the list, or a TOML file", metavar="NAME|FILE.toml"),
    option(
        "--over",
        "a swept key, as methods.*.kl_weight=0.1,0.5,1 or methods.DRLE.mmd_weight=0:2:9 (from, to, "
        "count) or =0.01:1:5:log; may be repeated (default: the table [sweep] of the scenario)",
        action="append",
        default=[],
        metavar="KEY=VALUES",
    ),
    option("--seeds", "how many seeds, or a range without its end", metavar="N|FIRST:END"),
    option("--out", "folder; a sweep that is there goes on (default sweeps/NAME)", metavar="DIR"),
    WORKERS,
    ANYWAY,
    changes("change a setting of every cell, such as particles=1000; may be repeated"),
    option(
        "--measure",
        "a number of summary.json that tables and pictures show, such as w1 (default) or "
        "free_energy.total.0; may be repeated",
        action="append",
        metavar="NAME",
    ),
    option("--heat-map", "the method that the heat map shows (default: every one)", metavar="METHOD"),
    flag("--dry-run", "only say the number of cells and their time"),
    PARTS,
    QUIET,
    YES,
    NO_FIGURE,
)
def sweep(options: argparse.Namespace) -> None:
    from particlegvi import scenario
    from particlegvi.sweeps import folder, running
    from particlegvi.sweeps import plan as plans
    from particlegvi.tools import files

    settings = scenario.load(options.scenario, changed(options))
    over = dict(map(over_of, options.over)) if options.over else None
    seeds = None if options.seeds is None else seeds_of(options.seeds)
    measure = [name.strip() for names in options.measure for name in names.split(",")] if options.measure else None
    whole = plans.with_sweep_table(settings, over, seeds=seeds, measure=measure, heat_map=options.heat_map)
    place = files.place("out", f"sweeps/{whole['name']}" if options.out is None else options.out)
    plan = plans.plan(whole, folder.used(place, options.anyway))
    workers = _workers(options)
    if options.dry_run:
        print(running.estimate(plan, place, workers))
        return
    with patient(options) as progress:
        result = running.run(plan, place, workers, progress, pictures=not options.no_figure)
    conclude(result, options)


def over_of(argument: str) -> tuple[str, object]:
    """Key and values of ``KEY=VALUES``: values between commas, FROM:TO:COUNT[:log], or a list or table of TOML."""
    import tomllib

    from particlegvi.tools.quoting import refuse, shown

    key, equals, values = argument.partition("=")
    key, values = key.strip(), values.strip()
    if not equals or not key or not values:
        raise ValueError(f"--over {shown(argument)}: write KEY=VALUES, such as methods.*.kl_weight=0.1,0.5 or =0:2:9")
    if values[0] in "[{":
        try:
            return key, tomllib.loads(f"value = {values}")["value"]
        except (ValueError, RecursionError):
            raise refuse(f"over.{key}", values, "values between commas, or a list or a table of TOML") from None
    if values.count(":") in (2, 3) and "," not in values and '"' not in values:
        return key, values
    return key, [setting(f"value={value.strip()}")[1] for value in values.split(",")]


def seeds_of(text: str) -> object:
    """A number of seeds, FIRST:END, or seeds between commas."""
    if text.isdecimal() and len(text) <= 20:
        return int(text)
    parts = text.split(",")
    if len(parts) > 1 and all(part.strip().isdecimal() and len(part) <= 24 for part in parts):
        return [int(part) for part in parts]
    return text


def resume(options: argparse.Namespace, progress: Progress | None, style: Facts) -> None:
    """Finish a sweep; called by the command ``resume``."""
    from particlegvi.sweeps import api
    from particlegvi.tools import files

    place = files.place("folder", options.folder)
    result = api.finish(
        place, _workers(options), progress, pictures=not options.no_figure, style=style, anyway=options.anyway
    )
    if result.written:
        conclude(result, options)
    elif not options.quiet:
        print(f"{options.folder} is finished, and its files are as they were written")


def plot(folder: str, kinds: Sequence[str | None], style: Facts) -> None:
    """Draw the pictures of a sweep again; called by the command ``plot``."""
    from pathlib import Path

    from particlegvi.plotting.style import save
    from particlegvi.sweeps import api
    from particlegvi.sweeps.sweep import Sweep

    result = api.load(folder)
    assert isinstance(result, Sweep)
    for kind in kinds:
        drawn = kind or result.usual
        print(save(result.plot(drawn, **style), Path(folder) / f"{drawn}.{style.get('format', 'png')}"))


def conclude(result: Sweep, options: argparse.Namespace) -> None:
    """Print the table of the sweep, how many cells were computed, and where they are saved."""
    if not options.quiet:
        print(result.describe())
        kept = len(result) - result.computed
        print(f"{result.computed:,} cells computed, {kept:,} were there; saved in {result.folder}")


def _workers(options: argparse.Namespace) -> int:
    from particlegvi.engine.numerics import threads

    return threads.count() if options.workers is None else options.workers
