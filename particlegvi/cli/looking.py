"""Commands that look at scenarios: ``list`` and ``show``."""

from __future__ import annotations

import argparse
import io
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from particlegvi.cli.options import Command


def list_scenarios(options: argparse.Namespace) -> None:
    from particlegvi.scenario import catalogue

    entries = catalogue.entries()
    if options.json:
        import json

        print(json.dumps(entries, indent=2))
        return
    width = max(len(entry["name"]) for entry in entries)
    for entry in entries:
        print(f"{entry['name']:{width}}  {entry['title']} ({entry['source']})")


def show(options: argparse.Namespace) -> None:
    from particlegvi import scenario

    text = scenario.text(scenario.load(options.scenario))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # TOML is, in any language of the terminal
    print(text, end="")


COMMANDS: dict[str, Command] = {
    "list": (
        list_scenarios,
        "every scenario",
        [(("--json",), {"action": "store_true", "help": "as JSON: name, title, source"})],
    ),
    "show": (
        show,
        "the settings of a scenario, as a TOML file to edit and run",
        [(("scenario",), {"metavar": "NAME", "help": "a scenario of the list, or a TOML file"})],
    ),
}
