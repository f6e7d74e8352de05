"""The Kolmogorov-Smirnov statistic."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlegvi.diagnostics.line import check_target, on_the_line


def kolmogorov_smirnov(particles: Any, target: Any) -> float:
    """sup_x |F_n(x) - F(x)| between particles (n,) or (n, 1) and a density target on the line.

    For n independent exact draws sqrt(n) times it exceeds 1.36 with probability 0.05 (Kolmogorov 1933).
    """
    x = on_the_line(particles)
    check_target(target)
    if target.kind != "density":
        raise ValueError("target is atomic; a density is allowed, because ties make the statistic's law another")
    cdf = np.asarray(target.cdf(x), dtype=np.float64)
    steps = np.arange(x.size + 1) / x.size
    return float(max(np.max(steps[1:] - cdf), np.max(cdf - steps[:-1])))
