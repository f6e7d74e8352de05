"""Every kind of scenario has its table, its dataset and its picture; so has every one that comes."""

import pytest

import particlegvi as pg
from particlegvi.scenario import kinds

from ...small_scenarios import SHORT_RUNS


@pytest.mark.needs("pandas", "pyarrow", "xarray", "h5netcdf")
@pytest.mark.parametrize("name", kinds.names())
def test_every_kind_has_its_table_its_dataset_and_its_picture(name, toy, monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    scenario, settings = SHORT_RUNS[name]
    results = pg.run(scenario, **settings)
    assert results.kind.name == name
    frame = results.to_dataframe()
    assert len(frame) > 0 and not frame.isna().all().all()
    assert results.table() and results.describe()
    tree = results.to_xarray()
    for label, run in results.items():
        assert tree[label].data_vars and run.to_xarray().attrs["particlegvi"] == pg.__version__
    figure = results.plot()
    figure.savefig(tmp_path / "picture.png")
    assert figure.axes and (tmp_path / "picture.png").stat().st_size > 5_000
    for suffix in (".nc", ".csv", ".npz", ".tex"):
        assert results.export(tmp_path / f"all{suffix}").stat().st_size > 100


@pytest.mark.needs("pandas", "xarray")
def test_a_table_is_a_cube_of_scores(toy, monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    results = pg.run("uci-function-space", **SHORT_RUNS["table"][1])
    table = results["table"]
    found = table.to_xarray()
    assert found["nll"].dims == ("row", "model", "protocol", "split")
    for cell, scores in table.scores.items():
        for metric, value in scores.items():
            assert float(found[metric].sel(cell._asdict())) == value
    assert int(found["auc"].isnull().sum()) == 8  # a regression has none
    frame = results.to_dataframe()
    assert frame.columns.tolist()[:4] == ["row", "model", "protocol", "split"] and len(frame) == 16
    with pytest.raises(ValueError, match="table has no draws, which ArviZ asks for"):
        results.to_datatree()


@pytest.mark.needs("xarray")
def test_functions_come_with_their_data(fitted):
    run = fitted["PLS"]
    found = run.to_xarray()
    assert found["position"].dims == ("record", "particle", "coordinate")
    assert found["function"].values.tobytes() == run.sample(run.problem.X).tobytes()
    assert found["y"].values.tobytes() == run.problem.y.tobytes()
    tree = run.to_datatree()
    assert set(tree.children) == {"posterior", "posterior_predictive", "observed_data"}
    noise = (tree["posterior_predictive"]["y"] - tree["posterior"]["function"]).values
    assert abs(noise.var() / 0.06 - 1.0) < 0.4  # 500 draws of N(0, 0.06): six standard errors are 0.38
    assert fitted.to_xarray()["truth/PLS"]["function"].values.tobytes() == run.data.value(run.problem.X).tobytes()
    with pytest.raises(ValueError, match="chains must be False for GP, whose functions have no draws over time"):
        fitted["GP"].to_datatree(chains=True)


@pytest.mark.needs("xarray")
def test_networks_come_with_their_data_and_what_they_say():
    scenario, settings = SHORT_RUNS["networks"]
    run = pg.run(scenario, **settings)["DE"]
    found = run.to_xarray()
    assert found["prediction"].dims == ("particle", "observation")
    assert found["prediction"].values.tobytes() == run.predict(run.data.X).tobytes()
    assert found["y"].values.tobytes() == run.data.y.tobytes()
    assert len(repr(run)) < 120 and repr(run).startswith("NetworkRun(DE: 3 particles in 151 dimensions")
