"""Parts from outside: found among entry points or registered, never instead of ours, and refused in one sentence."""

import os
import sys

import pytest

import particlegvi as pg
from particlegvi.tools import plugins

from ..refusals import refuse

LOSS = """
from typing import NamedTuple

class _Fields(NamedTuple):
    curvature: float = 1.0

class Bowl(_Fields):
    name = "{name}"
    dim = 1

    def value(self, x):
        return 0.5 * self.curvature * x[0] * x[0]

    def gradient(self, x, out):
        out[0] = self.curvature * x[0]
"""


QUADRATIC = 'loss = "x^2/2"\n[methods.DLE]\nkl_weight = 0.25\n'


def test_a_name_of_an_installed_package_is_a_name(install):
    install("bowls", {"losses": ["deep-bowl = bowls.parts:Bowl"]}, parts__py=LOSS.format(name="deep-bowl"))
    assert "deep-bowl" in pg.losses.names()
    assert "bowls.parts" not in sys.modules  # naming it imports nothing
    assert pg.losses.get("deep-bowl", curvature=3.0).value([[2.0]])[0] == 6.0
    refuse(lambda: pg.losses.get("deep-bwol"), 'there is no loss "deep-bwol"; did you mean "deep-bowl"')


def test_two_packages_with_one_name_are_refused_with_both(install):
    files = {"parts__py": LOSS.format(name="deep-bowl"), "shelf_in___init____py": "", "shelf_in_mine__toml": QUADRATIC}
    for each in ("bowls", "basins"):
        groups = {"losses": [f"deep-bowl = {each}.parts:Bowl"], "scenarios": [f"{each} = {each}.shelf"]}
        install(each, groups, **files)
    for call, words in (
        (lambda: pg.losses.get("deep-bowl"), 'name "deep-bowl" of a loss is given by'),
        (lambda: pg.scenarios.get("mine"), 'name "mine" of a scenario is given by'),
    ):
        said = refuse(call, words)
        assert "bowls 1.5" in said and "basins 1.5" in said
    assert "mine" in [each["name"] for each in pg.scenarios.entries()]


def test_ours_cannot_be_replaced(install):
    install("bowls", {"losses": ["double-well = bowls.parts:Bowl"]}, parts__py=LOSS.format(name="double-well"))
    assert pg.losses.registry["double-well"].__module__ == "particlegvi.losses.double_well"
    with pytest.raises(ValueError, match='the loss "double-well" must have another name: particlegvi has this one'):
        pg.losses.register(type("Mine", (), {"name": "double-well"}))


@pytest.mark.parametrize(
    ("entry", "content", "sentence"),
    [
        ("deep-bowl = bowls.nowhere:Bowl", "", "bowls.nowhere:Bowl fails with ModuleNotFoundError"),
        ("deep-bowl = bowls.parts:Bowl", "1 / 0", "bowls.parts:Bowl fails with ZeroDivisionError: division by zero"),
        ("deep-bowl = bowls.parts:Bowl", LOSS.format(name="other"), 'bowls.parts:Bowl must have name = "deep-bowl"'),
    ],
)
def test_a_part_that_cannot_be_imported_is_named_and_disturbs_no_other(install, entry, content, sentence):
    good = "shallow-bowl = bowls.good:Bowl"
    install("bowls", {"losses": [entry, good]}, parts__py=content, good__py=LOSS.format(name="shallow-bowl"))
    refuse(lambda: pg.losses.get("deep-bowl"), f'the loss "deep-bowl" of bowls 1.5 cannot be used: .*{sentence}')
    assert pg.losses.registry["shallow-bowl"].__module__ == "bowls.good"


def test_a_registered_part_lives_in_this_process_and_can_be_edited(nothing_from_outside):
    def cell(curvature):
        names = {"__name__": "__main__"}
        exec(LOSS.format(name="my-bowl").replace("self.curvature *", f"{curvature} * self.curvature *"), names)
        return pg.losses.register(names["Bowl"])

    for curvature in (1.0, 3.0):  # a cell of a notebook, and again after an edit
        made = cell(curvature)
        assert pg.losses.registry["my-bowl"] is made
    other = type("Other", (), {"name": "my-bowl", "__module__": "elsewhere"})
    refuse(lambda: pg.losses.register(other), "must have another name: the module __main__ has this one")
    refuse(lambda: pg.losses.register(object()), "must be a class or a function with a name")


def test_a_file_registers_parts_once(nothing_from_outside, tmp_path):
    file = tmp_path / "my_bowls.py"
    file.write_text("import particlegvi as pg\n" + LOSS.format(name="my-bowl") + "\npg.losses.register(Bowl)\n")
    plugins.load_file(str(file))
    plugins.load_file(str(file))
    assert "my-bowl" in pg.losses.names()
    os.mkfifo(tmp_path / "pipe.py")
    for wrong, sentence in (
        ("pipe.py", "must be the path of a module such as my_parts.py"),
        ("nowhere.py", "cannot be read: No such file"),
        ("my bowls.toml", "must be the path of a module such as my_parts.py"),
        *((name, f"with another name than {name}") for name in ("json.py", "sys.py", "__main__.py")),
    ):
        refuse(lambda wrong=wrong: plugins.load_file(str(tmp_path / wrong)), sentence)


def test_scenarios_of_an_installed_package(install):
    """One that cannot be read is in the list all the same."""
    files = {f"shelf_in_{name}__toml": QUADRATIC for name in ("mine", "multimodal")}
    files |= {"shelf_in_bad__toml": "loss = ", "shelf_in_round__toml": 'based_on = "round"'}
    groups = {"scenarios": ["bowls = bowls.shelf", "lost = bowls.nowhere"]}
    install("bowls", groups, shelf_in___init____py="", **files)
    assert pg.scenarios.get("mine")["methods"]["DLE"]["kl_weight"] == 0.25
    assert pg.scenarios.get("mine")["name"] == "mine" and "mine" in pg.scenarios.names()
    assert pg.scenarios.path("multimodal").parent == pg.scenarios.folder()  # ours comes first
    (entry,) = [each for each in pg.scenarios.entries() if each["name"] == "bad"]
    assert entry["title"].startswith("cannot be read: Invalid value")
    assert "mine" in pg.scenarios.names("particles") and "bad" not in pg.scenarios.names("particles")
    refuse(lambda: pg.scenarios.get("bad"), "bad.toml is not valid TOML")
    refuse(lambda: pg.scenarios.get("round"), "based_on leads in a circle")
