"""A live page in Chromium: the numbers of the engine, what a student does, states in the address."""

from urllib.parse import urlencode

import pytest

from .chromium import (
    LABEL,
    assert_quiet,
    by_id,
    driven,
    in_chromium,
    opened,
    wait,
)

pytestmark = in_chromium


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
    assert "on a page DE has one on the line only" in browser.find_element("css selector", "figcaption").text
    cell = browser.find_element("css selector", "#live tbody td").text
    assert len(cell.split(";")) == 2 and "\u2013" not in cell
    assert_quiet(browser)
