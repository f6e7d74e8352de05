"""One object for progress, three fronts: a terminal, a notebook, and nothing; and what an interruption leaves."""

import io
import os
import signal
import sys
import threading
import time
import types

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.tools import patience, progress, signals

LOSS, PRIOR, DLE = pg.losses.get("double-well"), pg.priors.Normal(0.0, 1.0), pg.methods.DLE(1.0)
SMALL = {"particles": 10, "steps": 20, "step_size": 1e-3}


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def notebook(monkeypatch):
    """IPython says that this is the kernel of a notebook."""
    shell = types.SimpleNamespace(config={"IPKernelApp": {}})
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell, version_info=(9, 0)))
    shown: list[str] = []
    handle = types.SimpleNamespace(update=lambda data, raw: shown.append(data["text/plain"]))

    def display(data, raw, display_id):
        handle.update(data, raw)
        return handle

    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=display))
    return shown


@pytest.mark.parametrize("asked", [True, "auto"])
def test_a_terminal_sees_a_bar_for_every_method(monkeypatch, asked):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    pg.run("global-minimiser", progress=asked, **SMALL)
    assert all(label in sys.stderr.getvalue() for label in ("loading", "DE", "DLE", "DRLE"))


def test_a_notebook_sees_them_in_one_line_that_is_gone_in_the_end(notebook, recwarn):
    before = threading.active_count()
    pg.run("global-minimiser", progress=True, **SMALL)
    assert all(any(line.startswith(f"{label}:") for line in notebook) for label in ("DE", "DLE", "DRLE"))
    time.sleep(2 * progress.TICK)
    assert threading.active_count() <= before + 1  # one may be the engine's own; none ticks any more
    notebook.clear()
    run = pg.simulate(LOSS, DLE, PRIOR, **SMALL, progress=True)
    pg.compare(LOSS, {"cold": pg.methods.DLE(0.1), "hot": DLE}, PRIOR, **SMALL, progress=True)
    assert all(any(line.startswith(f"{label}:") for line in notebook) for label in ("DLE", "cold", "hot"))
    assert np.array_equal(run.positions, pg.simulate(LOSS, DLE, PRIOR, **SMALL).positions)
    assert notebook[-1] == "" and not [each for each in recwarn if "IProgress" in str(each.message)]


@pytest.mark.parametrize("nothing", [None, False])
def test_nothing_is_shown_where_nothing_was_asked_for(monkeypatch, tmp_path, nothing):
    """Also where the call itself asks for a truth, as the summary of a folder does."""
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    pg.run("global-minimiser", progress=nothing, out=tmp_path / "run", **SMALL)
    pg.simulate(LOSS, DLE, PRIOR, **SMALL, progress=nothing)
    pg.compare(LOSS, [DLE], PRIOR, **SMALL, progress=nothing)
    assert (tmp_path / "run" / "summary.json").exists() and sys.stderr.getvalue() == ""


def test_auto_is_for_those_who_look_on(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    assert progress.automatic() is None  # stderr is captured
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert progress.automatic() == "terminal"
    with signals.stop_signals():  # a command has its own
        assert progress.automatic() is None
    found = []
    worker = threading.Thread(target=lambda: found.append(progress.automatic()))
    worker.start()
    worker.join()
    assert found == [None]
    import multiprocessing.process

    monkeypatch.setattr(multiprocessing.process.current_process(), "name", "LokyProcess-1")
    assert progress.automatic() is None
    monkeypatch.setattr(sys, "stderr", None)
    assert progress.automatic() is None and progress.chosen(True).front is None


def stop(label=None):
    """Ctrl-C at the first call for a label (of a run of one method: at the first)."""

    def progress(*told):
        if label in (None, told[0]):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)  # Python answers between two of its instructions

    return progress


@pytest.mark.thorough
def test_an_interruption_says_how_to_get_what_was_recorded(monkeypatch, tmp_path):
    """As a run that diverged is kept."""
    monkeypatch.setattr(patience, "_last", [])
    assert pg.last_interrupted() is None
    with pytest.raises(KeyboardInterrupt, match=r"particlegvi\.last_interrupted\(\), and in error\.run") as caught:
        pg.simulate(LOSS, DLE, PRIOR, **SMALL, progress=stop())
    assert pg.last_interrupted() is caught.value.run and len(caught.value.run.positions) >= 1
    assert caught.value.run.info["stopped"] == "interrupted"
    with pytest.raises(KeyboardInterrupt, match=r"error\.results"):
        pg.run("global-minimiser", progress=stop("DLE"), **SMALL)
    assert list(pg.last_interrupted()) == ["DE", "DLE"] and pg.last_interrupted().status == "interrupted"
    with pytest.raises(KeyboardInterrupt, match=r"last_interrupted"):
        pg.compare(LOSS, {"a": pg.methods.DE(), "b": DLE}, PRIOR, **SMALL, progress=stop("b"))
    compared, saving = pg.last_interrupted(), {"out": tmp_path / "run", "progress": stop()}
    with pytest.raises(KeyboardInterrupt, match=r"error\.run; .* particlegvi\.resume\('.*/run'\)$") as caught:
        pg.simulate(LOSS, DLE, PRIOR, **SMALL, **saving)
    assert pg.last_interrupted() is caught.value.run and pg.last_interrupted().label == "DLE"
    assert len(pg.resume(tmp_path / "run")["DLE"].final) == 10
    with pytest.raises(KeyboardInterrupt, match=r"particlegvi\.resume\('.*/sweep'\)$"):
        pg.sweep("global-minimiser", seeds=3, out=tmp_path / "sweep", progress=stop("cells"), **SMALL)
    left = compared
    assert list(left) == ["a", "b"] and repr(left).startswith("Comparison(double-well, seed 0, interrupted")
    assert "b" in left.describe() and left["a"].steps[-1] == 20
    with pytest.raises(pg.Diverged) as diverged:
        pg.simulate(pg.Loss.from_formula("-x^4", ["x"]), DLE, PRIOR, 5, 400, 0.1)
    assert pg.last_interrupted() is diverged.value.run
