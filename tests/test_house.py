"""docs/house.md names every folder, and its picture shows the imports as they are."""

from collections import Counter
from pathlib import Path

import pytest

from .sources import script

SAME_NAME = 4


@pytest.fixture(scope="module")
def house(root):
    return script(root / "docs" / "house.py")


def test_every_folder_has_its_line(root):
    text = (root / "docs" / "house.md").read_text(encoding="utf-8")
    folders = {path.parent.name for path in (root / "particlegvi").glob("*/__init__.py")}
    assert {name for name in folders if f"`{name}/`" not in text} == set()
    assert "`nowhere/`" not in text


def crowded(paths):
    """The names that more than four files have, `__init__` apart: a reader would have to tell them by their folders."""
    counts = Counter(path.name for path in paths if path.name != "__init__.py")
    return {name for name, count in counts.items() if count > SAME_NAME}


def test_at_most_four_files_have_one_name(root):
    assert crowded((root / "particlegvi").rglob("*.py")) == set()
    assert crowded([Path(f"{folder}/table.py") for folder in "abcde"]) == {"table.py"}


def test_files_that_the_road_names_exist(root):
    text = (root / "docs" / "house.md").read_text(encoding="utf-8")
    road = text[text.index("## Two roads") : text.index("## Where to add")]
    named = [word for word in road.split("`") if word.endswith(".py")]
    assert len(named) > 20
    assert [word for word in named if not (root / "particlegvi" / word).is_file()] == []


@pytest.mark.thorough
def test_the_picture_shows_the_imports(root, house):
    """`python docs/house.py` draws it again."""
    from PIL import Image

    with Image.open(root / "docs" / "house.png") as picture:
        assert picture.info["Description"] == house.described()


@pytest.mark.slow
def test_the_two_roads_stay_short(root):
    """Files of the package that a call passes, each road in a process of its own with an empty cache."""
    roads = script(root / "benchmarks" / "roads.py")
    files = {name: len(roads.road(name)) for name in roads.ROADS}
    assert 100 < files["particlegvi run global-minimiser"] <= 110
    assert 30 < files["pg.simulate"] <= 40
