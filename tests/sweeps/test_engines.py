"""Equal bytes on one process, two, the workers of a cluster, and after kills of clients and workers."""

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import particlegvi as pg
from particlegvi.cli.reporting import report
from particlegvi.scenario import load, text
from particlegvi.tools.cells import choose, engines

from .conftest import OVER, SMALL, outputs

OUTPUTS = ("table.csv", "table.md", "sweep.json", "heat-map.png", "scenario.toml")
COMMAND = [sys.executable, "-m", "particlegvi"]


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    folder = tmp_path_factory.mktemp("straight") / "s"
    pg.sweep(SMALL, over=OVER, seeds=4, out=folder)
    return outputs(folder)


def test_without_distributed_an_address_is_refused(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"pip install 'particlegvi\[cluster\]'"):
        choose(1, "tcp://127.0.0.1:8786")


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
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = status.read_text().rpartition(")")[2].split()
            command = (status.parent / "cmdline").read_text()
            if "LokyProcess" in command and int(fields[1]) == os.getpid() and fields[0] != "Z":
                found.append(int(status.parent.name))
    return found


linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")


@linux
@pytest.mark.thorough
def test_two_processes_one_of_which_is_killed_make_the_same_bytes(straight, tmp_path):
    pg.sweep(SMALL, over=OVER, seeds=4, out=tmp_path / "s", workers=2, progress=killing(1, children))
    assert outputs(tmp_path / "s") == straight


def same(task):
    return task


@linux
@pytest.mark.slow
@pytest.mark.parametrize("which", [0, 1])
def test_a_worker_that_is_killed_when_the_pool_ends_keeps_nobody_waiting(monkeypatch, which):
    """Of two idle workers one holds the lock of their queue; whichever is killed, the other need not wait for it."""
    loky = pytest.importorskip("joblib.externals.loky")
    before, found = set(children()), loky.get_reusable_executor

    def killing_one(reuse):
        executor = found(reuse=reuse)
        time.sleep(0.2)  # until both wait for more
        two = sorted(pid for pid in children() if pid not in before)
        for pid in two:
            os.kill(pid, signal.SIGSTOP)
        threading.Timer(0.5, end, two).start()
        return executor

    def end(*two):
        for pid in two:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL if pid == two[which] else signal.SIGCONT)

    monkeypatch.setattr(loky, "get_reusable_executor", killing_one)
    begun = time.monotonic()
    assert sorted(engines.loky(same, iter(range(20)), 2)) == list(range(20))
    assert time.monotonic() - begun < 100  # the other waits for 300 s


@linux
@pytest.mark.slow
def test_many_kills_of_workers(straight, tmp_path):
    before = set(children())
    progress = killing(3, lambda: [pid for pid in children() if pid not in before])
    pg.sweep(SMALL, over=OVER, seeds=4, out=tmp_path / "s", workers=2, progress=progress)
    assert outputs(tmp_path / "s") == straight


@pytest.mark.slow
@pytest.mark.needs("distributed")
def test_a_local_cluster_makes_the_same_bytes(straight, tmp_path):
    import distributed

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        pg.sweep(SMALL, over=OVER, seeds=4, out=tmp_path / "s", dask=cluster.scheduler_address)
    assert outputs(tmp_path / "s") == straight


@pytest.mark.needs("distributed")
def test_a_scheduler_that_does_not_answer_is_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(engines, "ANSWER", 0.2)
    with pytest.raises(ValueError, match=r'no scheduler answers at "tcp://127\.0\.0\.1:9"'):
        pg.sweep(SMALL, over=OVER, seeds=1, dask="tcp://127.0.0.1:9", out=tmp_path / "s")
    assert not (tmp_path / "s").exists()


def answers(port):
    """Wait until something listens at the port."""
    deadline = time.monotonic() + 120.0
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.2)


@pytest.mark.slow
@pytest.mark.needs("distributed")
def test_a_scheduler_that_is_killed_is_one_sentence_with_a_way_to_go_on(tmp_path, capsys):
    address = "tcp://127.0.0.1:18787"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    module = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    scheduler = subprocess.Popen([*module, "--port", "18787", "--no-dashboard"], **quiet)
    module = [sys.executable, "-m", "distributed.cli.dask_worker"]
    worker = subprocess.Popen([*module, address, "--nworkers", "1", "--nthreads", "1", "--no-dashboard"], **quiet)

    def kill(label, done, total):
        scheduler.kill()

    answers(18787)
    try:
        with pytest.raises(ConnectionError) as ended:
            pg.sweep(SMALL, over=OVER, seeds=400, out=tmp_path / "s", dask=address, progress=kill)
    finally:
        worker.kill()
        scheduler.kill()
    assert report(ended.value) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert f'the scheduler at "{address}" has ended' in line
    assert line.endswith(f"to go on say: particlegvi resume {tmp_path / 's'}")


def started(*arguments, cwd, **options):
    options |= {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "start_new_session": True}
    return subprocess.Popen([*arguments], cwd=cwd, **options)


def group_of(leader):
    """The processes of the session that a process leads."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = status.read_text().rpartition(")")[2].split()
            if int(fields[3]) == leader and fields[0] != "Z":
                found.append(int(status.parent.name))
    return found


@linux
@pytest.mark.slow
def test_a_worker_without_a_task_ends_with_its_parent(tmp_path):
    """Killed while the first of two workers computes and the other has had nothing to do."""
    code = (
        "import time; from particlegvi.tools.cells import engines; print('begun', flush=True);"
        "list(engines.loky(time.sleep, iter([60.0]), 2))"
    )
    client = started(sys.executable, "-c", code, cwd=tmp_path)
    time.sleep(4.0)
    members = group_of(client.pid)
    assert len(members) >= 3
    client.kill()
    client.wait()
    assert gone(members)


def gone(pids, within=20.0):
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if not [pid for pid in pids if os.path.exists(f"/proc/{pid}")]:
            return True
        time.sleep(0.1)
    return False


@linux
@pytest.mark.slow
def test_twenty_kills_of_clients_and_workers(tmp_path):
    """By the commands, at random times; each time the sweep goes on, and no process is left."""
    scenario = {**SMALL, "steps": 20_000, "sweep": {"seeds": 20, "over": OVER, "measure": ["w1", "sd"]}}
    (tmp_path / "small.toml").write_text(text(load(scenario)))
    quiet = [*COMMAND, "sweep", "small.toml", "--quiet", "--workers", "2"]
    assert subprocess.run([*quiet, "--out", "whole"], cwd=tmp_path).returncode == 0
    chance = random.Random(7)
    kills = 0
    while kills < 20:
        again = quiet + ["--out", "s"] if kills % 2 else [*COMMAND, "resume", "s", "--quiet", "--workers", "2"]
        client = started(*(again if (tmp_path / "s").exists() else quiet + ["--out", "s"]), cwd=tmp_path)
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
        kept = len(list((tmp_path / "s" / "cells").glob("*.json")))
        if kept > 110:  # all but done: begin again with fewer
            for place in list((tmp_path / "s" / "cells").glob("*.json"))[:60]:
                place.unlink()
    assert subprocess.run([*COMMAND, "resume", "s", "--quiet"], cwd=tmp_path).returncode == 0
    assert outputs(tmp_path / "s") == outputs(tmp_path / "whole")
    done = subprocess.run([*COMMAND, "resume", "s"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "s is finished, and its files are as they were written\n"


@linux
@pytest.mark.slow
@pytest.mark.needs("distributed")
def test_a_scheduler_and_two_workers_as_the_page_starts_them_one_killed(tmp_path):
    scenario = {**SMALL, "steps": 20_000, "sweep": {"seeds": 20, "over": OVER}}
    (tmp_path / "small.toml").write_text(text(load(scenario)))
    address = "tcp://127.0.0.1:18786"
    environment = {**os.environ, "NUMBA_NUM_THREADS": "1"}
    dask = [str(Path(sys.executable).with_name("dask"))]
    servers = [started(*dask, "scheduler", "--port", "18786", "--no-dashboard", cwd=tmp_path)]
    worker = [*dask, "worker", address, "--nworkers", "1", "--nthreads", "1", "--no-dashboard"]
    servers += [started(*worker, cwd=tmp_path, env=environment) for _ in range(2)]
    try:
        sweep = [*COMMAND, "sweep", "small.toml", "--quiet", "--dask", address, "--out", "s"]
        client = started(*sweep, cwd=tmp_path)
        deadline = time.monotonic() + 120.0
        while len(list(tmp_path.glob("s/cells/*.json"))) < 20:
            assert client.poll() is None and time.monotonic() < deadline, client.communicate()[0]
            time.sleep(0.1)
        for pid in group_of(servers[1].pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        said, _ = client.communicate(timeout=300)
        assert client.returncode == 0, said
    finally:
        for server in servers:
            for pid in group_of(server.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            server.wait()
    alone = [*COMMAND, "sweep", "small.toml", "--quiet", "--out", "one", "--workers", "1"]
    assert subprocess.run(alone, cwd=tmp_path).returncode == 0
    assert outputs(tmp_path / "s") == outputs(tmp_path / "one")
