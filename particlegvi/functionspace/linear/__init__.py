"""Models that are linear in their parameters.

=============  =======================================================================
file           content
=============  =======================================================================
regression     least squares, logistic regression, ridge regression on functionals
bayesian       Bayesian linear regression, exact or with KL between function values
problem        the model in matrices, and the two searches for its distribution
kl_terms       the KL terms that compare function values
sets           sets of inputs, and KL of function values there
spectral       the spectral Stein estimator of a score
=============  =======================================================================

This file imports nothing: the public names are in `particlegvi.functionspace`.
"""
