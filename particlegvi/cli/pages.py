"""The command that makes an html page for students: ``page``."""

from __future__ import annotations

import argparse

from particlegvi.cli.options import SEED, whole_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from particlegvi.cli.options import Command


def page(options: argparse.Namespace) -> None:
    from pathlib import Path

    from particlegvi import scenario
    from particlegvi.tools.progress import command_bars

    given = Path(options.what)
    is_run = given.is_dir()
    out = Path(options.out) if options.out else Path(f"{given.resolve().name if is_run else given.stem}.html")
    if out.exists() and not options.overwrite:
        raise ValueError(f"{out} exists; say --overwrite to replace it, or --out to write another file")
    changes = dict(scenario.setting(argument) for argument in options.set)
    with command_bars(quiet=False, first="making the page"):
        from particlegvi.runs.pages import page as make

        made = make(
            options.what, seed=options.seed, frames=options.frames, live=not options.no_live,
            language=options.language, **changes,
        )  # fmt: skip
        place = made.save(out, overwrite=options.overwrite)
    print(place)


COMMANDS: dict[str, Command] = {
    "page": (
        page,
        "an html page in which students move the particles",
        [
            (("what",), {"metavar": "NAME|FILE.toml|DIR", "help": "a scenario, a TOML file, or the folder of a run"}),
            (("--out",), {"metavar": "FILE.html", "help": "the page (default NAME.html)"}),
            (
                ("--frames",),
                {"type": whole_number, "default": 120, "metavar": "N", "help": "moments of a replay (default 120)"},
            ),
            (("--no-live",), {"action": "store_true", "help": "only the replay of a run"}),
            (("--language",), {"default": "en", "metavar": "en|de", "help": "language of the words (default en)"}),
            (("--overwrite",), {"action": "store_true", "help": "replace the file if it exists"}),
            SEED,
            (
                ("--set",),
                {"action": "append", "default": [], "metavar": "KEY=VALUE", "help": "change a setting of a scenario"},
            ),
        ],
    ),
}
