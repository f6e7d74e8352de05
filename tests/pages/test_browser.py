"""Pages in Chromium, where it is installed: the same numbers, no request, every control by keyboard, no overflow."""

import base64
import contextlib
import hashlib
import html
import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

import particlegvi as pg

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((found for name in NAMES if (found := shutil.which(name))), None)
DRIVER = shutil.which("chromedriver")
OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND", "--no-first-run"]
LABEL = "document.querySelector('#live canvas[role=img]').getAttribute('aria-label')"
LONG = "+".join(f"sin({k}*x)*y" for k in range(1, 600)) + "+x^2+y^2"
HOSTILE = "</script><img src=x onerror=\"document.title='broken'\"><b>"

pytestmark = [pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"), pytest.mark.needs("selenium")]
driven = pytest.mark.skipif(DRIVER is None, reason="chromedriver is not installed")


def dumped(address: str, folder: Path) -> str:
    command = [CHROMIUM, *OPTIONS, f"--user-data-dir={folder / 'profile'}", "--timeout=60000", "--dump-dom", address]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    return pg.page("global-minimiser").save(tmp_path_factory.mktemp("page") / "page.html")


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Any]:
    from selenium import webdriver
    options = webdriver.ChromeOptions()
    for option in [*OPTIONS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}", "--window-size=1280,1000"]:
        options.add_argument(option)
    options.binary_location = CHROMIUM
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


def digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def opened(browser: Any, place: Path, state: str = "") -> Any:
    browser.get("about:blank")
    browser.get_log("browser")
    browser.get(f"{place.as_uri()}{state}")
    return browser


def by_id(browser: Any, name: str) -> Any:
    return browser.find_element("id", name)


def assert_quiet(browser: Any) -> None:
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert [entry["message"] for entry in browser.get_log("browser")] == []


def wait(browser: Any, script: str, seconds: float = 20.0) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := browser.execute_script(f"return {script}"):
            return found
        time.sleep(0.05)
    raise AssertionError(f"{script} is still false after {seconds} s")


STATE = {"loss": "t^2/2 + cos(3*t)", "seed": 2**64 - 3, "particles": 20, "steps": 500, "step_size": 0.002}
STATE |= {"kl_weight": 0.6, "mmd_weight": 0.8, "lengthscale": 0.7}


def assert_particles_of_the_engine(report: dict[str, Any]) -> None:
    kernel = pg.kernels.SquaredExponential(lengthscale=0.7)
    methods = {
        "DE": pg.methods.DE(), "DLE": pg.methods.DLE(0.6), "DRE": pg.methods.DRE(0.8, kernel=kernel),
        "DRLE": pg.methods.DRLE(0.6, 0.8, kernel=kernel),
    }  # fmt: skip
    for label, method in methods.items():
        run = pg.simulate(
            pg.Loss.from_formula(STATE["loss"], "t"), method, pg.priors.Normal(0.0, 1.0), 20, 500, 0.002, seed=2**64 - 3
        )
        for mode in ("plain", "exact"):
            np.testing.assert_allclose(report[mode][label], run.final[:, 0], rtol=0.0, atol=1e-11)
        if label in ("DE", "DLE"):
            assert report["exact"][label] == run.final[:, 0].tolist()


def test_the_self_test_has_the_particles_of_the_engine(page, tmp_path):
    shown = dumped(f"{page.as_uri()}#selftest&{urlencode(STATE)}", tmp_path)
    report = re.search(r'<pre id="selftest">(.*?)</pre>', shown, re.DOTALL)[1]
    assert_particles_of_the_engine(json.loads(html.unescape(report)))


def test_a_bad_self_test_says_so(page, tmp_path):
    shown = dumped(f"{page.as_uri()}#selftest&loss=foo(t)", tmp_path)
    assert "error" in json.loads(html.unescape(re.search(r'<pre id="selftest">(.*?)</pre>', shown, re.DOTALL)[1]))


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
    wait(browser, "document.getElementById('clock').textContent.endsWith('step 3')")
    body.send_keys(" ")
    time.sleep(1.0)
    body.send_keys(" ")
    behaviour = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", behaviour)
    by_id(browser, "save").click()
    scenario = by_id(browser, "scenario").get_attribute("value")
    downloaded = tmp_path / "from-the-page.toml"
    end = time.monotonic() + 10.0
    while not downloaded.exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert downloaded.read_text(encoding="utf-8") == scenario
    assert "kl_weight = 0.5" in scenario and "--seed 3" in scenario
    runs = pg.run(downloaded, seed=3)
    rows = browser.find_elements("css selector", "#live tbody tr")
    shown = {row.find_element("tag name", "th").text: row.find_element("tag name", "td").text for row in rows}
    for label, run in runs.items():
        assert float(shown[label].replace("\u2212", "-")) == pytest.approx(run.final.mean(), abs=6e-4)
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
        ("loss=log(t)", "must be finite"), ("loss=__proto__", "There is no"), ("loss=toString", "There is no"),
        ("methods=__proto__", "methods"), ("seed=-1", "seed"), ("particles=0", "particles"),
        ("particles=1e400", "must be a whole number from 1 to 10000"), ("pace=Infinity", "steps a frame cannot be"),
        ("at=NaN", "the step to go to cannot be NaN"), ("initial=x", "start must be as normal:0:1"),
        ("prior=normal:0:0", "prior"),
        ("step_size=x", "step size"), ("loss=spline", "heights"), ("loss=t&variables=t,t", "variables"),
    ],
)  # fmt: skip
def test_a_wrong_state_is_answered_in_one_sentence(browser, page, state, said):
    """And the page shows its own settings instead, and works."""
    opened(browser, page, f"#{state}")
    assert said in browser.find_element("css selector", ".error").text
    by_id(browser, "step").click()
    wait(browser, "document.getElementById('clock').textContent.endsWith('step 1')")
    assert_quiet(browser)


@driven
def test_a_drawing_that_does_not_hold_the_truth_says_so(browser, page):
    heights = ",".join(str(4 - k / 3) for k in range(25))
    opened(browser, page, f"#loss=spline&low=-3&high=3&heights={heights}&prior=flat&methods=DLE&particles=20")
    said = wait(browser, "document.querySelector('.error').textContent")
    assert "of the truth lie outside the drawing" in said


ANSWERS = """const done = arguments[arguments.length - 1];  // the longest that the tab did not answer, in ms
let longest = 0, before = performance.now();
const end = before + arguments[0];
const ask = () => {
  const now = performance.now();
  longest = Math.max(longest, now - before);
  before = now;
  if (now < end) setTimeout(ask, 0); else done(longest);
};
ask();"""


@driven
@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("kl_weight=1e-30", ""), ("loss=tan(1/t)*1e300", ""), ("variance=1e12&mmd_weight=1e6", ""),
        ("particles=10000&lengthscale=1e-6", "DRLE takes too long"),
        ("lengthscale=1e-3&mmd_weight=1e6", "DRLE takes too long"),
        ("kl_weight=0.01&mmd_weight=100&lengthscale=0.1", ""), (f"{urlencode({'loss': LONG})}", "DLE"),
    ],
)  # fmt: skip
def test_no_address_holds_the_tab(browser, page, tmp_path, state, said):
    """A worker finds the truth, or the page gives up with a sentence; meanwhile the tab answers and particles move."""
    quick = tmp_path / "quick.html"
    script = re.search(r"<script>(.*)</script>", page.read_text(encoding="utf-8"), re.DOTALL)[1]
    text = page.read_text(encoding="utf-8").replace("VIEW.PATIENCE = 20", "VIEW.PATIENCE = 4")
    quick.write_text(text.replace(digest(script), digest(script.replace("VIEW.PATIENCE = 20", "VIEW.PATIENCE = 4"))))
    begun = time.monotonic()
    opened(browser, quick, f"#{state}")
    assert time.monotonic() - begun < 3.0
    assert browser.execute_async_script(ANSWERS, 1500) < 1000.0
    by_id(browser, "step").click()
    wait(browser, "document.getElementById('clock').textContent.endsWith('step 1')")
    wait(browser, "!document.querySelector('#live tbody').textContent.includes('is being computed')")
    assert said in browser.find_element("css selector", ".error").text
    assert_quiet(browser)


@driven
def test_a_long_self_test_holds_no_tab(browser, page):
    opened(browser, page, "#selftest&particles=300&steps=20000")
    assert browser.execute_async_script(ANSWERS, 500) < 1000.0
    assert "being computed" in browser.find_element("id", "main").text
    opened(browser, page, "#selftest&steps=1000000000")
    report = wait(browser, "document.getElementById('selftest').textContent")
    assert json.loads(report) == {"error": "steps: 1000000000"}


@driven
def test_two_settings_are_compared_from_one_start(browser, page):
    opened(browser, page, "#methods=DLE&particles=50")
    by_id(browser, "compare").click()
    by_id(browser, "kl_weight").send_keys("\ue012" * 6)
    grids = browser.find_elements("css selector", "#live .stage .panels")
    assert [grid.find_element("tag name", "small").text for grid in grids] == ["kl_weight 0.5", "kl_weight 1"]
    tables = browser.find_elements("css selector", "#live tbody")
    means = [table.find_element("tag name", "td").text for table in tables]
    assert means[0] == means[1]
    by_id(browser, "step").click()
    wait(browser, "document.getElementById('clock').textContent.endsWith('step 1')")
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
    wait(browser, "document.getElementById('clock').textContent.endsWith('step 200')")
    time.sleep(0.5)
    tables = browser.find_elements("css selector", "#live tbody")
    shown, kept = (float(table.find_element("tag name", "td").text.replace("\u2212", "-")) for table in tables)
    assert shown == pytest.approx(kept, abs=0.005) and abs(shown) > 0.1


@driven
def test_hostile_titles_and_formulas_are_shown_as_text(browser, tmp_path):
    scenario = {
        "kind": "particles", "name": "hostile", "title": HOSTILE, "source": HOSTILE, "particles": 5, "steps": 5,
        "step_size": 1e-3, "loss": {"formula": "t^2/2", "variables": ["t"]}, "prior": "normal", "methods": {"DE": {}},
    }  # fmt: skip
    place = pg.page(scenario).save(tmp_path / "hostile.html")
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
    wait(browser, "document.querySelector('#live tbody td')")
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
        mean = float(row.find_element("tag name", "td").text.replace("\u2212", "-"))
        assert mean == pytest.approx(run.final.mean(), abs=1e-3)
    line = by_id(browser, "timeline")
    line.send_keys("\ue011")  # Home
    assert by_id(browser, "replay-clock").text.endswith("step 0")
    assert_quiet(browser)


@driven
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["formula", "numpy"])
def test_a_replay_of_any_loss_in_the_plane(browser, tmp_path, kind):
    if kind == "formula":
        loss = pg.Loss.from_formula("(x^2 - 1)^2 + y^2", ["x", "y"])
    else:
        loss = pg.Loss.from_numpy(
            lambda x: (x[:, 0] ** 2 - 1.0) ** 2 + x[:, 1] ** 2,
            lambda x: np.column_stack([4.0 * x[:, 0] * (x[:, 0] ** 2 - 1.0), 2.0 * x[:, 1]]), dim=2,
        )  # fmt: skip
    prior = pg.priors.Normal([0.0, 0.0], 1.0)
    runs = pg.compare(loss, [pg.methods.DE(), pg.methods.DLE(1.0)], prior, particles=30, steps=300, step_size=1e-3)
    opened(browser, runs.page(frames=20).save(tmp_path / "replay.html"))
    wait(browser, "document.querySelector('#replay tbody td')")
    shown = [row.text for row in browser.find_elements("css selector", "#replay tbody tr")]
    for text, run in zip(shown, runs.values(), strict=True):
        assert f"{run.final[:, 0].mean():.3f}".replace("-", "\u2212")[:-1] in text
    assert bool(browser.find_elements("id", "play")) == (kind == "formula")
    assert ("neither a formula" in browser.find_element("id", "live").text) == (kind == "numpy")
    assert_quiet(browser)


@driven
def test_a_notebooks_frame_runs_without_an_error(browser, tmp_path):
    place = tmp_path / "notebook.html"
    frame = pg.page("global-minimiser")._repr_html_()
    place.write_text(f"<!DOCTYPE html><meta charset=utf-8>{frame}", encoding="utf-8")
    opened(browser, place)
    browser.switch_to.frame(0)
    wait(browser, "document.querySelector('#live tbody td')")
    by_id(browser, "copy").click()
    assert 'kind = "particles"' in by_id(browser, "scenario").get_attribute("value")
    by_id(browser, "link").click()
    asked = "VIEW.ask('selftest', { steps: '5', particles: '5' }, answer => { window.told = answer; }, () => {})"
    browser.execute_script(asked)
    wait(browser, "window.told && window.told.exact")  # a worker, in a frame that may run its own script alone
    browser.switch_to.default_content()
    assert [entry["message"] for entry in browser.get_log("browser")] == []


@driven
def test_nothing_moves_by_itself_where_motion_is_to_be_reduced(browser, page):
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
    )
    with contextlib.ExitStack() as stack:
        stack.callback(browser.execute_cdp_cmd, "Emulation.setEmulatedMedia", {"features": []})
        opened(browser, page, "#particles=20")
        by_id(browser, "play").click()
        wait(browser, "document.getElementById('clock').textContent.endsWith('step 5000')")
        assert by_id(browser, "play").get_attribute("aria-pressed") == "false"


@driven
@pytest.mark.slow
@pytest.mark.parametrize(
    ("state", "most"),
    [
        ({"particles": 300, "pace": 50}, 12.0),
        ({"loss": "four-gaussians", "particles": 200, "pace": 10, "prior": "normal:0:2"}, 12.0),
    ],
)
def test_the_work_of_a_frame(browser, page, state, most):
    opened(browser, page, f"#{urlencode(state)}")
    times = browser.execute_script("""
      for (let k = 0; k < 60; k++) VIEW.frame();
      const took = () => { const begun = performance.now(); VIEW.frame(); return performance.now() - begun; };
      return Array.from({ length: 150 }, took);""")
    print(f"{state}: median {np.median(times):.2f} ms, 90% {np.quantile(times, 0.9):.2f} ms")
    steps = int(by_id(browser, "clock").text.rpartition(" ")[2])
    assert steps >= 0.9 * 210 * state["pace"]  # a frame on a busy machine gives steps up to stay in time
    assert np.median(times) <= most
