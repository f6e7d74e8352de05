"""
The limit of DRLE
=================

The limit of DLE is a formula, exp(-loss / kl_weight) times the prior. The limit of DRLE is a fixed point: the law
appears on both sides of its equation. The program solves the equation, and the particles follow.
"""

# %%
# Two targets
# -----------

import matplotlib.pyplot as plt
import numpy as np

import particlegvi as pg

loss = pg.losses.get("tilted-double-well")
prior = pg.priors.Normal(mean=0.0, sd=1.0)
kernel = pg.kernels.SquaredExponential(lengthscale=0.5)
calm = pg.methods.DLE(kl_weight=1.0)
repelled = pg.methods.DRLE(kl_weight=1.0, mmd_weight=4.0, kernel=kernel)

gibbs, fixed_point = pg.target(loss, calm, prior=prior), pg.target(loss, repelled, prior=prior)
print(f"the equation of DRLE is solved up to {fixed_point.residual:.1e}")

# %%
# Particles beside both
# ---------------------
# Both methods start in the same places.

settings = {"prior": prior, "particles": 2000, "steps": 4000, "step_size": 2e-3, "seed": 1}
runs = {"DLE": pg.simulate(loss, calm, **settings), "DRLE": pg.simulate(loss, repelled, **settings)}

t = np.linspace(-4.0, 3.0, 400)
figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
for axes, (label, run), target in zip(panels, runs.items(), (gibbs, fixed_point), strict=True):
    axes.hist(run.final[:, 0], bins=60, density=True, alpha=0.5)
    axes.plot(t, target.pdf(t), "k--", label="Q*")
    axes.set(title=label, xlabel="t")
    axes.legend()

# %%
# The repulsion flattens the deeper valley, and fills the other one: mass there is cheaper than a crowd.

for label, target in {"DLE": gibbs, "DRLE": fixed_point}.items():
    share = np.mean(runs[label].final > -0.5)
    print(f"{label}: {1.0 - target.cdf(-0.5):.3f} of Q* and {share:.3f} of the particles are right of -0.5")

# %%
# :doc:`/theory/limits` states the equation, and says what is proved about it.
