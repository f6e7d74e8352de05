"""The coverage of the 90% band of f, for functions drawn from the prior."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from particlegvi.functionspace import GaussianWasserstein, SparseGaussianProcess, covariances, likelihoods
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

X = np.linspace(-1.0, 1.0, 200)[:, None]
WIDE = 1.6448536269514722


class BandsOfF(Claim):
    """Sixty functions drawn from a known prior, 200 rows each, 30 inducing points: the share of the rows at which
    SVGP's band of 90% holds f. The share of one function has an sd of about 0.08, that of sixty of 0.01; the bound is
    five of them.

    Wrong: the covariance of Gaussian Wasserstein inference (B.43), around the same kind of mean.
    """

    name = "bands-of-f"
    claim = "SVGP's 90% band of f holds f at 90% of the rows (Gaussian Wasserstein's does not)"
    source = "thesis, Figure 4.1; docs/gaussian-wasserstein.md"
    wrong = "mean and covariance of GWI's objective"
    functions, noise = 60, 0.25

    def measure(self, seed: int, wrong: bool) -> Experiment:
        r = np.random.default_rng(seed)
        k, likelihood = covariances.SquaredExponential(0.15, 1.0), likelihoods.Gaussian(self.noise)
        values, vectors = linalg.eigh(k(X))
        half = vectors * np.sqrt(np.maximum(values, 0.0))
        shares, Z = [], X[3::7][:30]
        f = mean = sd = np.zeros(len(X))
        for _ in range(self.functions):
            f = half @ r.standard_normal(len(X))
            y = f + np.sqrt(self.noise) * r.standard_normal(len(X))
            model: GaussianWasserstein | SparseGaussianProcess = SparseGaussianProcess(k, likelihood, Z)
            if wrong:
                model = GaussianWasserstein(k, likelihood, Z)
            mean, sd = model.fit(X, y).predict(X, return_std=True)
            shares.append(np.mean(np.abs(f - mean) <= WIDE * sd))
        covered = float(np.mean(shares))
        check = Check("distance of the coverage to 0.9", abs(covered - 0.9), 0.05)
        return Experiment((check,), {"f": f, "mean": mean, "sd": sd, "covered": covered})

    def draw(self, picture: Picture, data: Data) -> None:
        x = X[:, 0]
        picture.band(x, data["mean"], WIDE * data["sd"], f"mean, 90% band: holds {data['covered']:.0%}")
        picture.truth(x, data["f"], "true $f$").frame("input $x$", "function value", xlim=(-1.0, 1.0))
