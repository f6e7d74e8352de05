"""A page in Chromium holds no tab, shows texts as texts, overflows nowhere, and replays what was run."""

import re
import time
from urllib.parse import urlencode

import pytest

import particlegvi as pg

from .chromium import ANSWERS, CELL, assert_quiet, by_id, digest, driven, in_chromium, number, opened, step_is, wait

LONG = "+".join(f"sin({k}*x)*y" for k in range(1, 600)) + "+x^2+y^2"
HOSTILE = "</script><img src=x onerror=\"document.title='broken'\"><b>"

pytestmark = in_chromium


@driven
@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("kl_weight=1e-30", ""), ("particles=10000&lengthscale=1e-6", "DRLE takes too long"),
        ("kl_weight=0.01&mmd_weight=100&lengthscale=0.1", ""), (f"{urlencode({'loss': LONG})}", "DLE"),
    ],
)  # fmt: skip
@pytest.mark.often("[!s]*")
def test_no_address_holds_the_tab(browser, page, tmp_path, state, said):
    """A worker finds the truth, or the page gives up with a sentence; meanwhile the tab answers and particles move."""
    quick = tmp_path / "quick.html"
    script = re.search(r"<script>(.*)</script>", page.read_text(encoding="utf-8"), re.DOTALL)[1]
    text = page.read_text(encoding="utf-8").replace("VIEW.PATIENCE = 20", "VIEW.PATIENCE = 4")
    quick.write_text(text.replace(digest(script), digest(script.replace("VIEW.PATIENCE = 20", "VIEW.PATIENCE = 4"))))
    begun = time.monotonic()
    opened(browser, quick, f"#{state}")
    assert time.monotonic() - begun < 10.0  # a second, on a machine that does nothing else
    assert browser.execute_async_script(ANSWERS, 1500) < 1000.0
    by_id(browser, "step").click()
    step_is(browser, 1)
    wait(browser, "!document.querySelector('#live .panels').textContent.includes('is being computed')")
    assert said in browser.find_element("css selector", ".error").text
    assert_quiet(browser)


@driven
def test_hostile_titles_and_formulas_are_shown_as_text(browser, tmp_path):
    place = pg.page("global-minimiser", title=HOSTILE, source=HOSTILE).save(tmp_path / "hostile.html")
    opened(browser, place, f"#{urlencode({'loss': HOSTILE})}")
    assert browser.find_element("tag name", "h1").text == HOSTILE and browser.title == HOSTILE
    assert "not part of a formula" in browser.find_element("css selector", ".error").text
    assert browser.execute_script("return document.images.length") == 0
    assert_quiet(browser)


@driven
@pytest.mark.parametrize("width", [1280, 390, 320])
def test_nothing_overflows_and_all_that_can_be_used_has_a_name(browser, page, width):
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 1000}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    opened(browser, page)
    wait(browser, CELL)
    assert browser.execute_script("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    unnamed = browser.execute_script("""
      return [...document.querySelectorAll("button, input, select, textarea, canvas")].filter(each => each.offsetParent)
        .filter(each => !(each.textContent.trim() || each.getAttribute("aria-label")
          || (each.labels && each.labels[0].textContent.trim()))).map(each => each.outerHTML)""")
    assert unnamed == []
    small = browser.execute_script("""
      return [...document.querySelectorAll("button, select, input[type=text]")].filter(each => each.offsetParent)
        .filter(each => each.getBoundingClientRect().height < 44).map(each => each.id)""")
    assert small == []
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@driven
def test_a_replay_ends_where_the_run_ended(browser, tmp_path):
    runs = pg.run("global-minimiser", particles=40, steps=400, step_size=1e-3)
    opened(browser, runs.page(frames=30).save(tmp_path / "replay.html"))
    wait(browser, "document.querySelector('#replay tbody td')")
    rows = browser.find_elements("css selector", "#replay tbody tr")
    for row, run in zip(rows, runs.values(), strict=True):
        assert number(row.find_element("tag name", "td").text) == pytest.approx(run.final.mean(), abs=1e-3)
    line = by_id(browser, "timeline")
    line.send_keys("\ue011")  # Home
    assert by_id(browser, "replay-clock").text.endswith("step 0")
    assert_quiet(browser)


@driven
def test_a_notebooks_frame_runs_without_an_error(browser, tmp_path):
    place = tmp_path / "notebook.html"
    frame = pg.page("global-minimiser")._repr_html_()
    place.write_text(f"<!DOCTYPE html><meta charset=utf-8>{frame}", encoding="utf-8")
    opened(browser, place)
    browser.switch_to.frame(0)
    wait(browser, CELL)
    by_id(browser, "link").click()
    asked = "VIEW.ask('truths', { settings: PG.DEFAULTS, labels: ['DLE'] }, each => { window.told = each; }, () => {})"
    browser.execute_script(asked)
    wait(browser, "window.told && window.told.truth")  # a worker, in a frame that may run its own script alone
    browser.switch_to.default_content()
    assert [entry["message"] for entry in browser.get_log("browser")] == []
