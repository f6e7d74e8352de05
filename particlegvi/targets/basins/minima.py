"""Minima of a function on a box, and gradient flows of many points that are integrated until each ends at a known one.

Minima are polished and tested for isolation. A point's end is known once it enters a trap: an ellipse around a minimum
through whose layers the flow points inwards. Traps are found during the integration: Newton's method polishes the
slowest points, and a trap is built around each new minimum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from particlegvi.targets.basins.survey import golden_section

Field = Callable[[np.ndarray], np.ndarray]


class Landscape(NamedTuple):
    """A function on a box, its gradient, the box (infinite where it has no sides) and a typical length."""

    value: Field  # (n, dim) -> (n,)
    gradient: Field  # (n, dim) -> (n, dim)
    low: np.ndarray
    high: np.ndarray
    scale: float


class Trap(NamedTuple):
    """{x: (x - at) . shape (x - at) < size^2}: the flow never leaves it, and ``at`` is its only critical point."""

    at: np.ndarray
    shape: np.ndarray
    size: float

    def holds(self, x: np.ndarray) -> np.ndarray:
        away = x - self.at
        return np.sum((away @ self.shape) * away, axis=1) < self.size**2


def velocity(land: Landscape, x: np.ndarray) -> np.ndarray:
    """Minus the gradient at points (n, dim), without components that point out of the box.

    It is not finite where the loss is not.
    """
    v = -land.gradient(x)
    v[(x <= land.low) & (v < 0.0)] = 0.0
    v[(x >= land.high) & (v > 0.0)] = 0.0
    return v


def hessian(land: Landscape, at: np.ndarray, reach: float) -> np.ndarray:
    """Matrix of second derivatives (dim, dim) by central differences of the gradient."""
    steps = reach * np.eye(len(at))
    gradients = land.gradient(np.clip(np.concatenate([at + steps, at - steps]), land.low, land.high))
    matrix = (gradients[: len(at)] - gradients[len(at) :]) / (2.0 * reach)
    return 0.5 * (matrix + matrix.T)


def polish(land: Landscape, at: np.ndarray) -> np.ndarray | None:
    """The minimum near a point, by descending Newton steps or, at a kink, by compass search; None if there is none."""
    x = at.copy()
    level = float(land.value(x[None])[0])
    for _ in range(80):
        v = velocity(land, x[None])[0]
        if not np.any(v):
            break
        values, vectors = np.linalg.eigh(hessian(land, x, 1e-5 * land.scale))
        # Only the size of the curvature is used, so that saddles repel; no move is longer than the scale.
        size = np.maximum(np.abs(values), float(np.linalg.norm(v)) / land.scale)
        move = vectors @ ((vectors.T @ v) / size)
        move[(x <= land.low) & (move < 0.0) | (x >= land.high) & (move > 0.0)] = 0.0
        move *= min(1.0, 0.3 * land.scale / max(float(np.linalg.norm(move)), 1e-300))
        for _ in range(40):
            new = np.clip(x + move, land.low, land.high)
            here = float(land.value(new[None])[0])
            if here <= level:
                break
            move = 0.5 * move
        else:
            break
        moved = float(np.linalg.norm(new - x))
        x, level = new, here
        if moved < 1e-14 * (land.scale + float(np.linalg.norm(x))):
            break
    curvature = np.linalg.eigvalsh(hessian(land, x, 1e-4 * land.scale))
    if curvature[0] < -1e-3 * abs(curvature[-1]) and not np.any((x <= land.low) | (x >= land.high)):
        return None  # a saddle or a maximum
    steep = np.linalg.norm(velocity(land, x[None])[0])
    around = velocity(land, np.clip(x + 1e-3 * land.scale * np.eye(len(x)), land.low, land.high))
    return x if steep <= 1e-5 * np.max(np.linalg.norm(around, axis=1)) else _kink(land, x)


def _kink(land: Landscape, x: np.ndarray) -> np.ndarray | None:
    """The minimum near x by compass search, for minima at which the gradient jumps."""
    compass = np.concatenate([np.eye(len(x)), -np.eye(len(x))])
    level, length = float(land.value(x[None])[0]), 0.03 * land.scale
    for _ in range(400):
        around = np.clip(x + length * compass, land.low, land.high)
        levels = land.value(around)
        best = int(np.argmin(levels))
        if levels[best] < level:
            x, level = around[best], float(levels[best])
        else:
            length *= 0.5
        if length < 1e-15 * land.scale:
            return x
    return None


def trap_around(land: Landscape, at: np.ndarray) -> Trap | None:
    """The largest ellipse, round or of the Hessian's shape, through whose layers the flow points inwards; or None."""
    dim = len(at)
    best: Trap | None = None
    volume = 0.0
    matrix = hessian(land, at, 1e-4 * land.scale)
    values = np.linalg.eigvalsh(matrix)
    shapes = [np.eye(dim)]
    if values[0] > 1e-9 * values[-1] > 0.0:
        shapes = [matrix / values[-1]] if dim > 2 else [np.eye(dim), matrix / values[-1]]
    radii = land.scale * np.geomspace(1e-3, 10.0, 60 if dim == 2 else 16)
    for shape in shapes:
        root, axes = np.linalg.eigh(shape)
        outline = _directions(dim) / np.sqrt(root) @ axes.T  # vectors of length 1 in the norm of the shape
        points = at + radii[:, None, None] * outline
        inside = np.all((points >= land.low) & (points <= land.high), axis=2)
        points = np.clip(points, land.low, land.high)
        away = points - at
        with np.errstate(all="ignore"):
            v = velocity(land, points.reshape(-1, dim)).reshape(points.shape)
            rate = np.sum((away @ shape) * v, axis=2)  # a number that is not finite does not point inwards
        inward = np.all((rate < 0.0) | ~inside & (np.abs(away).max(axis=2) == 0.0), axis=1)
        layers = int(np.argmin(inward)) if not np.all(inward) else len(radii)
        if layers == 0:
            continue
        size = radii[layers - 1]
        here = size**dim / np.sqrt(np.prod(root))
        if here > volume:
            best, volume = Trap(at, shape, 0.98 * size), here
    return best


def refuse_unless_isolated(land: Landscape, at: np.ndarray) -> None:
    """A ValueError if the function does not rise in some direction around a minimum."""
    if len(at) != 2:
        return
    reach = 1e-2 * land.scale
    level = float(land.value(at[None])[0])

    def fall(angle: np.ndarray) -> np.ndarray:
        points = at + reach * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        outside = np.any((points < land.low) | (points > land.high), axis=1)
        return np.where(outside, -np.inf, level - land.value(points))

    angle = np.arange(512) * (2.0 * np.pi / 512)
    least = -np.max(fall(golden_section(fall, angle - angle[1], angle + angle[1], 50)))
    falls = fall(angle)
    most = -np.min(falls[np.isfinite(falls)], initial=0.0)
    if least <= max(1e-9 * most, 4e-15 * abs(level)):
        where = np.array2string(at, precision=4)
        raise ValueError(f"the minimum at {where} is not isolated: the loss does not rise on all sides of it")


def _directions(dim: int) -> np.ndarray:
    if dim == 2:
        angle = (np.arange(96) + 0.5) * (2.0 * np.pi / 96)
        return np.stack([np.cos(angle), np.sin(angle)], axis=1)
    draws = np.random.default_rng(0).normal(size=(40, dim))
    draws = np.concatenate([draws, np.eye(dim), -np.eye(dim)])
    return draws / np.linalg.norm(draws, axis=1, keepdims=True)


ACCURACY = 1e-4  # error of a step, in units of the scale
MOST_STEPS = 5_000
ROUND = 20  # least number of steps between two searches for new minima
FAR = 1e7  # distance, in scales, from which on a point counts as escaped
UNRESOLVED, AWAY = -1, -2


class BasinDescent:
    """Finds the minima that starting points flow to, and keeps them as ``traps``; labels are positions in this list."""

    def __init__(self, landscape: Landscape) -> None:
        self.landscape = landscape
        self.traps: list[Trap] = []
        self.failed: list[np.ndarray] = []  # minima without a trap

    def labels(self, starts: np.ndarray) -> np.ndarray:
        """Index of the trap that each start (n, dim) ends in, or UNRESOLVED or AWAY."""
        land = self.landscape
        x = np.clip(starts, land.low, land.high)
        result = np.full(len(x), UNRESOLVED)
        active = np.arange(len(x))
        active = self._sort_out(result, active, x)
        v = self.velocity(x)
        speed = np.linalg.norm(v, axis=1)
        step = 1e-2 * land.scale / np.maximum(speed, 1e-300)
        next_look = ROUND
        for count in range(1, MOST_STEPS + 1):
            if not len(active):
                break
            x[active], v[active], step[active] = self._step(x[active], v[active], step[active])
            if count % 5 == 0:
                active = self._sort_out(result, active, x)
            if count >= next_look and len(active):
                next_look = max(count + ROUND, int(1.3 * count))
                self._look(x[active], v[active])
                active = self._sort_out(result, active, x)
        return result

    def velocity(self, x: np.ndarray) -> np.ndarray:
        """Minus the gradient at points (n, dim), without the part that leaves the box; a ValueError if not finite."""
        v = velocity(self.landscape, x)
        if not np.all(np.isfinite(v)):
            at = x[np.argmax(~np.isfinite(v).all(axis=1))]
            where = np.array2string(at, precision=4)
            raise ValueError(f"the loss has no finite gradient at {where}, where the flow goes")
        return v

    def _step(self, x: np.ndarray, first: np.ndarray, step: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """One step of Bogacki and Shampine's third-order method, with a step size for each point."""
        land = self.landscape
        h = step[:, None]
        second = self.velocity(np.clip(x + 0.5 * h * first, land.low, land.high))
        third = self.velocity(np.clip(x + 0.75 * h * second, land.low, land.high))
        new = np.clip(x + h * (2.0 * first + 3.0 * second + 4.0 * third) / 9.0, land.low, land.high)
        fourth = self.velocity(new)
        miss = h * (-5.0 * first / 72.0 + second / 12.0 + third / 9.0 - fourth / 8.0)
        error = np.linalg.norm(miss, axis=1) / (ACCURACY * (land.scale + 0.1 * np.linalg.norm(x, axis=1)))
        good = error <= 1.0
        factor = np.clip(0.9 / np.maximum(error, 1e-9) ** (1.0 / 3.0), 0.2, 3.0)
        # No step is longer than half a scale, even where the error is small: it could jump over a basin.
        speed = np.linalg.norm(first, axis=1)
        longest = 0.5 * np.maximum(land.scale, 0.2 * np.linalg.norm(x, axis=1)) / np.maximum(speed, 1e-300)
        return (
            np.where(good[:, None], new, x),
            np.where(good[:, None], fourth, first),
            np.minimum(step * factor, longest),
        )

    def _sort_out(self, result: np.ndarray, active: np.ndarray, x: np.ndarray) -> np.ndarray:
        for label, trap in enumerate(self.traps):
            if not len(active):
                break
            inside = trap.holds(x[active])
            result[active[inside]] = label
            active = active[~inside]
        away = np.linalg.norm(x[active], axis=1) > FAR * self.landscape.scale
        result[active[away]] = AWAY
        return active[~away]

    def _look(self, x: np.ndarray, v: np.ndarray) -> None:
        """Polish the three slowest points, and add the minima that are new."""
        for at in x[np.argsort(np.linalg.norm(v, axis=1))[:3]]:
            if any(trap.holds(at[None])[0] for trap in self.traps):
                continue
            minimum = polish(self.landscape, at)
            if minimum is not None:
                self.add(minimum)

    def minima(self) -> list[np.ndarray]:
        """The minima found so far, with and without a trap."""
        return [trap.at for trap in self.traps] + self.failed

    def add(self, at: np.ndarray) -> None:
        """Add a minimum (dim,), if it is new, with the trap around it."""
        close = 1e-6 * self.landscape.scale
        known = [trap.at for trap in self.traps] + self.failed
        if any(np.linalg.norm(at - other) < close for other in known):
            return
        refuse_unless_isolated(self.landscape, at)
        trap = trap_around(self.landscape, at)
        if trap is None:
            self.failed.append(at)
        else:
            self.traps.append(trap)
