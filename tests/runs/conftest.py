import pytest

import particlegvi as pg
from particlegvi.simulation import storage

from .interrupting import SHORT, content, interrupted, no_summary


@pytest.fixture
def quick():
    """No summary: the truth takes longer than all the rest, and is the same where the arrays are."""
    with no_summary():
        yield


@pytest.fixture
def half(tmp_path):
    """The folder of a run of "lifting" that was interrupted."""
    interrupted(tmp_path / "run", 4, "lifting")
    return tmp_path / "run"


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    out = tmp_path_factory.mktemp("straight") / "run"
    pg.run("global-minimiser", out=out, **SHORT)
    return content(out)


@pytest.fixture
def threads_and_chunks(monkeypatch):
    """By its number each session has one thread or two, and chunks of another length."""

    def change(times):
        monkeypatch.setenv("NUMBA_NUM_THREADS", str(1 + times % 2))
        monkeypatch.setattr(storage, "CHUNK_SECONDS", 10.0 ** -(3 + times % 4))

    return change
