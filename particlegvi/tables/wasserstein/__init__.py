"""Table 4.1 of the thesis, made again: Gaussian Wasserstein inference on the UCI sets, with its controls.

``problems`` has the protocols, ``models`` what predicts, ``scores`` what it is judged by, and the selection by the test
score; ``rendering`` the table; `particlegvi.tables.run_table` computes it cell by cell.
"""

from particlegvi.tables.wasserstein.rendering import WassersteinTable
from particlegvi.tables.wasserstein.settings import WassersteinSettings

__all__ = ["WassersteinSettings", "WassersteinTable"]
