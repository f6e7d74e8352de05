"""The file of a new scenario, with comments for its user."""

from __future__ import annotations

import os
from pathlib import Path

import tomli_w

from particlegvi.contracts import Facts
from particlegvi.scenario.reading import load
from particlegvi.tools import quoting

TEMPLATE = Path(__file__).with_name("new_scenario.txt")
NAMES = {
    "DE": "deep ensemble: down the loss, without noise",
    "DLE": "deep Langevin ensemble; jumps = true takes particles over high barriers, exactly",
    "DRLE": "deep repulsive Langevin ensemble",
}
FIGURES = {"histograms": "the particles beside the truth Q*", "particles": "the particles over the loss"}


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
