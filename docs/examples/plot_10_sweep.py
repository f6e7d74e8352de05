"""
A sweep, in pandas
==================

How does a result depend on a setting, and how much of the difference is chance? Run a grid of settings with several
seeds.
"""

# %%
# A grid
# ------
# A key with dots reaches any setting of a scenario, and a star stands for every method that has the setting.

import matplotlib.pyplot as plt

import particlegvi as pg

short = {"particles": 100, "steps": 2000, "step_size": 2e-3}
found = pg.sweep("global-minimiser", over={"methods.*.kl_weight": [0.25, 0.5, 1.0, 2.0]}, seeds=4, **short)

# %%
# The table has one row for each setting, seed and method.

frame = found.to_dataframe()
print(frame[["methods.*.kl_weight", "seed", "method", "mean", "w1"]].head(6).to_string(index=False))

# %%
# Means over the seeds, with pandas
# ---------------------------------

noisy = frame[frame["method"].isin(["DLE", "DRLE"])]
means = noisy.groupby(["method", "methods.*.kl_weight"])["w1"].agg(["mean", "std"])
print(means.round(3))

# %%

figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
for method, rows in means.groupby(level="method"):
    weights = rows.index.get_level_values("methods.*.kl_weight")
    axes.errorbar(weights, rows["mean"], rows["std"], fmt="o-", capsize=3, label=method)
axes.set(xscale="log", xlabel="kl_weight", ylabel="distance W1 to the truth")
axes.legend()

# %%
# A low temperature makes particles cross the barrier rarely, so that the distance stays large: they need more time,
# or jumps.
#
# From a terminal a sweep is a folder that can be stopped and resumed: :doc:`/sweeps`.
