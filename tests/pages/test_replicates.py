"""Replicates of a page: the counts of modes of the program, their mean by theory, and the panel in Chromium."""

import numpy as np
import pytest

import particlegvi as pg

from .chromium import CHROMIUM, assert_quiet, by_id, driven, opened, wait
from .test_pages import data_of

ASK = """const found = {};
PG.answers.replicates({ settings: { ...PG.DEFAULTS, ...settings }, own: null, types: null, modes, count },
  ({ label, covered }) => (found[label] = [...(found[label] || []), covered]));
return found;"""
DUE = """const problem = PG.problem({ ...PG.DEFAULTS, ...settings }, null);
return PG.expected_covered(PG.rests(problem).map(([, share]) => share), problem.particles);"""
FOUR = {"loss": "four-gaussians", "prior": "normal:0:2", "particles": 4, "methods": "DE", "step_size": 0.1}
FOUR_MODES = [[-3.0, -3.0], [-3.0, 3.0], [3.0, -3.0], [3.0, 3.0]]


@pytest.mark.slow
def test_replicates_are_those_of_the_program(engine):
    few = {"steps": 300, "replicates": 6, "particles": 8}
    results = pg.run("repulsion-pays", seed=2**64 - 3, **few)  # whose replicates begin again at 0
    settings = {"loss": "sin(pi*t)^2", "variables": "t", "prior": "uniform:-0.5:7.5", "particles": 8, "steps": 300}
    settings |= {"step_size": 2e-3, "kl_weight": 0.05, "mmd_weight": 32, "lengthscale": 0.5, "seed": str(2**64 - 3)}
    modes = [[float(k)] for k in range(8)]
    found = engine(ASK, settings=settings | {"methods": ",".join(results)}, modes=modes, count=6)
    for label, run in results.items():
        assert found[label] == run.info["replicates"]["modes_covered"]
    mean, low, high = results["DE"].info["replicates"]["mean_modes_covered"]
    assert engine("return PG.mean_interval(v);", v=found["DE"]) == pytest.approx([mean, low, high], rel=1e-6)


def test_four_particles_find_2_734_of_four_modes(engine):
    """4 (1 - (3/4)^4); the mean of 300 replicates is within 4.5 standard errors. The control: one mode fewer."""
    due = 4.0 * (1.0 - 0.75**4)
    assert engine(DUE, settings=FOUR) == pytest.approx(due, abs=1e-3)
    found = engine(ASK, settings=FOUR | {"steps": 60}, modes=FOUR_MODES, count=300)["DE"]
    error = np.std(found) / np.sqrt(300.0)
    assert abs(np.mean(found) - due) < 4.5 * error
    three = engine(ASK, settings=FOUR | {"steps": 60}, modes=FOUR_MODES[:3], count=300)["DE"]
    assert abs(np.mean(three) - due) > 4.5 * error


def test_the_modes_of_a_scenario_are_on_its_page():
    assert data_of(pg.page("repulsion-pays").html)["modes"] == [[float(k)] for k in range(8)]
    assert data_of(pg.page("four-particles").html)["modes"] == FOUR_MODES
    assert data_of(pg.page("global-minimiser").html)["modes"] is None


@driven
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.needs("selenium")
def test_the_panel_of_replicates(browser, tmp_path):
    opened(browser, pg.page("four-particles").save(tmp_path / "four.html"), "#methods=DE&steps=60")
    wait(browser, "document.querySelector('#live tbody td')")
    by_id(browser, "replicate").click()
    said = "[...document.querySelectorAll('#live .below section figcaption small')].map(each => each.textContent)[0]"
    done = "document.querySelector('[role=status]').textContent.startsWith('500 replicates')"
    wait(browser, done, 40.0)
    text = browser.execute_script(f"return {said}")
    assert text.endswith("dashed: 2.73, by chance") and 2.5 < float(text.split()[1]) < 3.0
    by_id(browser, "seed").send_keys("\ue014")
    wait(browser, "document.querySelector('[role=status]').parentNode.hidden")
    opened(browser, tmp_path / "four.html", "#loss=t^2&variables=t&methods=DE&particles=4")
    by_id(browser, "replicate").click()
    assert "fewer than two minima" in browser.find_element("css selector", "[role=status]").text
    assert_quiet(browser)
