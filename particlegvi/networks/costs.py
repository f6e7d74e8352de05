"""The costs of a row of data by name: the outputs that each takes, its targets, and its formula.

============== ===================================== ===================================== ===========================
cost           outputs f of a row                    targets y                             cost of a row
============== ===================================== ===================================== ===========================
squared        any number                            as many numbers                       sum over outputs (f - y)^2
logistic       one, the logit of label 1             0 or 1                                log(1 + e^f) - y f
softmax        one for each class, two or more       0, 1, ..., classes - 1                log sum_c e^f_c - f_y
heteroscedastic two: mean m, and f with variance     numbers                               log(v)/2 + (y - m)^2/(2 v)
               v = log(1 + e^f) + 1e-6
============== ===================================== ===================================== ===========================

"heteroscedastic" is equation (1) of Lakshminarayanan, Pritzel and Blundell (2017) without its constant.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.engine.networks.functions import COSTS
from particlegvi.tools import arguments
from particlegvi.tools.registry import listed

__all__ = ["names"]

OUTPUTS = {"logistic": "1", "softmax": "2 or more", "heteroscedastic": "2"}
names, code = listed("cost", COSTS)  # ``code`` is the number of a cost in compiled code


def check_outputs(name: str, outputs: int) -> None:
    """Refuse a network with a number of outputs that the cost cannot have."""
    good = {"logistic": outputs == 1, "softmax": outputs >= 2, "heteroscedastic": outputs == 2}
    if not good.get(name, True):
        raise ValueError(f'outputs must be {OUTPUTS[name]} for the cost "{name}", not {outputs}')


def targets(name: str, y: ArrayLike, rows: int, outputs: int) -> Array:
    """Check the targets, and return them as an array (rows, outputs), or (rows, 1) for one target in a row."""
    if name == "squared" and outputs > 1:
        allowed = f"an array ({rows}, {outputs}) of finite numbers, a row for each row of X"
        targets = arguments.array("y", y, allowed, booleans=True)
        if targets.shape != (rows, outputs):
            raise arguments.shaped("y", targets, allowed)
        return arguments.finite("y", targets, allowed).copy()
    column = arguments.array("y", y, f"an array ({rows},) of finite numbers, one for each row of X", booleans=True)
    numbers = arguments.vector("y", column[:, 0] if column.ndim == 2 and column.shape[1] == 1 else column, rows)
    classes = {"logistic": 2, "softmax": outputs}.get(name)
    if classes is not None:
        wrong = numbers[~np.isin(numbers, np.arange(classes))]
        if wrong.size:
            allowed = "labels 0 and 1" if classes == 2 else f"labels 0, 1, ..., {classes - 1}"
            raise ValueError(f'y must be {allowed} for the cost "{name}", not {wrong[0]:g}')
    return numbers[:, None].copy()
