"""One model in four ways, a logistic regression in 100 dimensions: the same numbers, and the cost of a step.

    pip install -e '.[jax,torch]' blackjax
    python benchmarks/own_models.py            # numbers and times, in turns
    NUMBA_NUM_THREADS=2 python benchmarks/own_models.py --threads 2
    python benchmarks/own_models.py --nuts     # with draws of BlackJAX's NUTS as the truth: a minute more

A step of DLE moves 100 particles; beside it stand the bare gradient of all particles, called from Python in the same
way, and the gradient that numpy computes with BLAS. Each is the median of rounds that take turns. With one thread it is
processor time, which other work on the machine disturbs little.
"""

from __future__ import annotations

import argparse
import time

import jax
import jax.numpy as jnp
import numpy as np
import torch
from threadpoolctl import threadpool_limits

import particlegvi as pg

ROWS, DIM, PARTICLES, ROUNDS, STEPS, STEP_SIZE = 500, 100, 100, 25, 40, 2e-3
jax.config.update("jax_enable_x64", True)


def data() -> tuple[np.ndarray, np.ndarray]:
    """Inputs of the size 1 / sqrt(dim) times three, and labels of a linear model with standard normal coefficients."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, DIM)) * 3.0 / np.sqrt(DIM)
    return X, (rng.random(ROWS) < 1.0 / (1.0 + np.exp(-X @ rng.normal(size=DIM)))).astype(float)


def losses(X: np.ndarray, y: np.ndarray) -> dict[str, pg.Loss]:
    """One minus log likelihood, written in four ways."""
    Xj, yj, Xt, yt = jnp.asarray(X), jnp.asarray(y), torch.from_numpy(X), torch.from_numpy(y)

    def in_jax(w):
        f = Xj @ w
        return jnp.sum(jax.nn.softplus(f) - yj * f)

    def in_torch(W):
        f = W @ Xt.T
        return (torch.nn.functional.softplus(f, threshold=50.0) - yt * f).sum(dim=1)

    def value(W):
        f = W @ X.T
        return (np.logaddexp(0.0, f) - y * f).sum(axis=1)

    def gradient(W):
        return (1.0 / (1.0 + np.exp(-(W @ X.T))) - y) @ X

    return {
        "from_jax": pg.Loss.from_jax(in_jax, DIM),
        "from_torch": pg.Loss.from_torch(in_torch, DIM, batched=True),
        "from_numpy": pg.Loss.from_numpy(value, gradient, DIM),
        "linear_model": pg.losses.linear_model(X, y),
    }


def seconds(call, clock) -> float:
    begun = clock()
    call()
    return clock() - begun


def measure(known: dict[str, pg.Loss], clock) -> None:
    """The table: largest differences from numpy, the gradient and the step in milliseconds, and their ratio."""
    prior, start = pg.priors.Normal(np.zeros(DIM), 1.0), np.random.default_rng(1).normal(size=(PARTICLES, DIM)) * 0.3
    method, exact = pg.methods.DLE(kl_weight=1.0), known["from_numpy"]
    how = {"prior": prior, "initial": start, "step_size": STEP_SIZE, "record_every": 0, "progress": False}
    runs = {name: pg.simulate(loss, method, steps=STEPS, **how) for name, loss in known.items()}  # all is compiled now
    bare, long, short = ({name: [] for name in known} for _ in range(3))
    for _ in range(ROUNDS):
        for name, loss in known.items():
            bare[name].append(seconds(lambda loss=loss: [loss.gradient(start) for _ in range(STEPS)], clock) / STEPS)
            # the start of a run costs the same for any number of steps
            long[name].append(seconds(lambda loss=loss: pg.simulate(loss, method, steps=4 * STEPS, **how), clock))
            short[name].append(seconds(lambda loss=loss: pg.simulate(loss, method, steps=STEPS, **how), clock))
    print("| way | gradient differs by | particles differ by | gradient, ms | step, ms | ratio | to numpy's gradient |")
    print("|---|---|---|---|---|---|---|")
    for name, loss in known.items():
        gap = np.abs(loss.gradient(start) - exact.gradient(start)).max()
        far = np.abs(runs[name].final - runs["from_numpy"].final).max()
        step = (np.median(long[name]) - np.median(short[name])) / (3 * STEPS)
        gradient = np.median(bare[name])
        ratios = f"{step / gradient:.2f} | {step / np.median(bare['from_numpy']):.2f}"
        print(f"| {name} | {gap:.0e} | {far:.0e} | {1e3 * gradient:.2f} | {1e3 * step:.2f} | {ratios} |")


def nuts(loss: pg.Loss, X: np.ndarray, y: np.ndarray, draws: int = 4000) -> np.ndarray:
    """Draws of BlackJAX's NUTS from the posterior under a standard normal prior."""
    import blackjax

    Xj, yj = jnp.asarray(X), jnp.asarray(y)

    def log_density(w):
        f = Xj @ w
        return -jnp.sum(jax.nn.softplus(f) - yj * f) - 0.5 * jnp.sum(w * w)

    first, second = jax.random.split(jax.random.key(0))
    (state, found), _ = blackjax.window_adaptation(blackjax.nuts, log_density).run(first, jnp.zeros(DIM), num_steps=500)
    kernel = jax.jit(blackjax.nuts(log_density, **found).step)
    _, positions = jax.lax.scan(lambda s, key: (moved := kernel(key, s)[0], moved.position), state,
                                jax.random.split(second, draws))  # fmt: skip
    return np.asarray(positions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nuts", action="store_true", help="compare DLE, MALA and SVGD with draws of NUTS")
    parser.add_argument("--threads", type=int, default=1, help="threads of BLAS and PyTorch")
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    X, y = data()
    known = losses(X, y)
    with threadpool_limits(asked.threads):
        measure(known, time.process_time if asked.threads == 1 else time.perf_counter)
    if not asked.nuts:
        return
    begun = time.perf_counter()
    reference = nuts(known["from_jax"], X, y)[::2]
    print(f"\nNUTS: {len(reference)} draws in {time.perf_counter() - begun:.0f} s")
    methods = {"DLE": pg.methods.DLE(1.0), "cold": pg.methods.DLE(0.5), "SVGD": pg.methods.SVGD(1.0)}
    results = pg.compare(
        known["linear_model"], methods, pg.priors.Normal(np.zeros(DIM), 1.0), 100, 1500, 0.01,
        record_every=100, reference=reference, progress=False,
    )  # fmt: skip
    print(results.describe())


if __name__ == "__main__":
    main()
