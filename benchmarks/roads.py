"""Count the files and functions of particlegvi that two common calls pass: how much code a reader of each must know.

    python benchmarks/roads.py            # the counts of both roads
    python benchmarks/roads.py --list     # also each file with its functions

The roads are ``particlegvi run global-minimiser`` and the `pg.simulate` of README (with a tenth of its steps), each in
a process of its own with an empty cache of compiled code. Every function counts that Python calls, also while modules
are imported and kernels are compiled; lambdas, comprehensions, and what compiled code calls do not.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from pathlib import Path
from types import FrameType

PACKAGE = Path(__file__).resolve().parent.parent / "particlegvi"
SIMULATE = """
import particlegvi as pg

loss = pg.Loss.from_formula("3/2*(t**4/4 + t**3/3 - t**2) - 3/8", variables=["t"])
prior = pg.priors.Normal(mean=0.0, sd=1.0)
method = pg.methods.DRLE(kl_weight=1.0, mmd_weight=0.5, kernel=pg.kernels.SquaredExponential(lengthscale=1.0))
run = pg.simulate(loss, method, prior=prior, particles=300, steps=10_000, step_size=1e-4, seed=0)
"""
RUN = """
import sys

from particlegvi.cli import main

sys.exit(main(["run", "global-minimiser", "--out", "out"]))
"""
ROADS = {"particlegvi run global-minimiser": RUN, "pg.simulate": SIMULATE}


def passed(program: str) -> dict[str, list[str]]:
    """The functions that a program calls in this process, by file."""
    functions: set[tuple[str, str, int]] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        is_function = code.co_name[0] != "<" and "__qualname__" not in code.co_names  # a class sets its __qualname__
        if event == "call" and is_function and code.co_filename.startswith(str(PACKAGE)):
            functions.add((code.co_filename, code.co_qualname, code.co_firstlineno))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        exec(program, {})  # one of the two above
    except SystemExit as end:
        if end.code:
            raise
    finally:
        sys.setprofile(None)
    by_file = defaultdict(list)
    for file, name, _ in sorted(functions):
        by_file[Path(file).relative_to(PACKAGE).as_posix()].append(name)
    return by_file


def road(name: str) -> dict[str, list[str]]:
    """The functions of a road, by file, in a new process with empty caches."""
    with tempfile.TemporaryDirectory() as folder:
        known = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "XDG_CACHE_HOME": folder, "MPLBACKEND": "agg"}
        child = [sys.executable, __file__, "--road", name]
        done = subprocess.run(child, cwd=folder, env=known, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print each file with its functions")
    parser.add_argument("--road", choices=ROADS, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.road:
        print(json.dumps(passed(ROADS[chosen.road])))
        return
    for name in ROADS:
        by_file = road(name)
        print(f"{name}: {len(by_file)} files, {sum(map(len, by_file.values()))} functions")
        for file, functions in sorted(by_file.items()) if chosen.list else ():
            print(f"    {file}: {', '.join(functions)}")


if __name__ == "__main__":
    main()
