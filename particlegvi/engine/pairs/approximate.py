"""The repulsion by approximations that are used only when they are asked for by name: their error has no bound.

Both choose particles anew in every step, from the step number alone, so that chunks and restarts change nothing.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array, Kernel
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.noise import uniforms
from particlegvi.engine.pairs.near import near_part
from particlegvi.engine.terms.evaluate import profile_slopes, profile_values, squared_distances

ROWS = 2**20  # entries of a block of pairs
SMALLEST = 1e-12  # eigenvalues of the landmarks' kernel matrix below this share of the largest are left out


class Approximation:
    """An approximation of the repulsion. Attribute: ``words``, one phrase for the facts."""

    name: ClassVar[str]  # in the facts of a run
    default: ClassVar[int]  # its size where none is given
    least: ClassVar[int]  # the smallest size

    def __init__(self, kernel: Kernel, size: int, seed: int) -> None:
        self.kernel, self.size, self.seed = kernel, size, seed
        self.words = f"approximate: {self.name} of {size} particles, drawn anew in every step"

    def force(self, positions: Array, factor: float, out: Array, step: int) -> None:
        """out = factor times the approximate force of the step of this number, both (particles, dim)."""
        raise NotImplementedError


class RandomBatch(Approximation):
    """Each particle interacts with the others of its batch only; every step draws new batches.

    The mean over the batches is the whole force (Jin, Li and Liu 2020, "Random batch methods for interacting particle
    systems", algorithm 1b); a step costs N times the batch's size.
    """

    name: ClassVar[str] = "random batches"
    default: ClassVar[int] = 32
    least: ClassVar[int] = 2

    def force(self, positions: Array, factor: float, out: Array, step: int) -> None:
        """out = factor times an unbiased estimate of 1/N sum_j grad_1 kappa(x_i, x_j), both (particles, dim)."""
        number = positions.shape[0]
        order = _shuffled(self.seed, number, step)
        batches = max(number // self.size, 1)
        starts = np.arange(batches + 1) * self.size
        starts[-1] = number  # the rest joins the last batch
        own = np.arange(batches)[:, None]
        x = np.ascontiguousarray(positions[order])
        found = np.empty_like(x)
        part = near_part.for_terms(self.kernel)
        threads.split(lambda a, b: part(self.kernel, x, starts, own, a, b, factor, found), batches, least=64)
        others = np.maximum(np.diff(starts) - 1, 1)
        share = (number - 1) / number / others
        out[order] = found * np.repeat(share, np.diff(starts))[:, None]


class NystroemFeatures(Approximation):
    """The kernel in the features of some particles, the landmarks, drawn anew in every step.

    kappa(x, y) ~ kappa(x, Z) kappa(Z, Z)^+ kappa(Z, y) (Williams and Seeger 2001); a step costs N times the number of
    landmarks, and its cube.
    """

    name: ClassVar[str] = "Nystroem features"
    default: ClassVar[int] = 100
    least: ClassVar[int] = 1

    def force(self, positions: Array, factor: float, out: Array, step: int) -> None:
        """out = factor / N sum_j grad_1 of the approximate kernel at (x_i, x_j), both (particles, dim)."""
        number = positions.shape[0]
        landmarks = positions[_shuffled(self.seed, number, step)[: self.size]]
        rows = max(ROWS // landmarks.size, 1)
        blocks = [slice(first, first + rows) for first in range(0, number, rows)]
        with threads.one_blas_thread():
            moments = np.zeros(len(landmarks))
            for block in blocks:
                moments += profile_values(self.kernel, squared_distances(positions[block], landmarks)).sum(axis=0)
            values, vectors = np.linalg.eigh(profile_values(self.kernel, squared_distances(landmarks, landmarks)))
            kept = values > SMALLEST * values[-1]
            weights = vectors[:, kept] @ ((vectors[:, kept].T @ moments) / values[kept])
            for block in blocks:
                x = positions[block]
                pulls = 2.0 * factor / number * profile_slopes(self.kernel, squared_distances(x, landmarks)) * weights
                out[block] = pulls.sum(axis=1)[:, None] * x - pulls @ landmarks


APPROXIMATIONS: dict[str, type[Approximation]] = {"random-batch": RandomBatch, "nystroem": NystroemFeatures}


def _shuffled(seed: int, number: int, step: int) -> NDArray[np.intp]:
    """The numbers of the particles in a random order."""
    return np.argsort(uniforms(seed, "split", number, 1, step)[:, 0], kind="stable")
