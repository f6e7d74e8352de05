"""A folder names the code and the machine that its numbers come from, and others are refused or said."""

import json
import shutil
import warnings

import pytest

import particlegvi as pg
from particlegvi.cli import main
from particlegvi.runs.storage.manifest import machine
from particlegvi.sweeps import api
from particlegvi.tools import sources as origin

from ...refusals import refuse
from ...sweeps.conftest import SMALL as SWEPT
from ..interrupting import change_manifest as put
from ..interrupting import manifest

OTHER = "f" * 16
OVER = {"methods.DLE.kl_weight": [0.5, 1.0]}


@pytest.mark.thorough
def test_the_digest_covers_what_makes_numbers_and_nothing_else(root, tmp_path, monkeypatch):
    copy = tmp_path / "particlegvi"
    shutil.copytree(root / "particlegvi", copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(origin, "PACKAGE", copy)
    digest = origin.sources.__wrapped__
    before = digest()
    assert before == digest() == origin.sources()
    for place in origin.AFTER_THE_NUMBERS:
        assert (copy / place).is_dir()
        (copy / place / "new.py").write_text("", encoding="utf-8")
    assert digest() == before
    for name in ("methods/free_energy.py", "kernels/new.py", "version.py"):
        with (copy / name).open("a", encoding="utf-8") as file:
            file.write("\n")
        assert digest() != before
        before = digest()


def test_a_run_of_other_sources_is_refused_and_goes_on_anyway(half, capsys):
    assert manifest(half)["code"]["sources"] == origin.sources()
    put(half, code={"sources": OTHER})
    refused = f"begun with other sources of particlegvi \\(digest {OTHER}\\) and this is .*--anyway"
    refuse(lambda: pg.resume(half), refused)
    assert main(["resume", str(half), "--quiet"]) == 2
    said = capsys.readouterr().err
    assert len(said.strip().splitlines()) == 1 and "--anyway" in said
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert main(["resume", str(half), "--quiet", "--no-figure", "--anyway"]) == 0
    (noted,) = manifest(half)["anyway"]
    assert noted == {"sources": origin.sources(), "from_sources": OTHER}
    with pytest.warns(UserWarning, match=f"simulated with other sources of particlegvi \\(digest {OTHER}"):
        pg.load(half)
    put(half, status="interrupted")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert pg.resume(half).status == "finished"  # with what it was gone on with, it goes on again


@pytest.mark.parametrize("package", ["particlegvi", "numpy", "scipy", "numba", "finufft"])
@pytest.mark.sample("particlegvi", "finufft")
def test_other_versions_too(half, tmp_path, package):
    versions = manifest(half)["versions"]
    put(half, versions={**versions, package: "0.0.7"})
    refuse(lambda: pg.resume(half), f"{package} 0.0.7 .*--anyway")
    shutil.copytree(half, tmp_path / "anyway")
    assert pg.resume(tmp_path / "anyway", anyway=True).status == "finished"
    assert manifest(tmp_path / "anyway")["anyway"][0]["versions"][package] != "0.0.7"
    put(half, versions={**versions, "python": "3.0.0"})  # which does not reach the numbers
    assert pg.resume(half).status == "finished"


def test_control_a_folder_of_these_sources_goes_on_without_a_word(half):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pg.resume(half).status == pg.load(half).status == "finished"
    assert "anyway" not in manifest(half)


@pytest.mark.parametrize(("name", "words"), [("blas", "linear algebra"), ("processor", "processor")])
def test_another_machine_is_said_and_noted(half, name, words):
    put(half, machine={**machine(), name: "another one"})
    with pytest.warns(UserWarning, match=f"begun with the {words} another one, and this is") as told:
        pg.resume(half)
    assert len(told) == 1
    assert manifest(half)["resumed"][-1]["machine"] == machine()


@pytest.mark.thorough
def test_a_sweep_computes_the_cells_of_other_sources_anew_or_uses_them_anyway(tmp_path, monkeypatch):
    place = tmp_path / "s"
    first = pg.sweep(SWEPT, over=OVER, seeds=2, out=place)
    assert (first.computed, pg.sweep(SWEPT, over=OVER, seeds=2, out=place).computed) == (4, 0)
    assert manifest(place)["versions"]["sources"] == origin.sources()
    assert "sources" not in json.loads((place / "sweep.json").read_text(encoding="utf-8"))["versions"]
    monkeypatch.setattr(origin, "sources", lambda: OTHER)
    assert len(api.load(place)) == 4
    assert pg.sweep(SWEPT, over=OVER, seeds=3, out=place, anyway=True).computed == 2
    assert manifest(place)["anyway"][-1]["sources"] == OTHER
    with pytest.warns(UserWarning, match="with other sources of particlegvi \\(.*\\), and are computed anew; --anyway"):
        assert pg.sweep(SWEPT, over=OVER, seeds=2, out=place).computed == 4
