"""Newton's method where rounding hides the fall of the energy."""

import numpy as np

from particlegvi.functionspace import newton as module


def reached():
    """Where a search from 1e-7 ends, for x^2 / 2 + 1 with a rounding of 8e-15 at the minimum."""

    def energy(x):
        return 1.0 + 0.5 * float(x @ x) + (8e-15 if abs(x[0]) < 1e-8 else 0.0)

    return abs(module.newton(energy, lambda x: (x, float(x @ x)), np.array([1e-7]), 1e-20)[0][0])


def test_rounding_does_not_stop_the_search(monkeypatch):
    assert reached() < 1e-12
    monkeypatch.setattr(module, "ROUNDING", 0.0)
    assert reached() > 1e-9  # control: halved steps end before the minimum
