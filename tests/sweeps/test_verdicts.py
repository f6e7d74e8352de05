"""A sweep shows the verdict of each run, ranks those at equilibrium first, and counts what ran away as divergence."""

import csv
import warnings

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.sweeps import report
from particlegvi.sweeps.numbers import GridNumbers

WELLS = {
    "name": "wells", "title": "", "loss": {"formula": "4*(t^2-4)^2", "variables": ["t"]}, "particles": 60,
    "steps": 2000, "step_size": 0.002, "initial": {"name": "normal", "mean": 1.0, "sd": 0.5},
    "prior": {"name": "normal", "mean": 0.0, "sd": 2.0}, "methods": {"DLE": {"kl_weight": 1.0}},
}  # fmt: skip
TEMPERATURES = [0.5, 1.0, 2.0, 60.0]


@pytest.fixture(scope="module")
def wells(tmp_path_factory):
    out = tmp_path_factory.mktemp("wells") / "s"
    return pg.sweep(WELLS, over={"methods.DLE.kl_weight": TEMPERATURES}, seeds=2, out=out)


@pytest.mark.thorough
def test_stuck_runs_are_said_and_rank_last(wells, monkeypatch):
    """The warm runs cross the barrier of 64, those at 2 and below never do: their shares are those of the start."""
    assert wells.headline().endswith("0 diverged, 2 of 8 runs at equilibrium")
    assert wells.verdicts("DLE").tolist() == [["metastable"] * 2] * 3 + [["arrived"] * 2]
    assert wells.unsettled("DLE").tolist() == [[1.0, 1.0]] * 3 + [[0.0, 0.0]]
    first = report.best(wells, "average_loss", "DLE")[0]
    assert first["setting"] == {"methods.DLE.kl_weight": 60.0} and first["verdicts"] == {"arrived": 2}
    table = (wells.folder / "table.md").read_text()
    assert "those at equilibrium first" in table and "| metastable |" in table and "not at equilibrium" in table
    with open(wells.folder / "table.csv", newline="") as file:
        assert [line["equilibrium"] for line in csv.DictReader(file)] == ["metastable"] * 6 + ["arrived"] * 2
    [axes] = [each for each in wells.plot("lines").axes if each.lines]
    [hollow] = [line for line in axes.lines if line.get_gid() == "unsettled"]
    np.testing.assert_array_equal(hollow.get_xdata(), TEMPERATURES[:3])
    monkeypatch.setattr(GridNumbers, "unsettled", lambda self, method: np.zeros(self.shape))
    control = report.best(wells, "average_loss", "DLE")[0]
    assert control["setting"] != first["setting"]  # by the number alone a stuck run is the best


LOSS, PRIOR = pg.Loss.from_formula("4*x^2", ["x"]), pg.priors.Normal(0.0, 1.0)


@pytest.mark.parametrize("command", [False, True])
@pytest.mark.thorough
def test_what_ran_away_has_diverged(command, tmp_path, capsys):
    """Steps of 0.3 on 4 x^2 grow by 1.4 each: they are absurd long before they overflow."""
    from particlegvi.cli import main

    scenario = {"loss": "4*x^2", "particles": 20, "steps": 150, "step_size": 0.3, "methods": {"DE": {}}, "figures": []}
    if not command:
        for begin in (
            lambda: pg.run(scenario, out=tmp_path / "run"),
            lambda: pg.simulate(LOSS, "DE", PRIOR, 20, 150, 0.3),
            lambda: pg.compare(LOSS, ["DE"], PRIOR, 20, 150, 0.3),
        ):
            with pytest.warns(UserWarning, match="DE has diverged, .* a smaller step_size than 0.3, for example 0.05$"):
                begin()
        assert pg.resume(tmp_path / "run").status == "diverged"
        with pytest.warns(
            UserWarning, match="the loss falls without end under this prior, or try .* for example 0.002"
        ):
            pg.simulate(pg.Loss.from_formula("-x^2", ["x"]), "DE", PRIOR, 20, 1000, 0.01)
        with warnings.catch_warnings():  # numpy says nothing of its own where even the mean loss overflows
            warnings.simplefilter("error", RuntimeWarning)
            warnings.simplefilter("ignore", UserWarning)
            assert pg.simulate(LOSS, "DE", PRIOR, 20, 1050, 0.3).average_loss()[-1] == np.inf
            assert "diverged" in pg.compare(LOSS, ["DLE"], PRIOR, 20, 900, 0.3).describe()
        with warnings.catch_warnings():  # the control: a step inside the limit
            warnings.simplefilter("error")
            pg.simulate(LOSS, "DE", PRIOR, 20, 150, 0.01)
        swept = pg.sweep({"name": "away", **scenario}, over={"step_size": [0.01, 0.3]}, seeds=1)
        assert swept.stopped("DE").tolist() == [[0.0], [1.0]] and np.isnan(swept.values("sd", "DE")[1, 0])
        assert "1 diverged" in swept.headline()
        return
    settings = ["--set", "loss=4*x^2", "--set", "particles=20", "--set", "steps=150", "--no-figure", "--quiet"]
    for step, code in ((0.3, 3), (0.01, 0)):
        out = tmp_path / str(step)
        given = ["run", "global-minimiser", "--out", str(out), *settings, "--set", f"step_size={step}",
                 "--set", "methods.DLE=false", "--set", "methods.DRLE=false"]  # fmt: skip
        assert main(given) == code
        assert pg.load(out).status == ("diverged" if code else "finished")
    assert (
        "DE diverged: particles have run away, try a smaller step_size than 0.3, for example 0.05"
        in capsys.readouterr().err
    )
    assert main(["resume", str(tmp_path / "0.3")]) == 2
