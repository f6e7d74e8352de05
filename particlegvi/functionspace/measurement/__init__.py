"""Measures over finite sets of inputs, at which functions are compared, and KL between function values at a set.

====================  =======================================================================
file                  content
====================  =======================================================================
data_and_box          half of a set from the data, half uniform in their box
row_space             the rows of features at a set, and KL of function values there
====================  =======================================================================
"""

from __future__ import annotations

from particlegvi.functionspace.measurement.data_and_box import Measure, data_and_box
from particlegvi.functionspace.measurement.row_space import kl_at_set, row_space

__all__ = ["Measure", "data_and_box", "kl_at_set", "row_space"]
