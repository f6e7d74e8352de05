"""Gaussian processes, as comparators of projected Langevin sampling, and their hyperparameters.

Sources: Rasmussen and Williams (2006); Titsias (2009); Hensman, Matthews and Ghahramani (2015).
"""
