"""Time and memory of one certificate of a sparse Gaussian process: 10,000 rows, 200 inducing points, 8 inputs.

python benchmarks/certificate.py
"""

from __future__ import annotations

import time
import tracemalloc

import numpy as np

from particlegvi.functionspace import SparseGaussianProcess, likelihoods
from particlegvi.functionspace.covariances import SquaredExponential

ROWS, POINTS, DIM = 10_000, 200, 8


def main() -> None:
    r = np.random.default_rng(0)
    X = r.normal(size=(ROWS, DIM))
    y = np.sin(X[:, 0]) + 0.3 * r.normal(size=ROWS)
    model = SparseGaussianProcess(SquaredExponential(np.full(DIM, 3.0), 1.0), likelihoods.Gaussian(0.1), POINTS)
    model.fit(X, y)
    begun = time.perf_counter()
    certificate = model.certify()
    seconds = time.perf_counter() - begun
    tracemalloc.start()
    model.certify()
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    print(f"KL at most {certificate.kl:.3g} nats, in {seconds:.2f} s and {peak:.0f} MB")


if __name__ == "__main__":
    main()
