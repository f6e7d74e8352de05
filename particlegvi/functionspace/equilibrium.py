"""Whether particles have reached their stationary law: what the energies and the signs say."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlegvi.functionspace.checks import Array

RECORDS = 16  # times at which the energies are looked at, the end included
TOLERANCE = 0.05  # a drift below this part of the expected excess does not matter
STANDARD_ERRORS = 4.0


def record_steps(steps: int) -> Array:
    """The step numbers of the records."""
    return np.unique(np.linspace(0, steps, RECORDS + 1).astype(np.int64)[1:])


def verdict(energies: list[Array], lowest: float, dim: int, unchanged: float | None) -> dict[str, Any]:
    """What a run says about itself.

    Parameters
    ----------
    energies : list of arrays (particles,)
        V at the records, the last at the end.
    lowest : float
        The smallest V found by descent from the best particle.
    dim : int
        Of the coefficients. Near a mode without skewness the mean of V is ``lowest + dim / 2``.
    unchanged : float or None
        The share of particles whose signs at the data with y >= 1 are all those of their start; None where signs do
        not matter.

    Returns
    -------
    dict
        ``excess_energy`` (mean of V minus ``lowest``), ``expected_excess`` (dim / 2), ``energy_drift`` (the change of
        the mean over the second half), its ``drift_standard_error``, ``inside`` (the share of particles below the
        expected excess plus six standard deviations), ``frozen_signs`` and ``reached``.
    """
    last, middle = energies[-1], energies[len(energies) // 2 - 1] if len(energies) > 1 else energies[-1]
    difference = last - middle
    drift = float(difference.mean())
    error = float(difference.std() / np.sqrt(len(last)))
    limit = lowest + 0.5 * dim + 6.0 * np.sqrt(0.5 * dim)
    steady = len(energies) > 1 and abs(drift) <= max(STANDARD_ERRORS * error, TOLERANCE * 0.5 * dim)
    frozen = unchanged is not None and unchanged > 0.5
    return {
        "reached": bool(steady and not frozen),
        "excess_energy": float(last.mean()) - lowest,
        "expected_excess": 0.5 * dim,
        "energy_drift": drift,
        "drift_standard_error": error,
        "inside": float(np.mean(last <= limit)),
        "frozen_signs": unchanged,
    }
