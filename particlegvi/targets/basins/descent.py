"""Gradient flows of many points at once, integrated until each point provably ends at a known minimum.

A point's end is known once it enters a trap (`minima.Trap`): an ellipse around a minimum through whose layers the flow
points inwards. Traps are found during the integration: Newton's method polishes the slowest points, and a trap is built
around each new minimum.
"""

from __future__ import annotations

import numpy as np

from particlegvi.targets.basins.minima import Landscape, Trap, polish, refuse_unless_isolated, trap_around, velocity

ACCURACY = 1e-4  # error of a step, in units of the scale
MOST_STEPS = 5_000
ROUND = 20  # least number of steps between two searches for new minima
FAR = 1e7  # distance, in scales, from which on a point counts as escaped
UNRESOLVED, AWAY = -1, -2


class Descent:
    """Finds the minima that starting points flow to, and keeps them for the next call.

    Attributes
    ----------
    traps : list of Trap
        One for each minimum found so far; labels are positions in this list.
    """

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
            found = polish(self.landscape, at)
            if found is not None:
                self.add(found)

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
