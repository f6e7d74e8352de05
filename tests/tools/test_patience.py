"""How long a run will take is said from its first steps; above an hour a command asks and Python warns."""

import pytest

import particlegvi as pg
from particlegvi import cli
from particlegvi.tools import patience
from particlegvi.tools.patience import TimeEstimate, TooLong

LOSS, PRIOR, DLE = pg.losses.get("double-well"), pg.priors.Normal(0.0, 1.0), pg.methods.DLE(1.0)
SMALL = ["--set", "particles=10", "--set", "steps=2000", "--no-figure"]


def heard(monkeypatch, seconds, *, follow=0, agreed=None, compiled=0.0, stopped=0.0):
    """The lines of an estimate of 1,000 steps of these seconds each, and the clock after them."""
    clock, lines = [0.0], []
    monkeypatch.setattr(patience.time, "perf_counter", lambda: clock[0])
    estimate = TimeEstimate(None, lines.append, agreed)
    estimate.stage("steps", 0, 1 + follow)
    clock[0] += compiled  # the first step compiles
    for step in range(1, 100):
        clock[0] += seconds + stopped * (step == 2)
        estimate("DLE", step, 1000)
    return lines


def test_minutes_are_said_and_seconds_are_not(monkeypatch):
    (line,) = heard(monkeypatch, 0.2, compiled=500.0)  # what compiles does not count
    assert line.startswith("DLE takes about 3.3 minutes for 995 steps; fewer steps")
    assert heard(monkeypatch, 0.02, compiled=500.0) == []
    assert heard(monkeypatch, 0.02, agreed=False, stopped=5.0) == []  # where a machine stops the process for once
    (line,) = heard(monkeypatch, 0.02, follow=9)
    assert "takes about 19 s for 969 steps, and about 3.3 minutes with the 9 that follow; fewer" in line


def test_an_hour_needs_a_yes_in_a_command_and_warns_in_python(monkeypatch):
    with pytest.raises(TooLong, match=r"takes about 1\.1 hours for 997 steps; fewer .*; say --yes"):
        heard(monkeypatch, 4.0, agreed=False)
    with pytest.raises(TooLong):
        heard(monkeypatch, 1.0, follow=4, agreed=False)
    assert len(heard(monkeypatch, 4.0, agreed=True)) == len(heard(monkeypatch, 1.0, agreed=False)) == 1
    with pytest.warns(UserWarning, match="about 1.1 hours"):
        heard(monkeypatch, 4.0)


@pytest.fixture
def long_hours(monkeypatch):
    """The shortest work takes more than an hour, and a method is heard of more than once."""
    monkeypatch.setattr(patience, "HOUR", 1e-9)
    monkeypatch.setattr(patience, "MEASURED", 0.0)
    monkeypatch.setattr("particlegvi.simulation.storage.CHUNK_SECONDS", 1e-3)


@pytest.fixture
def hasty(long_hours, monkeypatch, elsewhere):
    """A second is long, too: an estimate comes from the first chunk."""
    monkeypatch.setattr(patience, "MINUTE", 1e-9)


@pytest.mark.thorough
def test_a_command_stops_before_an_hour_and_goes_on_with_a_yes(long_hours, tmp_path, capsys):
    command = ["run", "global-minimiser", *SMALL, "--out", str(tmp_path / "run")]
    assert cli.main(command) == 2
    assert "DE takes about" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
    assert cli.main([*command, "--yes", "--quiet"]) == 0
    sweep = ["sweep", "global-minimiser", *SMALL, "--seeds", "4", "--workers", "1", "--out", str(tmp_path / "sweep")]
    assert cli.main([*sweep, "--over", "methods.DLE.kl_weight=1"]) == 2
    assert "2 cells of about" in capsys.readouterr().err
    assert cli.main(["resume", str(tmp_path / "sweep"), "--quiet", "--yes", "--workers", "1", "--no-figure"]) == 0


@pytest.mark.thorough
def test_a_sweep_says_its_time_before_a_cell_is_finished(hasty, tmp_path, capsys):
    sweep = ["sweep", "global-minimiser", *SMALL, "--workers", "1", "--seeds", "1", "--out", str(tmp_path / "s")]
    sweep += ["--over", "methods.DLE.kl_weight=1,2,3"]
    assert cli.main(sweep) == 2
    assert "3 cells of about" in capsys.readouterr().err and not (tmp_path / "s").exists()
    assert cli.main([*sweep, "--yes"]) == 0
    said = capsys.readouterr()
    assert said.err.count("3 cells of about") == 1 and "3 cells computed" in said.out


@pytest.mark.slow
def test_a_long_cell_is_measured_in_its_own_process(tmp_path):
    """Where nothing is replaced, as no process would hear of it: two cells of some seconds each, at a limit of 0.2."""
    size = {"particles": 3000, "steps": 80_000, "methods": {"DLE": {}}, "figures": []}
    with pytest.MonkeyPatch.context() as patch, pytest.warns(UserWarning, match="cells of about .* in 2 processes"):
        patch.setattr(patience, "MINUTE", 0.2)
        patch.setattr(patience, "HOUR", 0.2)
        pg.sweep("lifting", over={"step_size": [0.01, 0.02]}, seeds=1, workers=2, **size)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "command",
    [
        "animate lifting --set particles=10 --set steps=2000 --frames 3 --seconds 2.2 --quiet",
        "gallery --quick --only lifting --quiet",
        "gallery --quick --only step-sizes --quiet",
        "verify fokker-planck-law --quiet",
    ],
)
def test_each_command_that_simulates_asks(hasty, command, capsys):
    assert cli.main(command.split()) == 2
    assert capsys.readouterr().err.count("say --yes to do it all the same") == 1
    if not command.startswith("verify"):
        assert cli.main([*command.split(), "--yes"]) == 0


@pytest.mark.thorough
def test_python_warns_for_each_way_to_begin(long_hours, tmp_path):
    problem = {"prior": PRIOR, "particles": 10, "steps": 2000, "step_size": 1e-3}
    for begin in (
        lambda: pg.simulate(LOSS, DLE, **problem),
        lambda: pg.simulate(LOSS, DLE, out=tmp_path / "run", **problem),
        lambda: pg.compare(LOSS, [DLE], **problem),
        lambda: pg.run("global-minimiser", particles=10, steps=2000),
        lambda: pg.sample(LOSS, PRIOR, particles=20, steps=30),
    ):
        with pytest.warns(UserWarning, match="takes about"):
            begin()
