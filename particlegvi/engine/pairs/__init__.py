"""Sums over pairs of particles."""
