"""Estimates of a distance, the thesis's (4.15) for several numbers of points, and the exact distance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace.linalg import CovarianceFunction
from particlegvi.functionspace.wasserstein.process_distance import process_w2_squared, thesis_eigenvalues
from particlegvi.tools.arguments import whole
from particlegvi.tools.quoting import refuse

ROUNDING = 1e-9  # relative to the largest eigenvalue; smaller ones count as zero
MOST = 2000


class Estimates:
    """Estimates of W2^2 from the prior to itself and to the posterior, over the trace of the prior.

    Parameters
    ----------
    points : list of int
        Numbers of points X_S.
    draws : int
        Number of draws of X_S.
    """

    def __init__(self, points: Sequence[int], draws: int) -> None:
        if not isinstance(points, list | tuple) or not points:
            raise refuse("estimate", points, "a list of at least one whole number")
        self.points = [whole(f"estimate[{index}]", each, 1, MOST) for index, each in enumerate(points)]
        self.draws = whole("draws", draws, 2, 1000)

    @one_blas_thread()
    def of(self, prior: CovarianceFunction, posterior: CovarianceFunction, X: Array, seed: int) -> Facts:
        """The exact distances, mean and sd of the estimates, and the share of negative or complex eigenvalues.

        The spectrum belongs to the first draw with the largest number of points, and to the distance to the posterior.
        """
        if max(self.points) > len(X):
            raise refuse("estimate", max(self.points), f"numbers of at most {len(X)}, the rows of the data")
        trace = float(np.mean(np.diagonal(prior(X))))
        found: Facts = {"points": self.points, "draws": self.draws, "inputs": X.shape[1]}
        random = np.random.default_rng(seed)
        places = [[X[random.choice(len(X), number, replace=False)] for _ in range(self.draws)]
                  for number in self.points]  # fmt: skip
        for name, other in (("itself", prior), ("posterior", posterior)):
            values = np.array([
                [process_w2_squared(prior, other, X, method="thesis", points=each).value for each in drawn]
                for drawn in places
            ]) / trace  # fmt: skip
            exact = 0.0 if other is prior else process_w2_squared(prior, other, X, method="exact").value / trace
            found[name] = {"exact": exact, "mean": values.mean(axis=1).tolist(),
                           "sd": values.std(axis=1, ddof=1).tolist()}  # fmt: skip
        spectra = [thesis_eigenvalues(prior, posterior, X, each) for each in places[-1]]
        bad = [improper(each) for each in spectra]
        order = np.argsort(-np.abs(spectra[0]), kind="stable")
        found["improper"] = float(np.mean([each.mean() for each in bad]))
        found["spectrum"] = {"sizes": np.abs(spectra[0])[order].tolist(), "improper": bad[0][order].tolist()}
        return found


def improper(eigenvalues: NDArray[np.complex128]) -> NDArray[np.bool_]:
    """Whether each eigenvalue is negative or complex beyond rounding; a product of two covariances has none such."""
    least = ROUNDING * np.abs(eigenvalues).max(initial=0.0)
    return np.asarray((eigenvalues.real < -least) | (np.abs(eigenvalues.imag) > least))
