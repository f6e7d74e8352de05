"""The stationary distribution of an integrator on the line at a given step size, by quadrature.

One step is x <- Phi(w, Z) with w = x - noise_next * Z_k, the part of the state that is independent of the noise of the
next step (w = x except for schemes with two noises). The transition operator (P f)(w) = E f(Phi(w, Z)) is approximated
by a matrix: the expectation is a trapezoidal sum over Z, and f is interpolated between the points of a grid. Its left
eigenvector for the eigenvalue 1 is the stationary distribution.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from particlegvi import integrators
from particlegvi.contracts import Array
from particlegvi.integrators import OwnStep, Step
from particlegvi.integrators.driving import plain_step
from particlegvi.tools import arguments, objects

MOST_POINTS = 4000  # points of the grid; the matrix has 8 x MOST_POINTS^2 bytes
NODES = 8  # nodes of the interpolation
NOISE = np.linspace(-8.5, 8.5, 137)
NOISE_WEIGHTS = np.exp(-0.5 * NOISE**2) / np.exp(-0.5 * NOISE**2).sum()


def stationary_law(
    slope: Callable[[np.ndarray], np.ndarray],
    step_size: float,
    temperature: float = 1.0,
    integrator: str = "euler-maruyama",
    box: tuple[float, float] = (-4.4, 4.4),
) -> tuple[np.ndarray, np.ndarray]:
    """Stationary distribution of one particle on the line with the drift -slope(x) and a constant step size.

    Parameters
    ----------
    slope : callable
        Derivative of the potential V at points (n,).
    step_size, temperature : float
        The stationary density of the flow itself is proportional to exp(-V / temperature).
    integrator : str
        Any that keeps nothing of a particle from step to step but its place, and moves each by itself.
    box : pair of float
        Interval that contains almost all of the distribution. Steps that leave it end at its edge: it must be so wide
        that almost none does, and so narrow that a step from a point in it does not lead far outside.

    Returns
    -------
    points, weights : arrays (m,)
        The expectation of f is ``weights @ f(points)``. Weights sum to 1; some may be slightly negative.
    """
    objects.function("slope", slope)
    step_size = arguments.positive("step_size", step_size)
    temperature = arguments.positive("temperature", temperature)
    low, high = _edges(box)
    made = integrators.get(integrator)
    if made.columns(1) or made.accepts:
        raise ValueError(f'integrator must be one that keeps nothing from step to step, not "{integrator}"')
    gain, now, following = (np.atleast_1d(part)[:1] for part in made(step_size, temperature, np.zeros(1)))
    apart = min(float(now[0] + following[0]) / 8.0, 0.05)
    if not high - low <= (MOST_POINTS - 1) * apart:
        raise ValueError(
            f"step_size must be larger, or the box narrower, not {step_size:g}: a grid from {low:g} to {high:g} would "
            f"need over {MOST_POINTS} points"
        )
    number = int(np.ceil((high - low) / apart)) + 1
    grid = np.linspace(low, high, max(number, 2 * NODES))
    x = grid[:, None] + following * NOISE
    with np.errstate(over="ignore", invalid="ignore"):
        alone, landing = (
            np.clip(_landing(made.step or plain_step, slope, places, (gain, now, temperature)), low, high)
            for places in (x[:1], x)
        )
    if not np.allclose(alone, landing[:1], equal_nan=True):
        raise ValueError(f'integrator must be one whose particles do not move each other, not "{integrator}"')
    if np.any(np.isnan(landing)):
        raise ValueError(f"step_size must be smaller, not {step_size:g}, with which a step leads nowhere")
    transition = _interpolation(grid, landing)
    # Each row of the transition sums to 1, so that one equation of pi (P - 1) = 0 is redundant: the normalisation
    # replaces it.
    equations = transition.T - np.eye(grid.size)
    equations[-1] = 1.0
    law = np.linalg.solve(equations, np.eye(grid.size)[-1])
    return x.reshape(-1), (law[:, None] * NOISE_WEIGHTS).reshape(-1)


def _landing(
    take: OwnStep, slope: Callable[[np.ndarray], np.ndarray], x: np.ndarray, coefficients: tuple[Array, Array, float]
) -> np.ndarray:
    """Where a step leads from points x (grid, noises) with these noises, without the noise of the next step."""
    gain, noise_now, temperature = coefficients
    state, noise = x.reshape(-1, 1).copy(), np.broadcast_to(NOISE, x.shape).reshape(-1, 1)

    def drift(points: np.ndarray) -> np.ndarray:
        return objects.returned("slope", slope(points[:, 0]), (len(points),))[:, None]

    no_noise, unmoved = np.zeros(1), np.ones((1, 1))
    take(
        state,
        Step(
            0,
            gain,
            noise_now,
            no_noise,
            temperature,
            drift,
            potential=lambda points: points[:, 0],
            normals=lambda ahead: noise,
            uniforms=lambda: no_noise,
            reflected=lambda points: (points, unmoved),
        ),
    )
    return state.reshape(x.shape)


def _edges(box: tuple[float, float]) -> tuple[float, float]:
    allowed = "a pair of finite numbers, the smaller first"
    edges = arguments.array("box", box, allowed)
    if edges.shape != (2,) or not np.all(np.isfinite(edges)) or not edges[0] < edges[1]:
        raise arguments.refuse("box", box, allowed)
    return float(edges[0]), float(edges[1])


def _interpolation(grid: np.ndarray, landing: np.ndarray) -> np.ndarray:
    """Matrix (grid, grid) that maps f on the grid to its average over the landing points of each row."""
    place = (landing - grid[0]) / (grid[1] - grid[0])
    first = np.clip(np.floor(place).astype(np.int64) - NODES // 2 + 1, 0, grid.size - NODES)
    place = place - first
    matrix = np.zeros(grid.size**2)
    row = np.arange(grid.size)[:, None] * grid.size
    for node in range(NODES):
        others = [other for other in range(NODES) if other != node]
        weight = np.prod([(place - other) / (node - other) for other in others], axis=0)
        matrix += np.bincount(
            (row + first + node).reshape(-1), (weight * NOISE_WEIGHTS).reshape(-1), minlength=grid.size**2
        )
    return matrix.reshape(grid.size, grid.size)
