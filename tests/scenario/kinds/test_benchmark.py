"""Benchmark tables as scenarios: cell by cell, stopped and resumed, refused where the data are missing."""

import json

import pytest

import particlegvi as pg
from particlegvi import cli
from particlegvi.datasets import MissingData

SMALL = {"rows": ["yacht", "heart"], "models": ["pls", "linear"], "protocols": ["standardised"], "splits": 2}
NAME = "uci-function-space"


@pytest.fixture
def here(toy, monkeypatch):
    """Made data, and one process, because others would not know of them."""
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    return toy


def outputs(folder):
    return {name: (folder / name).read_bytes() for name in ("table.md", "table.json", "summary.json", "scenario.toml")}


def test_a_table_is_computed_kept_and_loaded(here, tmp_path):
    results = pg.run(NAME, seed=4, out=tmp_path / "run", **SMALL)
    assert len(here) == 8 and results["table"].settings.seed == 4
    assert results.summary["methods"]["table"]["cells"] == 8
    loaded = pg.load(tmp_path / "run")
    assert len(here) == 8
    assert loaded["table"].scores == results["table"].scores
    assert loaded.summary == json.loads(json.dumps(results.summary))
    assert loaded.describe() == results.describe() and "Negative log-likelihood" in loaded.describe()
    assert pg.run(NAME, seed=4, **SMALL).summary == results.summary


def test_a_stopped_table_goes_on_cell_by_cell(here, tmp_path):
    def stop(label, done, cells):
        if done >= 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pg.run(NAME, out=tmp_path / "run", progress=stop, **SMALL)
    assert len(here) == 4
    assert pg.load(tmp_path / "run").status == "interrupted"
    pg.resume(tmp_path / "run")
    assert len(here) == 8
    pg.run(NAME, out=tmp_path / "straight", **SMALL)
    assert outputs(tmp_path / "run") == outputs(tmp_path / "straight") and len(here) == 16
    pg.run(NAME, out=tmp_path / "straight", overwrite=True, **SMALL)
    assert len(here) == 24  # starting over forgets the cells


def test_a_changed_cell_is_damage(here, tmp_path):
    pg.run(NAME, out=tmp_path / "run", **SMALL)
    place = tmp_path / "run" / "cells" / "yacht.pls.standardised.0.json"
    content = json.loads(place.read_text())
    content["scores"]["nll"] += 1.0
    place.write_text(json.dumps(content))
    with pytest.raises(ValueError, match="is damaged"):
        pg.load(tmp_path / "run")


def test_missing_data_are_said_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv("PARTICLEGVI_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(MissingData, match="PARTICLEGVI_DATA"):
        pg.run(NAME, out=tmp_path / "run", rows=["yacht"])
    assert not (tmp_path / "run").exists()


@pytest.mark.thorough
def test_the_gallery_leaves_out_what_has_no_picture(capsys, elsewhere):
    assert cli.main(["gallery", "--quick", "--only", NAME, "regression-curve"]) == 0
    out, err = capsys.readouterr()
    assert out.split() == ["plots/regression-curve.png"]
    assert f"{NAME} is left out: it has no picture" in err
