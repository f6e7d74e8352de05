"""
Networks with intervals
=======================

An ensemble of small neural networks predicts, and the spread of its members says something about doubt. How much,
depends on the repulsion.
"""

# %%
# A deep ensemble
# ---------------
# Eight networks from eight starts, trained on the same rows.

import matplotlib.pyplot as plt
import numpy as np

from particlegvi.networks import EnsembleRegressor

rng = np.random.default_rng(0)
X = np.concatenate([rng.uniform(-2.0, -0.7, 40), rng.uniform(0.7, 2.0, 40)])[:, None]
y = np.sin(3.0 * X[:, 0]) + 0.1 * rng.normal(size=80)

settings = {"hidden": (20,), "activation": "tanh", "steps": 1500, "particles": 8, "random_state": 0}
plain = EnsembleRegressor(method="DE", **settings).fit(X, y)

# %%
# Repulsion between outputs
# -------------------------
# DRE with context inputs pushes the *predictions* of the networks apart there. Context inputs belong wherever the
# ensemble should be unsure.

context = np.linspace(-4.0, 4.0, 30)[:, None]
repelled = EnsembleRegressor(method="DRE", mmd_weight=0.3, context=context, **settings).fit(X, y)

# %%
# Intervals
# ---------
# `predict_quantiles` gives quantiles of a new observation: of the mixture of all members, with noise.

new = np.linspace(-4.0, 4.0, 200)[:, None]
figure, panels = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained", sharey=True)
for axes, name, model in zip(panels, ("DE", "DRE on outputs"), (plain, repelled), strict=True):
    low, high = model.predict_quantiles(new, [0.05, 0.95])
    axes.fill_between(new[:, 0], low, high, alpha=0.25, label="90% of new observations")
    axes.plot(new, model.sample_functions(new).T, color="0.4", linewidth=0.6)
    axes.plot(X, y, "o", color="C3", markersize=3)
    axes.set(title=name, ylim=(-4, 4))
panels[0].legend(loc="upper left")

# %%
far = np.array([[-3.5], [0.0], [3.5]])
for name, model in (("DE", plain), ("DRE on outputs", repelled)):
    near = model.disagreement(X).mean()
    print(f"{name:15} disagreement at -3.5, 0 and 3.5: {model.disagreement(far).round(2)}; at the data {near:.3f}")

# %%
# :doc:`/networks` says what repulsion can do, and what not.
