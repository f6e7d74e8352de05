"""Feeds the formula parser and every loader a million hostile inputs and records what they answer.

    python benchmarks/fuzz.py --inputs 1000000        # writes benchmarks/fuzz.json; some ten minutes

An input is answered well if it is accepted or refused with a ``ValueError`` of a few lines, within a second, and if
nothing happened meanwhile but reading the input itself: Python's audit events would show a file opened elsewhere, a
process, an import, or code compiled from text.

Inputs are mutations of good ones. With ``atheris`` installed (``pip install atheris``) coverage of the package's
lines guides them; otherwise an input that is answered in a new way joins those that are mutated. The tests do the
latter with a few thousand inputs. Both repeat themselves for the same seed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from fuzzing import TARGETS, Watch, by_mutation
from fuzzing.guided import by_atheris
from fuzzing.watching import ROOT


def child(name: str, inputs: int, seed: int, report: Path) -> None:
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as made:
        os.chdir(made)
        try:
            import atheris  # noqa: F401
        except ImportError:
            tally = by_mutation(TARGETS[name], inputs, seed, Path(made), Watch(Path(made)))
            report.write_text(json.dumps(tally.report("own mutations")))
        else:
            by_atheris(TARGETS[name], inputs, seed, Path(made), report)


def fed(name: str, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Feed one target in a process of its own; its report."""
    inputs = round(options.inputs * TARGETS[name].share)
    report = folder / f"{name}.json"
    command = [sys.executable, __file__, "--child", name, "--inputs", str(inputs), "--seed", str(options.seed)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path[1:]])}
    begun = time.perf_counter()
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run([*command, "--out", str(report)], env=environment, timeout=options.seconds, capture_output=True)
    found = json.loads(report.read_text()) if report.exists() else {"inputs": 0, "wrong": ["no report"]}
    found["seconds"] = round(time.perf_counter() - begun, 1)
    print(name, {key: value for key, value in found.items() if key not in ("wrong", "slowest_input")}, flush=True)
    for wrong in found["wrong"][:5]:
        print("   ", wrong, flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=1_000_000, help="number of inputs, all targets together")
    parser.add_argument("--seconds", type=float, default=3600.0, help="limit for each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="how many targets are fed at a time")
    parser.add_argument("--only", choices=TARGETS, action="append", help="these targets only")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "fuzz.json")
    parser.add_argument("--child", choices=TARGETS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child, options.inputs, options.seed, options.out)
        return 0
    with tempfile.TemporaryDirectory() as made, ThreadPoolExecutor(options.jobs) as pool:
        names = options.only or list(TARGETS)
        found = dict(zip(names, pool.map(lambda name: fed(name, options, Path(made)), names), strict=True))
    record = {
        "inputs": sum(each["inputs"] for each in found.values()),
        "wrong": sum(len(each["wrong"]) for each in found.values()),
        "slowest_seconds": max(each.get("slowest_seconds", 0.0) for each in found.values()),
        "python": platform.python_version(),
        "seed": options.seed,
        "targets": found,
    }
    options.out.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return 1 if record["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
