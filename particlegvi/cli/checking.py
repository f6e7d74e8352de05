"""Commands that test the package: ``verify`` and ``doctor``."""

from __future__ import annotations

import argparse
from functools import partial

from particlegvi.cli.options import PARTS, QUIET, SEED, YES, Commands, flag, option
from particlegvi.cli.reporting import DONE, FAILED, say

COMMANDS = Commands()


@COMMANDS(
    "the theorems of the sources as experiments that can fail",
    option("name", "this claim only", nargs="?", metavar="NAME"),
    flag("--json", "as JSON: claim, source, measured, bound, verdict, ..."),
    SEED,
    PARTS,
    flag("--quiet", "print only the claims that do not hold"),
    YES,
)
def verify(options: argparse.Namespace) -> int:
    from particlegvi.tools.patience import asking
    from particlegvi.tools.progress import command_bars

    bar = command_bars(options.quiet or options.json)
    with bar, asking(options.yes):
        from particlegvi.verification import command

        good = command.verify(
            options.name, seed=options.seed, as_json=options.json, quiet=options.quiet, begin=bar.word,
            say=lambda text: bar.aside(partial(print, text, flush=True)),
        )  # fmt: skip
    return DONE if good else FAILED


@COMMANDS(
    "versions, threads, caches and a self-test",
    flag("--json", "as JSON"),
    flag("--warm", "first compile all that the shipped scenarios need"),
    flag("--clean", "remove all compiled code, and nothing else"),
    QUIET,
)
def doctor(options: argparse.Namespace) -> int:
    from particlegvi.tools.progress import command_bars

    with command_bars(options.quiet or options.json) as progress:
        if options.clean:
            from particlegvi.cli.doctor import cache

            before = cache.clean()
            if not options.quiet:
                folders = "1 folder" if before.versions == 1 else f"{before.versions} folders"
                removed = f"removed {folders} ({before.bytes / 1e6:.1f} MB) from" if before.bytes else "nothing is in"
                print(f"{removed} {before.folder}")
            return DONE
        if options.warm:
            from particlegvi.cli.doctor.cache import warm

            left = warm(progress=progress)
            if left:
                say(f"left out, as their data are not here or they are tables: {', '.join(left)}")
        from particlegvi.cli.doctor import report
        from particlegvi.engine.numerics.compiled import compiling_told

        with compiling_told(progress):
            facts = report.report()
    if options.json:
        import json

        print(json.dumps(facts, indent=2))
    elif not options.quiet:
        print("\n".join(report.lines(facts)))
    return DONE if facts["self_test"]["passed"] else FAILED
