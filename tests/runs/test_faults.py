"""Faults of a machine during a run: full disks, folders that go, clocks that jump, kills."""

import os
import shutil
import subprocess
import sys

import pytest

import particlegvi as pg
from particlegvi.tools.errors import FolderLost

from .interrupting import SHORT, everything, slow

MAIN = "import sys; from particlegvi.cli import main; sys.exit(main(sys.argv[1:]))"


def called(*arguments, before=""):
    return subprocess.run(
        [sys.executable, "-c", before + MAIN, *arguments], capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.thorough
def test_a_full_disk_stops_the_run_in_one_sentence_and_the_rest_is_done_later(tmp_path):
    """A limit of the size of a file stands for the disk: the records of DLE do not fit, those of DE do not either."""
    size = {"particles": 400, "steps": 60, "record_every": 1}
    settings = [word for key, value in size.items() for word in ("--set", f"{key}={value}")]
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (90000, 90000));"
    made = called("run", "lifting", "--out", str(tmp_path / "run"), *settings, "--no-figure", "--quiet", before=full)
    assert made.returncode == 1
    (line,) = made.stderr.splitlines()
    assert "File too large" in line and "particlegvi resume" in line
    assert pg.load(tmp_path / "run").status == "failed"
    pg.resume(tmp_path / "run")
    pg.run("lifting", out=tmp_path / "straight", **size)
    assert everything(tmp_path / "run" / "arrays") == everything(tmp_path / "straight" / "arrays")


def test_a_folder_that_goes_is_noticed_at_the_next_checkpoint(tmp_path):
    """And not made again, with nothing in it but checkpoints, until the method is done."""
    heard = []

    def remove_once(label, done, steps):
        if not heard:
            shutil.rmtree(tmp_path / "run")
        heard.append(done)

    small = {"data.count": 20, "inducing_points": 4, "particles": 4, "steps": 50}
    with pytest.raises(FolderLost):
        pg.run("poisson-bimodal", out=tmp_path / "run", progress=remove_once, checkpoint_every=1e-9, **small)
    assert not (tmp_path / "run").exists()
    assert len(heard) <= 2


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_read_all_the_same(tmp_path):
    pg.run("lifting", out=tmp_path / "run", **SHORT)
    (tmp_path / "run").chmod(0o500)
    try:
        assert pg.load(tmp_path / "run").status == "finished"
        assert pg.resume(tmp_path / "run").status == "finished"
    finally:
        (tmp_path / "run").chmod(0o700)


CALMER = "--set particles=20 --set methods.20000_steps.steps=4000 --set inducing_points=9"
KILLS = {
    "kills.py --kills 3 --only lifting --set steps=20000 --set particles=200": "3 kills, 0 resumed runs differ",
    f"kills.py --kills 2 --only poisson-frozen-signs {CALMER}": "2 kills, 0 resumed runs differ",  # inside fits
    "kills.py --kills 6 --only repulsion-in-weights --set steps=1501": "6 kills, 0 resumed runs differ",  # in an epoch
    "kills.py --late": "",
    "kills.py --kills 200": "",
}


@pytest.mark.thorough
@pytest.mark.parametrize("number", [0, *(slow(number) for number in range(1, len(KILLS)))])
def test_runs_that_are_killed_go_on_to_the_same_bytes(number, root):
    command, said = list(KILLS.items())[number]
    script, *arguments = (each.replace("20000_steps", "20000 steps") for each in command.split())
    made = subprocess.run(
        [sys.executable, str(root / "benchmarks" / script), *arguments],
        capture_output=True, text=True, timeout=3600, check=False, env={**os.environ, "PYTHONPATH": str(root)},
    )  # fmt: skip
    assert made.returncode == 0, made.stdout + made.stderr
    assert said in made.stdout
