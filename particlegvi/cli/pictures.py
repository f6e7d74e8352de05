"""The command that draws every scenario: ``gallery``."""

from __future__ import annotations

import argparse

from particlegvi.cli.options import LOOK, QUIET, SEED, look
from particlegvi.cli.reporting import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from particlegvi.cli.options import Command
    from particlegvi.contracts import Facts

QUICK = {"particles": 40, "steps": 200, "record_every": 200, "trials": 2}  # largest values of `gallery --quick`


def gallery(options: argparse.Namespace) -> None:
    import tempfile
    from pathlib import Path

    from particlegvi import scenario
    from particlegvi.scenario import catalogue
    from particlegvi.tools import arguments
    from particlegvi.tools.progress import command_bars

    arguments.seed(options.seed)
    names = options.only or catalogue.names()
    style = {f"style.{key}": value for key, value in look(options).items()}
    settings = {name: scenario.load(catalogue.path(name), style) for name in names}
    from particlegvi import plotting
    from particlegvi.datasets import MissingData
    from particlegvi.runs.execute import check_figures, execute

    folder = Path(options.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"the folder {folder} cannot be used for pictures: {error.strerror}") from None
    for wanted in settings.values():
        check_figures(wanted)
    for name, wanted in settings.items():
        if "sweep" in wanted:
            picture = _map_of(name, wanted, folder, options)
            if not options.quiet:
                print(picture, flush=True)
            continue
        if not wanted["figures"]:
            say(f"{name} is left out: it has no picture")
            continue
        if options.quick:
            fewer = {key: min(most, wanted[key]) for key, most in QUICK.items() if key in wanted}
            wanted = scenario.load(wanted, fewer)
        try:
            with command_bars(options.quiet, name) as progress:
                results = execute(wanted, options.seed, progress=progress, save=False)
        except MissingData as error:
            say(f"{name} is left out: {error}")
            continue
        with tempfile.TemporaryDirectory(dir=folder, prefix=".") as drawn:
            for number, picture in enumerate(plotting.draw(results, drawn)):
                place = folder / (f"{name}-{picture.name}" if number else f"{name}{picture.suffix}")
                picture.replace(place)
                if not options.quiet:
                    print(place, flush=True)


def _map_of(name: str, wanted: Facts, folder: Path, options: argparse.Namespace) -> Path:
    """Run the sweep of a scenario that has a table [sweep], and draw it; the path of the picture."""
    from particlegvi import scenario
    from particlegvi.plotting import style
    from particlegvi.sweeps import plan as plans
    from particlegvi.sweeps import running
    from particlegvi.tools.progress import command_bars

    plan = plans.plan(wanted)
    if options.quick:
        ends = {key: [values[0], values[-1]] for key, values in plan.grid.over.items()}
        fewer = {key: min(most, wanted[key]) for key, most in QUICK.items() if key in wanted}
        plan = plans.plan(plans.with_sweep_table(scenario.load(wanted, fewer), ends, seeds=1))
    with command_bars(options.quiet, name) as progress:
        found = running.run(plan, progress=progress)
    figure = found.plot()
    return style.save(figure, folder / f"{name}.{found.scenario.get('style', {}).get('format', 'png')}")


COMMANDS: dict[str, Command] = {
    "gallery": (
        gallery,
        "run every scenario and fill a folder with the pictures",
        [
            (("--out",), {"metavar": "DIR", "default": "plots", "help": "folder of the pictures (default plots)"}),
            (("--only",), {"nargs": "+", "metavar": "NAME", "help": "these scenarios only"}),
            (("--quick",), {"action": "store_true", "help": "few particles and steps, to see whether it works"}),
            SEED,
            QUIET,
            *LOOK,
        ],
    ),
}
