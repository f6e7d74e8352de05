"""Equal bytes on one process and on two, and after kills of clients and workers."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time

import pytest

import particlegvi as pg
from particlegvi.cli.reporting import report
from particlegvi.scenario import load, text
from particlegvi.tools.cells import WorkerLost

from ..processes import every, linux, running, wait_until
from .conftest import OVER, SMALL, outputs

COMMAND = [sys.executable, "-m", "particlegvi"]


def children():
    """Processes of joblib that this one has started and that compute."""
    return [process.pid for process in every() if process.parent == os.getpid() and "LokyProcess" in process.command]


@linux
@pytest.mark.thorough
def test_a_killed_process_ends_the_sweep_with_a_way_to_go_on_to_the_same_bytes(straight, tmp_path, capsys):
    before = set(children())

    def kill(label, done, total):
        for pid in set(children()) - before:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    with pytest.raises(WorkerLost) as lost:
        pg.sweep({**SMALL, "steps": 20_000}, over=OVER, seeds=30, out=tmp_path / "s", workers=2, progress=kill)
    assert report(lost.value) == 1
    assert f"to go on say: particlegvi resume {tmp_path / 's'}" in capsys.readouterr().err
    pg.sweep(SMALL, over=OVER, seeds=3, out=tmp_path / "two", workers=2)
    assert outputs(tmp_path / "two") == straight


def started(*arguments, cwd, **options):
    options |= {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "start_new_session": True}
    return subprocess.Popen([*arguments], cwd=cwd, **options)


def group_of(leader):
    """The processes of the session that a process leads."""
    return [process.pid for process in every() if process.session == leader]


def gone(pids):
    return wait_until(lambda: not running(pids), 20.0)


@linux
@pytest.mark.slow
def test_twenty_kills_of_clients_and_workers(tmp_path):
    """By the commands, at random times; each time the sweep goes on, and no process is left."""
    scenario = {**SMALL, "steps": 20_000, "sweep": {"seeds": 20, "over": OVER, "measure": ["w1", "sd"]}}
    (tmp_path / "small.toml").write_text(text(load(scenario)))
    quiet = [*COMMAND, "sweep", "small.toml", "--quiet", "--workers", "2"]
    assert subprocess.run([*quiet, "--out", "whole"], cwd=tmp_path).returncode == 0
    chance, kills = random.Random(7), 0
    while kills < 20:
        begin, resume = [*quiet, "--out", "s"], [*COMMAND, "resume", "s", "--quiet", "--workers", "2"]
        client = started(*(begin if kills % 2 or not (tmp_path / "s").exists() else resume), cwd=tmp_path)
        time.sleep(chance.uniform(1.5, 6.0))
        members = group_of(client.pid)
        if client.poll() is None:
            others = [pid for pid in members if pid != client.pid]
            victim = client.pid if chance.random() < 0.6 or not others else chance.choice(others)
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
            kills += 1
            if victim != client.pid:
                time.sleep(chance.uniform(0.5, 3.0))
                client.kill()
        client.wait()
        assert gone(members)
        kept = list((tmp_path / "s" / "cells").glob("*.json"))
        for place in kept[:60] if len(kept) > 110 else []:  # all but done: begin again with fewer
            place.unlink()
    assert subprocess.run([*COMMAND, "resume", "s", "--quiet"], cwd=tmp_path).returncode == 0
    assert outputs(tmp_path / "s") == outputs(tmp_path / "whole")
    done = subprocess.run([*COMMAND, "resume", "s"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "s is finished, and its files are as they were written\n"
