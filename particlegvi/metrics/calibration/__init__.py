"""Calibration of the width of predictions on a validation set, after the fit."""

from particlegvi.metrics.calibration.conformal import conformal_radius
from particlegvi.metrics.calibration.tempering import variance_factor

__all__ = ["conformal_radius", "variance_factor"]
