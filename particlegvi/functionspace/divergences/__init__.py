"""Divergences between Gaussian process posteriors with a common prior: of whole processes, not at some inputs.

===========================  =======================================================================
name                         content
===========================  =======================================================================
``kl``                       Kullback-Leibler divergence
``wasserstein``              2-Wasserstein distance in the RKHS of the prior covariance
``fisher``                   Fisher distance in that space, under a third process nu
``preconditioned_fisher``    Fisher distance preconditioned by the covariance of the first process
===========================  =======================================================================

Each is a function of fitted processes in `distances`: `ExactGaussianProcess`, `SparseGaussianProcess`,
`SubsetOfRegressors`, or "prior". All must have the same covariance. They differ from the prior
in finitely many directions only, so that each divergence equals a divergence of Gaussians in R^d (`laws`). The cost is
O(d^3), where d is at most the number of all rows and inducing points.

With r the covariance of the prior and e the 2-Wasserstein distance, at every input the differences of the means and of
the standard deviations obey ``dmean^2 + dsd^2 <= r(x, x) e^2``, and

    e^2 <= 2 KL(q, p),  e <= sup(dp/dnu)^(1/2) preconditioned Fisher(q, p; nu),  dmean^2 + dsd^2 <= 2 var_p(x) KL(q, p).

Sources: Talagrand (1996); Huggins, Campbell, Kasprzak and Broderick (2019), whose constants 2, 6 and 3 are not sharp.
"""

from __future__ import annotations

from particlegvi.functionspace.divergences.distances import (
    fisher,
    kl,
    preconditioned_fisher,
    wasserstein,
)

__all__ = ["fisher", "kl", "preconditioned_fisher", "wasserstein"]
