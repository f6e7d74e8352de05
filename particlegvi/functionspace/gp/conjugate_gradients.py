"""Products with k(X, X) in blocks of rows, and lower bounds on y^T (k(X, X) + noise I)^-1 y by conjugate gradients."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.numerics import threads
from particlegvi.functionspace.covariances.covariance import Covariance

ENTRIES = 2**20  # entries of k(X, X) in memory for each thread: 8 MiB, and again 8 MiB for each temporary
MANY = 50_000  # from so many rows on, a warning gives the expected time


def product(covariance: Covariance, X: Array, vectors: Array) -> Array:
    """``k(X, X) @ vectors`` for vectors (n, c): O(n^2 (dim + c)) time, O(n) memory for each thread and column.

    The blocks of rows are the same on any number of threads, and so is the result. Ctrl-C ends it within a block.
    """
    out = np.empty_like(vectors)
    rows = max(1, ENTRIES // max(len(X), 1))
    blocks = -(-len(X) // rows)

    stopped = threading.Event()

    def work(first: int, last: int) -> None:
        for number in range(first, last):
            if stopped.is_set():
                return
            block = slice(number * rows, (number + 1) * rows)
            out[block] = covariance(X[block], X) @ vectors

    begun = time.perf_counter()
    done = 0
    if len(X) > MANY:
        work(0, 1)
        done = 1
        minutes = (time.perf_counter() - begun) * blocks / threads.count() / 60.0
        warnings.warn(f"a product with the kernel matrix of {len(X)} rows takes about {minutes:.0f} min", stacklevel=2)
    try:
        threads.split(lambda first, last: work(first + done, last + done), blocks - done)
    except BaseException:  # Ctrl-C reaches this thread only: stop the others, which would go on to the end
        stopped.set()
        raise
    return out


def quadratic_bounds(
    first: tuple[Array, Array],
    multiply: Callable[[Array], Array],
    precondition: Callable[[Array], Array],
    y: Array,
    steps: int,
) -> tuple[list[float], Array]:
    """Lower bounds on ``y^T C^-1 y`` for a positive definite C, one for each step, and the last vector v.

    The bound is ``2 v^T y - v^T C v``, which is at most ``y^T C^-1 y`` for every v. The vectors v are the iterates of
    conjugate gradients for ``C v = y``, so the bounds increase. There are fewer bounds than steps if y is 0, or if C v
    = y to rounding. ``first`` is the first direction p = P^-1 y, for P near C, with C p; ``multiply`` returns C p, and
    ``precondition`` P^-1 r, for vectors (n,).

    Source: Artemev, Burt and van der Wilk (2021), (11).
    """
    v, product_of_v = np.zeros_like(y), np.zeros_like(y)
    direction, along = first
    size = float(y @ direction)
    bounds: list[float] = []
    for step in range(steps):
        if not size > 0.0:
            break
        if step:
            along = multiply(direction)
        length = size / float(direction @ along)
        v = v + length * direction
        product_of_v = product_of_v + length * along
        bounds.append(float(2.0 * (v @ y) - v @ product_of_v))
        left = y - product_of_v
        z = precondition(left)
        before, size = size, float(left @ z)
        direction = z + (size / before) * direction
    return bounds, v
