"""Particles on the line at which sums over pairs may go wrong."""

import numpy as np

RANDOM = np.random.default_rng(3)
CLOUDS = {
    "normal": RANDOM.normal(size=400),
    "uniform": RANDOM.uniform(-5, 5, 333),
    "two clusters": np.concatenate([RANDOM.normal(-8, 0.1, 90), RANDOM.normal(8, 0.1, 111)]),
    "one outlier": np.concatenate([RANDOM.normal(size=200), [60.0]]),
    "far outlier": np.concatenate([RANDOM.normal(size=200), [1e6]]),
    "coinciding": np.zeros(77),
    "single": np.array([0.3]),
    "pair": np.array([0.0, 1.0]),
    "far from the origin": 1e4 + RANDOM.normal(size=150),
    "grid": np.linspace(-3, 3, 64),
}
