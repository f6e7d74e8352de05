"""
A kernel of your own
====================

The repulsion of DRLE pushes particles apart according to a kernel. A kernel is a small class with two functions,
which the engine compiles.
"""

# %%
# A value and a slope
# -------------------
# Both are functions of the squared distance `r2`; `slope` is the derivative with respect to `r2`. This kernel has
# heavy tails, so that particles feel each other from far away.

from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np

import particlegvi as pg


class Fields(NamedTuple):
    lengthscale: float = 1.0
    variance: float = 1.0


class Cauchy(Fields):
    """variance / (1 + r2 / lengthscale^2)."""

    __slots__ = ()

    name = "cauchy"

    def value(self, r2):
        return self.variance / (1.0 + r2 / (self.lengthscale * self.lengthscale))

    def slope(self, r2):
        total = 1.0 + r2 / (self.lengthscale * self.lengthscale)
        return -self.variance / (self.lengthscale * self.lengthscale * total * total)


# %%
# Is the slope right? Compare it with a difference, before anything is simulated.

kernel, r2, h = Cauchy(lengthscale=0.2), 0.7, 1e-6
difference = (kernel.value(r2 + h) - kernel.value(r2 - h)) / (2 * h)
print(f"slope {kernel.slope(r2):.8f}, difference {difference:.8f}")

# %%
# Two kernels
# -----------
# Five particles close together, no noise, and a flat valley between -3 and 3: the kernel alone decides how they
# spread.

loss = pg.Loss.from_formula("(t/3)^8", ["t"])
start = np.linspace(-0.2, 0.2, 5)[:, None]
figure, axes = plt.subplots(figsize=(7, 2.6), layout="constrained")
for row, each in enumerate([pg.kernels.SquaredExponential(lengthscale=0.2), kernel]):
    method = pg.methods.DRE(mmd_weight=4.0, kernel=each)
    run = pg.simulate(loss, method, prior=pg.priors.Flat(1), initial=start, steps=1000, step_size=0.01)
    axes.plot(np.sort(run.final[:, 0]), np.full(5, row), "o")
    print(f"{type(each).__name__:18} from {run.final.min():.2f} to {run.final.max():.2f}")
axes.set(yticks=[0, 1], yticklabels=["squared exponential", "Cauchy"], ylim=(-0.5, 1.5), xlabel="t")

# %%
# :doc:`/extending/kernel` has the rules for compiled parts; :doc:`/plugins` gives a kernel a name for scenarios and
# for others.
