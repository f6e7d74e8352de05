"""The average loss under the truth, by quadrature."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlegvi.plotting import reading


def expected_loss(loss: Any, target: Any) -> float | None:
    """The average loss under the truth, for the line towards which the particles' average loss should go."""
    if target is None:
        return None
    if target.kind == "atoms":
        return float(np.dot(target.weights, reading.loss_values(loss, np.asarray(target.atoms))))
    if target.kind != "density":
        return None
    if target.dim == 1:
        # Equal shares of the mass: this finds every mode, also when there are two thousand of them.
        shares = (np.arange(40_000) + 0.5) / 40_000
        points = np.asarray(target.quantile(shares)).reshape(-1, 1)
        return float(np.mean(reading.loss_values(loss, points)))
    if target.dim != 2:
        return None
    points, density = reading.density_grid(target, *density_box(target), size=321)[2:]
    mass = density.ravel()
    known = np.isfinite(mass) & (mass > 0.0)
    return float(np.sum(reading.loss_values(loss, points[known]) * mass[known]) / np.sum(mass[known]))


def density_box(target: Any) -> tuple[tuple[float, float], tuple[float, float]]:
    """A box of six standard deviations around the mean of a density in 2-D."""
    centre = np.broadcast_to(np.asarray(target.mean, dtype=np.float64), (2,))
    variance = np.asarray(target.variance, dtype=np.float64)
    spread = 6.0 * np.sqrt(np.diag(variance) if variance.ndim == 2 else np.broadcast_to(variance, (2,)))
    return (
        (float(centre[0] - spread[0]), float(centre[0] + spread[0])),
        (float(centre[1] - spread[1]), float(centre[1] + spread[1])),
    )
