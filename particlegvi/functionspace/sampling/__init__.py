"""Projected Langevin sampling."""
