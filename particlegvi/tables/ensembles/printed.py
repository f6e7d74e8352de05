"""The numbers that the thesis prints in its Table 5.1, from the TOML file of the same name."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from particlegvi.contracts import Facts
from particlegvi.tools.registry import look_up


@cache
def _table() -> Facts:
    return tomllib.loads(Path(__file__).with_name("printed.toml").read_text(encoding="utf-8"))


def rows() -> list[str]:
    """The data sets of the table, in its order."""
    return list(_table())


def title(row: str) -> str:
    """A row's name as printed."""
    return str(look_up("row of the table", row, _table())["title"])


def published(row: str, model: str) -> tuple[float, float] | None:
    """The printed negative log-likelihood and what is printed after its +-; None where nothing is printed."""
    pair = look_up("row of the table", row, _table()).get(model)
    return None if pair is None else (float(pair[0]), float(pair[1]))
