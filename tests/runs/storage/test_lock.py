"""One writer for one folder: the second is refused, and the dead hold nothing."""

import os
import signal
import subprocess
import sys

import pytest

from particlegvi.runs.storage.manifest import Lock

from ...refusals import refuse

HOLD = """
import sys, time
from pathlib import Path
from particlegvi.runs.storage.manifest import Lock
lock = Lock(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


def test_the_second_is_refused_and_takes_the_lock_over_from_the_dead(tmp_path):
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE)
    assert holder.stdout.readline() == b"held\n"
    refuse(lambda: Lock(tmp_path), "is being written by another process")
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    lock = Lock(tmp_path)
    refuse(lambda: Lock(tmp_path), "is being written by another process")
    lock.release()
    lock.release()  # harmless
    assert not list(tmp_path.iterdir())


def test_a_lock_whose_folder_was_replaced_leaves_the_next_one(tmp_path):
    (tmp_path / "run").mkdir()
    lock = Lock(tmp_path / "run")
    (tmp_path / "run").rename(tmp_path / "moved")
    (tmp_path / "run").mkdir()
    other = Lock(tmp_path / "run")
    lock.release()
    other.check()
    other.release()


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "lock").symlink_to(tmp_path / "mine")
    with pytest.raises(OSError):
        Lock(tmp_path)
    (tmp_path / "lock").unlink()
    os.link(tmp_path / "mine", tmp_path / "lock")
    Lock(tmp_path).release()
    assert (tmp_path / "mine").read_text() == "mine"
