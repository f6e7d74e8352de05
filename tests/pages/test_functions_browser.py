"""The page about functions in Chromium: data are dragged, added and removed, and the numbers are Python's."""

from pathlib import Path

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.functionspace import covariances
from particlegvi.functionspace.gp.exact_gp import ExactGaussianProcess

from .chromium import assert_quiet, by_id, driven, in_chromium, number, opened, wait

pytestmark = in_chromium

DATA = "new URLSearchParams(location.hash.slice(1)).get('points').split(';').map(each => each.split(',').map(Number))"
CELLS = "[...document.querySelectorAll('#live tbody td')].map(each => each.textContent)"


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    return pg.page("regression-curve").save(tmp_path_factory.mktemp("page") / "page.html")


@driven
def test_data_are_added_dragged_and_removed_by_pointer(browser, page):
    from selenium.webdriver.common.action_chains import ActionChains

    opened(browser, page, "#points=-2,1;2,-1&noise=0.2&place=0&particles=20")
    wait(browser, CELLS)
    canvas = browser.find_element("css selector", "#live canvas")
    ActionChains(browser).move_to_element(canvas).click().perform()
    data = wait(browser, DATA)
    assert len(data) == 3 and data[:2] == [[-2, 1], [2, -1]]
    drag = ActionChains(browser).move_to_element(canvas).pause(0.6).click_and_hold()
    drag.move_by_offset(40, -30).release().perform()
    moved = browser.execute_script(f"return {DATA}")
    assert moved[2][0] > data[2][0] + 0.1 and moved[2][1] > data[2][1] + 0.1
    x, y = np.array(moved).T
    exact = ExactGaussianProcess(covariances.get("squared-exponential", lengthscale=0.8, variance=1.5), 0.04)
    low, high, count = browser.execute_script("return VIEW.data.functions.grid")
    nodes = np.linspace(low, high, count)
    both = exact.fit(x[:, None], y).predict(nodes[:, None], return_std=True)
    mean, sd = (np.interp(0.0, nodes, values) for values in both)  # as the table reads them from the picture
    shown = [number(each) for each in browser.execute_script(f"return {CELLS}")[:2]]
    np.testing.assert_allclose(shown, [mean, sd], atol=2e-3)
    out = ActionChains(browser).move_to_element(canvas).move_by_offset(40, -30).pause(0.6).click_and_hold()
    out.move_by_offset(0, 10 - canvas.size["height"] // 2).release().perform()
    assert browser.execute_script(f"return {DATA}") == [[-2, 1], [2, -1]]
    assert_quiet(browser)


@driven
def test_functions_settle_and_few_inducing_points_are_seen(browser, page):
    opened(browser, page)
    verdict = "document.querySelector('#live figure:last-child .verdict').textContent"
    assert "nothing has moved yet" in wait(browser, verdict)
    by_id(browser, "end").click()
    assert "settled, near the exact process" in wait(browser, verdict)
    by_id(browser, "preset-few_inducing").click()
    by_id(browser, "end").click()
    assert "too few inducing points" in wait(browser, verdict)
    by_id(browser, "preset-prior").click()
    cells = browser.execute_script(f"return {CELLS}")
    assert number(cells[0]) == 0.0 and number(cells[1]) == pytest.approx(1.5**0.5, abs=1e-3)
    by_id(browser, "noise").send_keys("\ue014")
    assert "noise" in browser.execute_script("return location.hash")
    assert_quiet(browser)
