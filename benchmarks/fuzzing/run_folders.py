"""Functions that answer an input which takes the place of one file of a run's folder: loading and resuming it."""

from __future__ import annotations

import contextlib
import warnings
from pathlib import Path
from typing import Any

from fuzzing.answers import Answer
from fuzzing.watching import Watch


def run_folders(folder: Path) -> Answer:
    """One file of a folder is replaced: of a finished run, which is loaded, or of one that was interrupted."""
    from particlegvi.runs.results import load
    from particlegvi.runs.storage import checkpoint

    good, stopped = finished(folder), interrupted(folder)
    places = [run / name for run in (good, stopped) for name in files(run)]

    def answer(data: bytes, watch: Watch) -> None:
        place = places[data[0] % len(places)] if data else places[0]
        before = place.read_bytes()
        place.write_bytes(data[1:])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Python reads the source line of a warning that it prints
                if place.is_relative_to(good):
                    with watch():
                        load(good).describe()
                else:
                    with watch():
                        found = checkpoint.read(stopped)
                    if found is not None:
                        _take_up(stopped, found)
                    with watch():
                        load(stopped)
        finally:
            place.write_bytes(before)

    return answer


def _take_up(run: Path, found: Any) -> None:
    """Records up to a checkpoint, which are opened for writing, so not watched."""
    from particlegvi.runs.storage.arrays import RecordFile

    assert found.snapshot.state.nbytes <= 10_000
    with contextlib.suppress(ValueError):
        RecordFile(run / "arrays" / "DE.growing.npy", 3, (3, 1), found.snapshot.records, found.records_sha256).close()


def interrupted(folder: Path) -> Path:
    """A folder as a process leaves it that was stopped in its first method, with a checkpoint."""
    import particlegvi as pg

    place = folder / "stopped"
    if not place.exists():
        calls = []

        def stop(label: str, done: int, steps: int) -> None:
            calls.append(done)
            if len(calls) == 3:
                raise KeyboardInterrupt

        with contextlib.suppress(KeyboardInterrupt):
            pg.run("global-minimiser", particles=3, steps=60, record_every=30, checkpoint_every=1e-9, out=place,
                   progress=stop)  # fmt: skip
    return place


def finished(folder: Path) -> Path:
    import particlegvi as pg

    place = folder / "run"
    if not place.exists():
        pg.run("global-minimiser", particles=3, steps=2, out=place)
    return place


def files(run: Path) -> list[str]:
    return sorted(str(path.relative_to(run)) for path in run.rglob("*") if path.is_file())
