"""The command ``sample``: a posterior in one call, from a file of Python that makes the model."""

from __future__ import annotations

import argparse

from particlegvi.cli.options import NO_FIGURE, QUIET, SEED, YES, Commands, flag, option, patient, whole_number

COMMANDS = Commands()


@COMMANDS(
    "draw from the posterior of a model in a file of Python, and say whether the draws have arrived",
    option("model", "a file that defines loss (and prior, if it has one), or model, one of PyMC or BridgeStan",
           metavar="MODEL.py"),
    option("--out", "folder of the results (default: nothing is saved)", metavar="DIR"),
    flag("--overwrite", "replace the folder of an earlier sample"),
    option("--particles", "number of particles (default 200)", type=whole_number, default=200, metavar="N"),
    option("--accuracy", "error of the means in standard deviations (default 0.1)", type=float, default=0.1,
           metavar="SDS"),
    option("--steps", "most steps (default 400)", type=whole_number, default=400, metavar="N"),
    option("--seconds", "most seconds", type=float, metavar="SECONDS"),
    SEED,
    QUIET,
    YES,
    NO_FIGURE,
)  # fmt: skip
def sample(options: argparse.Namespace) -> None:
    import runpy
    from functools import partial
    from pathlib import Path

    import particlegvi as pg
    from particlegvi.runs.sample_folder import PICTURE
    from particlegvi.tools import files
    from particlegvi.tools.quoting import refuse

    place = files.place("model", options.model, "a file of Python")
    if not place.is_file() or place.suffix != ".py":
        scenario = '; a scenario is run by "particlegvi run", with preconditioner = "ensemble" in it'
        raise refuse(
            "model", options.model, f"an existing file of Python such as model.py{scenario * (place.suffix == '.toml')}"
        )
    defined = runpy.run_path(str(place), run_name=place.stem)
    model = defined.get("loss", defined.get("model"))
    if model is None:
        raise ValueError(f"{place} must define loss or model, and defines neither")
    asked = {
        key: vars(options)[key] for key in ("particles", "seed", "accuracy", "steps", "seconds", "out", "overwrite")
    }
    options.yes = options.yes or options.seconds is not None
    with patient(options) as progress:
        run = pg.sample(model, defined.get("prior"), progress=partial(progress, "DLE"), **asked)
    if options.out is not None and not options.no_figure:
        from particlegvi.plotting.style import save

        save(run.plot(), Path(options.out) / PICTURE)
    if not options.quiet:
        print(run.describe())
        if options.out is not None:
            print(f"\nsaved in {options.out}")
