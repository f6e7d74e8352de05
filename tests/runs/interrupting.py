"""Interrupting short runs, damaging their files, and comparing all that a folder holds."""

import json
from contextlib import contextmanager

import pytest

import particlegvi as pg

SHORT = {"particles": 8, "steps": 60, "record_every": 7}
ALWAYS = {"checkpoint_every": 1e-9}  # a checkpoint before every chunk


def everything(folder):
    """The bytes of every file by its name."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def manifest(folder):
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))


def change_manifest(folder, **entries):
    """Put entries into the manifest; None takes an entry away."""
    kept = {name: value for name, value in {**manifest(folder), **entries}.items() if value is not None}
    (folder / "manifest.json").write_text(json.dumps(kept), encoding="utf-8")


def content(folder):
    """Every file but the manifest, and what the manifest says apart from times."""
    found = {name: data for name, data in everything(folder).items() if name != "manifest.json"}
    said = manifest(folder)
    return found | {"manifest": {key: said[key] for key in said if key not in ("seconds", "resumed")}}


def slow(*values):
    """Parameters that are tried in the slow tests alone."""
    return pytest.param(*values, marks=pytest.mark.slow)


@contextmanager
def no_summary():
    """Runs whose summary says nothing about their methods."""
    said = lambda runs: {"seed": runs.seed, "status": runs.status, "methods": {}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("particlegvi.runs.results.runs.summarise", said)
        yield


class Stop:
    """Progress that notes what it hears of, and interrupts at the ``calls``-th call, or at a step of a method."""

    def __init__(self, calls=0, label="", step=10**9):
        self.left, self.at, self.heard = calls, (label, step), []

    def __call__(self, label, done, steps):
        self.left -= 1
        self.heard.append((label, done))
        if self.left == 0 or (label == self.at[0] and done >= self.at[1]):
            raise KeyboardInterrupt


def interrupted(out, calls, name="global-minimiser", **settings):
    with pytest.raises(KeyboardInterrupt) as caught:
        pg.run(name, out=out, progress=Stop(calls), **{**SHORT, **ALWAYS, **settings})
    return caught.value


def again_and_again(folder, stop, each=lambda times: None):
    """Resume a folder until it is finished, interrupted by ``stop(times)`` each time; the number of times."""
    for times in range(1, 200):
        each(times)
        try:
            pg.resume(folder, progress=stop(times), **ALWAYS)
        except KeyboardInterrupt:
            continue
        break
    assert times > 5
    return times


def spoil(place, damage):
    whole = place.read_bytes()
    if damage == "gone":
        place.unlink()
    elif damage == "truncated":
        place.write_bytes(whole[: 2 * len(whole) // 3])
    else:
        middle = len(whole) // 2
        place.write_bytes(whole[:middle] + bytes([whole[middle] ^ 16]) + whole[middle + 1 :])
