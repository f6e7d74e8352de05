"""A run of particles in the forms of other tools: names, dimensions, every bit, and what is refused."""

import json
import warnings

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.diagnostics import effective_sample_size, potential_scale_reduction

pytestmark = pytest.mark.needs("pandas", "xarray", "h5netcdf")


@pytest.fixture(scope="module")
def plane():
    loss = pg.Loss.from_formula("x^2/2 + y^2/4 + cos(x*y)", ["x", "y"])
    methods = {"kl 0.1": pg.methods.DLE(0.1), "cold/dark": pg.methods.DE(), "truth": pg.methods.FDGVI()}
    return pg.compare(loss, methods, pg.priors.Normal([0.0, 0.0], 1.0), 40, 60, 1e-2, record_every=5)


def test_a_run_as_a_dataset(exported):
    run = exported["DLE"]
    found = run.to_xarray()
    assert found["position"].dims == ("record", "particle", "coordinate")
    assert found["position"].values.tobytes() == run.positions.tobytes()
    assert found["time"].dims == found["step"].dims == ("record",)
    assert np.array_equal(found["time"], run.times) and np.array_equal(found["step"], run.steps)
    assert found["coordinate"].values.tolist() == run.loss.variables == ["theta"]
    told = found.attrs
    assert (told["label"], told["method"], told["kl_weight"], told["seed"]) == ("DLE", "DLE", 1.0, 2**64 - 1)
    assert json.loads(told["info"])["integrator"] == "euler-maruyama"
    assert np.shares_memory(found["position"].values, run.positions)
    with pytest.raises(ValueError, match="read-only"):
        found["position"].values[0] = 0.0


def test_netcdf_and_back_is_the_same_bits(exported, plane, tmp_path):
    import xarray

    for number, results in enumerate((exported, plane)):
        before = results.to_xarray()
        path = results.to_netcdf(tmp_path / f"{number}.nc")
        with xarray.open_datatree(path, engine="h5netcdf") as after:
            for group in before.subtree:
                same = after[group.path]
                assert set(same.attrs) == set(group.attrs)
                for name, values in group.to_dataset().variables.items():
                    there = same.to_dataset().variables[name]
                    assert there.dims == values.dims and there.values.tobytes() == values.values.tobytes(), name
    again = exported.to_netcdf(tmp_path / "again.nc").read_bytes()
    assert again == (tmp_path / "0.nc").read_bytes()
    alone = exported["DRLE"].to_netcdf(tmp_path / "alone.nc")
    with xarray.open_dataset(alone, engine="h5netcdf") as found:
        assert found["position"].values.tobytes() == exported["DRLE"].positions.tobytes()


def test_the_rows_of_the_particles(exported):
    found = exported.to_dataframe()
    assert found.columns.tolist() == ["method", "particle", "theta"] and len(found) == 180
    assert found[found["method"] == "DRLE"]["theta"].to_numpy().tobytes() == exported["DRLE"].final[:, 0].tobytes()
    every = exported.to_dataframe(records=True)
    assert every.columns.tolist() == ["method", "record", "time", "particle", "theta"]
    one = every[(every["method"] == "DLE") & (every["particle"] == 7)]
    assert np.array_equal(one["theta"], exported["DLE"].positions[:, 7, 0])
    assert np.array_equal(one["time"], exported["DLE"].times)
    assert exported["DE"].to_dataframe().columns.tolist() == ["particle", "theta"]


def test_coordinates_have_the_names_of_the_formula_whatever_they_are(plane):
    assert plane["kl 0.1"].to_xarray()["coordinate"].values.tolist() == ["x", "y"]
    assert plane.to_dataframe().columns.tolist() == ["method", "particle", "x", "y"]
    loss = pg.Loss.from_formula("time^2 + particle^2", ["time", "particle"])
    found = pg.compare(loss, ["DLE"], pg.priors.Normal([0.0, 0.0], 1.0), 10, 20, 1e-2, kl_weight=1.0)
    assert found.to_dataframe(True).columns.tolist() == ["method", "record", "time", "particle", "time_", "particle_"]
    assert found.to_xarray()["DLE"]["coordinate"].values.tolist() == ["time", "particle"]


def test_the_draws_for_arviz(exported):
    run = exported["DLE"]
    tree = run.to_datatree()
    late = run.times >= 0.5 * run.times[-1]
    posterior = tree["posterior"]
    assert posterior["position"].dims == ("chain", "draw", "coordinate")
    assert np.array_equal(posterior["position"], np.swapaxes(run.positions[late], 0, 1))
    assert np.array_equal(posterior["time"], run.times[late])
    loss = run.loss.value(run.positions[-1])
    assert np.array_equal(tree["sample_stats"]["loss"][:, -1], loss)
    assert np.array_equal(tree["sample_stats"]["lp"][:, -1], run.prior.log_density(run.positions[-1]) - loss)
    assert np.array_equal(tree["prior"]["position"][0], run.initial)
    assert [group.attrs["independent_chains"] for group in tree.children.values()] == [1, 1, 1]
    assert exported["DRLE"].to_datatree()["posterior"].attrs["independent_chains"] == 0
    assert "lp" not in exported["DRLE"].to_datatree()["sample_stats"]
    assert len(run.to_datatree(last=1.0)["posterior"]["draw"]) == len(run.steps)
    assert len(run.to_datatree(last=0.25)["posterior"]["draw"]) == 11


def test_without_noise_the_particles_are_the_draws_of_one_chain(exported):
    tree = exported["DE"].to_datatree()
    assert tree["posterior"]["position"].dims == ("chain", "draw", "coordinate")
    assert np.array_equal(tree["posterior"]["position"][0], exported["DE"].final)
    with pytest.raises(ValueError, match="^chains must be False for DE, whose particles have no draws .*, not True$"):
        exported["DE"].to_datatree(chains=True)
    assert exported["DLE"].to_datatree(chains=False)["posterior"]["position"].shape == exported["DLE"].final[None].shape


def test_particles_that_scale_each_other_are_no_independent_chains():
    loss, prior = pg.losses.get("banana"), pg.priors.Normal([0.0, 0.0], 1.0)
    runs = {
        name: pg.simulate(loss, pg.methods.DLE(1.0), prior, 8, 4, 1e-3, integrator=name)
        for name in ("euler-maruyama", "aldi")
    }
    runs["sample"] = pg.sample(loss, prior, particles=8, steps=4, progress=None)
    independent = {name: run.to_datatree()["posterior"].attrs["independent_chains"] for name, run in runs.items()}
    assert independent == {"euler-maruyama": 1, "aldi": 0, "sample": 0}


@pytest.mark.thorough
def test_jumps_make_chains_depend_and_a_start_that_is_not_the_prior_is_not_called_so():
    loss, prior, start = pg.losses.get("tilted-double-well"), pg.priors.Normal(0.0, 1.0), np.linspace(-1, 1, 5)
    jumping = pg.simulate(loss, pg.methods.DLE(1.0, jumps=True), prior, 20, 100, 1e-3).to_datatree()
    assert jumping["posterior"].attrs["independent_chains"] == 0
    for given in (prior, None):
        run = pg.simulate(loss, pg.methods.DLE(1.0), given, steps=20, step_size=1e-3, initial=start)
        assert set(run.to_datatree().children) == {"posterior", "sample_stats"}


def check(path, run):
    """The ArviZ of this environment, whichever it is, says of the draws in a file what the package says, to 1e-12."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import arviz
        import xarray

        tree = xarray.open_datatree(path, engine="h5netcdf")[run.label]
        old = int(arviz.__version__.split(".")[0]) < 1
        data = arviz.from_datatree(tree) if old else tree
        rows = [str(row) for row in arviz.summary(data).index]
        found = arviz.rhat(data, method="rank"), arviz.ess(data, method="bulk")
    if not old:  # trees with the group posterior in 1.x
        found = [each["posterior"].dataset if "posterior" in each.children else each for each in found]
    draws = run.to_datatree()["posterior"]["position"].values
    for measured, ours in zip(found, (potential_scale_reduction, effective_sample_size), strict=True):
        expected = [ours(np.ascontiguousarray(draws[:, :, i])) for i in range(run.dim)]
        np.testing.assert_allclose(measured["position"], expected, rtol=1e-12)
    assert rows == [f"position[{name}]" for name in run.loss.variables]
    attributes = tree["posterior"].attrs
    assert attributes["label"] == run.label and "scenario.toml" in attributes


@pytest.mark.needs("arviz")
def test_arviz_reads_the_tree_and_agrees(exported, tmp_path):
    """R-hat and ESS to 1e-12; an autocorrelation moved by one draw would not be."""
    path = tmp_path / "draws.nc"
    exported.to_datatree().to_netcdf(path, engine="h5netcdf")
    for label in ("DLE", "DRLE"):
        check(path, exported[label])
    inside = exported["DLE"].to_inference_data()
    assert np.array_equal(inside.posterior["position"][:, -1], exported["DLE"].final)
    with pytest.raises(AssertionError):
        check(path, exported["DLE"].at(-2))
