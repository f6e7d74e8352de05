"""A live page in Chromium: the numbers of the engine, what a student does, states in the address."""

import time
from urllib.parse import urlencode

import pytest

from .chromium import (
    LABEL,
    assert_quiet,
    by_id,
    driven,
    in_chromium,
    opened,
    step_is,
    wait,
)

pytestmark = in_chromium


@driven
@pytest.mark.slow
def test_a_students_session(browser, page):
    """A formula with a mistake, corrected; sliders by keyboard; steps, play, pause."""
    opened(browser, page)
    assert "TOML" not in browser.title
    by_id(browser, "kind").send_keys("a formula in t")
    box = by_id(browser, "formula")
    box.clear()
    box.send_keys("t^2/2 + foo(t)\t")
    error = browser.find_element("css selector", ".error")
    assert "foo" in error.text and "place 9" in error.text
    box.clear()
    box.send_keys("t^2/2 + cos(3*t)\t")
    assert error.text == ""
    left, right = "\ue012", "\ue014"
    by_id(browser, "kl_weight").send_keys(left * 6)  # six steps of a twentieth of a decade: 10 ** -0.3
    by_id(browser, "seed").send_keys(right * 3)
    browser.execute_script("document.activeElement.blur()")
    body = browser.find_element("tag name", "body")
    body.send_keys("...")
    step_is(browser, 3)
    body.send_keys(" ")
    time.sleep(1.0)
    body.send_keys(" ")
    assert_quiet(browser)


@driven
def test_every_state_is_in_the_address(browser, page):
    state = {"loss": "t^4/4 - t^2", "kl_weight": "0.3", "particles": "77", "pace": "5"}
    state["seed"] = "12345678901234567890"
    opened(browser, page, f"#{urlencode(state)}")
    assert "77" in wait(browser, LABEL)
    by_id(browser, "link").click()
    fragment = by_id(browser, "address").get_attribute("value").partition("#")[2]
    found = browser.execute_script("return Object.fromEntries(new URLSearchParams(arguments[0]))", fragment)
    assert {key: found[key] for key in state} == state
    assert_quiet(browser)


@driven
@pytest.mark.parametrize("loss", ["four-gaussians", "(x^2 - 1)^2 + y^2"])
def test_a_page_goes_to_the_plane(browser, page, loss):
    """The prior of the page, on the line, stands for every coordinate."""
    opened(browser, page, f"#{urlencode({'loss': loss})}&particles=30")
    assert browser.find_element("css selector", ".error").text == ""
    assert "30 particles" in wait(browser, LABEL)
    cell = browser.find_element("css selector", "#live tbody td").text
    assert len(cell.split(";")) == 2 and "\u2013" not in cell
    assert_quiet(browser)
