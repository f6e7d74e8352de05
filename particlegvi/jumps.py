"""The public name of `particlegvi.methods.jumps`, with its names and its words."""

from particlegvi.methods.jumps import *  # noqa: F403
from particlegvi.methods.jumps import __all__ as __all__
from particlegvi.methods.jumps import __doc__ as __doc__
