"""
How large may a step be?
========================

A step that is too large does not only diverge. Long before, it changes the law that the particles come to. The figure
shows by how much, for two integrators, without any sampling error.
"""

# %%
# The law of a step
# -----------------
# `stationary_law` computes by quadrature the law that stays the same under one step. The loss is t^4/4 - t^2/2, and
# the temperature is 1.

import matplotlib.pyplot as plt
import numpy as np

import particlegvi as pg


def slope(t):
    return t**3 - t


def variance(step_size, integrator):
    points, weights = pg.diagnostics.stationary_law(slope, step_size, integrator=integrator, box=(-4.0, 4.0))
    return weights @ points**2


t = np.linspace(-6.0, 6.0, 4001)
density = np.exp(t**2 / 2 - t**4 / 4)
exact = np.sum(t**2 * density) / np.sum(density)
sizes = [0.04, 0.08, 0.16]

# %%
# First order and second order
# ----------------------------
# `euler-maruyama` is the scheme of the textbooks. `leimkuhler-matthews` costs the same, and shares the noise of two
# steps.

figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
for integrator, marker in (("euler-maruyama", "o-"), ("leimkuhler-matthews", "s-")):
    bias = [abs(variance(size, integrator) / exact - 1) for size in sizes]
    axes.loglog(sizes, bias, marker, label=integrator)
    print(f"{integrator:20} bias at 0.08: {bias[1]:.2%}; half of the step divides it by {bias[1] / bias[0]:.1f}")
axes.set(xlabel="step size", ylabel="relative bias of the variance")
axes.legend()

# %%
# Half of the step size halves the bias of the first, and quarters that of the second. MALA, `integrator="mala"`, has
# none for DLE.
#
# :doc:`/integrators` lists all schemes with their limits of stability.
