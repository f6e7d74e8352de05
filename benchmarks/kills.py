"""Kill runs at random times, resume them, and compare every byte with a run that was left alone.

    python benchmarks/kills.py                      200 kills over all scenarios, counted and printed
    python benchmarks/kills.py --kills 10 --only lifting --set steps=2000
    python benchmarks/kills.py --late               one kill at 80% of two longer runs: how long the rest takes

Scenarios of all kinds are killed: particles, functions, and a table of benchmarks made small, where its data are there.

A kill is SIGKILL, which no process can answer. Runs are children of one process that has imported what they import and
simulated nothing, so that a kill costs half a second and not five. Times are drawn from the length of the straight run,
so that some kills come before the folder is there, some inside the writing of a checkpoint and some after the end.
Exits with 1 unless all resumed runs are the straight one.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import hashlib
import importlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from particlegvi import datasets
from particlegvi.cli import main
from particlegvi.runs import execute as runner  # noqa: F401 - for the children
from particlegvi.scenario import catalogue

# Fits of a second or two, and of tables the only one, with cells as short.
TABLE = "uci-function-space-short"
SMALL = {
    "classification-curve": ["steps=5000"],
    "multimodal-regression": ["steps=3000"],
    "poisson-bimodal": ["data.count=200", "steps=2000"],
    "regression-curve": ["steps=40000"],
    TABLE: ['rows=["yacht"]', 'protocols=["standardised"]', "splits=3", "inducing_points=20", "particles=20"],
}
LATE = {
    "lifting": ["steps=2000000"],
    "poisson-bimodal": ["data.count=200", "methods.plain.steps=100", "methods.mixing.steps=60000"],
}
CHECKPOINT = 4.0  # seconds between checkpoints, the program's default
FIRST = {"lifting": ["steps=100"], "poisson-bimodal": ["data.count=200", "steps=10"]}  # only to compile


def nothing() -> None:
    """Do nothing."""


def child(arguments: list[str], before: Callable[[], object] = nothing, after: Callable[[], object] = nothing) -> int:
    """Start the command line in a process of its own; the process's number."""
    process = os.fork()
    if process == 0:
        code = 99
        try:
            with open(os.devnull, "w") as nowhere:
                os.dup2(nowhere.fileno(), 1)
                if not os.environ.get("PARTICLEGVI_TRACEBACK"):
                    os.dup2(nowhere.fileno(), 2)
            before()
            code = main(arguments)
            after()
        finally:
            os._exit(code)
    return process


def finish(process: int) -> int:
    """Wait for a process; its exit code, or minus the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def prepare(arguments: list[str], place: Path) -> None:
    """Run the command in a child, which compiles, and import here what it has imported: later children need not."""
    names = place / "imported"
    finish(child(arguments, after=lambda: names.write_text("\n".join(sys.modules))))
    for name in names.read_text().split():
        with contextlib.suppress(ImportError):  # it is made by another module, or belongs to the child alone
            importlib.import_module(name)


def content(folder: Path) -> dict[str, str]:
    """The sha256 of every file of a run; of its manifest, and of the cells of a table, all that is said but times."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.name == "manifest.json" or path.parent.name == "cells":
            said = json.loads(path.read_text(encoding="utf-8"))
            kept = {key: value for key, value in said.items() if key not in ("seconds", "resumed")}
            found[path.relative_to(folder).as_posix()] = json.dumps(kept, sort_keys=True)
        elif path.is_file():
            found[path.relative_to(folder).as_posix()] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def scenarios() -> list[str]:
    """The scenarios of all kinds that can be run here."""
    found = [*catalogue.names("particles"), *catalogue.names("function-space")]
    try:
        datasets.load("yacht")
    except datasets.MissingData as error:
        print(f"{TABLE} is left out: {error}", flush=True)
        return found
    return [*found, TABLE]


def named(settings: list[str]) -> list[str]:
    """Settings as the command line has them."""
    return [word for setting in settings for word in ("--set", setting)]


def kill_one(command: list[str], folder: Path, delay: float) -> str:
    """Run ``command``, kill it after ``delay`` seconds, and finish it in ``folder``; what it was killed in."""
    process = child([*command, "--out", str(folder)])
    time.sleep(delay)
    os.kill(process, signal.SIGKILL)
    if finish(process) >= 0:
        kind = "after its end"
    elif not folder.exists():
        kind = "before its folder was there"
    elif (folder / "checkpoint.npz").exists():
        kind = "after a checkpoint"
    elif list(folder.glob("arrays/*.steps.npy")):
        kind = "after a method"
    elif list(folder.glob("cells/*.json")):
        kind = "after a cell"
    else:
        kind = "before its first checkpoint"
    again = ["resume", str(folder), "--quiet", "--no-figure"] if folder.exists() else [*command, "--out", str(folder)]
    code = finish(child(again))
    if code != 0:
        raise RuntimeError(f"{' '.join(again)} ended with {code}")
    return kind


def kills(names: list[str], number: int, seed: int, settings: list[str], every: float) -> bool:
    """Do all of it, print a line for each scenario and a table at the end; whether all runs were the same."""
    draw = random.Random(seed)
    counted: collections.Counter[str] = collections.Counter()
    different = 0
    with tempfile.TemporaryDirectory() as place:
        for index, name in enumerate(names):
            here = Path(place) / name
            command = ["run", name, "--quiet", "--no-figure", "--checkpoint-every", str(every)]
            command += named([*SMALL.get(name, []), *settings])
            prepare([*command, "--out", str(here / "compiled")], Path(place))
            begun = time.perf_counter()
            if finish(child([*command, "--out", str(here / "straight")])) != 0:
                raise RuntimeError(f"{' '.join(command)} does not run")
            length = time.perf_counter() - begun
            straight = content(here / "straight")
            mine = number // len(names) + (index < number % len(names))
            for kill in range(mine):
                folder = here / f"killed-{kill}"
                counted[killed := kill_one(command, folder, draw.uniform(0.0, length))] += 1
                after = content(folder)
                if after != straight:
                    different += 1
                    differing = sorted(path for path in {*after, *straight} if after.get(path) != straight.get(path))
                    print(f"{name}: killed {killed}, {', '.join(differing)} differ", flush=True)
                shutil.rmtree(folder)
            print(f"{name}: {mine} kills of a run of {length:.2f} s", flush=True)
            shutil.rmtree(here)
    for kind, count in counted.most_common():
        print(f"{count:5} killed {kind}")
    print(f"{sum(counted.values()):5} kills, {different} resumed runs differ from the straight one")
    return different == 0


def late(name: str) -> bool:
    """Kill a run at 80% of its time; whether finishing takes at most 1.25 times the rest and a checkpoint."""
    command = ["run", name, "--quiet", "--no-figure", *named(LATE[name])]
    with tempfile.TemporaryDirectory() as place:
        straight, killed = Path(place) / "straight", Path(place) / "killed"
        finish(child([*command[:4], *named(FIRST[name]), "--out", str(Path(place) / "compiled")]))
        begun = time.perf_counter()
        finish(child([*command, "--out", str(straight)]))
        length = time.perf_counter() - begun
        process = child([*command, "--out", str(killed)])
        time.sleep(0.8 * length)
        os.kill(process, signal.SIGKILL)
        if finish(process) >= 0:
            print(f"{name}: this time it took less than 80% of the straight run; measure on a machine that is idle")
            return False
        begun = time.perf_counter()
        code = finish(child(["resume", str(killed), "--quiet", "--no-figure"]))
        rest = time.perf_counter() - begun
        same = content(killed) == content(straight)
    print(f"{name}: a run of {length:.1f} s, killed at 80%: the rest took {rest / length:.0%}")
    return code == 0 and same and rest < 1.25 * (0.2 * length + CHECKPOINT)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kills", type=int, default=200)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--only", nargs="+", help="names of scenarios; all by default")
    options.add_argument("--set", action="append", default=[])
    options.add_argument("--checkpoint-every", type=float, default=0.05)
    options.add_argument("--late", action="store_true")
    chosen = options.parse_args()
    if chosen.late:
        soon = [late(name) for name in LATE]
        sys.exit(0 if all(soon) else 1)
    only = chosen.only or scenarios()
    sys.exit(0 if kills(only, chosen.kills, chosen.seed, chosen.set, chosen.checkpoint_every) else 1)
