"""The command ``completion``: shtab writes the scripts. A TAB runs no Python."""

from __future__ import annotations

import argparse

from particlegvi.cli.options import Commands, option

COMMANDS = Commands()


@COMMANDS(
    "print a script that completes commands at TAB",
    option(
        "shell", "for its startup file, such as ~/.bashrc", choices=("bash", "zsh", "fish"), metavar="bash|zsh|fish"
    ),
)
def completion(options: argparse.Namespace) -> None:
    import shtab

    from particlegvi.scenario import catalogue

    top = argparse.ArgumentParser(prog="particlegvi")
    subparsers = top.add_subparsers()
    for name, (_, purpose, arguments) in options.commands.items():
        command = subparsers.add_parser(name, help=purpose, description=purpose)
        for flags, settings in arguments:
            action = command.add_argument(*flags, **settings)
            metavar = str(action.metavar)
            if metavar.startswith("NAME|"):  # the name of a scenario, or the path of a file
                action.choices = catalogue.names()
            elif "FILE" in metavar or "DIR" in metavar:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    print(shtab.complete(top, options.shell))
