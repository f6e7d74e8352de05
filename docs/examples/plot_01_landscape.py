"""
Three ensembles in one landscape
================================

A loss with two valleys, one deeper than the other, and 300 particles that start as draws from a prior. Three methods
move them: each answers another question.
"""

# %%
# Loss and prior
# --------------
# The loss `tilted-double-well` has its deeper valley at -2 and its other valley at 1. The prior is a standard normal
# law, so that about half of the particles start in each valley.

import particlegvi as pg

loss = pg.losses.get("tilted-double-well")
prior = pg.priors.Normal(mean=0.0, sd=1.0)

# %%
# Three methods, one start
# ------------------------
# `compare` gives all methods the same start and the same noise. DE, the deep ensemble, goes downhill. DLE, the deep
# Langevin ensemble, adds noise. DRLE, the deep repulsive Langevin ensemble, adds noise and a repulsion between
# particles.

results = pg.compare(
    loss, ["DE", "DLE", "DRLE"], prior=prior, particles=300, steps=5000, step_size=2e-3, kl_weight=1.0, mmd_weight=0.5
)
figure = results.plot()

# %%
# The dashed lines are the truth: the measure that each method should become. DE fills two points, and **the share of
# each point is the share of its valley under the start**: depth plays no part. DLE and DRLE become draws from a
# density that prefers the deeper valley.
#
# The numbers
# -----------
# The column *W1 to truth* is the distance of the particles to the truth, and *exact draws* is the range of this
# distance for 300 independent draws from the truth itself. Nothing can be expected to be closer.

print(results.describe())

# %%
# Next: :doc:`/auto_examples/plot_02_own_loss`, and :doc:`/theory/limits`, which states these limits as theorems.
