"""The command line with parts from outside: listed with their origin, registered by a file, and sent to processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from particlegvi.cli import main
from particlegvi.tools import registry
from particlegvi.tools.cells.sending import sent

STEPS = """
import numpy as np
import particlegvi as pg
from particlegvi.integrators import StepCoefficients, integrator

@pg.integrators.register
@integrator("half-noise")
def half_noise(step_size, temperature, stiffness):
    ones = np.ones_like(stiffness)
    return StepCoefficients(step_size * ones, np.sqrt(0.5 * step_size * temperature) * ones, 0.0 * ones)
"""
ALONE = ["--set", "methods.DE=false", "--set", "methods.DRLE=false"]
FEW = ["--set", "particles=8", "--set", "steps=20", "--quiet", "--no-figure"]
SHORT = [*FEW, *ALONE, "--set", "integrator=half-noise"]


@pytest.fixture
def file(nothing_from_outside, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_steps.py").write_text(STEPS)
    return "my_steps.py"


def test_the_list_shows_every_part_with_its_origin(file, install, capsys):
    entries = ["ring = bowls:Ring", "deep-bowl = bowls:Bowl"]
    install("bowls", {"losses": entries})
    assert main(["list", "--parts", file, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    found = {(each["kind"], each["name"], each["origin"]): each["problem"] for each in listed}
    assert found["losses", "ring", "particlegvi"] == ""
    assert found["integrators", "half-noise", "the module my_steps"] == ""
    assert found["losses", "ring", "bowls 1.5"] == registry.TAKEN
    assert "ModuleNotFoundError" in found["losses", "deep-bowl", "bowls 1.5"]
    kinds = {kind for kind, _, origin in found if origin == "particlegvi"}
    assert {"kernels", "priors", "methods", "schedules", "covariances", "likelihoods", "figures"} <= kinds
    assert {"kinds", "facts", "models", "claims"} <= kinds
    assert main(["list", "--parts"]) == 0
    assert "half-noise" in capsys.readouterr().out  # of this process


def test_a_part_of_a_notebook_is_refused_in_another_process_when_it_is_asked_for(nothing_from_outside):
    import particlegvi as pg
    from particlegvi.tools import plugins, sources

    pg.schedules.register(type("Mine", (), {"name": "mine", "__module__": "__main__"}))
    function = sent(len)
    plugins._registered.clear()  # as in the other process
    assert function([1]) == 1
    with pytest.raises(ValueError, match="put it into a file such as my_parts.py, and say import my_parts, or --parts"):
        pg.schedules.get("mine")
    with pytest.raises(ValueError, match="which another process cannot import"):
        sources.changed({**sources.versions(), "schedules mine": "the module __main__"})  # as a worker asks


@pytest.mark.slow
def test_a_sweep_in_processes_has_the_numbers_of_one_in_this_process(file):
    sweep = ["sweep", "global-minimiser", "--seeds", "3", "--parts", file, *SHORT]
    for workers in ("1", "2"):
        assert main([*sweep, "--workers", workers, "--out", f"of-{workers}"]) == 0
    assert Path("of-1/table.csv").read_text() == Path("of-2/table.csv").read_text()
    assert json.loads(Path("of-1/manifest.json").read_text())["versions"]["integrators half-noise"]
