"""Gaussian processes, with which projected Langevin sampling is compared, and their hyperparameters.

======================  =======================================================================
file                    content
======================  =======================================================================
exact_gp                Gaussian process regression in O(n^3)
sparse_gp               sparse variational Gaussian processes, for any likelihood
collapsed               their best distribution for a Gaussian likelihood, in closed form
certificate             how far a sparse process is from the exact one: bounds on KL and at inputs
guarantee               what a bound on KL says about one mean and standard deviation
conjugate_gradients     products with k(X, X), and lower bounds on the quadratic form of its inverse
enough_points           as many inducing points as a certified gap needs
subset_of_data          the exact posterior of some rows
subset_of_regressors    the degenerate process with the mean of a sparse one
natural_gradient        the ascent of the evidence lower bound
hyperparameters         the highest marginal likelihood of a regression
sparse_hyperparameters  the highest evidence lower bound, with the inducing points
laplace                 the same for labels, in Laplace's approximation
automatic               a default covariance with hyperparameters found on the training rows
======================  =======================================================================

Sources: Rasmussen and Williams (2006); Titsias (2009); Hensman, Matthews and Ghahramani (2015).

Nothing is imported here: `particlegvi.functionspace` has the public names.
"""
