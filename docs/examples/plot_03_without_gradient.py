"""
A loss without a gradient
=========================

Your loss is a function in numpy, and nobody has derived its gradient. Central differences replace it.
"""

# %%
# A function of many points
# -------------------------
# The function takes an array `(n, dim)` and returns `(n,)`. This one measures how badly two numbers, a radius and a
# height, explain three measurements of a cylinder: its volume, its surface and its diagonal.

import matplotlib.pyplot as plt
import numpy as np

import particlegvi as pg

measured = np.array([3.4, 13.2, 2.4])
error = np.array([0.3, 0.8, 0.1])


def misfit(points):
    radius, height = np.exp(points).T  # both are positive
    volume = np.pi * radius**2 * height
    surface = 2 * np.pi * radius * (radius + height)
    diagonal = np.sqrt(4 * radius**2 + height**2)
    explained = np.stack([volume, surface, diagonal], axis=1)
    return 0.5 * (((explained - measured) / error) ** 2).sum(axis=1)


loss = pg.Loss.from_numpy(misfit, "differences", dim=2)

# %%
# Minus a log likelihood is a loss, and DLE with `kl_weight=1` goes to the posterior.

prior = pg.priors.Normal(mean=[0.0, 0.0], sd=1.0)
start = np.random.default_rng(0).normal(0.0, 0.1, (300, 2))  # radius and height near 1
run = pg.simulate(loss, pg.methods.DLE(kl_weight=1.0), prior=prior, initial=start, steps=4000, step_size=2e-4, seed=0)
print(run.describe())

# %%
# The posterior in the units of the question
# ------------------------------------------

radius, height = np.exp(run.final).T
figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
axes.scatter(radius, height, s=8, alpha=0.6)
axes.set(xlabel="radius", ylabel="height", title="Cylinders that explain the measurements")

# %%
print(f"radius {radius.mean():.2f} with standard deviation {radius.std():.2f}")
print(f"height {height.mean():.2f} with standard deviation {height.std():.2f}")

# %%
# With a gradient of your own, from JAX or from PyTorch, steps are cheaper: :doc:`/own-models`.
