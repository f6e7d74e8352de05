"""Projected Langevin sampling: steps to a given bias on a stiff basis, and the cost of a step against its products.

    python benchmarks/projected_langevin.py [--out FILE]

Prints two tables and writes them as JSON. The first is computed without sampling: schemes are linear on a Gaussian
posterior, so their laws are known. The second runs on one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from pathlib import Path

import numpy as np
from scipy import linalg

import particlegvi as pg
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import likelihoods
from particlegvi.functionspace.basis import Nystroem
from particlegvi.functionspace.sampling import langevin
from particlegvi.functionspace.sampling.cost import DataCost

BIAS = 0.05  # of the stationary variance in the worst direction, and what is left of the start
ROUNDS = 5


def relaxed(matrix: np.ndarray) -> float:
    """Steps until `BIAS` of the start is left."""
    return float(np.log(1.0 / BIAS) / -np.log(np.abs(np.linalg.eigvals(matrix)).max()))


def law(scheme: langevin.Scheme, gram: np.ndarray, prior: np.ndarray) -> tuple[float, np.ndarray]:
    """The relative bias of the stationary covariance in the worst direction, and the matrix of a step."""
    matrix = np.diag(scheme.decay) - scheme.gain[:, None] * (gram + np.diag(scheme.leftover))
    covariance = linalg.solve_discrete_lyapunov(matrix, np.diag(scheme.spread**2))
    root = np.linalg.cholesky(gram + np.diag(prior))
    return float(np.abs(np.linalg.eigvalsh(root.T @ covariance @ root) - 1.0).max()), matrix


def fewest(make, gram: np.ndarray, prior: np.ndarray) -> float:
    """Steps of a scheme with the largest step size whose bias is at most `BIAS`."""
    low, high = 1e-12, 1e3
    for _ in range(60):
        middle = np.sqrt(low * high)
        bias, matrix = law(make(middle), gram, prior)
        inside = bias <= BIAS and np.abs(np.linalg.eigvals(matrix)).max() < 1.0
        low, high = (middle, high) if inside else (low, middle)
    return max(1.0, relaxed(law(make(low), gram, prior)[1]))


def stiffness() -> list[dict]:
    """Steps to 5% on squared-exponential bases with eigenvalues down to 1e-10 of the largest."""
    found = []
    for rows, weight in ((1000, 0.2), (1000, 10.0), (10_000, 0.2), (10_000, 10.0)):
        rng = np.random.default_rng(0)
        X = rng.uniform(-2.0, 2.0, (rows, 1))
        basis = Nystroem(pg.kernels.SquaredExponential(1.0, 1.0), np.linspace(-2.0, 2.0, 14)[:, None])
        kept = basis.eigenvalues > 1e-10 * basis.eigenvalues[0]
        E, eigenvalues = basis.features(X)[:, kept], basis.eigenvalues[kept]
        # the curvature of the cost varies from row to row; the mobility knows its mean alone
        weights = weight * rng.uniform(0.5, 1.5, rows)
        gram = E.T @ (weights[:, None] * E)
        prior = 1.0 / eigenvalues
        curvatures = np.linalg.eigvalsh(gram + np.diag(prior))
        step_size = 2.0 * (1.0 - 1.0 / (1.0 + BIAS)) / curvatures[-1]
        one = np.ones(len(prior))
        roots = np.sqrt(eigenvalues)
        stiff, rotation = np.linalg.eigh(weight * roots[:, None] * (E.T @ E) * roots)
        change = roots[:, None] * rotation
        reference = 1.0 + np.maximum(stiff, 0.0)
        found.append(
            {
                "rows": rows,
                "curvature": weight,
                "functions": len(prior),
                "smallest eigenvalue": float(eigenvalues[-1]),
                "euler-maruyama": float(np.log(1.0 / BIAS) / (step_size * curvatures[0])),
                "exponential, prior exact": fewest(
                    lambda h, one=one, prior=prior: langevin.exponential_euler(h, one, prior, 0.0 * one), gram, prior
                ),
                "exponential, preconditioned": fewest(
                    lambda h, r=reference: langevin.exponential_euler(h, 1.0 / r, r, 1.0 - r),
                    change.T @ gram @ change,
                    one,
                ),
            }
        )
    return found


def seconds(work) -> float:
    """The fastest of some rounds, after one that is not counted."""
    work()
    spent = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        work()
        spent.append(time.perf_counter() - begun)
    return min(spent)


def speed(rows: int = 100_000, functions: int = 316, particles: int = 100) -> list[dict]:
    """One gradient at all particles against its two products alone, and against a large square product."""
    rng = np.random.default_rng(0)
    features = rng.standard_normal((rows, functions)) / np.sqrt(functions)
    z = rng.standard_normal((particles, functions))
    a, b = rng.standard_normal((2, 1500, 1500))
    operations = 4.0 * rows * functions * particles
    found = []
    os.environ["NUMBA_NUM_THREADS"] = "1"  # the engine splits its work over that many threads
    with one_blas_thread():
        square = 2.0 * 1500.0**3 / seconds(lambda: a @ b) / 1e9
        values = np.empty((rows, particles))
        products = operations / seconds(lambda: np.matmul(features, z.T, out=values).T @ features) / 1e9
        for likelihood, y in (
            (likelihoods.Bernoulli(), (rng.random(rows) < 0.5).astype(float)),
            (likelihoods.Poisson("log"), rng.poisson(1.0, rows).astype(float)),
            (likelihoods.Poisson(), rng.poisson(1.0, rows).astype(float)),
        ):
            cost = DataCost(likelihood, features, y)
            for name, work in (("gradient", cost.gradients), ("with costs", cost.forces)):
                spent = seconds(lambda work=work: work(z))
                rate = operations / spent / 1e9
                found.append(
                    {
                        "likelihood": likelihood.name,
                        "what": name,
                        "seconds": spent,
                        "gflops": rate,
                        "share of the large square product": rate / square,
                        "share of the two products alone": rate / products,
                    }
                )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".json"))
    arguments = parser.parse_args()
    steps, rates = stiffness(), speed()
    print("steps to 5% of bias and 5% of the start")
    for row in steps:
        print("  " + ", ".join(f"{key} {value:.3g}" for key, value in row.items()))
    print("one gradient, 100,000 rows, 316 functions, 100 particles, one thread")
    for row in rates:
        shown = (f"{key} {value:.3g}" if isinstance(value, float) else value for key, value in row.items())
        print("  " + ", ".join(shown))
    facts = {"machine": platform.machine(), "python": platform.python_version(), "numpy": np.__version__}
    arguments.out.write_text(json.dumps({"facts": facts, "steps": steps, "speed": rates}, indent=1) + "\n")


if __name__ == "__main__":
    main()
