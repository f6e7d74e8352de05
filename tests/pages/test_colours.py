"""Colours of a page: those of the figures of the same runs, in light and in dark, and enough contrast."""

import re

import pytest

import particlegvi as pg
from particlegvi.pages import building
from particlegvi.pages.colours import GROUNDS, colours_of, sheet, visible
from particlegvi.plotting import style
from particlegvi.plotting.look import Look, drawn_in
from particlegvi.settings import colours

from .test_pages import data_of

OWN = {"mine": "mine", "theirs": "theirs", "cold": "DLE", "warm": "DLE", "hot": "DLE"}
WEIGHTS = {"cold": (0.1, 0.0), "warm": (1.0, 0.0), "hot": (10.0, 0.0), "DLE": (0.1, 0.0)}


def themes() -> list[dict[str, str]]:
    """The declarations of the style sheet for the light and for the dark."""
    text = (building.ASSETS / "view" / "page.css").read_text(encoding="utf-8")
    rules = re.findall(r":root[^{]*{([^}]*)}", text)
    return [found for rule in rules if (found := dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6});", rule)))]


def test_words_can_be_read_in_light_and_in_dark():
    assert len(themes()) == 2 and colours.contrast("#000000", "#FFFFFF") == pytest.approx(21.0)
    for theme in themes():
        for name in set(theme) - {"line", "ground", "panel"}:
            for ground in ("ground", "panel"):
                assert colours.contrast(theme[name], theme[ground]) >= 4.5, (name, theme[name], theme[ground])


def test_methods_have_contrast_in_light_and_in_dark():
    """3 to 1 for lines and 4.5 to 1 for words (WCAG 2.2), of every method of the table and of names of one's own."""
    table = {name: name for name in colours.METHODS}
    for found in (colours_of(table, {}), colours_of(OWN, table, weights=WEIGHTS), colours_of(OWN, table)):
        rules, names = sheet(found)
        declared = [dict(re.findall(r"(--m[\w-]+): (#\w+);", rule)) for rule in rules.splitlines()]
        assert len(declared) == 2 and len({*names.values()}) == len(found["light"]) == len(found["dark"])
        for theme, declares in zip(themes(), declared, strict=True):
            for name in names.values():
                assert colours.contrast(declares[name], theme["ground"]) >= 3.0
                assert colours.contrast(declares[f"{name}-words"], theme["ground"]) >= 4.5
    assert [theme["ground"] for theme in themes()] == [ground.lower() for ground in GROUNDS.values()]
    assert colours.contrast(colours.ORANGE, "#FFFFFF") < 2.5  # the control: the figure of DRE
    changed = {name for name, colour in colours.of_methods("light").items() if visible(colour, "light") != colour}
    assert changed == {"DRE", "FDGVI", "BLR"}


@pytest.mark.parametrize("name", ["temperature", pytest.param("over-the-barrier", marks=pytest.mark.slow)])
def test_a_page_has_the_colours_of_the_figures(name):
    runs = pg.run(name, particles=4, steps=2, progress=None)
    for html in (pg.page(name).html, runs.page().html):
        names = data_of(html)["colours"]
        for place, ground in enumerate(("light", "dark")):
            with drawn_in(Look(palette=ground)):
                drawn = style.colours(runs)
            for label, colour in drawn.items():
                assert re.findall(rf"{names[label]}: (#\w+);", html)[place] == colour
        assert {"DE", "DLE", "DRE", "DRLE"} <= set(names)
