"""Metropolis steps between modes: proposals from the ensemble itself, accepted by the energy of all particles."""
