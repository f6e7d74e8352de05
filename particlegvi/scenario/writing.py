"""A complete scenario as a TOML file that can be read, edited and run again."""

from __future__ import annotations

import re
from typing import Any

import tomli_w

from particlegvi.contracts import Facts
from particlegvi.scenario import kinds

# Matches a list of numbers that tomli_w wrote over several lines. Texts never match: their line ends are written as \n.
NUMBERS = re.compile(r"\[\n((?: *[-+.\w]+,\n)+) *\]")


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
        return "\n".join(f"[[{name}]]\n{_on_one_line(tomli_w.dumps(each))}" for each in value)
    return _on_one_line(tomli_w.dumps({name: value}))


def _on_one_line(written: str) -> str:
    return NUMBERS.sub(lambda found: "[" + ", ".join(found[1].replace(",", " ").split()) + "]", written)
