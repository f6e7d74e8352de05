"""The doctor: a self-test that can fail, a cache that is emptied and filled, and a report for people and programs."""

import json

import pytest

from particlegvi.cli import main
from particlegvi.cli.doctor import cache, report
from particlegvi.engine.numerics import kernel_cache


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """An empty cache for what only looks at its folders; the kernels of this process stay where they are."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "numba"))
    monkeypatch.setattr(cache, "cache_folder", kernel_cache.cache_folder.__wrapped__)
    return tmp_path / "numba" / "particlegvi"


@pytest.mark.slow
def test_the_self_test_knows_the_bits_and_notices_one():
    assert report.self_test().passed
    wrong = (float.fromhex(report.KNOWN[0]) * (1.0 + 2.0**-52)).hex()
    outcome = report.self_test((wrong, *report.KNOWN[1:]))
    assert not outcome.passed and outcome.found == report.KNOWN


@pytest.mark.thorough
def test_the_report_has_what_a_program_asks_for(capsys):
    assert main(["doctor", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert list(facts) == [
        "versions", "extras", "system", "threads", "parts", "cache", "self_test"
    ]  # fmt: skip
    assert {"particlegvi", "python", "numpy", "scipy", "numba", "matplotlib"} <= set(facts["versions"])
    assert facts["self_test"]["passed"]
    assert facts["cache"]["writable"] and facts["cache"]["kernels"] > 0 and facts["cache"]["bytes"] > 1000
    assert facts["threads"]["number"] >= 1


@pytest.mark.thorough
def test_a_person_reads_lines_and_a_wrong_bit_is_exit_code_1(capsys, monkeypatch):
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    assert text.isascii() and "self-test" in text and "passed" in text
    monkeypatch.setattr(report.self_test, "__defaults__", (("0x0.0p+0",) * report.PARTICLES,))
    assert main(["doctor"]) == 1
    text = capsys.readouterr().out
    assert "FAILED" in text and report.KNOWN[0] in text


def test_cleaning_removes_compiled_code_and_nothing_else(own_cache, capsys):
    for name in ("0" * 16, "a1" * 8, "notes", "b" * 15):
        (own_cache / name / "inside").mkdir(parents=True)
        (own_cache / name / "inside" / "kernel.nbc").write_bytes(b"12345")
    (own_cache / ("c" * 16)).symlink_to(own_cache / "notes")
    there = cache.contents()  # and makes the folder of the present sources
    assert (there.folder, there.writable, there.kernels, there.bytes) == (own_cache, True, 0, 10)
    removed = cache.contents().versions
    assert main(["doctor", "--clean"]) == 0
    assert removed == 3 and f"removed {removed} folders (0.0 MB) from {own_cache}" in capsys.readouterr().out
    assert sorted(place.name for place in own_cache.iterdir()) == ["b" * 15, "c" * 16, "notes"]
    assert (own_cache / "notes" / "inside" / "kernel.nbc").exists()
