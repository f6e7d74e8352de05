"""Gaussian processes, as comparators of projected Langevin sampling, and their hyperparameters.

======================  =======================================================================
file                    content
======================  =======================================================================
exact_gp                Gaussian process regression in O(n^3)
sparse_gp               sparse variational Gaussian processes, for any likelihood
collapsed               the best sparse distribution for a Gaussian likelihood, in closed form
certificate             bounds on the distance of a sparse process from the exact one: KL, and at inputs
kl_bounds               bounds on one mean and standard deviation, from a bound on KL
conjugate_gradients     products with k(X, X), and lower bounds on the quadratic form of its inverse
placement               the basis of a sparse process, by the kind of its inducing points
growing                 as many inducing points as a certified gap needs
subset_of_data          the exact posterior of some rows
subset_of_regressors    the degenerate process with the mean of a sparse one
natural_gradient        the ascent of the evidence lower bound
maximising              the search for hyperparameters, shared by the next four files
hyperparameters         the highest marginal likelihood of a regression
sparse_hyperparameters  the highest evidence lower bound, with the inducing points
laplace                 the highest marginal likelihood of labels, in Laplace's approximation
automatic               a default covariance with hyperparameters fitted to the training rows
======================  =======================================================================

Sources: Rasmussen and Williams (2006); Titsias (2009); Hensman, Matthews and Ghahramani (2015).

This file imports nothing: the public names are in `particlegvi.functionspace`.
"""
