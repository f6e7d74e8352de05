"""Interrupting short runs, damaging their files, and comparing all that a folder holds."""

from __future__ import annotations

import json

import pytest

import particlegvi as pg

SHORT = {"particles": 8, "steps": 60, "record_every": 7}
ALWAYS = {"checkpoint_every": 1e-9}  # a checkpoint before every chunk


def content(folder):
    """Every file but the manifest, and what the manifest says apart from times."""
    found = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }
    manifest = json.loads((folder / "manifest.json").read_text())
    return found | {"manifest": {key: manifest[key] for key in manifest if key not in ("seconds", "resumed")}}


def slow(*values):
    """Parameters that are tried in the slow tests alone."""
    return pytest.param(*values, marks=pytest.mark.slow)


class Stop:
    """Progress that interrupts: at the ``calls``-th call."""

    def __init__(self, calls):
        self.left = calls

    def __call__(self, label, done, steps):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def interrupted(out, calls, name="global-minimiser", **settings):
    with pytest.raises(KeyboardInterrupt) as caught:
        pg.run(name, out=out, progress=Stop(calls), **{**SHORT, **ALWAYS, **settings})
    return caught.value


def spoil(place, damage):
    whole = place.read_bytes()
    if damage == "gone":
        place.unlink()
    elif damage == "truncated":
        place.write_bytes(whole[: 2 * len(whole) // 3])
    else:
        middle = len(whole) // 2
        place.write_bytes(whole[:middle] + bytes([whole[middle] ^ 16]) + whole[middle + 1 :])
