"""Rivals outside the package: found in a clone alone, and doing the same work as the engine."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.bench import functions, rivals, workloads
from particlegvi.cli import main
from particlegvi.functionspace import covariances
from particlegvi.functionspace.selection.objectives import CollapsedBound


@pytest.fixture
def alone(tmp_path, monkeypatch):
    """The package as if installed in ``tmp_path``."""
    monkeypatch.setattr(rivals, "CLONE", tmp_path)
    return tmp_path


def put_rivals(folder, source="TITLES, RIVALS = {}, {}"):
    (folder / "benchmarks" / "rivals").mkdir(parents=True)
    (folder / "benchmarks" / "rivals" / "__init__.py").write_text(source)


def test_a_clone_has_rivals_of_workloads_that_exist():
    module = rivals.rivals()
    assert module is not None and set(module.RIVALS) < set(workloads.WORKLOADS)
    assert {library for each in module.RIVALS.values() for library, _ in each} == set(module.TITLES)


def test_libraries_that_a_workload_lacks_are_named(monkeypatch):
    monkeypatch.setattr(rivals, "installed", lambda name: name == "jax")
    assert rivals.left_out(["dle-million", "de-figure"]).endswith("cannot be imported here: PyTorch, BlackJAX")
    assert rivals.left_out(["direct-pairs"]) == rivals.left_out(["de-figure"]) == ""
    assert rivals.contenders("elbo-gradient", True) == []


def test_contenders_of_installed_libraries_are_made(monkeypatch):
    monkeypatch.setitem(rivals.rivals().RIVALS, "de-figure", [("json", lambda quick: quick), ("no_such", None)])
    assert rivals.contenders("de-figure", True) == [True]


@pytest.mark.thorough
def test_an_installed_package_measures_alone_and_says_where_the_rivals_are(alone, capsys):
    assert main(["bench", "--only", "direct-pairs", "--quick", "--out", str(alone / "out")]) == 0
    rows = json.loads((alone / "out" / "results.json").read_text())["workloads"]["direct-pairs"]["rows"]
    assert [row["name"] for row in rows] == ["particlegvi", "numba double loop"]
    assert rows[0]["ratio"] == 1.0 and all(row["seconds"] > 0.0 for row in rows)
    assert "benchmarks/rivals of a clone" in capsys.readouterr().out


def test_code_of_other_folders_is_not_run(alone, monkeypatch):
    """Neither a folder ``benchmarks`` beside an installed package nor one in the working folder is a clone's."""
    put_rivals(alone, "raise SystemExit")
    assert rivals.rivals() is None
    (alone / "setup.cfg").touch()
    monkeypatch.delitem(sys.modules, rivals.MODULE, raising=False)
    with pytest.raises(SystemExit):
        rivals.rivals()
    assert rivals.MODULE not in sys.modules
    elsewhere = alone / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setattr(rivals, "CLONE", elsewhere)
    monkeypatch.chdir(alone)
    assert rivals.rivals() is None


@pytest.mark.slow
def test_the_loop_in_jax_takes_the_same_drift():
    pytest.importorskip("jax")
    loops = rivals.rivals().loops
    x = pg.priors.Normal(0.0, 1.0).sample(60)[:, 0]
    ours = workloads.rivals.numpy_loop(x, 50, 1e-3, 0.0, 1.0)
    np.testing.assert_allclose(loops.jax_scan(x, 50, 1e-3, 0.0, 1.0)(), ours, rtol=0, atol=1e-12)


@pytest.mark.slow
def test_gpflow_computes_the_same_bound():
    pytest.importorskip("gpflow")
    X, y = functions.smooth(300)
    Z = X[:100]
    ours = CollapsedBound(covariances.SquaredExponential(np.full(8, 2.0), 1.0), X, y, functions.NOISE)
    theirs = rivals.rivals().processes.gpflow_bound(X, y, Z)()
    assert ours.everywhere(Z)[0] == pytest.approx(theirs, rel=1e-4)
