"""Seconds of first runs, each with an empty cache: by one process, and with a second one that compiles as well.

    python benchmarks/first_use.py [--scenarios global-minimiser multimodal FILE.toml] [--rounds 3] [--warm]

The second process is a copy (``fork``, Linux only) made before the first method. It has all imports, and takes one step
of each method with a repulsion: on the line more than half of what is compiled. The package does not do this: see
"The first use" in benchmarks/README.md. With ``--warm`` ``doctor --warm`` is timed, by one process and by two.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SCENARIOS = ("global-minimiser", "multimodal")


def with_a_copy() -> None:
    """Let a copy of this process take the repulsive steps before they are due."""
    import numpy as np

    from particlegvi import schedules
    from particlegvi.methods.flow import ParticleProblem
    from particlegvi.runs import execute
    from particlegvi.scenario.kinds.particles import building

    execute_alone = execute.execute

    def execute_with_a_copy(results: Any, *arguments: Any) -> Any:
        copy = os.fork()
        if copy == 0:
            try:
                parts = results.parts
                for label, method in parts.methods.items():
                    if method.mmd_weight > 0.0:
                        given = building.of_method(results.scenario, label)
                        size = given["particles"], parts.loss.dim
                        start = np.clip(np.random.default_rng(0).normal(size=size), parts.prior.low, parts.prior.high)
                        how = given["steps"], schedules.step_size_from(given["step_size"]), 0, given["integrator"]
                        problem = ParticleProblem(parts.loss, parts.prior, start, *how, given["tolerance"])
                        method.flow(problem).advance(0, 1)
            finally:
                os._exit(0)
        executed = execute_alone(results, *arguments)
        os.waitpid(copy, 0)
        return executed

    execute.execute = execute_with_a_copy


def timed(what: str, copies: int, folder: str) -> None:
    """Do one thing in this process and print its seconds."""
    begun = time.perf_counter()
    if what == "--warm":
        from particlegvi.cli.doctor.cache import warm

        warm(processes=copies)
    else:
        from particlegvi.cli import main

        if copies == 2:
            with_a_copy()
        if main(["run", what, "--out", f"{folder}/run", "--quiet"]) != 0:
            raise SystemExit("the run failed")
    wall = time.perf_counter() - begun
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(json.dumps([wall, sum(each.ru_utime + each.ru_stime for each in used)]))


def in_a_new_process(what: str, copies: int) -> tuple[float, float]:
    """Wall and CPU seconds, imports included, with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        surroundings = {**os.environ, "XDG_CACHE_HOME": folder, "NUMBA_CACHE_DIR": f"{folder}/numba"}
        command = [sys.executable, __file__, "--one", what, str(copies), folder]
        done = subprocess.run(command, env=surroundings, check=True, stdout=subprocess.PIPE)
        wall, cpu = json.loads(done.stdout.splitlines()[-1])
        return wall, cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenarios", nargs="+", default=SCENARIOS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warm", action="store_true")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        timed(options.one[0], int(options.one[1]), options.one[2])
        return
    for what in ["--warm"] if options.warm else options.scenarios:
        name = Path(what).stem if what != "--warm" else "doctor --warm"
        rounds = [[in_a_new_process(what, copies) for copies in (1, 2)] for _ in range(options.rounds)]
        for part, word in enumerate(("wall", "CPU")):
            one, two = (statistics.median(each[number][part] for each in rounds) for number in (0, 1))
            ratio = statistics.median(each[1][part] / each[0][part] for each in rounds)
            print(f"{name:20} {word:4} one process {one:6.2f} s, two {two:6.2f} s, ratio {ratio:.2f}", flush=True)


if __name__ == "__main__":
    main()
