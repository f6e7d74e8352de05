"""Whether particles have reached their stationary law: what the energies and the signs say."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlegvi.functionspace.checks import Array

RECORDS = 16  # times at which the energies are looked at, the end included
TOLERANCE = 0.05  # a drift below this part of the expected excess does not matter
STANDARD_ERRORS = 4.0
INSIDE = 0.9  # share of particles below the expected excess energy plus six standard deviations


def record_steps(steps: int) -> Array:
    """The step numbers of the records."""
    return np.unique(np.linspace(0, steps, RECORDS + 1).astype(np.int64)[1:])


def unchanged(signs: list[Array]) -> float | None:
    """The share of particles none of whose signs (particles, rows) changed over the second half of the records."""
    if not signs:
        return None
    later = signs[len(signs) // 2 - 1 :] if len(signs) > 1 else signs
    same = np.ones(len(later[0]), dtype=bool)
    for each in later:
        same &= np.all(each == later[-1], axis=1)
    return float(same.mean())


def verdict(
    energies: list[Array], lowest: float, dim: int, frozen: float | None, mixing: bool
) -> dict[str, Any]:
    """What a run says about itself.

    Parameters
    ----------
    energies : list of arrays (particles,)
        V at the records, the last at the end.
    lowest : float
        The smallest V found by descent from the best particle.
    dim : int
        Of the coefficients. Near a mode without skewness the mean of V is ``lowest + dim / 2``.
    frozen : float or None
        The share of particles none of whose signs at the data with y >= 1 changed in the second half; None where
        signs do not matter.
    mixing : bool
        Whether there were moves between modes. Without them the energies of one mode are all there can be.

    Returns
    -------
    dict
        ``excess_energy`` (mean of V minus ``lowest``), ``expected_excess`` (dim / 2), ``energy_drift`` (the change of
        the mean over the second half), its ``drift_standard_error``, ``inside`` (the share of particles below the
        expected excess plus six standard deviations), ``frozen_signs``, ``reached``, and, where it was not,
        ``because``.
    """
    last, middle = energies[-1], energies[len(energies) // 2 - 1] if len(energies) > 1 else energies[-1]
    difference = last - middle
    drift = float(difference.mean())
    error = float(difference.std() / np.sqrt(len(last)))
    limit = lowest + 0.5 * dim + 6.0 * np.sqrt(0.5 * dim)
    inside = float(np.mean(last <= limit))
    doubts = []
    if abs(drift) > max(STANDARD_ERRORS * error, TOLERANCE * 0.5 * dim) or len(energies) == 1:
        doubts.append("the mean energy still drifts" if len(energies) > 1 else "one step shows nothing")
    if frozen is not None and frozen > 0.5:
        doubts.append("the signs are those of the start")
    if inside < INSIDE and not mixing:
        doubts.append("particles are far above the lowest energy")
    return {
        "reached": not doubts,
        **({"because": "; ".join(doubts)} if doubts else {}),
        "excess_energy": float(last.mean()) - lowest,
        "expected_excess": 0.5 * dim,
        "energy_drift": drift,
        "drift_standard_error": error,
        "inside": inside,
        "frozen_signs": frozen,
    }
