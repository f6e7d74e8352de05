"""Gaussian processes, with which projected Langevin sampling is compared, and their hyperparameters.

==================  ===================================================================
file                content
==================  ===================================================================
exact_gp            Gaussian process regression in O(n^3)
sparse_gp           sparse variational Gaussian processes, for any likelihood
natural_gradient    the ascent of the evidence lower bound
hyperparameters     the highest marginal likelihood of a regression
laplace             the same for labels, in Laplace's approximation
automatic           a default covariance with hyperparameters found on the training rows
==================  ===================================================================

Sources: Rasmussen and Williams (2006); Titsias (2009); Hensman, Matthews and Ghahramani (2015).

Nothing is imported here: `particlegvi.functionspace` has the public names.
"""
