import pytest

import particlegvi as pg

from .interrupting import SHORT, content


@pytest.fixture
def quick(monkeypatch):
    """No summary: the truth takes longer than all the rest, and is the same where the arrays are."""
    said = lambda runs: {"seed": runs.seed, "status": runs.status, "methods": {}}
    monkeypatch.setattr("particlegvi.runs.results.runs.summarise", said)


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    out = tmp_path_factory.mktemp("straight") / "run"
    pg.run("global-minimiser", out=out, **SHORT)
    return content(out)
