"""The numbers that the thesis prints in its Table 4.1, from the TOML file of the same name."""

from __future__ import annotations

from pathlib import Path

from particlegvi.tables.printed_table import PrintedTable

_PRINTED = PrintedTable(Path(__file__).with_name("printed.toml"))
rows, title, published = _PRINTED.rows, _PRINTED.title, _PRINTED.published
