"""Draws as the truth: distances with their null quantiles in summary, table, verdict and figures, in any dimension."""

import numpy as np
import pytest

import particlegvi as pg

from ..refusals import refuse, refused

DIM = 6
PRIOR = pg.priors.Normal(np.zeros(DIM), 1.0)
LOSS = pg.losses.get("quadratic", dim=DIM)  # under this prior DLE goes to N(0, 1/2)
RANDOM = np.random.default_rng(8)
TRUTH = RANDOM.normal(size=(1000, DIM)) * np.sqrt(0.5)
HOW = {"prior": PRIOR, "particles": 200, "steps": 400, "step_size": 0.02, "record_every": 20}
METHODS = {"right": pg.methods.DLE(1.0), "cold": pg.methods.DLE(0.3)}


@pytest.fixture(scope="module")
def results():
    return pg.compare(LOSS, METHODS, reference=TRUTH, **HOW)


@pytest.mark.thorough
def test_the_verdict_tells_the_posterior_from_a_colder_law(results):
    facts = results.summary["methods"]
    for name in ("sliced_w1", "energy", "mmd"):
        good, bad = (facts[label]["distances"][name] for label in METHODS)
        assert good["value"] <= good["floor"][2] < bad["value"] and good["floor"] == bad["floor"]
    assert facts["right"]["equilibrium"]["reached"] is True and facts["cold"]["equilibrium"]["reached"] is False
    assert facts["right"]["target"]["kind"] == "draws"
    assert facts["right"]["target"]["variance"] == pytest.approx(TRUTH.var(axis=0).tolist())
    rows = {row["method"]: row for row in results.table()}
    low, high = rows["right"]["sliced_w1_floor"]
    assert 0.5 * low < rows["right"]["sliced_w1"] < 1.5 * high < rows["cold"]["sliced_w1"]
    assert rows["cold"]["energy_distance"][0] > rows["cold"]["energy_distance"][2] and len(rows["cold"]["mmd"]) == 3
    words = results.describe()
    assert "sliced W1" in words and "energy distance (exact draws)" in words and "not at Q*" in words


@pytest.mark.thorough
def test_a_folder_keeps_the_draws(results, tmp_path):
    folder = results.save(tmp_path / "run")
    loaded = pg.load(folder)
    assert loaded.targets["cold"].draws.tobytes() == TRUTH.tobytes()
    assert loaded.describe().splitlines()[1:] == results.describe().splitlines()[1:]


@pytest.mark.thorough
@pytest.mark.parametrize("dim", [1, 2, DIM])
def test_figures_show_the_draws(dim, results):
    if dim < DIM:
        how = {**HOW, "prior": pg.priors.Normal(np.zeros(dim), 1.0)}
        results = pg.compare(pg.losses.get("quadratic", dim=dim), METHODS, reference=TRUTH[:, :dim], **how)
        assert [each.get_gid() for axes in results.plot().axes for each in axes.get_children()].count("truth") == 2
    figure = results.plot("distance") if dim < DIM else results.plot()
    axes, beside = figure.axes
    right, cold = axes.lines
    low, high = beside.patches[0].get_y(), beside.patches[0].get_y() + beside.patches[0].get_height()
    assert 0.5 * low < right.get_ydata()[-1] < high < cold.get_ydata()[-1]
    final = results.summary["methods"]["cold"]["distances"]["w1" if dim == 1 else "sliced_w1"]["value"]
    assert cold.get_ydata()[-1] == pytest.approx(final, rel=0.1)


@pytest.mark.thorough
def test_without_draws_particles_in_many_dimensions_have_no_figure():
    run = pg.compare(LOSS, ["DE"], **{**HOW, "steps": 2, "particles": 5, "record_every": 1})
    refuse(run.plot, r"figures of 1 and 2 .* reference=draws")


test_refused = refused(
    lambda reference: pg.compare(LOSS, ["DE"], reference=reference, **HOW),
    (TRUTH[:, :3], "reference must be"),
    (TRUTH[:20], "at least 50"),
    (np.where(TRUTH > 2.0, np.nan, TRUTH), "reference must be"),
    ("draws.csv", "reference must be"),
    (7, "reference must be"),
)
