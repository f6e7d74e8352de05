"""A finished cell counts for what it was made from, and not where it is damaged."""

from __future__ import annotations

import pytest

from particlegvi.tools.cells import MemoryStore, Store

IDENTITY = {"scenario": {"steps": 3, "title": "ä"}, "versions": {"numpy": "2.0"}, "seed": 2**64 - 1}
RESULT = {"rows": [{"method": "DLE", "w1": 0.1234567890123456789}], "status": {"DLE": "finished"}}


@pytest.fixture(params=["folder", "memory"])
def store(request, tmp_path):
    made = Store(tmp_path) if request.param == "folder" else MemoryStore()
    made.prepare()
    return made


def test_what_is_written_is_read(store):
    assert not store.has("a" * 64) and store.read("a" * 64, IDENTITY) is None
    store.write("a" * 64, IDENTITY, RESULT, 0.25)
    assert store.has("a" * 64) and store.read("a" * 64, IDENTITY) == RESULT
    assert store.read("b" * 64, IDENTITY) is None


def test_another_identity_is_another_cell(tmp_path):
    store = Store(tmp_path)
    store.prepare()
    store.write("cell", IDENTITY, RESULT, 0.25)
    assert store.read("cell", {**IDENTITY, "seed": 3}) is None
    assert store.read("cell", {**IDENTITY, "versions": {"numpy": "2.1"}}) is None


def test_a_damaged_cell_is_not_finished(tmp_path):
    store = Store(tmp_path)
    store.prepare()
    store.write("cell", IDENTITY, RESULT, 0.25)
    place = tmp_path / "cells" / "cell.json"
    whole = place.read_bytes()
    digit = whole.index(b"0.123") + 3
    for damaged in (b"", b"{", b"{}", whole[:-20], whole[:digit] + b"9" + whole[digit + 1 :]):
        place.write_bytes(damaged)
        assert store.read("cell", IDENTITY) is None
    place.write_bytes(whole.replace(b'"seconds": 0.25', b'"seconds": 0.75'))
    assert store.read("cell", IDENTITY) == RESULT  # how long it took does not count
