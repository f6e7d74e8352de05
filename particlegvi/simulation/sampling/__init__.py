"""Sampling without settings: start, scale, step size and end are chosen for a posterior that somebody wrote."""
