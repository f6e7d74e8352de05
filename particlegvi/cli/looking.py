"""Commands that look at scenarios and begin one: ``list``, ``show`` and ``new``."""

from __future__ import annotations

import argparse
import io
import sys

from particlegvi.cli.options import PARTS, Commands, flag, option

COMMANDS = Commands()


@COMMANDS(
    "every scenario, or every part",
    flag("--json", "as JSON: name, title, source"),
    option(
        "--parts", "instead the losses, methods, figures and all other parts, with where each comes from, and "
        "those that files of Python register", nargs="*", metavar="FILE.py",
    ),
    name="list",
)  # fmt: skip
def list_scenarios(options: argparse.Namespace) -> None:
    if options.parts is not None:
        list_parts(options)
        return
    from particlegvi.scenario import catalogue

    entries = catalogue.entries()
    if options.json:
        import json

        print(json.dumps(entries, indent=2))
        return
    width = max(len(entry["name"]) for entry in entries)
    for entry in entries:
        print(f"{entry['name']:{width}}  {entry['title']} ({entry['source']})")


def list_parts(options: argparse.Namespace) -> None:
    from particlegvi.tools import registry

    every = sorted([*registry.ours(), *registry.from_outside()])
    if options.json:
        import json

        print(json.dumps([part._asdict() for part in every], indent=2))
        return
    kind, name = (max(map(len, words)) for words in list(zip(*every, strict=True))[:2])
    for part in every:
        problem = f": {part.problem}" if part.problem else ""
        print(f"{part.kind:{kind}}  {part.name:{name}}  {part.origin}{problem}")


@COMMANDS(
    "the settings of a scenario as TOML, what a key means, or a claim of verify",
    option("scenario", "a scenario, a key, or a claim", nargs="?", metavar="NAME|FILE.toml|KEY|CLAIM"),
    flag("--keys", "every key of a scenario, with what it means"),
    PARTS,
    option("--kind", "kind of scenario of the keys (default particles)", default="particles", metavar="KIND"),
)
def show(options: argparse.Namespace) -> None:
    from particlegvi import scenario
    from particlegvi.scenario import explaining

    if options.keys:
        text = explaining.every_key(options.kind)
    elif options.scenario is None:
        raise ValueError("show needs the NAME of a scenario or of a key, or --keys for a list of all keys")
    elif explaining.is_key(options.scenario, options.kind):
        text = explaining.key(options.scenario, options.kind)
    elif _is_claim(options.scenario):
        from particlegvi.verification import claims, command

        text = f"{options.scenario}\n{command.described(claims.registry[options.scenario])}\n"
    else:
        text = scenario.text(scenario.load(options.scenario))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # TOML is UTF-8, whatever the encoding of the terminal
    print(text, end="")


def _is_claim(name: str) -> bool:
    from particlegvi.scenario import catalogue

    if name in catalogue.names() or not name.replace("-", "").isalnum():
        return False
    from particlegvi.verification import claims

    return name in claims.registry.names()


@COMMANDS(
    "write a commented scenario to edit",
    option("file", "the file, which must not exist", metavar="FILE.toml"),
    option("--loss", "a formula, or the name of a loss", metavar="FORMULA", default="x^2/2"),
    option("--variables", "in this order (by default as they appear)", nargs="+", metavar="NAME"),
)
def new(options: argparse.Namespace) -> None:
    from particlegvi.scenario.template import write_template
    from particlegvi.tools.quoting import as_argument

    write_template(options.file, options.loss, options.variables)
    print(f"{options.file} is written; to run it say: particlegvi run {as_argument(options.file)}")
