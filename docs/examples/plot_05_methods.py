"""
Six methods on one problem
==========================

One loss, one prior, one start, and six ways to move: the picture shows in one glance what each method is for.
"""

# %%
# Four valleys in the plane
# -------------------------
# The loss has four valleys of nearly the same depth. Sixty particles start as draws from a wide prior.

import matplotlib.pyplot as plt
import numpy as np

import particlegvi as pg

loss = pg.losses.get("four-gaussians")
prior = pg.priors.Normal(mean=[0.0, 0.0], sd=3.0)
kernel = pg.kernels.SquaredExponential(lengthscale=0.7)
methods = {
    "DE": pg.methods.DE(),
    "DLE": pg.methods.DLE(kl_weight=0.2),
    "DRE": pg.methods.DRE(mmd_weight=20.0, kernel=kernel),
    "DRLE": pg.methods.DRLE(kl_weight=0.2, mmd_weight=20.0, kernel=kernel),
    "SVGD": pg.methods.SVGD(kl_weight=0.2, kernel=kernel),
    "FDGVI": pg.methods.FDGVI(kl_weight=0.2),
}
results = pg.compare(loss, methods, prior=prior, particles=60, steps=5000, step_size=0.02, seed=3)

# %%
# The picture
# -----------

low, high = np.array(loss.plot_window).T
x, y = np.meshgrid(np.linspace(low[0], high[0], 120), np.linspace(low[1], high[1], 120))
height = loss.value(np.stack([x.ravel(), y.ravel()], axis=1)).reshape(x.shape)
figure, panels = plt.subplots(2, 3, figsize=(9, 6), layout="constrained", sharex=True, sharey=True)
for axes, (label, run) in zip(panels.flat, results.items(), strict=True):
    axes.contourf(x, y, height, 30, cmap="Greys")
    axes.scatter(*run.final.T, s=10)
    axes.set(title=label, xlim=(low[0], high[0]), ylim=(low[1], high[1]))

# %%
# DE sits in the minima. DLE and DRLE are noisy. DRE covers the valleys and avoids crowds, without noise. SVGD stands
# for the law of DLE without noise. FDGVI is one Gaussian, which cannot cover four valleys.
#
# The average loss of each. A low one is no merit: the noise of a posterior costs something.

for label, run in results.items():
    print(f"{label:6} average loss {run.average_loss()[-1]:.3f}")

# %%
# Choose by the law that a method converges to, and not by a score: :doc:`/which-method`.
