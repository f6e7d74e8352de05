"""Ctrl-C, SIGTERM and a closed terminal: a checkpoint, the line that resumes, and the right exit code."""

import os
import signal
import subprocess
import sys
import time

import pytest

import particlegvi as pg
from particlegvi.runs.storage import checkpoint
from particlegvi.tools.signals import Stopped, stop_signals

ENDLESS = ["run", "lifting", "--no-figure", "--set", "steps=1000000000", "--set", "particles=4"]
ENDLESS_FIT = ["run", "poisson-bimodal", "--no-figure", "--set", "steps=100000000", "--set", "data.count=60"]
PATIENCE = 120.0  # busy machines, and compilers; how long it really takes is in docs/reliability.md


HAS_HANGUP = hasattr(signal, "SIGHUP")  # Windows has no such signal
ENDINGS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), *([(signal.SIGHUP, 129)] if HAS_HANGUP else [])]


MAIN = "import sys; from particlegvi.cli import main; sys.exit(main(sys.argv[1:]))"
IGNORING = "signal.signal(signal.SIGHUP, signal.SIG_IGN)"


def start(*arguments, code=MAIN):
    return subprocess.Popen([sys.executable, "-c", code, *arguments], stderr=subprocess.PIPE, stdout=subprocess.PIPE)


def wait_for_steps(folder, process):
    """Until the run has made steps, which it has where it has records or a checkpoint."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        if list(folder.glob("arrays/*.growing.npy")) or list(folder.glob("checkpoint.npz")):
            time.sleep(0.3)
            return
        time.sleep(0.02)
    process.kill()
    raise AssertionError(f"no step within {PATIENCE} s: {process.communicate()[1].decode()}")


@pytest.mark.parametrize("command", [ENDLESS, ENDLESS_FIT], ids=["particles", "functions"])
@pytest.mark.parametrize(("number", "code"), ENDINGS)
@pytest.mark.thorough
@pytest.mark.often("15-143-functions", "1-129-particles")
def test_a_signal_is_answered_with_a_checkpoint_and_the_line_that_resumes(tmp_path, number, code, command):
    process = start(*command, "--out", str(tmp_path / "run"), "--checkpoint-every", "0.1", "--yes")
    wait_for_steps(tmp_path / "run", process)
    while not (kept := checkpoint.read(tmp_path / "run")) or kept.snapshot.step == 0:  # the first one is at the start
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == code
    assert out == b""
    *estimate, line = err.decode().splitlines()
    assert len(estimate) <= 1  # how long the run would take, where it was known before the signal
    assert line.startswith("particlegvi: interrupted") and f"particlegvi resume {tmp_path / 'run'}" in line
    assert checkpoint.read(tmp_path / "run").snapshot.step > 0
    assert pg.load(tmp_path / "run").status == "interrupted"
    assert not (tmp_path / "run" / "lock").exists()


TWICE = """
import time
from particlegvi.tools.signals import stop_signals
with stop_signals():
    try:
        print("ready", flush=True); time.sleep(60)
    except KeyboardInterrupt:
        print("stopping", flush=True); time.sleep(60)
"""


def test_the_second_signal_ends_the_process_at_once():
    process = start(code=TWICE)
    for said in (b"ready\n", b"stopping\n"):
        assert process.stdout.readline() == said
        process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 130


@pytest.mark.skipif(not HAS_HANGUP, reason="there is no SIGHUP")
@pytest.mark.slow
def test_what_the_process_was_told_to_ignore_stays_ignored(tmp_path):
    process = start(*ENDLESS, "--out", str(tmp_path / "run"), code=f"import signal\n{IGNORING}\n{MAIN}")
    wait_for_steps(tmp_path / "run", process)
    process.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 143


def test_the_handlers_of_the_caller_come_back():
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    for _ in range(3):
        with pytest.raises(Stopped), stop_signals():
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(1.0)
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
