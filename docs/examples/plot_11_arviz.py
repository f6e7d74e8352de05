"""
Particles in ArviZ
==================

Independent particles are independent chains. ArviZ summarises and draws them like the output of any sampler.
"""

# %%
# A run with records
# ------------------
# The model is a line with heavy-tailed errors; the outlier at the left does not pull it.

import arviz
import matplotlib.pyplot as plt
import numpy as np

import particlegvi as pg

x = np.linspace(-1.0, 1.0, 15)
y = 0.5 + 1.5 * x + 0.2 * np.sin(9.0 * x)
y[2] += 4.0


def minus_log_likelihood(theta):
    errors = (y - theta[:, :1] - theta[:, 1:] * x) / 0.3
    return 2.5 * np.log1p(errors**2 / 4).sum(axis=1)


loss = pg.Loss.from_numpy(minus_log_likelihood, "differences", dim=2)
prior = pg.priors.Normal([0.0, 0.0], 2.0)
run = pg.simulate(
    loss, pg.methods.DLE(kl_weight=1.0), prior=prior, particles=40, steps=4000, step_size=5e-3, record_every=20, seed=0
)

# %%
# The last half of the time as draws
# ----------------------------------
# A particle is a chain, and a record is a draw.

data = run.to_inference_data(last=0.5)
print(arviz.summary(data, kind="stats", round_to=2))

# %%
# R-hat compares the chains. It is close to 1 here, because every particle has seen the whole posterior.

print(arviz.summary(data, kind="diagnostics", round_to=2))

# %%

draws = data.posterior["position"].values
figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for axes, name, k in zip(panels, ("intercept", "slope"), (0, 1), strict=True):
    for chain in draws[:4, :, k]:
        axes.plot(chain, linewidth=0.8)
    axes.set(xlabel="draw", title=f"{name}: four chains")

# %%
# Chains of DRLE, and chains with jumps, are not independent; the data say so. :doc:`/notebook` has pandas, xarray and
# NetCDF as well.
