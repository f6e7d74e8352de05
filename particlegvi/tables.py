"""The public name of `particlegvi.scenario.tables`, with its names and its words."""

from particlegvi.scenario.tables import *  # noqa: F403
from particlegvi.scenario.tables import __all__ as __all__
from particlegvi.scenario.tables import __doc__ as __doc__
