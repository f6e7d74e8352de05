"""A folder of a run with a part from outside: it names the package, and is not read or finished without it."""

import sys
import warnings

import pytest

import particlegvi as pg
from particlegvi.tools import outside

from ..refusals import refuse
from .interrupting import SHORT, interrupted, manifest

STAIRS = """
from dataclasses import dataclass
from typing import ClassVar

from particlegvi.integrators.schedules import Schedule

@dataclass(frozen=True)
class Stairs(Schedule):
    every: float
    name: ClassVar[str] = "stairs"

    def at(self, step):
        return self.initial * 0.5 ** (step // self.every)
"""
REGISTERED = f"import particlegvi as pg\n{STAIRS}\npg.schedules.register(Stairs)\n"
ALONE = {"methods.DE": False, "methods.DRLE": False}
STEPS = {"step_size": {"schedule": "stairs", "initial": 0.01, "every": 30}, **ALONE}


def forget():
    """As in another process."""
    for table in (outside._registered, outside._imported):
        table.clear()
    for each in (outside.installed, outside.digest):
        each.cache_clear()


def test_a_finished_run_names_the_package_and_is_not_read_without_it(install, tmp_path):
    install("stairways", {"schedules": ["stairs = stairways.parts:Stairs"]}, parts__py=STAIRS)
    place = tmp_path / "run"
    pg.run("global-minimiser", out=place, **SHORT, **STEPS)
    ((key, noted),) = manifest(place)["parts"].items()
    assert key == "schedules stairs"
    assert noted == f"stairways 1.5, digest {outside.digest(outside.origins('schedules', 'stairs')[0])}"
    forget()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pg.load(place)["DLE"].steps[-1] == 60
    (tmp_path / "stairways" / "helper.py").write_text("")  # of the same package
    forget()
    with pytest.warns(UserWarning, match='simulated with "stairs" .particlegvi.schedules. of stairways 1.5, digest'):
        pg.load(place)
    (tmp_path / "stairways-1.5.dist-info" / "entry_points.txt").write_text("")
    forget()
    for function in (pg.load, pg.resume):
        missing = lambda function=function: function(place)
        refuse(missing, "of stairways 1.5, which is not here; install stairways 1.5")


def test_a_run_of_the_package_alone_notes_nothing(nothing_from_outside, tmp_path):
    pg.run("lifting", out=tmp_path / "run", **SHORT)
    assert "parts" not in manifest(tmp_path / "run") and not outside.asked()


def test_other_sources_are_refused_until_anyway(nothing_from_outside, tmp_path):
    file, place = tmp_path / "my_stairs.py", tmp_path / "run"
    file.write_text(REGISTERED)
    outside.load_file(str(file))
    interrupted(place, 3, **STEPS)
    forget()
    del sys.modules["my_stairs"]
    refuse(lambda: pg.resume(place), "import my_stairs first, or say --parts my_stairs.py")
    file.write_text(f"{REGISTERED}\n# another")
    outside.load_file(str(file))
    refuse(lambda: pg.resume(place), 'begun with "stairs" .* of the module my_stairs, digest .*--anyway')
    assert pg.resume(place, anyway=True).status == "finished"
    assert manifest(place)["anyway"][0]["parts"]["schedules stairs"]


@pytest.mark.thorough
def test_a_sweep_computes_the_cells_of_other_sources_anew(install, tmp_path):
    install("stairways", {"schedules": ["stairs = stairways.parts:Stairs"]}, parts__py=STAIRS)
    over = {"seeds": 2, "out": tmp_path / "sweep", "particles": 4, "steps": 10, **STEPS}
    assert pg.sweep("global-minimiser", **over).computed == 2
    forget()
    assert pg.sweep("global-minimiser", **over).computed == 0
    (tmp_path / "stairways" / "helper.py").write_text("")
    forget()
    next((tmp_path / "sweep" / "cells").glob("*.json")).unlink()
    with pytest.raises(ValueError, match='begun with "stairs" .particlegvi.schedules. of stairways 1.5, digest'):
        pg.resume(tmp_path / "sweep")
    with pytest.warns(UserWarning, match="computed anew"):
        assert pg.sweep("global-minimiser", **over).computed == 2
    (tmp_path / "stairways-1.5.dist-info" / "entry_points.txt").write_text("")
    forget()
    with pytest.raises(ValueError, match="install stairways 1.5"):
        pg.load(tmp_path / "sweep")
