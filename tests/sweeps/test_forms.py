"""Numbers of a sweep as arrays, frames and tables; intervals and ranks against plain arithmetic."""

import numpy as np
import pytest
from scipy import stats

import particlegvi as pg
from particlegvi.diagnostics.over_seeds import band, interval
from particlegvi.settings.grids import possible
from particlegvi.sweeps.report import best, marginals, spread

from ..refusals import refuse
from ..test_notebook_tables import read
from .conftest import OVER


@pytest.mark.needs("pandas", "xarray")
def test_a_frame_has_the_lines_of_the_table_and_a_dataset_the_swept_keys(swept):
    frame = swept.to_dataframe()
    assert len(frame) == 18 and list(frame.columns[:5]) == [*OVER, "seed", "method", "status"]
    grouped = frame.groupby(list(OVER))["w1"].mean().to_numpy().reshape(3, 2)
    np.testing.assert_allclose(grouped, swept.values("w1", "DLE").mean(axis=-1), rtol=1e-14)
    data = swept.to_xarray()
    assert dict(data.sizes) == {"methods.DLE.kl_weight": 3, "particles": 2, "seed": 3, "method": 1}
    one = data["w1"].sel({"methods.DLE.kl_weight": 1.0, "particles": 8, "seed": 2, "method": "DLE"})
    assert float(one) == swept.values("w1", "DLE")[1, 1, 2]
    assert (data["status"] == "finished").all()


def test_intervals_are_those_of_student(rng):
    values = rng.standard_normal(7)
    mean, low, high = interval(values)
    expected = stats.t.interval(0.95, 6, values.mean(), stats.sem(values))
    np.testing.assert_allclose((mean, low, high), (values.mean(), *expected), rtol=1e-12)
    assert interval(values[:1]) is None
    few = np.array([0.01, 1.0])
    assert spread(few, possible("w1", {}))["low"] == 0.0 > spread(few, possible("mean", {}))["low"]
    means, lows, highs = band(np.stack([values, np.where(np.arange(7) < 2, np.nan, values)]))
    shorter = stats.t.interval(0.95, 4, values[2:].mean(), stats.sem(values[2:]))
    np.testing.assert_allclose(lows, [expected[0], shorter[0]], rtol=1e-12)
    np.testing.assert_allclose(means, [values.mean(), values[2:].mean()], rtol=1e-12)


@pytest.mark.thorough
def test_marginal_means_and_the_best_settings(swept):
    values = swept.values("w1", "DLE")
    entries = marginals(swept, "w1", "DLE")["particles"]
    by_seed = values.mean(axis=0)  # (particles, seeds)
    assert [entry["value"] for entry in entries] == [4, 8]
    np.testing.assert_allclose([entry["mean"] for entry in entries], by_seed.mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(entries[0]["low"], interval(by_seed[0])[1], rtol=1e-12)
    assert best(swept, "w1", "DLE")[0]["mean"] == pytest.approx(values.mean(axis=-1).min(), rel=1e-14)
    shown = read(swept).words  # in a notebook
    assert "Sweep" in shown and all(key in shown for key in swept.over)


def test_lines_mark_what_diverged_and_write_whole_numbers_in_full(small):
    found = pg.sweep(small, over={"step_size": [0.01, 1000]}, seeds=2)
    [axes] = found.plot("lines").axes
    [lost] = [line for line in axes.lines if line.get_gid() == "lost"]
    np.testing.assert_array_equal(lost.get_xdata(), [1000.0])
    assert [each.get_text() for each in axes.get_xticklabels()] == ["$0.01$", "$1000$"]


@pytest.mark.thorough
def test_kinds_of_figure_of_a_sweep(swept):
    assert len(swept.plot().axes) == 2  # a panel and its bar
    assert swept.plot("lines", methods=["DLE"], measures=["sd"]).axes
    refuse(lambda: swept.plot("histograms"), "results must be")
    refuse(lambda: swept.plot(measures=["w9"]), "measures must be numbers that the methods of this sweep have, not w9")
    refuse(lambda: swept.plot(methods=["DE"]), 'methods must be among DLE, not "DE"')
    alone = pg.sweep(swept.scenario, over={"particles": [4]}, seeds=1)
    refuse(lambda: alone.plot("heat-map"), "draws sweeps over 2 keys, not 1; lines draws any")
