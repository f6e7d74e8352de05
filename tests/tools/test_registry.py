"""Names: finding the parts of a package, and the nearest right name for a wrong one."""

import sys

import pytest

from particlegvi.tools.registry import Registry, look_up, unknown

from ..refusals import refuse


def test_unknown_is_one_short_sentence_with_the_nearest_name():
    error = unknown("loss", "duble-well", ["double-well", "ring"])
    assert str(error) == 'there is no loss "duble-well"; did you mean "double-well"? allowed: double-well, ring'
    message = str(unknown("key", "x" * 10_000, [f"name-{number}" for number in range(1000)]))
    assert len(message) < 1000 and message.endswith(", ...")
    assert "[1, 2]" in str(unknown("loss", [1, 2], ["ring"]))  # things that are no names
    refuse(lambda: look_up("loss", ["ring"], {"ring": 1}), "there is no loss")


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Makes a package of the given modules and returns its registry."""
    monkeypatch.syspath_prepend(str(tmp_path))
    made = []

    def make(name, **modules):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "__init__.py").write_text("")
        for module, source in modules.items():
            (folder / f"{module}.py").write_text(source)
        made.append(name)
        return Registry(name, "thing")

    yield make
    for module in [module for module in sys.modules if module.split(".")[0] in made]:
        del sys.modules[module]


def test_a_new_file_is_all_that_a_new_part_needs(package):
    registry = package(
        "parts_found",
        b_class="class Second:\n    name = 'second'\nalias = Second\n",
        a_function="def first():\n    pass\nfirst.name = 'first'\n",
        other="from parts_found.b_class import Second\nname = 'not a part'\nnumber = 3\nclass Nameless:\n    pass\n",
        _hidden="class Hidden:\n    name = 'hidden'\n",
    )
    assert registry.names() == ["first", "second"]
    assert registry["second"].name == "second"
    refuse(lambda: registry["secnod"], 'there is no thing "secnod"; did you mean "second"')


def test_a_part_in_the_module_of_its_name_is_found_without_the_others(package):
    registry = package(
        "parts_at_home",
        at_home="class Part:\n    name = 'at-home'\n",
        elsewhere="class Other:\n    name = 'away'\n",
        away="import parts_at_home.elsewhere\n",
    )
    assert registry["at-home"].name == "at-home"
    assert "parts_at_home.elsewhere" not in sys.modules
    assert registry["away"].name == "away"  # the module of that name defines no part
    assert registry.names() == ["at-home", "away"]
    for wrong in ("at-home.part", "../at_home", "", "_at-home", ["at-home"], 3):
        refuse(lambda wrong=wrong: registry[wrong], "there is no thing")


def test_two_parts_of_one_name_are_refused(package):
    registry = package("parts_twice", one="class A:\n    name = 'same'\n", two="class B:\n    name = 'same'\n")
    with pytest.raises(RuntimeError, match='defines "same"'):
        registry.names()


def test_a_part_is_made_from_its_parameters(package):
    module = "class Disc:\n    name = 'disc'\n    def __init__(self, radius, at=0.0):\n        self.at = at\n"
    registry = Registry(package("parts_made", disc=module).package, "shape", {"round-thing": "disc"})
    assert registry.get("disc") is registry["disc"] and registry.make("disc", radius=2.0).at == 0.0
    refuse(lambda: registry.make("disc"), "^radius of the shape disc must be given, not left out$")
    refuse(lambda: registry.make("disc", radius=1.0, to=1), "no parameter of the shape disc .to.")
    refuse(lambda: registry.get("Round_Thing"), "did you mean .disc.")
