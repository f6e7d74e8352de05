"""The command that makes a film: ``animate``."""

from __future__ import annotations

import argparse

from particlegvi.cli.options import LOOK, QUIET, look, whole_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from particlegvi.cli.options import Command


def animate(options: argparse.Namespace) -> None:
    from particlegvi import scenario
    from particlegvi.runs.animate import animate as film
    from particlegvi.tools.progress import command_bars

    chosen = {**({} if options.methods is None else {"methods": options.methods}), **look(options)}
    with command_bars(options.quiet) as progress:
        path = film(
            options.source,
            options.out,
            options.figure,
            options.frames,
            options.seconds,
            seed=options.seed,
            overrides=dict(scenario.setting(argument) for argument in options.set),
            width=options.width,
            even=options.even,
            loop=options.loop,
            overwrite=options.overwrite,
            progress=progress,
            **chosen,
        )
    if not options.quiet:
        print(path)


COMMANDS: dict[str, Command] = {
    "animate": (
        animate,
        "film a run: gif, webp, apng, mp4 or webm",
        [
            (
                ("source",),
                {"metavar": "DIR|NAME|FILE.toml", "help": "the folder of a run, or a scenario, which is run first"},
            ),
            (
                ("--out",),
                {"metavar": "FILE", "help": "its suffix is the format (default FIGURE.gif in DIR, NAME-FIGURE.gif)"},
            ),
            (("--figure",), {"metavar": "KIND", "help": "the figure that moves, such as histograms or particles"}),
            (("--methods",), {"nargs": "+", "metavar": "LABEL", "help": "these methods only"}),
            (("--frames",), {"type": whole_number, "default": 120, "metavar": "N", "help": "at most (default 120)"}),
            (("--seconds",), {"type": float, "default": 8.0, "metavar": "S", "help": "length of the film (default 8)"}),
            (("--width",), {"type": whole_number, "default": 800, "metavar": "N", "help": "in pixels (default 800)"}),
            (
                ("--even",),
                {"action": "store_true", "help": "frames at equal times, not half of them in the first tenth"},
            ),
            (("--loop",), {"action": "store_true", "help": "repeat without end, not three times"}),
            (("--overwrite",), {"action": "store_true", "help": "replace FILE if it is there"}),
            (("--seed",), {"type": whole_number, "metavar": "N", "help": "seed of the run of a scenario (default 0)"}),
            (
                ("--set",),
                {
                    "action": "append",
                    "default": [],
                    "metavar": "KEY=VALUE",
                    "help": "change a setting of the scenario, such as particles=1000; may be repeated",
                },
            ),
            QUIET,
            *(option for option in LOOK if option[0] != ("--format",)),  # the suffix of the file says the format
        ],
    ),
}
