"""The activations of hidden units, by name. Their functions and slopes are in `particlegvi.engine.networks`."""

from particlegvi.engine.networks.functions import ACTIVATIONS
from particlegvi.tools.registry import listed

__all__ = ["names"]

names, code = listed("activation", ACTIVATIONS)  # ``code`` is the number of an activation in compiled code
