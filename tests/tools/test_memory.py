"""A size that does not fit is refused with the estimate, before anything is made; the estimate is near the truth."""

import os
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

import particlegvi as pg
from particlegvi import scenario
from particlegvi.runs import execute as runner
from particlegvi.simulation.storage import Saving
from particlegvi.tools import machine

from ..interpreters import python
from ..refusals import refuse as refusal

LOSS, PRIOR, DLE = pg.losses.get("tilted-double-well"), pg.priors.Normal(), pg.methods.DLE()


def disk(monkeypatch, free):
    """Each disk has so many bytes free; ``free`` may be a function of the folder."""
    found = free if callable(free) else lambda _: free
    monkeypatch.setattr(machine.shutil, "disk_usage", lambda folder: SimpleNamespace(free=found(folder)))


@pytest.fixture
def small(monkeypatch):
    """A machine with 4 GB of memory and 50 GB of disk."""
    monkeypatch.setattr(machine, "available", lambda: 4 * 10**9)
    disk(monkeypatch, 50 * 10**9)


LARGE = {"particles": 3 * 10**6, "steps": 1500, "record_every": 1}  # 36 GB of disk for each method


NAMED = {"scenario": "global-minimiser"}  # of three methods; the records of one would fit


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (
            {"particles": 10**9, "steps": 1},
            "^particles is 1000000000 in 1 dimension, which needs about 64 GB of memory, and 4 GB are ",
        ),
        (
            {"loss": pg.losses.get("quadratic", dim=8), "prior": pg.priors.Normal([0.0] * 8), "particles": 10**8},
            "in 8 dimensions, which needs about 70.4 GB",
        ),
        (
            {"particles": 10**6, "steps": 10**6, "record_every": 1},
            r"record_every .* needs about 8e\+03 GB of disk, and 50 GB are free",
        ),
        ({"method": pg.methods.FDGVI(draws=10**8), "particles": 2}, "draws is 100000000 in 1 dimension"),
        ({**NAMED, **LARGE}, "108 GB of disk"),
        ({**NAMED, "particles": 10**8, "out": "run"}, "GB"),
    ],
)
def test_a_size_that_does_not_fit_is_refused(size, words, small, monkeypatch, elsewhere):
    if "out" in size:
        monkeypatch.setattr(pg.priors.Normal, "sample", lambda *_, **__: pytest.fail("sampled"))
    one = {"loss": LOSS, "method": DLE, "prior": PRIOR} | size
    refusal(lambda: pg.run(**size) if "scenario" in size else pg.simulate(**one), words)
    assert os.listdir() == []


def test_records_must_fit_on_the_disk_that_they_are_saved_on(monkeypatch, tmp_path):
    """Each disk has its own room: 36 GB for each of three methods, on a disk of 50 and on one of 500."""
    monkeypatch.setattr("particlegvi.runs.execute.create", lambda *_: pytest.fail("went on"))
    disk(monkeypatch, {tmp_path: 50 * 10**9, Path(tempfile.gettempdir()): 500 * 10**9}.__getitem__)
    words = refusal(lambda: pg.run("global-minimiser", out=tmp_path / "a" / "b", **LARGE), "108 GB of disk")
    assert f"50 GB are free in {tmp_path};" in words
    assert not list(tmp_path.iterdir())
    monkeypatch.chdir(tmp_path)
    disk(monkeypatch, 50 * 10**9)
    results = runner.prepared_results(scenario.load("global-minimiser", LARGE))
    refusal(lambda: runner.execute(results, saving=Saving()), "108 GB of disk")
    disk(monkeypatch, 500 * 10**9)
    with pytest.raises(pytest.fail.Exception, match="went on"):  # the control: here it would fit
        pg.run("global-minimiser", out=tmp_path / "a" / "b", **LARGE)


def test_a_limit_on_the_address_space_is_seen():
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (10**9, 10**9))\n"
        "from particlegvi.tools import machine\n"
        "assert machine.available() <= 10**9"
    )
    python("-c", code)


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
    estimate = 8 * machine.COPIES * 2_000_000
    assert estimate / 2 < int(python("-c", code).stdout) < 2 * estimate
