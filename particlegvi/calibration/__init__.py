"""What is learnt from a validation set after the fit: how wide predictions ought to be."""

from particlegvi.calibration.conformal import conformal_radius
from particlegvi.calibration.tempering import variance_factor

__all__ = ["conformal_radius", "variance_factor"]
