"""A live page in Chromium: the numbers of the engine, what a student does, states in the address, comparisons."""

import html
import json
import re
import time
from urllib.parse import urlencode

import numpy as np
import pytest

import particlegvi as pg

from ..processes import wait_until
from .chromium import (
    LABEL,
    STATE,
    assert_particles_of_the_engine,
    assert_quiet,
    by_id,
    driven,
    dumped,
    in_chromium,
    number,
    opened,
    step_is,
    wait,
)

pytestmark = in_chromium


def selftest(page, tmp_path, state):
    shown = dumped(f"{page.as_uri()}#selftest&{urlencode(state)}", tmp_path)
    return json.loads(html.unescape(re.search(r'<pre id="selftest">(.*?)</pre>', shown, re.DOTALL)[1]))


def test_the_self_test_has_the_particles_of_the_engine_or_says_so(page, tmp_path):
    assert_particles_of_the_engine(selftest(page, tmp_path, STATE))
    assert "error" in selftest(page, tmp_path, {"loss": "foo(t)"})


def means(browser) -> list[float]:
    """The mean of the first method of each table."""
    tables = browser.find_elements("css selector", "#live tbody")
    return [number(table.find_element("tag name", "td").text) for table in tables]


@driven
@pytest.mark.slow
def test_a_students_session(browser, page, tmp_path):
    """A formula with a mistake, corrected; sliders by keyboard; steps, play, pause; the scenario runs in Python."""
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
    behaviour = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", behaviour)
    by_id(browser, "save").click()
    scenario = by_id(browser, "scenario").get_attribute("value")
    downloaded = tmp_path / "from-the-page.toml"
    assert wait_until(downloaded.exists, 10.0) and downloaded.read_text(encoding="utf-8") == scenario
    assert "kl_weight = 0.5" in scenario and "--seed 3" in scenario
    rows = browser.find_elements("css selector", "#live tbody tr")
    shown = {row.find_element("tag name", "th").text: row.find_element("tag name", "td").text for row in rows}
    for label, run in pg.run(downloaded, seed=3).items():
        assert number(shown[label]) == pytest.approx(run.final.mean(), abs=6e-4)
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
@pytest.mark.parametrize("loss", ["four-gaussians", "(x^2 - 1)^2 + y^2", "spline&low=-2&high=2&heights=1,0,1"])
def test_a_page_goes_to_the_plane_and_to_drawings(browser, page, loss):
    """The prior of the page, on the line, stands for every coordinate."""
    text, _, more = loss.partition("&")
    opened(browser, page, f"#{urlencode({'loss': text})}&{more}&particles=30")
    assert browser.find_element("css selector", ".error").text == ""
    assert "30 particles" in wait(browser, LABEL)
    cell = browser.find_element("css selector", "#live tbody td").text
    assert len(cell.split(";")) == (1 if text == "spline" else 2) and "\u2013" not in cell
    assert_quiet(browser)


@driven
def test_a_loss_is_drawn_by_arrow_keys_and_by_pointer(browser, page):
    from selenium.webdriver.common import action_chains as chains

    opened(browser, page, f"#loss=spline&low=-3&high=3&heights={','.join(['1'] * 25)}&particles=20")
    canvas = by_id(browser, "drawing")
    canvas.send_keys("\ue014\ue013\ue013")  # one place to the right of the middle, twice up
    heights = "new URLSearchParams(location.hash.slice(1)).get('heights').split(',').map(Number)"
    assert wait(browser, heights)[13] == pytest.approx(1.2)
    box = canvas.rect
    drag = chains.ActionChains(browser).move_to_element_with_offset(canvas, int(-0.3 * box["width"]), 0)
    drag.click_and_hold().move_by_offset(int(0.1 * box["width"]), int(0.3 * box["height"])).release().perform()
    drawn = browser.execute_script(f"return {heights}")
    assert np.sum(np.array(drawn) < 0.9) >= 2 and drawn[13] == pytest.approx(1.2) and drawn[24] == 1.0
    canvas.send_keys("\ue00c")  # Escape leaves the drawing
    assert browser.execute_script("return document.activeElement.id") != "drawing"
    assert_quiet(browser)


@driven
def test_two_settings_are_compared_from_one_start(browser, page):
    opened(browser, page, "#methods=DLE&particles=50")
    by_id(browser, "compare").click()
    by_id(browser, "kl_weight").send_keys("\ue012" * 6)
    grids = browser.find_elements("css selector", "#live .stage .panels")
    assert [grid.find_element("tag name", "small").text for grid in grids] == ["kl_weight 0.5", "kl_weight 1"]
    shown, kept = means(browser)
    assert shown == kept
    by_id(browser, "step").click()
    step_is(browser, 1)
    by_id(browser, "compare").click()
    assert_quiet(browser)
