"""
A loss of your own, and the verdict
===================================

Type a loss as a formula, let particles move, and read whether they have arrived.
"""

# %%
# A formula is enough
# -------------------
# The program differentiates the formula exactly, and compiles both. The names of the variables give the axes their
# names.

import particlegvi as pg

loss = pg.Loss.from_formula("x^2/2 + 3*cos(2*y) + y^2/4", variables=["x", "y"])
prior = pg.priors.Normal(mean=[0.0, 0.0], sd=2.0)
method = pg.methods.DLE(kl_weight=1.0)

# %%
# Too short a run
# ---------------
# Ten steps move the particles hardly at all. `describe` says so in the last lines, and warns as well:

short = pg.simulate(loss, method, prior=prior, particles=300, steps=10, step_size=0.02, seed=1)
print(short.describe())

# %%
# Long enough
# -----------

run = pg.simulate(loss, method, prior=prior, particles=300, steps=3000, step_size=0.02, seed=1)
print(run.describe())

# %%
# The same run as a picture: the particles over the contours of the loss.

figure = run.plot()

# %%
# The truth beside it
# -------------------
# In one and two dimensions the minimiser Q* is computed by quadrature, so that every number can be compared.

target = pg.target(loss, method, prior=prior)
print("mean of the particles", run.final.mean(axis=0).round(2), "and of Q*", target.mean.round(2))
print("variance", run.final.var(axis=0).round(2), "and of Q*", target.variance.round(2))

# %%
# With another sentence than "at equilibrium", look it up in :doc:`/faq`.
