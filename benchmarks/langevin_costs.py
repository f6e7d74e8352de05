"""Seconds of projected Langevin sampling against particles, inducing points and rows: D.14.4 of the thesis.

    python benchmarks/langevin_costs.py        less than a minute of processor time

D.14.4 says O(M^3 + J N M) for the training and O((N* + M)^3 + J (N* + M)^2) for J functions at N* inputs; it prints no
time. Each line doubles or quadruples one number twice, on one thread, and prints processor time (the least of some
rounds) over that of the first, with the exponent between the last two. A step is one gradient of all particles.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import numpy as np

from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import ProjectedLangevinSampler, covariances, likelihoods
from particlegvi.functionspace.basis import Nystroem
from particlegvi.functionspace.sampling.cost import DataCost

ROUNDS = 7
DIM, ROWS, POINTS, PARTICLES, NEW = 4, 8000, 100, 100, 400
KERNEL = covariances.Matern52(1.5)


def seconds(work: Callable[[], object]) -> float:
    """The least processor time of some rounds, after one that is not counted."""
    work()
    spent = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        work()
        spent.append(time.process_time() - begun)
    return min(spent)


def basis(points: int) -> Nystroem:
    return Nystroem(KERNEL, np.random.default_rng(0).normal(size=(points, DIM)))


def step(particles: int = PARTICLES, points: int = POINTS, rows: int = ROWS) -> float:
    """One gradient of the costs of all particles, with Bernoulli labels."""
    random = np.random.default_rng(1)
    features = basis(points).features(random.normal(size=(rows, DIM)))
    cost = DataCost(likelihoods.Bernoulli(), features, (random.random(rows) < 0.5).astype(float))
    z = random.normal(size=(particles, features.shape[1]))
    return seconds(lambda: cost.gradients(z))


def prediction(particles: int = PARTICLES, points: int = POINTS, new: int = NEW) -> float:
    """Functions at new inputs: the residual between the inducing points is drawn there for all inputs together."""
    random = np.random.default_rng(2)
    X = random.normal(size=(500, DIM))
    model = ProjectedLangevinSampler(KERNEL, likelihoods.Gaussian(0.1), points, particles=particles, steps=1)
    model.fit(X, np.sin(X[:, 0]))
    at = random.normal(size=(new, DIM))
    return seconds(lambda: model.sample(at))


LINES: dict[str, tuple[Callable[[int], float], tuple[int, int, int], str]] = {
    "a step, J": (lambda n: step(particles=n), (100, 200, 400), "1"),
    "a step, M": (lambda n: step(points=n), (100, 200, 400), "1"),
    "a step, N": (lambda n: step(rows=n), (4000, 8000, 16000), "1"),
    "the basis, M": (lambda n: seconds(lambda: basis(n)), (200, 400, 800), "3"),
    "functions, J": (lambda n: prediction(particles=n), (100, 400, 1600), "0 to 1"),
    "functions, N*": (lambda n: prediction(new=n), (400, 800, 1600), "2 to 3"),
}


def main() -> None:
    os.environ["NUMBA_NUM_THREADS"] = "1"
    print("| of | sizes | ms | over the first | exponent | D.14.4 |\n|---|---|---|---|---|---|")
    with one_blas_thread():
        for name, (measure, sizes, expected) in LINES.items():
            spent = [measure(size) for size in sizes]
            slope = np.log(spent[2] / spent[1]) / np.log(sizes[2] / sizes[1])
            texts = (", ".join(map(str, sizes)), ", ".join(f"{1e3 * each:.3g}" for each in spent),
                     ", ".join(f"{each / spent[0]:.2f}" for each in spent), f"{slope:.2f}", expected)  # fmt: skip
            print(f"| {name} | {' | '.join(texts)} |", flush=True)


if __name__ == "__main__":
    main()
