"""Gaussian processes, exact and sparse, and their hyperparameters."""
