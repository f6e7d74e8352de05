"""One step of conjugate gradients makes the certificate of a sparse process tight."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.functionspace import ExactGaussianProcess, SparseGaussianProcess, covariances, likelihoods
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture


class CertificateTight(Claim):
    """The curve of source 003 with 600 rows and greedy points: the certified gap over KL, the largest where KL is below
    0.1.

    Wrong: the gap of Titsias's trace bound, hundreds of times KL.
    """

    name = "certificate-tight"
    claim = "One step of conjugate gradients certifies less than twice KL once KL is below 0.1"
    source = "docs/sparse.md; Artemev, Burt and van der Wilk (2021)"
    wrong = "the trace bound alone (Titsias 2014)"
    rows = 600
    numbers = (14, 16, 18, 20, 22)

    def measure(self, seed: int, wrong: bool) -> Experiment:
        random = np.random.default_rng(seed)
        X = random.uniform(0.0, 1.0, (self.rows, 1))
        y = np.sin(12.0 * X[:, 0]) + 0.66 * np.cos(25.0 * X[:, 0]) + 0.1 * random.normal(size=self.rows)
        X, y = (X - X.mean()) / X.std(), (y - y.mean()) / y.std()
        k, noise = covariances.SquaredExponential(0.36, 2.85), 0.014
        evidence = ExactGaussianProcess(k, noise).fit(X, y).log_marginal_likelihood()
        rows = []
        for number in self.numbers:
            sparse = SparseGaussianProcess(k, likelihoods.Gaussian(noise), number).fit(X, y)
            certificate = sparse.certify(steps=1)
            rows.append((evidence - sparse.bound, certificate.facts["trace"] if wrong else certificate.kl))
        kl, gap = np.array(rows).T
        small = kl < 0.1
        largest = float(np.max(gap[small] / kl[small])) if np.any(small) else math.nan
        return Experiment((Check("largest certified gap over KL", largest, 2.0),), {"kl": kl, "gap": gap})

    def draw(self, picture: Picture, data: Data) -> None:
        picture.curve(self.numbers, data["gap"], "gap", "o-").truth(self.numbers, data["kl"], "KL", "s--")
        picture.frame("inducing points", "KL to the exact process, nats", log="y")
