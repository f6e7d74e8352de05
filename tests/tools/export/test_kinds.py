"""Every kind of scenario has its table, its files and its picture; so has every one that comes."""

import pytest

import particlegvi as pg
from particlegvi.scenario import kinds

from ...small_scenarios import SHORT_RUNS

TABLES = ("table", "approximation")  # cells of scores, which are rows and no arrays


@pytest.mark.needs("pandas", "xarray", "h5netcdf")
@pytest.mark.parametrize("name", kinds.names())
def test_every_kind_has_its_table_its_files_and_its_picture(name, toy, monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    scenario, settings = SHORT_RUNS[name]
    results = pg.run(scenario, **settings)
    assert results.kind.name == name
    frame = results.to_dataframe()
    assert len(frame) > 0 and not frame.isna().all().all()
    assert results.table() and results.describe()
    if name not in TABLES:
        tree = results.to_xarray()
        for label, run in results.items():
            assert tree[label].data_vars and run.to_xarray().attrs["particlegvi"] == pg.__version__
    figure = results.plot()
    figure.savefig(tmp_path / "picture.png")
    assert figure.axes and (tmp_path / "picture.png").stat().st_size > 5_000
    for suffix in (".csv", ".npz", ".tex", *[".nc"] * (name not in TABLES)):
        assert results.export(tmp_path / f"all{suffix}").stat().st_size > 100


@pytest.mark.needs("pandas")
def test_a_table_has_a_row_for_each_cell(toy, monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    results = pg.run("uci-function-space", **SHORT_RUNS["table"][1])
    frame = results.to_dataframe().set_index(["row", "model", "protocol", "split"])
    assert len(frame) == 16 == len(results["table"].scores)
    for cell, scores in results["table"].scores.items():
        assert all(frame.loc[tuple(cell), metric] == value for metric, value in scores.items())
    assert int(frame["auc"].isna().sum()) == 8  # a regression has none
    with pytest.raises(ValueError, match="table has no form for xarray"):
        results.to_xarray()


@pytest.mark.needs("xarray")
def test_functions_come_with_their_data(fitted):
    run = fitted["PLS"]
    found = run.to_xarray()
    assert found["position"].dims == ("record", "particle", "coordinate")
    assert found["function"].values.tobytes() == run.sample(run.problem.X).tobytes()
    assert found["y"].values.tobytes() == run.problem.y.tobytes()
    with pytest.raises(ValueError, match="functionrun has no draws, which ArviZ asks for"):
        run.to_datatree()


@pytest.mark.needs("xarray")
def test_networks_come_with_their_data_and_what_they_say():
    scenario, settings = SHORT_RUNS["networks"]
    run = pg.run(scenario, **settings)["DE"]
    found = run.to_xarray()
    assert found["prediction"].dims == ("particle", "observation")
    assert found["prediction"].values.tobytes() == run.predict(run.data.X).tobytes()
    assert found["y"].values.tobytes() == run.data.y.tobytes()
    assert len(repr(run)) < 120 and repr(run).startswith("NetworkRun(DE: 3 particles in 151 dimensions")
