"""Table 4.1 of the thesis, made again: Gaussian Wasserstein inference on the UCI sets, with its controls.

``protocols`` prepares the data, ``models`` predicts and judges the predictions, also by the published program's
selection on the test score.
"""

from particlegvi.scenario.tables.wasserstein.models import score
from particlegvi.scenario.tables.wasserstein.protocols import problem

__all__ = ["problem", "score"]
