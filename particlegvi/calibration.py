"""The public name of `particlegvi.metrics.calibration`, with its names and its words."""

from particlegvi.metrics.calibration import *  # noqa: F403
from particlegvi.metrics.calibration import __all__ as __all__
from particlegvi.metrics.calibration import __doc__ as __doc__
