"""
Functions with bands
====================

Thirty noisy points, an unknown function, and the band in which the next point will lie. The model is a posterior over
functions, and the estimator follows scikit-learn.
"""

# %%
# Fit
# ---
# The estimator needs no settings: it scales the data, finds the kernel and the noise, and draws functions from the
# posterior.

import matplotlib.pyplot as plt
import numpy as np

from particlegvi.functionspace import ProjectedLangevinRegressor

rng = np.random.default_rng(1)
X = np.sort(rng.uniform(-3.0, 3.0, 30))[:, None]
X = X[np.abs(X[:, 0] - 1.2) > 0.7]  # a gap without data
y = np.sin(2.0 * X[:, 0]) + 0.2 * rng.normal(size=len(X))

model = ProjectedLangevinRegressor(random_state=0).fit(X, y)
print(model.kernel_, "noise variance", round(model.noise_variance_, 3))

# %%
# Band and functions
# ------------------
# `predict` gives mean and standard deviation of a *new observation*, noise included. `sample_functions` gives
# functions without noise.

new = np.linspace(-4.0, 4.0, 200)[:, None]
mean, sd = model.predict(new, return_std=True)
functions = model.sample_functions(new)

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
axes.fill_between(new[:, 0], mean - 1.64 * sd, mean + 1.64 * sd, alpha=0.25, label="90% of new observations")
axes.plot(new, functions[:10].T, color="0.4", linewidth=0.6)
axes.plot(new, np.sin(2.0 * new), "k--", label="the true function")
axes.plot(X, y, "o", color="C3", label="data")
axes.legend(loc="upper left")

# %%
# In the gap, and beyond the data, the functions go apart and the band is wide: the model says that it does not know.

gap = np.abs(new[:, 0] - 1.2) < 0.2
print(f"sd in the gap {sd[gap].mean():.2f}, at the data {model.predict(X, return_std=True)[1].mean():.2f}")

# %%
# :doc:`/estimators` has classes, pipelines and conformal intervals; :doc:`/theory/functions` the theory.
