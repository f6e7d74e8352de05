"""Scenarios as TOML files: a complete one that can be read and run again, and a new one with comments for a user."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import tomli_w

from particlegvi.contracts import Facts
from particlegvi.scenario import kinds
from particlegvi.scenario.reading import load
from particlegvi.tools import quoting

# Matches a list of numbers that tomli_w wrote over several lines. Texts never match: their line ends are written as \n.
NUMBERS = re.compile(r"\[\n((?: *[-+.\w]+,\n)+) *\]")
TEMPLATE = Path(__file__).with_name("new_scenario.txt")
NAMES = {
    "DE": "deep ensemble: down the loss, without noise",
    "DLE": "deep Langevin ensemble; jumps = true takes particles over high barriers, exactly",
    "DRLE": "deep repulsive Langevin ensemble",
}
FIGURES = {"histograms": "the particles beside the truth Q*", "particles": "the particles over the loss"}


def text(scenario: Facts) -> str:
    """TOML with a comment over each key; reading it gives ``scenario`` back exactly."""
    keys = kinds.of(scenario).keys
    # Single values come before the first table: whatever follows a table's header would belong to that table.
    single = [name for name, value in scenario.items() if not _is_table(value)]
    tables = [name for name, value in scenario.items() if _is_table(value)]
    return "\n".join(f"# {keys[name].help}\n{_dump(name, scenario[name])}" for name in [*single, *tables])


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) or _is_list_of_tables(value)


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _dump(name: str, value: Any) -> str:
    if isinstance(value, str):
        return tomli_w.dumps({name: value}, multiline_strings="\n" in value)
    if _is_list_of_tables(value):
        return "\n".join(f"[[{name}]]\n{_on_one_line(tomli_w.dumps(table))}" for table in value)
    return _on_one_line(tomli_w.dumps({name: value}))


def _on_one_line(written: str) -> str:
    return NUMBERS.sub(lambda match: "[" + ", ".join(match[1].replace(",", " ").split()) + "]", written)


def write_template(file: str | os.PathLike[str], loss: str, variables: list[str] | None = None) -> Path:
    """Write a commented scenario for a loss, a formula or a name, to a file that must not exist."""
    place = Path(file)
    if place.suffix != ".toml":
        raise ValueError(f"FILE must be a name that ends in .toml, not {quoting.shown(str(file))}")
    if os.path.lexists(place):
        raise ValueError(f"{place} exists and is left as it is; choose another name")
    text = text_of(loss, variables, place)
    try:
        with open(place, "x", encoding="utf-8", newline="\n") as out:
            out.write(text)
    except OSError as error:
        raise ValueError(f"{place} cannot be written: {error.strerror}") from None
    return place


def text_of(loss: str, variables: list[str] | None, place: Path) -> str:
    """The text of the scenario file."""
    entry: object = {"formula": loss, "variables": variables} if variables else loss
    made = load({"name": place.stem, "loss": entry})
    written = tomli_w.dumps({"loss": loss}) if not variables else f"loss = {_on_a_line(made['loss'])}\n"
    shown = [figure["kind"] for figure in made["figures"]]
    pictures = "\n".join(f'[[figures]]\nkind = "{figure}"  # {FIGURES[figure]}\n' for figure in shown)
    return TEMPLATE.read_text(encoding="utf-8").format(
        file=place.name,
        description=f"title = {_toml(made['title'])}\n" if made["title"] else "",
        loss=written.rstrip(),
        prior=_on_a_line(made["prior"]),
        particles=made["particles"],
        step_size=_toml(made["step_size"]),
        steps=made["steps"],
        methods="\n".join(_method(label, entry) for label, entry in made["methods"].items()),
        figures=pictures or "# [[figures]]\n",
    )


def _method(label: str, entry: Facts) -> str:
    lines = [f"[methods.{label}]  # {NAMES[label]}", *(f"{key} = {_toml(value)}" for key, value in entry.items())]
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    return " ".join(tomli_w.dumps({"x": value}).partition("= ")[2].split()).replace("[ ", "[").replace(", ]", "]")


def _on_a_line(table: Facts) -> str:
    return "{ " + ", ".join(f"{key} = {_toml(value)}" for key, value in table.items()) + " }"
