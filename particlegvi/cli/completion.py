"""The command ``completion``: shtab writes the scripts, with the values of each argument. A TAB runs no Python."""

from __future__ import annotations

import argparse
import re

from particlegvi.cli.options import Commands, option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from particlegvi.cli.options import Command

INSTALL = {
    "bash": 'eval "$(particlegvi completion bash)"      # in ~/.bashrc',
    "zsh": 'eval "$(particlegvi completion zsh)"       # in ~/.zshrc, after compinit',
    "fish": "particlegvi completion fish > ~/.config/fish/completions/particlegvi.fish",
}
SHELLS = tuple(INSTALL)
CHOICES = r"[a-z][a-z-]*(\|[a-z-]+)+"  # a metavar that lists all values, such as png|pdf|svg

COMMANDS = Commands()


@COMMANDS(
    "print a script that completes commands at TAB",
    option("shell", "its first line says how to install", choices=SHELLS, metavar="bash|zsh|fish"),
)
def completion(options: argparse.Namespace) -> None:
    print(script(options.shell, options.commands), end="")


def script(shell: str, commands: Mapping[str, Command]) -> str:
    """The script for a shell. Its first line says how to install it.

    Beside shtab's functions it has those of the folder ``shell``: ``runs.SHELL`` prints the folders with a manifest,
    here and in runs. ``words.bash`` joins what bash parts at "=", --option=VALUE and KEY=VALUE; no space follows KEY=.
    """
    from pathlib import Path

    import shtab

    functions = Path(__file__).with_name("shell")
    top = argparse.ArgumentParser(prog="particlegvi")
    subparsers = top.add_subparsers()
    for name, (_, purpose, arguments) in commands.items():
        command = subparsers.add_parser(name, help=purpose, description=purpose)
        for flags, settings in arguments:
            action = command.add_argument(*flags, **settings)
            if action.nargs != 0:
                action.complete = _values(name, action)  # type: ignore[attr-defined]
    text = shtab.complete(top, shell, preamble=(functions / f"runs.{shell}").read_text().removesuffix("\n"))
    head = f"# particlegvi completion for {shell}. To install it: {INSTALL[shell]}\n"
    own = "\n" + (functions / "words.bash").read_text() if shell == "bash" else ""
    return f"{head}{text}\n{own}"


def _values(command: str, action: argparse.Action) -> dict[str, str | dict[str, str]]:
    """The function or the words, by shell, that shtab takes for an argument; "preamble" has the functions' code."""
    from shlex import quote

    metavar = str(action.metavar or "")
    is_option = bool(action.option_strings)
    words = _words(command, metavar, action.choices)
    runs = "DIR" in metavar and not is_option  # an option with a folder makes a new one
    files = "FILE" in metavar or ("DIR" in metavar and is_option)
    function = f"_particlegvi_{'files_' if runs or files else ''}{command}_{action.dest}"  # shtab looks for "files"
    listed = " ".join(map(quote, words))
    bash = [f'compgen -W {quote(" ".join(words))} -- "$1"'] if words else [":"]
    bash += ['_particlegvi_runs "$1"'] * runs + ['compgen -f -- "$1"'] * files
    zsh = [f"""compadd "$@" {"-S ''" if metavar == "KEY=VALUE" else ""} -- {listed}"""] if words else [":"]
    zsh += ['_particlegvi_runs "$@"'] * runs + ["_files"] * files
    fish = [listed] + ["(_particlegvi_runs)"] * runs + ["(__fish_complete_path (commandline -ct))"] * files
    return {
        "bash": function,
        "zsh": function,
        "fish": " ".join(fish).strip(),
        "preamble": {
            shell: "\n    ".join([f"{function}() {{", *lines]) + "\n}"
            for shell, lines in (("bash", bash), ("zsh", zsh))
        },
    }


def _words(command: str, metavar: str, choices: Iterable[object] | None) -> list[str]:
    """The words that may stand for an argument, by its choices or its metavar."""
    from particlegvi import datasets, methods
    from particlegvi.scenario import catalogue

    if choices is not None:
        return [str(choice) for choice in choices]
    if re.fullmatch(CHOICES, metavar):
        return metavar.split("|")
    if metavar == "KEY=VALUE":
        return [f"{key}=" for key in keys()]
    if metavar in ("METHOD", "LABEL"):
        return methods.names()
    if "NAME" in metavar.split("|"):
        if command == "verify":
            from particlegvi.verification.claims import registry

            return registry.names()
        return [*datasets.names(), "all"] if command == "data" else catalogue.names()
    return []


def keys() -> list[str]:
    """The keys of a scenario of particles, and the weights of its usual methods, as ``--set`` takes them."""
    from particlegvi.scenario.kinds.particles.defaults import METHODS
    from particlegvi.scenario.kinds.particles.keys import KEYS

    return [*KEYS, *(f"methods.{label}.{weight}" for label, weights in METHODS.items() for weight in weights)]
