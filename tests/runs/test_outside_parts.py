"""A folder of a run with a part from outside: it names the package, and is not read or finished without it."""

import sys
import warnings
from importlib import metadata

import pytest

import particlegvi as pg
from particlegvi.tools import plugins

from ..refusals import refuse
from .interrupting import SHORT, change_manifest, interrupted, manifest

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
    for table in (plugins._registered, plugins._imported):
        table.clear()
    plugins.installed.cache_clear()


def test_a_finished_run_names_the_package_and_is_not_read_without_it(install, tmp_path):
    install("stairways", {"schedules": ["stairs = stairways.parts:Stairs"]}, parts__py=STAIRS)
    place = tmp_path / "run"
    pg.run("global-minimiser", out=place, **SHORT, **STEPS)
    ((key, noted),) = manifest(place)["parts"].items()
    assert key == "schedules stairs" and noted.startswith("stairways 1.5, digest ")
    forget()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pg.load(place)["DLE"].steps[-1] == 60
    code = next(tmp_path.rglob("stairways/parts.py"))
    code.write_text(STAIRS.replace("0.5 **", "0.6 **"))  # an edit within the version
    forget()
    with pytest.warns(UserWarning, match="of stairways 1.5, digest .* and this is that of stairways 1.5, digest"):
        pg.load(place)
    code.write_text(STAIRS)
    about = tmp_path / "stairways-1.5.dist-info"
    (about / "METADATA").write_text((about / "METADATA").read_text().replace("1.5", "1.6"))
    forget()
    with pytest.warns(UserWarning, match='simulated with "stairs" .particlegvi.schedules. of stairways 1.5, digest'):
        pg.load(place)
    (about / "entry_points.txt").write_text("")
    forget()
    for function in (pg.load, pg.resume):
        missing = lambda function=function: function(place)
        refuse(missing, "of stairways 1.5, which is not here; install stairways 1.5")


FACT = """
import sklearn

from particlegvi.scenario.kinds.facts import fact, is_number
from particlegvi.scenario.kinds.particles.facts import facts

@facts.register
@fact(990, halved=is_number)
def halved(evidence):
    return {"halved": 1.0 / NUMBER}
"""


def test_a_fact_that_fails_is_named_and_once_mended_it_finishes_the_run(nothing_from_outside, tmp_path):
    file, place = tmp_path / "my_fact.py", tmp_path / "run"
    file.write_text(FACT.replace("NUMBER", "0"))
    plugins.load_file(str(file))
    with pytest.raises(RuntimeError, match="^the fact halved failed: ZeroDivisionError: .*; the runs are kept"):
        pg.run("lifting", out=place, **SHORT, facts=["halved"])
    done = manifest(place)
    assert done["status"] == "failed" and done["methods"] == ["DLE"]
    assert done["versions"]["scikit-learn"] == metadata.version("scikit-learn") and "torch" not in done["versions"]
    forget()
    del sys.modules["my_fact"]
    file.write_text(FACT.replace("NUMBER", "2.0"))  # of another length: Python keeps compiled files by second and size
    plugins.load_file(str(file))
    heard = []
    results = pg.resume(place, progress=lambda label, done, steps: heard.append(label))
    assert results.summary["methods"]["DLE"]["halved"] == 0.5 and not heard  # nothing is simulated again
    change_manifest(place, status="interrupted", versions={**done["versions"], "scikit-learn": "0.0.1"})
    refuse(lambda: pg.resume(place), "was begun with scikit-learn 0.0.1 and this is")


@pytest.mark.needs("jax")
def test_the_library_of_a_loss_counts(nothing_from_outside, tmp_path):
    import jax

    jax.config.update("jax_enable_x64", True)
    loss = pg.Loss.from_jax(lambda x: x[0] ** 2, 1)
    for each, there in ((loss, True), (pg.losses.get("double-well"), False)):
        place = tmp_path / each.kind
        pg.simulate(each, pg.methods.DE(), pg.priors.Normal(), 3, 4, 0.01, out=place)
        assert ("jax" in manifest(place)["versions"]) == there


def test_another_version_is_refused_until_anyway(nothing_from_outside, tmp_path):
    file, place = tmp_path / "my_stairs.py", tmp_path / "run"
    file.write_text(REGISTERED)
    plugins.load_file(str(file))
    interrupted(place, 3, **STEPS)
    forget()
    del sys.modules["my_stairs"]
    refuse(lambda: pg.resume(place), "import my_stairs first, or say --parts my_stairs.py")
    plugins.load_file(str(file))
    [note] = manifest(place)["parts"].values()
    assert note.startswith("the module my_stairs, digest ")
    code = file.read_text()
    file.write_text(code + "# edited\n")
    refuse(lambda: pg.resume(place), "of the module my_stairs, digest .* and this is that of the module my_stairs, dig")
    file.write_text(code)
    change_manifest(place, parts={"schedules stairs": "stairways 1.5"})
    refuse(lambda: pg.resume(place), 'begun with "stairs" .* of stairways 1.5 .*--anyway')
    assert pg.resume(place, anyway=True).status == "finished"
    assert manifest(place)["anyway"][0]["parts"]["schedules stairs"]
