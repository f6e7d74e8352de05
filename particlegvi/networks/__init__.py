"""Ensembles of neural networks: the parameters of a network are a particle, and its cost on data is the loss.

`Network` turns a particle into a function; `NetworkLoss` is the cost of this function on data. With them every method,
prior, integrator and schedule of the package runs unchanged:

>>> import numpy as np
>>> import particlegvi as pg
>>> net = pg.networks.Network(inputs=1, hidden=(20,), activation="tanh")
>>> X = np.linspace(-1.0, 1.0, 30)[:, None]
>>> loss = pg.networks.NetworkLoss(net, X, np.sin(3.0 * X[:, 0]), batch_size=10)
>>> method = pg.methods.DLE(kl_weight=loss.kl_weight(noise_variance=0.01))
>>> run = pg.simulate(loss, method, prior=net.prior("he"), particles=5, steps=200, step_size=0.05)
>>> net.predict(run.final, X).shape
(5, 30)

`EnsembleRegressor` and `EnsembleClassifier` offer the same through scikit-learn's interface (extra ``learn``).
"""

from __future__ import annotations

from particlegvi.tools.lazy import attach

__getattr__, __all__ = attach(__name__)


def __dir__() -> list[str]:
    return sorted(__all__)
