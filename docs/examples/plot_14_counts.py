"""
Counts with a rate that changes
===============================

How often does something happen, and how does that change over time? The data are counts, so a Gaussian model would be
wrong where they are small.
"""

# %%
# Data
# ----
# Fifty days, a few events on each.

import matplotlib.pyplot as plt
import numpy as np

from particlegvi.functionspace import ProjectedLangevinPoissonRegressor

rng = np.random.default_rng(3)
days = np.arange(50.0)[:, None]
rate = 2.0 + 1.8 * np.sin(days[:, 0] / 7.0)
counts = rng.poisson(rate)

# %%
# Fit
# ---
# The rate is exp(f) up to a factor, and f is a function with a Gaussian prior. Its posterior is no Gaussian;
# particles draw from it.

model = ProjectedLangevinPoissonRegressor(particles=300, random_state=0).fit(days, counts)
rates = model.sample_functions(days)  # (particles, days)
low, middle, high = np.quantile(rates, [0.05, 0.5, 0.95], axis=0)

# %%

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
axes.bar(days[:, 0], counts, color="0.8", label="counts")
axes.fill_between(days[:, 0], low, high, alpha=0.35, label="90% band of the rate")
axes.plot(days, middle, label="median")
axes.plot(days, rate, "k--", label="the true rate")
axes.set(xlabel="day", ylabel="events")
axes.legend(loc="upper right")

# %%
inside = np.mean((low < rate) & (rate < high))
print(f"the band holds the true rate on {inside:.0%} of the days, and never goes below {low.min():.2f}")

# %%
# A 90% band holds the truth on 90% of the days *on average over many such data sets*. On one of them the share can be
# far from that, because neighbouring days are too high or too low together.

# %%
# `predict` with `return_std=True` gives the mean and the standard deviation of a new *count*, which scatters around its
# rate.

mean, sd = model.predict(days, return_std=True)
print(f"day 10: a rate of {middle[10]:.1f}, and a count of {mean[10]:.1f} with standard deviation {sd[10]:.1f}")

# %%
# The sampler behind it takes other likelihoods, and rates f^2 as in the thesis: :doc:`/projected-langevin`.
