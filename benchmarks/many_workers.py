"""A step of DRLE over several processes: each keeps its own particles, and only the modes are summed.

    python benchmarks/many_workers.py                       # ten million particles with 1 and 2 workers of Dask
    python benchmarks/many_workers.py --particles 1000000

An experiment, whose results are in docs/appendix/many-workers.md; the package itself has no such command. A step takes
two rounds of messages: the least and the greatest particle of all, and the moments of the Fourier series
(`particlegvi.engine.pairs.fourier`). The particles are divided into `LEAVES` ranges. A worker keeps neighbouring
leaves, and the moments of the leaves are always added in order: the bytes do not depend on the number of workers. The
script checks this, and that one process with the package's own step has the same particles to rounding.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import time
from collections.abc import Sequence

import numpy as np
from dask.distributed import Client, LocalCluster

import particlegvi as pg
from particlegvi import integrators
from particlegvi.engine.numerics.noise import key_words
from particlegvi.engine.pairs.fourier import (
    CHUNK,
    MOST_MODES,
    SeriesBox,
    box_of,
    extent_part,
    fourier_plan,
    moments_part,
    series_part,
    weigh_parts,
)
from particlegvi.engine.steps.flow import Switches, advance

LEAVES = 64
STEP_SIZE, SEED = 0.01, 1
TOLERANCE = 1e-12  # of the series, as in `particlegvi.simulate`
LOSS, KERNEL, PRIOR = pg.losses.get("tilted-double-well"), pg.kernels.SquaredExponential(1.0), pg.priors.Normal()
METHOD = pg.methods.DRLE(kl_weight=0.5, mmd_weight=5.0, kernel=KERNEL)
EMBEDDING = pg.priors.embedding(PRIOR, KERNEL).term
PLAN = fourier_plan(1.0, 1.0, TOLERANCE, EMBEDDING.gaussian_on_the_line())


def bounds(number: int) -> list[int]:
    """The chunk with which each leaf begins, and the end."""
    chunks = -(-number // CHUNK)
    return [leaf * chunks // LEAVES for leaf in range(LEAVES + 1)]


def start_of(number: int, first: int, last: int) -> np.ndarray:
    """(particles, 1) of the leaves first, ..., last - 1: draws of N(0, 1), each leaf with its own stream."""
    at = [min(number, chunk * CHUNK) for chunk in bounds(number)]
    streams = [np.random.default_rng([SEED, leaf]) for leaf in range(first, last)]
    return np.concatenate([rng.normal(size=(at[k + 1] - at[k], 1)) for k, rng in enumerate(streams, first)])


class Share:
    """The particles of the leaves first, ..., last - 1, which one worker keeps.

    Arrays have the length of all particles, because noise is a function of a particle's number; the system gives memory
    only to the pages that are written.
    """

    def __init__(self, number: int, first: int, last: int):
        self.number, self.chunks = number, bounds(number)[first : last + 1]
        self.first, self.last = self.chunks[0] * CHUNK, min(number, self.chunks[-1] * CHUNK)
        self.x, self.force = np.empty((number, 1)), np.empty((number, 1))
        self.x[self.first : self.last] = start_of(number, first, last)
        self.terms = (LOSS.term, PRIOR.term(), EMBEDDING, np.array([METHOD.kl_weight, METHOD.lambda1]))
        self.entry = advance.for_terms(*self.terms[:3])
        gains = integrators.get("euler-maruyama")(STEP_SIZE, METHOD.kl_weight, np.zeros(1))
        self.stepping = (*(np.atleast_2d(row) for row in gains), None, None)

    def extent(self) -> tuple[float, float]:
        """Least and greatest of the own particles."""
        return extent_part(self.x.reshape(-1), self.first, self.last)

    def moments(self, box: SeriesBox) -> np.ndarray:
        """(own leaves, 2, MOST_MODES): the moments of each leaf, its chunks added in order, and zeros."""
        flat, sums = self.x.reshape(-1)[: self.last], np.zeros((len(self.chunks) - 1, 2, MOST_MODES))
        for row, (first, last) in enumerate(zip(self.chunks, self.chunks[1:], strict=False)):
            partial = np.zeros((last - first, 2, MOST_MODES))
            moments_part(flat[first * CHUNK : last * CHUNK], 0, last - first, box, partial)
            for chunk in partial:
                sums[row] += chunk
        return sums

    def move(self, step: int, box: SeriesBox, weighted: np.ndarray) -> None:
        """The step of the own particles under the repulsion of all."""
        first, last, factor = self.chunks[0], self.chunks[-1], METHOD.lambda1 / self.number
        series_part(
            self.x.reshape(-1)[: self.last], first, last, box, weighted, factor, self.force.reshape(-1)[: self.last]
        )
        switches = Switches(prior=True, embedding=not box.attracts, noise=True, force=True)
        forces = self.force, np.empty((0, 0))  # no normals wait for the next step
        how = (switches.array(), self.x, forces, self.stepping, key_words(SEED), step, 1, self.first, self.last)
        self.entry(*self.terms, *how)

    def digest(self) -> list[str]:
        """A digest of each leaf."""
        at = [min(self.number, chunk * CHUNK) for chunk in self.chunks]
        return [hashlib.sha256(self.x[a:b].tobytes()).hexdigest() for a, b in zip(at, at[1:], strict=False)]

    def particles(self) -> np.ndarray:
        return self.x[self.first : self.last].copy()


def every(shares: Sequence, name: str, *arguments: object) -> list:
    """One call of each share, at the same time where they are actors of Dask."""
    answers = [getattr(share, name)(*arguments) for share in shares]
    return [answer.result() if hasattr(answer, "result") else answer for answer in answers]


def step_of(shares: Sequence, number: int, step: int) -> float:
    """Take one step; return its seconds."""
    begin = time.perf_counter()
    lows, highs = zip(*every(shares, "extent"), strict=True)
    box = box_of(PLAN, min(lows), max(highs))
    if box.modes > MOST_MODES:
        raise SystemExit("the particles are too far apart for the series")
    sums = np.concatenate(every(shares, "moments", box))
    weighted = np.empty((2, MOST_MODES))
    weigh_parts(PLAN, box, sums, number, weighted)
    every(shares, "move", step, box, weighted)
    return time.perf_counter() - begin


def shares_of(number: int, workers: int, client: Client | None) -> list:
    """One share here, or one on each worker."""
    if client is None:
        return [Share(number, 0, LEAVES)]
    names, at = sorted(client.scheduler_info()["workers"]), [w * LEAVES // workers for w in range(workers + 1)]
    made = [
        client.submit(Share, number, at[w], at[w + 1], actor=True, workers=[names[w]], pure=False)
        for w in range(workers)
    ]
    return [future.result() for future in made]


def measured(number: int, workers: int, steps: int) -> tuple[np.ndarray, list[str], np.ndarray]:
    """Seconds of each step after the first two, the digests, and the first million particles (without Dask alone)."""
    if workers == 0:
        shares = shares_of(number, 1, None)
        times = [step_of(shares, number, step) for step in range(steps)]
        return np.array(times[2:]), sum(every(shares, "digest"), []), every(shares, "particles")[0][:1_000_000]
    local = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
    with local as cluster, Client(cluster) as client:
        shares = shares_of(number, workers, client)
        times = [step_of(shares, number, step) for step in range(steps)]
        return np.array(times[2:]), sum(every(shares, "digest"), []), np.empty((0, 1))


def own_step(number: int, steps: int) -> np.ndarray:
    """The first million particles by `particlegvi.simulate` from the same start."""
    run = pg.simulate(
        LOSS, METHOD, PRIOR, steps=steps, initial=start_of(number, 0, LEAVES),
        step_size=STEP_SIZE, seed=SEED, record_every=steps,
    )  # fmt: skip
    return run.final[:1_000_000]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--particles", type=int, default=10_000_000)
    parser.add_argument("--workers", type=int, nargs="*", default=[0, 1, 2], help="0: in this process, without Dask")
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()
    print("workers | seconds a step: median (least to greatest) | bytes")
    first: list[str] | None = None
    for workers in options.workers:
        times, digests, some = measured(options.particles, workers, options.steps)
        same = "first" if first is None else "the same" if digests == first else "OTHERS"
        first = first or digests
        print(f"{workers} | {np.median(times):.4f} ({times.min():.4f} to {times.max():.4f}) | {same}", flush=True)
        if workers == 0:
            away = np.abs(some - own_step(options.particles, options.steps)).max()
            print(f"largest distance to the particles of particlegvi.simulate: {away:.1e}", flush=True)


if __name__ == "__main__":
    # Workers get `Share` by the name of its module: compiled code cannot be sent from a script's own namespace.
    importlib.import_module("many_workers").main()
