"""Integrals, curves and draws on the line and in the plane."""
