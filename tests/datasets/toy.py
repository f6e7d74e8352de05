"""A catalogue of small sets whose recipes use every rule."""

from __future__ import annotations

import hashlib

import pytest

from particlegvi.datasets import fetching, reading

RED, WHITE = "a;b\n1.50;2\n3;4\n", "a;b\r\n5e0;.5\r\n"
JOINED = "x,y,is_red\n1.5,2,1\n3,4,1\n5,0.5,0\n"
FLOWERS = "flowers of 1936\nname x kind\nA 1.0 red\nB 2.0 ?\nC 3.0 blue\nD 1.0 red\n"
KINDS = "x,kind\n1,0\n3,1\n"


def recipe(text, **more):
    return {
        "rows": text.count("\n") - 1, "sha256": hashlib.sha256(text.encode()).hexdigest(), "licence": "none",
        "source": "here", "header": text.split("\n")[0], "base": "https://example.org/", **more,
    }  # fmt: skip


def catalogue():
    words = {"kind": {"red": 0, "blue": 1}}
    flowers = {"path": "raw/flowers.txt", "orders": [[3, 2], [2, 3]], "drop": ["?"], "words": words}
    files = {
        "wines": recipe(JOINED, raw=[{"path": "red.csv", "add": [1]}, {"path": "white.csv", "add": [0]}]),
        "flowers": recipe(KINDS, distinct=True, raw=[flowers]),
        "packed": recipe(KINDS, distinct=True, archive="flowers.zip", raw=[flowers]),
    }
    sets = {
        "wine-red": {"file": "wines", "task": "regression", "target": "y", "first_rows": 2},
        "wine-white": {"file": "wines", "task": "regression", "target": "y", "rows_from": 2},
        "flowers": {"file": "flowers", "task": "classification", "target": "kind"},
        "packed": {"file": "packed", "task": "classification", "target": "kind"},
    }
    return {"sets": sets, "files": files, "shipped": {}}


def use(monkeypatch, folder):
    """Puts the made catalogue in the place of ours; its files come to ``sets`` in the folder; a download fails."""
    made = catalogue()
    monkeypatch.setattr(reading, "catalogue", lambda: made)
    monkeypatch.setenv("PARTICLEGVI_DATA", str(folder / "sets"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.setattr(fetching, "fetch", lambda address: pytest.fail(f"{address} was downloaded"))
