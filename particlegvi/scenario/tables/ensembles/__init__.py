"""Table 5.1 of the thesis, made again: ensembles of networks on the UCI sets under three protocols.

``protocols`` prepares the data, ``models`` has the models and their scores.
"""

from particlegvi.scenario.tables.ensembles.models import score
from particlegvi.scenario.tables.ensembles.protocols import problem

__all__ = ["problem", "score"]
