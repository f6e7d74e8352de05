"""Equal bytes on one process and on two, and after kills of clients and workers."""

import contextlib
import os
import signal

import pytest

import particlegvi as pg
from particlegvi.cli.reporting import report
from particlegvi.tools.cells import WorkerLost

from ..processes import every, linux
from .conftest import OVER, SMALL, outputs


def children():
    """Processes of joblib that this one has started and that compute."""
    return [process.pid for process in every() if process.parent == os.getpid() and "LokyProcess" in process.command]


@linux
@pytest.mark.slow
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
