"""Commands that put the package to the test: ``verify`` and ``bench``."""

from __future__ import annotations

import argparse

from particlegvi.cli.options import SEED
from particlegvi.cli.reporting import DONE, FAILED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from particlegvi.cli.options import Command


def verify(options: argparse.Namespace) -> int:
    from particlegvi.verification import command

    good = command.verify(
        options.name, seed=options.seed, out=options.out, overwrite=options.overwrite, as_json=options.json,
        figures=not options.no_figure, quiet=options.quiet,
    )  # fmt: skip
    return DONE if good else FAILED


def bench(options: argparse.Namespace) -> None:
    from particlegvi.bench import command

    command.bench(options.only, options.quick, options.out)


COMMANDS: dict[str, Command] = {
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
