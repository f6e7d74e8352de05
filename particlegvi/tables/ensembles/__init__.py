"""Table 5.1 of the thesis, made again: ensembles of networks on the UCI sets under three protocols.

``problems`` has the protocols, ``networks`` and ``baselines`` the models, ``scores`` what they are judged by,
``rendering`` the table; `particlegvi.tables.run_table` computes it cell by cell, as the table of chapter 6.
"""

from particlegvi.tables.ensembles.rendering import EnsembleTable
from particlegvi.tables.ensembles.settings import EnsembleSettings

__all__ = ["EnsembleSettings", "EnsembleTable"]
