"""The layout of a page, in Chromium: pictures beside sliders, in a frame on a slide; numbers in one line."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from .chromium import CELL, assert_quiet, driven, in_chromium, opened, wait

pytestmark = in_chromium

SIZES = {"1400x900": (1400, 900), "1280x720": (1280, 720), "960x560": (960, 560), "phone": (390, 844)}
SEEN = """const inside = box => box.height > 0 && box.top >= -1 && box.bottom <= innerHeight + 1;
const boxes = query => [...document.querySelectorAll(query)].map(each => each.getBoundingClientRect());
const [pictures, sliders] = [boxes("#live .panels canvas"), boxes(".settings input[type=range]").filter(b => b.height)];
return { pictures: pictures.length > 0 && pictures.every(inside), sliders: sliders.filter(inside).length };"""


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
    assert seen["pictures"] and seen["sliders"] >= 5


@driven
def test_a_frame_on_a_slide_has_pictures_and_sliders_alone(browser, page):
    overflow = "return document.documentElement.scrollHeight - innerHeight"
    with sized(browser, 960, 560):
        browser.get(f"{page.as_uri()}?embed#particles=50")
        wait(browser, CELL)
        seen = browser.execute_script(SEEN)
        assert seen["pictures"] and seen["sliders"] >= 6 and browser.execute_script(overflow) <= 0
        for part, is_there in (("h1", False), (".head", False), (".below", False), ("#play", True)):
            assert browser.find_element("css selector", part).is_displayed() is is_there
        opened(browser, page)
        assert browser.find_element("tag name", "h1").is_displayed() and browser.execute_script(overflow) > 0
    assert_quiet(browser)


@driven
@pytest.mark.thorough
def test_a_frame_does_not_scroll_the_page_around_it(browser, page, tmp_path):
    around = tmp_path / "around.html"
    frame = f'<iframe src="{page.as_uri()}" height="900"></iframe>'
    around.write_text(f'<p style="height: 20rem">{frame}', encoding="utf-8")
    browser.get(around.as_uri())
    browser.switch_to.frame(0)
    wait(browser, CELL)
    assert browser.execute_script("return location.hash") == ""  # a fragment here scrolls the page around it
    browser.switch_to.default_content()
    assert browser.execute_script("return scrollY") == 0
    assert_quiet(browser)
