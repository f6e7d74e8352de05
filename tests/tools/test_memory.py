"""A size that does not fit is refused with the estimate, before anything is made; the estimate is near the truth."""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import particlegvi as pg
from particlegvi import scenario
from particlegvi.runs import execute as runner
from particlegvi.simulation.loop import record_steps
from particlegvi.tools import memory

from ..refusals import refuse as refusal

LOSS, PRIOR, DLE = pg.losses.get("tilted-double-well"), pg.priors.Normal(), pg.methods.DLE()


@pytest.fixture
def small(monkeypatch):
    """A machine with 4 GB of memory and 50 GB of disk."""
    monkeypatch.setattr(memory, "available", lambda: 4 * 10**9)
    monkeypatch.setattr(memory.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 50 * 10**9}))


def test_too_many_particles(small):
    words = refusal(lambda: pg.simulate(LOSS, DLE, PRIOR, particles=10**9, steps=1))
    assert words.startswith("particles is 1000000000 in 1 dimension, which needs about 64 GB of memory, and 4 GB are ")
    assert "in 8 dimensions, which needs about 51.2 GB" in refusal(
        lambda: pg.simulate(pg.losses.get("quadratic", dim=8), DLE, pg.priors.Normal(np.zeros(8)), particles=10**8)
    )


def test_too_many_records(small):
    words = refusal(lambda: pg.simulate(LOSS, DLE, PRIOR, particles=10**6, steps=10**6, record_every=1))
    assert "needs about 8e+03 GB of disk, and 50 GB are free" in words and "record_every" in words
    words = refusal(lambda: pg.simulate(LOSS, DLE, PRIOR, particles=1, steps=10**12, record_every=1))
    assert "record_every keeps 1000000000002 records" in words and "24000 GB" in words or "2.4e+04 GB" in words


def test_a_scenario_counts_the_records_of_all_its_methods(small):
    """Its three methods need 36 GB of disk each: one would fit."""
    given = {"particles": 3 * 10**6, "steps": 1500, "record_every": 1}
    assert "108 GB of disk" in refusal(lambda: pg.run("global-minimiser", **given))
    memory.check_run(3 * 10**6, 1, 1500, 1, runs=1)


def test_records_must_fit_on_the_disk_that_they_are_saved_on(monkeypatch, tmp_path):
    """Each disk has its own room: 36 GB for each of three methods, on a disk of 50 and on one of 500."""
    room = {tmp_path: 50 * 10**9, Path(tempfile.gettempdir()): 500 * 10**9}
    monkeypatch.setattr(memory.shutil, "disk_usage", lambda folder: type("Usage", (), {"free": room[folder]}))
    monkeypatch.setattr("particlegvi.runs.execute.create", lambda *_: pytest.fail("went on"))
    given = {"particles": 3 * 10**6, "steps": 1500, "record_every": 1}
    words = refusal(lambda: pg.run("global-minimiser", out=tmp_path / "a" / "b", **given))
    assert "108 GB of disk" in words and f"50 GB are free in {tmp_path};" in words
    assert not list(tmp_path.iterdir())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(memory.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 50 * 10**9}))
    assert "108 GB of disk" in refusal(lambda: runner.execute(scenario.load("global-minimiser", given)))
    monkeypatch.setattr(memory.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 500 * 10**9}))
    with pytest.raises(pytest.fail.Exception, match="went on"):  # the control: here it would fit
        pg.run("global-minimiser", out=tmp_path / "a" / "b", **given)


def test_what_is_overwritten_makes_room(monkeypatch, tmp_path):
    pg.run("lifting", out=tmp_path / "run", particles=1000, steps=100, record_every=10)
    there = sum(path.stat().st_size for path in (tmp_path / "run" / "arrays").iterdir())
    monkeypatch.setattr(memory.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 20_000}))
    again = {"particles": 1000, "steps": 100, "record_every": 10}
    assert there > 8 * 1000 * 11
    assert "GB of disk" in refusal(lambda: pg.run("lifting", out=tmp_path / "other", **again))
    pg.run("lifting", out=tmp_path / "run", overwrite=True, **again)
    assert pg.load(tmp_path / "run").status == "finished"  # whatever room there is, it can be read


def test_too_many_draws_and_too_large_an_array(small):
    with pytest.raises(ValueError, match="draws is 100000000 in 1 dimension"):
        pg.simulate(LOSS, pg.methods.FDGVI(draws=10**8), pg.priors.Normal(), particles=2, steps=1, step_size=1e-3)


def test_nothing_is_written_or_sampled_before_the_size_is_checked(small, monkeypatch, tmp_path, elsewhere):
    monkeypatch.setattr(pg.priors.Normal, "sample", lambda *_, **__: pytest.fail("sampled"))
    assert "GB" in refusal(lambda: pg.run("global-minimiser", particles=10**8, out="run"))
    assert not list(tmp_path.iterdir())


def test_what_fits_is_not_refused(small):
    memory.check_run(particles=10**6, dim=2, steps=10**5, record_every=None)
    memory.check_run(particles=300, dim=1, steps=10**12, record_every=None)
    memory.check_run(particles=50 * 10**6, dim=1, steps=100, record_every=0)


@pytest.mark.parametrize("steps", [0, 1, 199, 200, 1000, 12_345])
@pytest.mark.parametrize("every", [None, 0, 1, 7, 100])
def test_records_are_counted_as_they_are_made(steps, every):
    exact = len(record_steps(steps, every))
    assert exact <= memory.most_records(steps, every) <= exact + 2 or every is None


def test_available_memory_is_the_least_that_anyone_allows(monkeypatch):
    found = memory.available()
    assert found is None or 10**7 < found < 10**15
    for name in ("_machine", "_container", "_address_space"):
        with monkeypatch.context() as patch:
            patch.setattr(memory, name, lambda: 12345)
            assert memory.available() == 12345
    for name in ("_machine", "_container", "_address_space"):
        monkeypatch.setattr(memory, name, lambda: None)
    assert memory.available() is None
    memory.check("anything", 10**30, "nothing")  # where the system says nothing, nothing is refused


def test_a_limit_on_the_address_space_is_seen():
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (10**9, 10**9))\n"
        "from particlegvi.tools import memory\n"
        "assert memory.available() <= 10**9"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.thorough
def test_the_estimate_is_near_the_truth():
    """The peak of a run of two million particles is within a factor of two of what the rule says."""
    if sys.platform != "linux":
        pytest.skip("the peak of a process is read from /proc")
    code = (
        "import particlegvi as pg\n"
        "def run(n): pg.simulate(pg.losses.get('tilted-double-well'), pg.methods.DLE(1.0), pg.priors.Normal(),"
        " particles=n, steps=1, step_size=1e-3, record_every=0)\n"
        "def peak(): return next(int(line.split()[1]) for line in open('/proc/self/status') if 'VmHWM' in line)\n"
        "run(1000); before = peak()\n"
        "run(2_000_000); print(1024 * (peak() - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, timeout=120, capture_output=True, text=True)
    estimate = 8 * memory.COPIES * 2_000_000
    assert estimate / 2 < int(done.stdout) < 2 * estimate


def test_the_limit_of_this_process_is_its_own():
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    assert memory._address_space() == (None if limit == resource.RLIM_INFINITY else limit)
