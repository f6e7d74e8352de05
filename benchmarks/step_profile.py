"""Where the time of one step goes: the parts of a DRLE step of Figure 5.2, one by one, beside what bounds them.

    python benchmarks/step_profile.py [particles]

Times are of the processor, the least of many rounds in turn, so that a busy machine disturbs them little. Parts run
alone, a thousand times in a row; "the loop without noise" is what one thread does while another makes the noise.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numba
import numpy as np

import particlegvi as pg
from particlegvi.engine.numerics import mathematics
from particlegvi.engine.numerics.compiled import OPTIONS
from particlegvi.engine.numerics.noise import NOISE_ROLE, fill_normals, key_words
from particlegvi.engine.numerics.vectors import broadcast, fma, load, store, subtract
from particlegvi.engine.pairs import fourier, fourier_tiles
from particlegvi.engine.pairs.direct import direct_part
from particlegvi.engine.steps import coupled, flow
from particlegvi.engine.terms.constant import ConstantTerm
from particlegvi.engine.terms.evaluate import Potential

ROUNDS, REPEATS = 30, 1000
STEP = 1e-4


@numba.njit(**OPTIONS)
def noise(normals, key, repeats):
    width = normals.shape[2]
    for repeat in range(repeats // 2):  # each makes the normals of two steps
        even, odd = normals[0, 0].reshape(1, width), normals[0, 1].reshape(1, width)
        fill_normals(0, even, odd, np.uint64(repeat), NOISE_ROLE, key[0], key[1])


@numba.njit(**OPTIONS)
def angles(x, number, box, kept, repeats):
    for _ in range(repeats):
        for start in range(0, number, fourier_tiles.TILE):
            stop = min(number, start + fourier_tiles.TILE)
            fourier_tiles.turn_tile(
                x, start, stop, box.origin, 1.0 / box.period, kept, start // fourier_tiles.TILE * fourier_tiles.ANGLES
            )


@numba.njit(**OPTIONS)
def moments(number, modes, kept, lane_sums, repeats):
    for _ in range(repeats):
        for start in range(0, number, fourier_tiles.TILE):
            count = min(number - start, fourier_tiles.TILE)
            fourier_tiles.add_moments(kept, start // fourier_tiles.TILE * fourier_tiles.ANGLES, count, modes, lane_sums)


@numba.njit(**OPTIONS)
def weights(plan, box, lane_sums, partial, factors, pull, number, weighted, repeats):
    fourier.coefficients(plan, box, factors, pull)
    for _ in range(repeats):
        fourier_tiles.fold_lanes(lane_sums, box.modes, partial[0])
        fourier.weigh(partial, factors, pull, number, box.modes, weighted)


@numba.njit(**OPTIONS)
def evaluation(number, modes, kept, weighted, force, repeats):
    for _ in range(repeats):
        for start in range(0, number, fourier_tiles.TILE):
            count = min(number - start, fourier_tiles.TILE)
            place = start // fourier_tiles.TILE * fourier_tiles.ANGLES
            fourier_tiles.evaluate_tile(kept, place, count, modes, weighted, 1.0, force, start)


@numba.njit(**OPTIONS)
def drift(loss, prior, embedding, weights, switches, x, out, scratch, repeats):
    for _ in range(repeats):
        loss.gradients(x, out)
        flow.add_prior(prior, embedding, weights, switches, x, out, scratch)


@numba.njit(**OPTIONS)
def move(room, number, stepping, normals, switches, repeats):
    for _ in range(repeats):
        coupled.move_line(room, number, stepping, 0, normals, 0, switches)


@numba.njit(**OPTIONS)
def arithmetic(x, modes, repeats):
    """The fused multiplications and the additions of the series, 4 of each a mode and vector, and nothing else."""
    c = broadcast(0.5)
    for _ in range(repeats):
        for i in range(0, x.size, fourier_tiles.GROUP):
            j, k, n = i + fourier_tiles.WIDTH, i + 2 * fourier_tiles.WIDTH, i + 3 * fourier_tiles.WIDTH
            p, q, r, s = load(x, i), load(x, j), load(x, k), load(x, n)
            t, u, v, w = p, q, r, s
            for _ in range(2 * modes):
                p, q, r, s = fma(c, p, c), fma(c, q, c), fma(c, r, c), fma(c, s, c)
                t, u, v, w = subtract(c, t), subtract(c, u), subtract(c, v), subtract(c, w)
                t, u, v, w = fma(c, t, c), fma(c, u, c), fma(c, v, c), fma(c, w, c)
                p, q, r, s = subtract(c, p), subtract(c, q), subtract(c, r), subtract(c, s)
            store(x, i, subtract(p, t))
            store(x, j, subtract(q, u))
            store(x, k, subtract(r, v))
            store(x, n, subtract(s, w))


@numba.njit(**OPTIONS)
def exponentials(x, out, repeats):
    for _ in range(repeats):
        for i in range(x.size):
            out[i] = mathematics.exp(x[i])


def least(parts: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Least seconds of each, called in turn; the first call, which compiles, is not counted."""
    best = dict.fromkeys(parts, np.inf)
    for number in range(ROUNDS + 1):
        for name, part in parts.items():
            begun = time.thread_time()
            part()
            if number > 0:
                best[name] = min(best[name], time.thread_time() - begun)
    return best


def drle_step(number: int) -> None:
    """The parts of a DRLE step, and what they are bound by."""
    prior, kernel = pg.priors.Normal(0.0, 1.0), pg.kernels.SquaredExponential(1.0)
    loss, minus_log, embedding = (
        pg.losses.get("tilted-double-well").term,
        prior.term(),
        pg.priors.embedding(prior, kernel).term,
    )
    plan = fourier.fourier_plan(1.0, 1.0, 1e-12, embedding.gaussian_on_the_line())
    start = prior.sample(number)
    box = fourier.box_of(plan, start.min(), start.max())
    padded = -(-number // fourier_tiles.GROUP) * fourier_tiles.GROUP
    x = np.append(start[:, 0], np.full(padded - number, start[-1, 0]))
    kept = np.zeros(-(-number // fourier_tiles.TILE) * fourier_tiles.ANGLES)
    lane_sums, partial = np.zeros(256 * fourier_tiles.WIDTH), np.zeros((1, 2, 128))
    factors, pull, weighted = np.zeros(128), np.zeros(128), np.ones((2, 128))
    slopes, scratch, force = np.zeros((1, padded)), np.zeros((1, padded)), np.zeros(padded)
    normals, key = np.zeros((1 + REPEATS // 2, 2, padded)), key_words(0)
    one_step = np.array([[STEP]]), np.array([[np.sqrt(2.0 * STEP)]]), np.array([[0.0]])
    stepping, both = (*one_step, prior.low, prior.high), np.ones(2)
    switches = np.array(flow.Switches(prior=1, embedding=1, noise=1))
    alone = np.array(flow.Switches(prior=1, noise=1))
    positions, block = start.copy(), x.reshape(1, -1).copy()
    terms = loss, minus_log, embedding, both
    potential, rows = Potential(*terms), normals.reshape(-1, padded)
    room = coupled.LineRoom(
        x.copy(), np.zeros(padded), force, np.zeros(coupled.BLOCK), kept, lane_sums, partial, weighted, factors, pull
    )
    angles(x, number, box, kept, 1)
    parts = {
        "noise": lambda: noise(normals, key, REPEATS),
        "angles": lambda: angles(x, number, box, kept, REPEATS),
        "series up": lambda: moments(number, box.modes, kept, lane_sums, REPEATS),
        "weights": lambda: weights(plan, box, lane_sums, partial, factors, pull, number, weighted, REPEATS),
        "series down": lambda: evaluation(number, box.modes, kept, weighted, force, REPEATS),
        "drift": lambda: drift(*terms, alone, block, slopes, scratch, REPEATS),
        "move and extent": lambda: move(room, number, stepping, rows, switches, REPEATS),
        "the loop without noise": lambda: coupled.advance_coupled(
            potential, switches, plan, positions, stepping, rows, (0, REPEATS)
        ),
        "arithmetic": lambda: arithmetic(np.ones(padded), box.modes, REPEATS),
    }
    seconds = {name: taken / REPEATS for name, taken in least(parts).items()}
    loop, whole = seconds["the loop without noise"], seconds["the loop without noise"] + seconds["noise"]
    print(f"one DRLE step, {number} particles, {box.modes} modes, tolerance 1e-12: microseconds of the processor")
    named = [name for name in parts if name not in ("the loop without noise", "arithmetic")]
    for name in named:
        print(f"  {name:24s} {1e6 * seconds[name]:7.3f}  {seconds[name] / whole:6.1%}")
    print(f"  {'what joins them':24s} {1e6 * (whole - sum(seconds[name] for name in named)):7.3f}")
    print(f"  {'on one thread':24s} {1e6 * whole:7.3f}  without noise {1e6 * loop:.3f}")
    print("bounds")
    print(f"  {'noise and angles alone':24s} {1e6 * (seconds['noise'] + seconds['angles']):7.3f}")
    print(f"  {'the sums of up and down':24s} {1e6 * seconds['arithmetic']:7.3f}  were they nothing but arithmetic")
    print(f"  {'two threads, no waiting':24s} {1e6 * 0.5 * whole:7.3f}")


def other_costs() -> None:
    """A DE update, a pair of the direct sum, and the exponentials that they and their rivals are made of."""
    prior, kernel = pg.priors.Normal(0.0, 1.0), pg.kernels.SquaredExponential(1.0)
    x, steps = prior.sample(300), 1000
    nothing = np.array([[STEP]]), np.array([[0.0]]), np.array([[0.0]]), prior.low, prior.high
    loss, off = pg.losses.get("tilted-double-well").term, np.array(flow.Switches())
    potential = Potential(loss, prior.term(), ConstantTerm(0.0), np.zeros(2))
    no_force, key = (np.empty((0, 1)), np.empty((0, 0))), key_words(0)
    cloud, out = prior.sample(2048), np.empty((2048, 1))
    square = -0.5 * np.random.default_rng(0).normal(size=90_000) ** 2
    result = np.empty(2048)
    parts = {
        "DE update": lambda: flow.advance(potential, off, x, no_force, nothing, key, (0, steps), (0, 300)),
        "pair of the direct sum, 1-D": lambda: direct_part(kernel, cloud, 0, 2048, 1.0, out),
        "exp of the engine": lambda: exponentials(square[:2048], result, 100),
        "exp of numpy": lambda: np.exp(square),
    }
    each = {"DE update": 300 * steps, "pair of the direct sum, 1-D": 2048**2, "exp of the engine": 204_800}
    print("nanoseconds on one thread")
    for name, seconds in least(parts).items():
        print(f"  {name:30s} {1e9 * seconds / each.get(name, square.size):6.2f}")


if __name__ == "__main__":
    drle_step(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
    other_costs()
