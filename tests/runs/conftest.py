from __future__ import annotations

import pytest

import particlegvi as pg

from .interrupting import SHORT, content


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    out = tmp_path_factory.mktemp("straight") / "run"
    pg.run("global-minimiser", out=out, **SHORT)
    return content(out)
