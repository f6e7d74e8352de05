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
    step_is,
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


@driven
def test_nothing_is_judged_before_it_has_moved(browser, page):
    opened(browser, page, f"#{urlencode({'loss': 't^4-3*t^2+sin(5*t)', 'methods': 'DLE', 'kl_weight': 0.2})}")
    wait(browser, "document.querySelector('.verdict').textContent === 'nothing has moved yet'")
    by_id(browser, "step").click()
    step_is(browser, 1)
    wait(browser, "document.querySelector('.verdict').textContent.startsWith('not known: too few steps')")


@driven
@pytest.mark.parametrize(("loss", "has_curve"), [("t^2", True), ("-t^2", False), ("1/t", False)])
def test_a_word_stands_where_a_curve_is_missing(browser, page, loss, has_curve):
    opened(browser, page, f"#{urlencode({'loss': loss, 'methods': 'DLE', 'prior': 'normal:0:1'})}")
    said = wait(browser, "document.querySelector('figcaption').textContent")
    assert ("no dashed curve: its mass is not finite" in said) is not has_curve


@driven
def test_another_loss_in_the_address_has_a_step_size_of_its_own(browser, page):
    """A step size in the address stays, and a link has the one that is shown."""
    chosen = "return document.querySelector('#step_size').closest('label').querySelector('output').textContent"
    found = []
    for state in ({}, {"loss": "(x^2-1)^2+y^2"}, {"loss": "(x^2-1)^2+y^2", "step_size": 1e-3}):
        opened(browser, page, f"#{urlencode(state | {'particles': 30})}")
        wait(browser, LABEL)
        found.append(float(browser.execute_script(chosen)))
    own, other, given = found
    assert given == 1e-3 and other > own
    by_id(browser, "link").click()
    assert "step_size=0.001" in by_id(browser, "address").get_attribute("value")
    opened(browser, page, f"#{urlencode({'loss': '(x^2-1)^2+y^2', 'step_size': own, 'particles': 30})}")
    assert float(browser.execute_script(chosen)) == own != other
    by_id(browser, "link").click()
    assert f"step_size={own:g}" in by_id(browser, "address").get_attribute("value")
