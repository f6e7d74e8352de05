"""Equal bytes on one process, two, the workers of a cluster, and after kills of clients and workers."""

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import time

import pytest

import particlegvi as pg
from particlegvi.cli.reporting import report
from particlegvi.scenario import load, text
from particlegvi.tools.cells import choose, engines

from ..processes import every, linux, running, wait_until
from ..refusals import refuse
from ..runs.interrupting import slow
from .conftest import OVER, SMALL, outputs

COMMAND = [sys.executable, "-m", "particlegvi"]


def test_without_distributed_an_address_is_refused(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    refuse(lambda: choose(1, "tcp://127.0.0.1:8786"), r"pip install 'particlegvi\[cluster\]'")


def killing(number, pids):
    """Progress that kills a process of the pool the first ``number`` times that cells arrive."""

    def progress(label, done, total):
        nonlocal number
        alive = pids() if number else []
        if alive:
            number -= 1
            with contextlib.suppress(ProcessLookupError):
                os.kill(random.Random(done).choice(alive), signal.SIGKILL)

    return progress


def children():
    """Processes of joblib that this one has started and that compute."""
    return [each.pid for each in every() if each.parent == os.getpid() and "LokyProcess" in each.command]


@linux
@pytest.mark.parametrize("kills", [pytest.param(1, marks=pytest.mark.thorough), slow(3)])
def test_two_processes_some_of_which_are_killed_make_the_same_bytes(straight, tmp_path, kills):
    before = set(children())
    progress = killing(kills, lambda: [pid for pid in children() if pid not in before])
    pg.sweep(SMALL, over=OVER, seeds=3, out=tmp_path / "s", workers=2, progress=progress)
    assert outputs(tmp_path / "s") == straight


@pytest.mark.needs("distributed")
def test_a_scheduler_that_does_not_answer_is_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(engines, "ANSWER", 0.2)
    nobody = lambda: pg.sweep(SMALL, over=OVER, seeds=1, dask="tcp://127.0.0.1:9", out=tmp_path / "s")
    refuse(nobody, r'no scheduler answers at "tcp://127\.0\.0\.1:9"')
    assert not (tmp_path / "s").exists()


@contextlib.contextmanager
def cluster(port, workers, cwd):
    """A scheduler and workers as the page starts them: the leaders of their sessions, the scheduler first."""
    dask = [sys.executable, "-m", "dask"]
    worker = [*dask, "worker", f"tcp://127.0.0.1:{port}", "--nworkers", "1", "--nthreads", "1", "--no-dashboard"]
    servers = [started(*dask, "scheduler", "--port", str(port), "--no-dashboard", cwd=cwd)]
    servers += [started(*worker, cwd=cwd, env={**os.environ, "NUMBA_NUM_THREADS": "1"}) for _ in range(workers)]
    try:
        yield servers
    finally:
        for server in servers:
            end(server)
            server.wait()


def end(leader):
    """Kill a session."""
    for pid in group_of(leader.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def listens(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1.0):
        return True


@linux
@pytest.mark.slow
@pytest.mark.needs("distributed")
def test_a_scheduler_that_is_killed_is_one_sentence_with_a_way_to_go_on(tmp_path, capsys):
    address = "tcp://127.0.0.1:18787"
    with cluster(18787, 1, tmp_path) as (scheduler, _):
        assert wait_until(lambda: listens(18787), 120.0)
        with pytest.raises(ConnectionError) as ended:
            kill = lambda *_: end(scheduler)
            pg.sweep(SMALL, over=OVER, seeds=300, out=tmp_path / "s", dask=address, progress=kill)
    assert report(ended.value) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert f'the scheduler at "{address}" has ended' in line
    assert line.endswith(f"to go on say: particlegvi resume {tmp_path / 's'}")


def started(*arguments, cwd, **options):
    options |= {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "start_new_session": True}
    return subprocess.Popen([*arguments], cwd=cwd, **options)


def group_of(leader):
    """The processes of the session that a process leads."""
    return [each.pid for each in every() if each.session == leader]


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


@linux
@pytest.mark.slow
@pytest.mark.needs("distributed")
def test_a_scheduler_and_two_workers_one_of_which_is_killed(tmp_path):
    scenario = {**SMALL, "steps": 20_000, "sweep": {"seeds": 20, "over": OVER}}
    (tmp_path / "small.toml").write_text(text(load(scenario)))
    with cluster(18786, 2, tmp_path) as (_, worker, _):
        sweep = [*COMMAND, "sweep", "small.toml", "--quiet", "--dask", "tcp://127.0.0.1:18786", "--out", "s"]
        client = started(*sweep, cwd=tmp_path)
        some = lambda: client.poll() is not None or len(list(tmp_path.glob("s/cells/*.json"))) >= 20
        assert wait_until(some, 120.0) and client.poll() is None, client.communicate()[0]
        end(worker)
        said, _ = client.communicate(timeout=300)
        assert client.returncode == 0, said
    alone = [*COMMAND, "sweep", "small.toml", "--quiet", "--out", "one", "--workers", "1"]
    assert subprocess.run(alone, cwd=tmp_path).returncode == 0
    assert outputs(tmp_path / "s") == outputs(tmp_path / "one")


@pytest.mark.slow
@pytest.mark.needs("distributed")
def test_a_local_cluster_makes_the_same_bytes(straight, tmp_path):
    import distributed

    local = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**local) as cluster:
        pg.sweep(SMALL, over=OVER, seeds=3, out=tmp_path / "s", dask=cluster.scheduler_address)
    assert outputs(tmp_path / "s") == straight
