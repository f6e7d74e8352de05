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
    assert_refused,
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
@pytest.mark.slow
def test_every_method_has_its_own_weight(browser, tmp_path):
    """Three weights of one method: a panel and a slider each, in the address, and gone in a preset."""
    methods = {label: pg.methods.DLE(weight) for label, weight in (("cold", 0.1), ("DLE", 1.0), ("hot", 4.0))}
    loss, prior = pg.losses.get("tilted-double-well"), pg.priors.Normal(0.0, 1.0)
    runs = pg.compare(loss, methods, prior, particles=20, steps=60, step_size=1e-3)
    page = runs.page(frames=10).save(tmp_path / "page.html")
    opened(browser, page)
    captions = "[...document.querySelectorAll('#live figcaption')].map(each => each.innerText).slice(0, 3).join('|')"
    shown = wait(browser, captions)
    assert [part.split() for part in shown.split("|")] == [
        ["cold", "kl_weight", "0.1"], ["DLE", "kl_weight", "1"], ["hot", "kl_weight", "4"]
    ]  # fmt: skip
    assert by_id(browser, "hot.kl_weight").is_displayed() and not by_id(browser, "cold.kl_weight").is_displayed()
    by_id(browser, "hot.kl_weight").send_keys("\ue012" * 6)  # six twentieths of a decade: half
    assert wait(browser, captions).endswith("2")
    by_id(browser, "link").click()
    fragment = by_id(browser, "address").get_attribute("value").partition("#")[2]
    assert fragment == "hot.kl_weight=2"
    by_id(browser, "preset-stuck").click()
    assert "hot" not in wait(browser, captions)
    opened(browser, page, f"#{fragment}&DLE.kl_weight=&kl_weight=0.2&nobody.kl_weight=3")
    shown = wait(browser, captions)
    assert [part.split()[-1] for part in shown.split("|")] == ["0.2", "0.2", "2"]
    assert browser.find_element("css selector", "#live .error").text == ""
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
@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("loss=log(t)", "must be finite"), ("loss=__proto__", "There is no"), ("methods=__proto__", "methods"),
        ("particles=1e400", "must be a whole number from 1 to 10000"), ("pace=Infinity", "steps a frame cannot be"),
        ("at=NaN", "the step to go to cannot be NaN"), ("initial=x", "start must be as normal:0:1"),
        ("step_size=x", "step size"), ("loss=spline", "heights"), ("loss=t&variables=t,t", "variables"),
    ],
)  # fmt: skip
def test_a_wrong_state_is_answered_in_one_sentence(browser, page, state, said):
    """`test_limits` tries every key without a browser."""
    assert_refused(browser, page, state, said)


@driven
def test_a_drawing_that_does_not_hold_the_truth_says_so(browser, page):
    heights = ",".join(str(4 - k / 3) for k in range(25))
    opened(browser, page, f"#loss=spline&low=-3&high=3&heights={heights}&prior=flat&methods=DLE&particles=20")
    said = wait(browser, "document.querySelector('.error').textContent")
    assert "of the truth lie outside the drawing" in said


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


@driven
def test_kept_particles_are_at_the_same_time_with_another_step_size(browser, page):
    """DE has no noise: at equal times its means agree; after as many steps they are 0.05 and more apart."""
    opened(browser, page, "#methods=DE&particles=50&step_size=0.001&steps=200")
    by_id(browser, "compare").click()
    by_id(browser, "step_size").send_keys("\ue014" * 12)  # twelve twentieths of a decade: 0.004
    assert "0.004" in browser.execute_script("return location.hash")
    by_id(browser, "end").click()
    step_is(browser, 200)
    time.sleep(0.5)
    shown, kept = means(browser)
    assert shown == pytest.approx(kept, abs=0.005) and abs(shown) > 0.1
