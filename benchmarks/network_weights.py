"""How the repulsion of ``regression-gap`` and ``two-moons`` was chosen, and what it does on seeds that chose nothing.

    python benchmarks/network_weights.py                  the choice on ``SELECTION`` seeds, then ``FRESH`` ones
    python benchmarks/network_weights.py two-moons        one of the two
    python benchmarks/network_weights.py --fresh          only the fresh seeds, at the settings that are in the scenario

A candidate is a weight and a box of context inputs; data, networks, starts and steps are the scenario's own. The rules:

- regression-gap: of the candidates that cost at most 0.06 nats where there are data (half of what is allowed) and whose
  standard deviation in the gap is at most four times that of the true process, the lowest mean of the negative log
  likelihoods in the gap and outside.
- two-moons: of the candidates that cost at most 0.015 nats on test rows, those whose lowest AUROC, over the seeds and
  over places inside and beyond the box, is within 0.01 of the best; and of these the smallest weight.
"""

from __future__ import annotations

import argparse
import itertools
import os
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import numpy as np

import particlegvi as pg

SELECTION, FRESH = range(31_000, 31_012), range(32_000, 32_024)
WEIGHTS = {"regression-gap": (0.01, 0.02, 0.03, 0.05, 0.1, 0.2), "two-moons": (0.1, 0.2, 0.3, 0.5, 1.0)}
BOXES = {"regression-gap": (4.0, 5.0, 6.0), "two-moons": (4.0,)}
Table = dict[str, dict[str, np.ndarray]]  # by method and name of a number, one entry for each seed
