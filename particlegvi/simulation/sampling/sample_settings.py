"""The checked arguments of `particlegvi.sample`, and the scale of its steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from particlegvi.contracts import Array, Distribution, Start
from particlegvi.simulation.problem import Settings
from particlegvi.simulation.sampling.ensemble_mala import scale
from particlegvi.simulation.sampling.posterior import LinearView, PosteriorEnergy
from particlegvi.tools import arguments, objects
from particlegvi.tools.limits import STEPS_TO_ARRIVE

AUTO = "auto"
FEWEST = 4  # particles: two in each half have a covariance
ENSEMBLE, DIAGONAL, NONE = SCALES = "ensemble", "diagonal", "none"
ALLOWED = '"ensemble", "diagonal", "none", or a positive definite matrix (dim, dim)'


class SampleSettings(NamedTuple):
    """Checked arguments of `particlegvi.sample`, and of scenarios with a preconditioner."""

    particles: int = 200
    seed: int = 0
    steps: int = STEPS_TO_ARRIVE
    initial: Start | None = None  # a distribution, or points (particles, dim), in the coordinates of the loss
    preconditioner: str | Array = ENSEMBLE
    step_size: float | None = None  # None: adapted
    accuracy: float = 0.1
    seconds: float | None = None


def checked(settings: Settings, dim: int, initial: Start | None, preconditioner: object) -> SampleSettings:
    """Check particles, steps, step size and seed of ``settings``, and the preconditioner."""
    size = settings.step_size
    return SampleSettings(
        arguments.whole("particles", settings.particles, least=FEWEST),
        arguments.seed(settings.seed),
        arguments.whole("steps", settings.steps, least=1),
        None if initial is None else objects.start(initial, dim),
        preconditioner_of(preconditioner, dim),
        None if isinstance(size, str) and size == AUTO else arguments.positive("step_size", size),
    )


def preconditioner_of(given: object, dim: int) -> str | Array:
    """A word, or a checked matrix."""
    if isinstance(given, str):
        if given not in SCALES:
            raise arguments.refuse("preconditioner", given, ALLOWED)
        return given
    matrix = arguments.array("preconditioner", given, ALLOWED)
    if matrix.shape != (dim, dim):
        raise arguments.shaped("preconditioner", matrix, f"{ALLOWED}, here of the shape {(dim, dim)}")
    if not np.allclose(matrix, matrix.T) or np.linalg.eigvalsh(matrix)[0] <= 0.0:
        raise ValueError("preconditioner must be a matrix that is symmetric and positive definite")
    return matrix


def scaling(preconditioner: str | Array, view: LinearView) -> Callable[[Array], Array]:
    """From the other particles z (n, dim) to a root (dim, dim) of C, both in the coordinates of the view.

    C is the covariance of the others; its diagonal in the coordinates without walls; the unit matrix there; or a matrix
    of the caller.
    """
    if isinstance(preconditioner, str) and preconditioner == ENSEMBLE:
        return scale

    def back(root: Array) -> Array:
        return np.asarray(solve_triangular(view.root, root, lower=True))

    if isinstance(preconditioner, str) and preconditioner == DIAGONAL:
        return lambda z: back(np.diag(view.places(z).std(axis=0, ddof=1)))
    matrix = np.eye(view.dim) if isinstance(preconditioner, str) else preconditioner
    constant = back(np.asarray(np.linalg.cholesky(matrix), dtype=np.float64))
    return lambda z: constant


def points_of(initial: Start, posterior: PosteriorEnergy, particles: int, seed: int) -> Array:
    """The points of a start (particles, dim) in the coordinates without walls."""
    points = initial.sample(particles, seed) if isinstance(initial, Distribution) else initial
    if points.shape != (particles, posterior.dim):
        allowed = f"a prior, or an array of the shape {(particles, posterior.dim)}, a row for each particle"
        raise arguments.shaped("initial", points, allowed)
    return posterior.support.coordinates(points)
