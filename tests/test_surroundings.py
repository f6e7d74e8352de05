"""Equal bytes whatever the surroundings: locale, hash seed, umask, long and foreign paths, forks."""

import os
import subprocess

import pytest

import particlegvi as pg
from particlegvi import cli

from .interpreters import python

SCRIPT = """
import hashlib, sys, particlegvi as pg
results = pg.run("global-minimiser", particles=5, steps=20, out=sys.argv[1])
print(hashlib.sha256(b"".join(run.positions.tobytes() for run in results.values())).hexdigest())
"""
FORKS = """
import hashlib, multiprocessing, sys, numpy as np, particlegvi as pg

LOSS, PRIOR = pg.losses.get("tilted-double-well"), pg.priors.Normal()

def final(method):
    run = pg.simulate(LOSS, method, PRIOR, particles=20_000, steps=3, step_size=1e-3, record_every=0)
    return hashlib.sha256(run.final.tobytes()).hexdigest()

if __name__ == "__main__":
    methods = [pg.methods.DLE(1.0), pg.methods.DRE(0.5, pg.kernels.SquaredExponential(1.0))]
    here = [final(method) for method in methods]  # so many particles move in threads
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        assert pool.map_async(final, methods).get(timeout=300) == here
    print("same")
"""


def ran(script, *arguments, cwd, **environment) -> subprocess.CompletedProcess:
    (cwd / "script.py").write_text(script, encoding="utf-8")  # children of a process need a file
    return python(cwd / "script.py", *arguments, cwd=cwd, **environment)


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> str:
    return ran(SCRIPT, "run", cwd=tmp_path_factory.mktemp("expected")).stdout


EVERYTHING_ODD = {
    "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONHASHSEED": "12345", "TERM": None, "HOME": None,
    "PYTHONIOENCODING": "ascii", "NUMBA_NUM_THREADS": "1", "TZ": "Pacific/Kiritimati",
}  # fmt: skip


@pytest.mark.thorough
def test_the_same_bytes(expected, tmp_path):
    done = ran(SCRIPT, "run", cwd=tmp_path, **EVERYTHING_ODD)
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, "")


@pytest.mark.slow
def test_a_disabled_compiler_is_answered_with_a_warning(expected, tmp_path):
    done = ran(SCRIPT, "run", cwd=tmp_path, NUMBA_DISABLE_JIT="1")
    assert (done.returncode, done.stdout) == (0, expected)
    assert "NUMBA_DISABLE_JIT is ignored" in done.stderr


LONG = "/".join(["x" * 200] * 12)  # with what stands before it, still below the 4096 bytes that Linux allows


@pytest.mark.parametrize("place", ["naïve Größe 变量 \U0001f600", "a b\n'c\"$d", LONG, "-rf", "%s{}"], ids=range(5))
def test_any_path_that_the_system_allows_holds_a_run(place, tmp_path, capsys, elsewhere):
    """Saved, read and reported on."""
    out = f"--out={place}"
    assert cli.main(["run", "lifting", "--set", "particles=3", "--set", "steps=2", "--no-figure", out]) == 0
    assert "saved in" in capsys.readouterr().out
    assert pg.load(place).status == "finished"
    assert (tmp_path / place / "summary.json").is_file()


@pytest.mark.parametrize("mask", [0o077, 0o022])
def test_what_is_written_follows_the_umask(mask, tmp_path):
    before = os.umask(mask)
    try:
        pg.run("lifting", particles=3, steps=2, out=tmp_path / "run")
    finally:
        os.umask(before)
    for path in [tmp_path / "run", *(tmp_path / "run").rglob("*")]:
        full = 0o777 if path.is_dir() else 0o666
        assert path.stat().st_mode & 0o777 == full & ~mask, path


def test_a_folder_without_permission_is_refused_in_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "closed").mkdir(mode=0o500)
    if os.access(tmp_path / "closed", os.W_OK):
        pytest.skip("this user may write everywhere")
    with pytest.raises(ValueError, match="cannot be used for results: Permission denied"):
        pg.run("lifting", particles=3, steps=2, out=tmp_path / "closed" / "run")


@pytest.mark.thorough
@pytest.mark.parametrize(
    "start", ["fork", *(pytest.param(each, marks=pytest.mark.slow) for each in ("spawn", "forkserver"))]
)
def test_children_of_a_process_with_threads_work_and_agree(start, tmp_path):
    done = ran(FORKS, start, cwd=tmp_path)
    assert (done.returncode, done.stdout.strip()) == (0, "same"), done.stderr[-2000:]
