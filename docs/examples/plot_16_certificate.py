"""
A sparse process with a certificate
===================================

A Gaussian process of many rows is too slow, and a sparse one is fast. How far is it from the exact one? The
certificate bounds the error without computing the exact process.
"""

# %%
# Three sizes
# -----------

import matplotlib.pyplot as plt
import numpy as np

from particlegvi.functionspace import ExactGaussianProcess, SparseGaussianProcess, covariances, likelihoods

rng = np.random.default_rng(0)
X = np.sort(rng.uniform(-3.0, 3.0, 300))[:, None]
y = np.sin(3.0 * X[:, 0]) + 0.3 * rng.normal(size=300)
kernel, noise = covariances.Matern52(lengthscale=0.7), likelihoods.Gaussian(0.09)
exact = ExactGaussianProcess(kernel, 0.09).fit(X, y)  # only to check the certificate

sizes = [12, 24, 48]
fits = [SparseGaussianProcess(kernel, noise, size).fit(X, y) for size in sizes]

# %%
# The guarantee
# -------------
# `mean_error` is at least the distance of the two means, at every input.

for size, sparse in zip(sizes, fits, strict=True):
    certificate = sparse.certify()
    error = np.abs(sparse.predict(X) - exact.predict(X)).max()
    promised = certificate.mean_error(X).max()
    print(f"{size} points: KL at most {certificate.kl:.2g}, error at most {promised:.2g}, in truth {error:.2g}")

# %%

figure, panels = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained", sharey=True)
for axes, size, sparse in zip(panels, sizes, fits, strict=True):
    mean, error = sparse.predict(X), sparse.certify().mean_error(X)
    axes.fill_between(X[:, 0], mean - error, mean + error, alpha=0.3, label="the exact mean is here")
    axes.plot(X, mean, label="sparse mean")
    axes.plot(X, y, ".", color="0.7", markersize=3, zorder=0)
    axes.set(title=f"{size} inducing points", ylim=(-2.5, 2.5))
panels[0].legend(loc="lower left")

# %%
# :doc:`/sparse` explains the bound, and what it does not promise.
