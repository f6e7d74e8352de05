"""Storage, resuming and signals where what Windows refuses is emulated (`tests/emulated`): a sample, and slowly all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..interrupting import slow

EMULATED = Path(__file__).parents[2] / "emulated"
PATIENCE = 1500.0  # seconds
# Tests that make what a user of Windows cannot make, or remove a folder in which a file is open.
NOT_THERE = "not link and not pipe and not fifo and not folder_that_goes"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the emulation looks into /proc")


def emulated(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python with these arguments in a process in which the emulation is on, as it is in the children of that."""
    path = os.pathsep.join([str(EMULATED), str(root), os.environ.get("PYTHONPATH", "")])
    surroundings = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, *arguments], env=surroundings, capture_output=True, text=True, timeout=PATIENCE, cwd=root
    )


# Who holds a folder, a run that is interrupted and resumed, and one that starts over: to the bytes of a straight one.
FEW = (
    "tests/runs/storage/test_lock.py",
    "tests/runs/test_overwriting.py::test_two_writers_are_one_too_many",
    "tests/runs/test_overwriting.py::test_taking_over_again_finishes_the_first_time",
)
REFUSALS = """
import os, signal, sys, pathlib, particlegvi.tools.system as system
assert system.WINDOWS and not hasattr(os, "pread") and not hasattr(signal, "SIGHUP")
folder = pathlib.Path(sys.argv[1]); (folder / "inside").mkdir(); (folder / "other").write_text("x")
def refused(work):
    try:
        work()
    except (PermissionError, FileExistsError, ValueError, ImportError):
        return True
    return False
with open(folder / "inside" / "file", "w"):
    held = folder / "inside" / "file"
    assert refused(held.unlink) and refused(lambda: held.rename(folder / "new"))
    assert refused(lambda: os.replace(folder / "other", held))
    assert refused(lambda: (folder / "inside").rename(folder / "moved"))
assert refused(lambda: (folder / "other").rename(held)) and refused(lambda: signal.set_wakeup_fd(os.pipe()[1]))
assert refused(lambda: __import__("fcntl"))
held.unlink(); (folder / "inside").rename(folder / "moved")
"""


def test_the_emulation_refuses_what_windows_refuses(tmp_path, root):
    done = emulated(root, "-c", REFUSALS, str(tmp_path))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("files", [
    pytest.param(FEW, marks=pytest.mark.thorough),
    slow(("tests/runs/storage",)),
    slow(("tests/runs/test_resume.py", "tests/runs/test_resume_damage.py")),
    slow(("tests/runs/test_overwriting.py",)),
    slow(("tests/runs/test_signals.py", "tests/runs/test_execute.py", "tests/runs/test_faults.py")),
])  # fmt: skip
def test_storage_resuming_and_signals_under_the_emulation(files, root):
    """At least one test passes in each file, and none fails."""
    picked = f"{NOT_THERE} and not emulation and not test_windows"
    plain = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=--import-mode=importlib", "-k", picked)
    done = emulated(root, "-m", "pytest", *plain, "-m", "not slow", *files)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


@pytest.mark.slow
def test_kills_under_the_emulation(root):
    """A few: whole series of them take an hour, with or without the emulation."""
    done = emulated(root, "benchmarks/kills.py", "--kills", "10")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
