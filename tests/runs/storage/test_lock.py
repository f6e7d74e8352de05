"""One writer for one folder: the second is refused by the first's number, and the dead hold nothing."""

import os
import signal
import subprocess
import sys

import pytest

from particlegvi.runs.storage.lock import Lock

from ...refusals import refuse

HOLD = """
import sys, time
from pathlib import Path
from particlegvi.runs.storage.lock import Lock
lock = Lock.take(Path(sys.argv[1]))
lock.note(label="DLE", step=123)
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"held\n"
    yield process
    process.kill()
    process.wait()


def test_the_second_is_told_who_the_first_is_and_takes_the_lock_over_from_the_dead(tmp_path, holder):
    refuse(lambda: Lock.take(tmp_path), rf"another process \(pid {holder.pid}\)")
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    lock = Lock.take(tmp_path)
    assert lock.before == {"pid": holder.pid, "label": "DLE", "step": 123}
    lock.release()
    assert not list(tmp_path.iterdir())


def test_a_lock_that_was_given_back_says_nothing(tmp_path):
    Lock.take(tmp_path).release()
    lock = Lock.take(tmp_path)
    assert lock.before == {}
    refuse(lambda: Lock.take(tmp_path), f"pid {os.getpid()}")
    lock.release()
    lock.release()  # harmless


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[1]", b'{"pid": ', b"9" * 5000, b"[" * 900])
def test_whatever_the_file_holds(tmp_path, content):
    (tmp_path / "lock").write_bytes(content)
    lock = Lock.take(tmp_path)
    assert lock.before == {}
    lock.release()


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "lock").symlink_to(tmp_path / "mine")
    with pytest.raises(OSError):
        Lock.take(tmp_path)
    assert (tmp_path / "mine").read_text() == "mine"
