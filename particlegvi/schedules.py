"""The public name of `particlegvi.integrators.schedules`, with its names and its words."""

from particlegvi.integrators.schedules import *  # noqa: F403
from particlegvi.integrators.schedules import __all__ as __all__
from particlegvi.integrators.schedules import __doc__ as __doc__
