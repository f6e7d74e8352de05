"""Gaussian processes, as comparators of projected Langevin sampling, and their hyperparameters.

======================  =======================================================================
file                    content
======================  =======================================================================
exact_gp                Gaussian process regression in O(n^3)
sparse_gp               sparse variational Gaussian processes, for any likelihood
subsets                 the exact process of some rows, and the degenerate process
coefficient_law         the best sparse distribution, in closed form or by natural gradients
placement               the basis of a sparse process, by the kind of its inducing points
certificate             bounds on the distance of a sparse process from the exact one
conjugate_gradients     products with k(X, X), and bounds on the quadratic form of its inverse
maximising              the search for hyperparameters, also together with inducing points
hyperparameters         the highest marginal likelihood of a regression, default covariances
fourier_evidence        the evidence lower bound under Fourier features, from sums over rows
laplace                 the highest marginal likelihood of labels, in Laplace's approximation
======================  =======================================================================

Sources: Rasmussen and Williams (2006); Titsias (2009); Hensman, Matthews and Ghahramani (2015).

This file imports nothing: the public names are in `particlegvi.functionspace`.
"""
