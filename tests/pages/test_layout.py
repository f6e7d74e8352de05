"""The layout of a page, in Chromium: pictures beside sliders, in a frame on a slide; numbers in one line."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import particlegvi as pg

from .chromium import CELL, assert_quiet, driven, in_chromium, opened, wait

pytestmark = in_chromium

SIZES = {"1400x900": (1400, 900), "1280x720": (1280, 720), "960x560": (960, 560), "phone": (390, 844)}
SEEN = """const inside = box => box.height > 0 && box.top >= -1 && box.bottom <= innerHeight + 1;
const boxes = query => [...document.querySelectorAll(query)].map(each => each.getBoundingClientRect());
const [pictures, verdicts] = [boxes("#live .panels canvas"), boxes("#live .verdict")];
const sliders = boxes(".settings input[type=range]").filter(b => b.height).filter(inside).length;
return { pictures: pictures.length > 0 && pictures.every(inside), verdicts: verdicts.every(inside), sliders };"""
# what the pictures draw anew: the arguments of each call of a method of a canvas, with the canvas's number
DRAWN = """const pictures = [...document.querySelectorAll("canvas")], seen = [];
const of = CanvasRenderingContext2D.prototype, before = of[arguments[0]];
of[arguments[0]] = function (...given) { seen.push([pictures.indexOf(this.canvas), ...given]); };
dispatchEvent(new Event("resize"));
of[arguments[0]] = before;
return seen;"""


@contextmanager
def sized(browser: Any, width: int, height: int) -> Iterator[None]:
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    yield
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@driven
@pytest.mark.parametrize("size", SIZES)
def test_sliders_and_pictures_are_seen_together(browser, page, size):
    """From the top of the page; on a phone after scrolling to the sliders, and the control: not before."""
    with sized(browser, *SIZES[size]):
        opened(browser, page)
        wait(browser, CELL)
        if size == "phone":
            assert browser.execute_script(SEEN)["sliders"] < 5
            browser.execute_script("document.querySelector('.settings').scrollIntoView({ block: 'end' })")
        seen = browser.execute_script(SEEN)
    assert seen["pictures"] and seen["sliders"] >= 5 and (size == "phone" or seen["verdicts"])


@driven
def test_a_frame_on_a_slide_has_pictures_and_sliders_alone(browser, page):
    overflow = "return document.documentElement.scrollHeight - innerHeight"
    with sized(browser, 960, 560):
        browser.get(f"{page.as_uri()}?embed#particles=50")
        wait(browser, CELL)
        seen = browser.execute_script(SEEN)
        assert seen["pictures"] and seen["verdicts"] and seen["sliders"] >= 6
        assert browser.execute_script(overflow) <= 0
        for part, is_there in (("h1", False), (".head", False), (".below", False), ("#play", True)):
            assert browser.find_element("css selector", part).is_displayed() is is_there
        opened(browser, page)
        assert browser.find_element("tag name", "h1").is_displayed() and browser.execute_script(overflow) > 0
    assert_quiet(browser)


@driven
@pytest.mark.parametrize("name", ["multimodal", "repulsion-alone"])
def test_pictures_on_a_slide_are_large_true_and_whole(browser, tmp_path, name):
    """Three panels at 1280x720 fill their frame; a plane has equal axes; a verdict of any length is not cut."""
    place = pg.page(name).save(tmp_path / "page.html")
    with sized(browser, 1280, 720):
        browser.get(f"{place.as_uri()}?embed#particles=20")
        wait(browser, CELL)
        browser.execute_script("document.querySelector('.verdict').textContent = 'long words '.repeat(9)")
        seen = browser.execute_script(SEEN)
        frames = browser.execute_script(DRAWN, "strokeRect")
        lowest = browser.execute_script("return document.querySelector('.verdict').getBoundingClientRect().bottom")
    assert seen["pictures"] and seen["verdicts"] and seen["sliders"] >= 7 and lowest > 650
    if name == "multimodal":
        assert len(frames) == 3
        for _, _, _, wide, high in frames:
            assert wide == pytest.approx(high) and wide > 200  # its window is a square


@driven
def test_a_replay_on_a_slide_fills_it(browser, tmp_path):
    run = pg.run("global-minimiser", particles=20, steps=40, out=tmp_path / "run")
    place = pg.page(run).save(tmp_path / "page.html")
    with sized(browser, 1280, 720):
        browser.get(f"{place.as_uri()}?embed")
        wait(browser, "document.querySelector('#replay .verdict').textContent")
        assert browser.execute_script("return document.querySelector('#replay canvas').clientHeight") > 350


@driven
def test_no_bar_is_cut(browser, tmp_path):
    """Shares add to one: the bars of DE and DRE, together, are equally high; a cut one would be missing."""
    place = pg.page("repulsion-alone").save(tmp_path / "page.html")
    with sized(browser, 1280, 720):
        opened(browser, place, "#particles=200&step_size=0.01")
        wait(browser, CELL)
        browser.execute_script("document.getElementById('end').click()")
        wait(browser, "document.querySelectorAll('.verdict')[1].textContent.startsWith('at rest')", 60.0)
        bars = browser.execute_script(DRAWN, "fillRect")
    heights = [[high for canvas, _, _, wide, high in bars if canvas == k and wide > 1 and high > 4] for k in (0, 1)]
    assert sum(heights[0]) == pytest.approx(sum(heights[1]), rel=1e-6)
    assert max(heights[1]) / sum(heights[1]) == pytest.approx(0.66, abs=0.05)  # the others are 34%, where DE has 31%
