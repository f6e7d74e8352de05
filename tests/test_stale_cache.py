"""Compiled code on disk is used again by the next process, and never after its source has changed.

Every case runs a copy of the package in processes of its own with a cache folder of its own. The deep ensemble on a
quadratic loss multiplies a particle by ``1 - step_size * curvature`` in every step, so each run is held against that
power: what is not equal to it was computed with other physics than the source says.
"""

import json
import os
import shutil
from pathlib import Path

import pytest

from .interpreters import python

pytestmark = pytest.mark.thorough

STEPS, STEP_SIZE, START = 7, 0.125, 3.0

TRIPLED = ("out[i] = self.curvature[i] *", "out[i]=3.*self.curvature[i]*")
PROGRAM = """
import json, sys
from numba.core import event
import particlegvi as pg

class Compiled(event.Listener):
    number = 0

    def on_start(self, told):
        pass

    def on_end(self, told):
        self.number += 1

heard = Compiled()
event.register("numba:compile", heard)
loss = pg.losses.get("quadratic", curvature=1.0)
START, STEPS, STEP_SIZE = {numbers}
final = pg.simulate(loss, pg.methods.DE(), initial=[[START]], steps=STEPS, step_size=STEP_SIZE).final[0, 0]

from particlegvi.engine.numerics.compiled import EntryPoint

kernels = [each for name, module in list(sys.modules.items()) if name.startswith("particlegvi.")
           for each in vars(module).values() if isinstance(each, EntryPoint)]
statistics = [kernel.cached.stats for kernel in {{id(kernel): kernel for kernel in kernels}}.values()]
print(json.dumps({{
    "package": pg.__file__,
    "final": float(final),
    "compiled": heard.number,
    "hits": sum(sum(each.cache_hits.values()) for each in statistics),
    "misses": sum(sum(each.cache_misses.values()) for each in statistics),
}}))
"""


class House:
    """A copy of the package, and a cache that starts empty."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        leave_out = shutil.ignore_patterns("__pycache__")
        shutil.copytree(root / "particlegvi", folder / "particlegvi", ignore=leave_out)

    def run(self) -> dict:
        program = PROGRAM.format(numbers=(START, STEPS, STEP_SIZE))
        environment: dict[str, str | None] = {
            "NUMBA_CACHE_DIR": None,
            "PYTHONPATH": str(self.folder),
            "PYTHONDONTWRITEBYTECODE": "1",  # Python's own cache believes the time of a file too
            "XDG_CACHE_HOME": str(self.cache),
            "LOCALAPPDATA": str(self.cache),
            "HOME": str(self.folder),
        }
        said = json.loads(python("-c", program, cwd=self.folder, **environment).stdout)
        assert Path(said["package"]).is_relative_to(self.folder)
        return said

    def edit(self, name: str, old: str, new: str) -> None:
        """Change a source, and leave its size and its time as they were: only the content tells."""
        path = self.folder / name
        source, times = path.read_text(encoding="utf-8"), path.stat()
        assert source.count(old) == 1
        assert len(old) == len(new)
        path.write_text(source.replace(old, new), encoding="utf-8")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def cached(self) -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in self.folder.rglob("*.nb[ci]")}


def after_all_steps(curvature: float):
    return pytest.approx(START * (1.0 - STEP_SIZE * curvature) ** STEPS, rel=1e-14)


@pytest.mark.slow
def test_the_next_process_compiles_nothing_and_an_edit_is_never_missed(root, tmp_path):
    house = House(root, tmp_path)
    first = house.run()
    written = house.cached()
    assert first["final"] == after_all_steps(1.0)
    assert first["misses"] > 0
    assert written
    assert all(path.is_relative_to(house.cache) for path in written)

    second = house.run()
    assert second["final"] == first["final"]
    assert second["misses"] == 0
    assert second["hits"] > 0
    assert house.cached() == written

    house.edit("particlegvi/losses/quadratic.py", *TRIPLED)
    assert house.run()["final"] == after_all_steps(3.0)
