"""The command that writes results for other programs: ``export``."""

from __future__ import annotations

import argparse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from particlegvi.cli.options import Command


def export(options: argparse.Namespace) -> None:
    from particlegvi.tools.export.writing import destination

    destination(options.to, options.overwrite, key="--to")  # before anything is read
    from particlegvi.sweeps.api import load

    print(load(options.folder).export(options.to, options.records, options.overwrite))


COMMANDS: dict[str, Command] = {
    "export": (
        export,
        "write a run for other programs: NetCDF, CSV, Parquet, numpy",
        [
            (("folder",), {"metavar": "DIR", "help": "folder of the results"}),
            (
                ("--to",),
                {"metavar": "FILE", "required": True, "help": "a file .nc, .csv, .parquet or .npz: the suffix decides"},
            ),
            (("--records",), {"action": "store_true", "help": "the rows of all records, not of the last alone"}),
            (("--overwrite",), {"action": "store_true", "help": "replace the file if it exists"}),
        ],
    ),
}
