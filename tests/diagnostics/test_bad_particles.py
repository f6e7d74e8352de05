"""Every argument of every diagnostic against every kind of bad value: a right result, or one clear sentence."""

import numpy as np

import particlegvi as pg
from particlegvi import diagnostics

from ..bad_values import DLE, KERNEL, LOSS, PRIOR, answered, table

DRLE = pg.methods.DRLE(1.0, 0.5, KERNEL)
TARGET = pg.target(LOSS, DLE, PRIOR)
GIVEN = {
    "particles": [-1.0, 0.2, 0.9, 1.1], "target": TARGET, "loss": LOSS, "method": DRLE, "prior": PRIOR,
    "kernel": KERNEL, "modes": [-2.0, 1.0], "score": lambda x: -x, "slope": lambda x: x, "temperature": 1.0,
    "draws": np.sin(np.arange(16.0)).reshape(2, 8), "positions": np.cos(np.arange(32.0)).reshape(8, 4, 1),
    "times": np.arange(8.0), "distances": 1.0 / np.arange(1.0, 9.0), "floor": 0.2, "number": 5, "most": 3, "n": 5,
    "p": 0.5, "table": np.eye(4), "replicates": 5, "step_size": 0.1, "directions": 2, "values": [3.0, 4.0, 4.0],
    "target_score method": DLE,
}  # fmt: skip
RESULTS = "Distance Drift ExcessEnergy FreeEnergyParts Misplaced"  # what the others return
CALLS = table(diagnostics, GIVEN, left_out=RESULTS)


test_a_dozen_values_of_an_argument_are_answered, test_every_value_of_every_argument_is_answered = answered(CALLS)
