"""Models that are linear in their parameters.

=============  =======================================================================
file           content
=============  =======================================================================
regression     least squares and logistic regression
ridge          kernel ridge regression in the span of functionals
bayesian       Bayesian linear regression, exact or with KL between function values
problem        the model in matrices, the settings of a fit, and its solution
kl_terms       the KL terms that compare function values
searches       the two optimisers for the distribution of the weights
sets           sets of inputs, and KL of function values there
spectral       the spectral Stein estimator of a score
=============  =======================================================================

This file imports nothing: the public names are in `particlegvi.functionspace`.
"""
