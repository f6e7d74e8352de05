"""
Bayesian logistic regression
============================

Classes, two inputs, and the question how sure the model may be. Particles stand for the posterior of the weights.
"""

# %%
# Data and model
# --------------
# `linear_model` is minus the log likelihood, summed over the rows, compiled, with its gradient. A column of ones is
# the intercept.

import matplotlib.pyplot as plt
import numpy as np

import particlegvi as pg

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal([-1.0, 0.0], 0.8, (30, 2)), rng.normal([1.0, 0.5], 0.8, (30, 2))])
y = np.repeat([0, 1], 30)


def with_ones(inputs):
    return np.column_stack([inputs, np.ones(len(inputs))])


loss = pg.losses.linear_model(with_ones(X), y, family="bernoulli")
prior = pg.priors.Normal(np.zeros(3), 3.0)

# %%
# Two runs
# --------
# MALA accepts or refuses each step and is exact; plain steps are cheaper and have a small bias. Compare their means.

posterior = pg.methods.DLE(kl_weight=1.0)
start = np.zeros((400, 3))
settings = {"prior": prior, "initial": start, "steps": 3000, "step_size": 0.02, "record_every": 100, "seed": 1}
dle = pg.simulate(loss, posterior, **settings)
mala = pg.simulate(loss, posterior, integrator="mala", **settings)
print("DLE ", dle.final.mean(axis=0).round(2), "+-", dle.final.std(axis=0).round(2))
print("MALA", mala.final.mean(axis=0).round(2), "+-", mala.final.std(axis=0).round(2))

# %%
# Predictions of the posterior
# ----------------------------
# The probability of a class is the mean over the particles. Where the data are far away the lines disagree, and the
# probability goes towards one half: one line alone would be sure there.

first, second = np.meshgrid(np.linspace(-5, 5, 80), np.linspace(-5, 5, 80))
grid = with_ones(np.column_stack([first.ravel(), second.ravel()]))
probability = (1 / (1 + np.exp(-grid @ mala.final.T))).mean(axis=1).reshape(first.shape)

figure, axes = plt.subplots(figsize=(6, 4.6), layout="constrained")
drawn = axes.contourf(first, second, probability, np.linspace(0, 1, 11), cmap="RdBu_r")
axes.scatter(*X[y == 0].T, s=14, c="navy", label="class 0")
axes.scatter(*X[y == 1].T, s=14, c="darkred", label="class 1")
figure.colorbar(drawn, label="probability of class 1")
axes.set(xlabel="first input", ylabel="second input")
axes.legend()

# %%
# The same in thirty dimensions, with real data and with SVGD and Laplace's approximation beside it:
# :doc:`/own-models`.
