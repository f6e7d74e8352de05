"""A stand-in for `bridgestan.StanModel`, which needs a compiler of C++: the methods of its documentation.

The model, in Stan:

    parameters { real<lower=0> rate; matrix[2, 3] b; }
    transformed parameters { real half = rate / 2; }
    model { rate ~ gamma(3, 2); to_vector(b) ~ normal(mean, 1); }   // the mean of b[i, j] is 10 i + j

Entries are named column by column, indices begin at 1, and a density that Stan rejects raises a RuntimeError.
"""

from __future__ import annotations

import numpy as np

ENTRIES = [(i, j) for j in (1, 2, 3) for i in (1, 2)]
MEANS = np.array([10.0 * i + j for i, j in ENTRIES])


class StanModel:
    def __init__(self):
        self._gradient = np.empty(7)  # one array for all answers

    def name(self):
        return "gamma_model"

    def param_unc_num(self):
        return 7

    def param_unc_names(self):
        return ["rate", *(f"b.{i}.{j}" for i, j in ENTRIES)]

    def param_names(self, *, include_tp=False, include_gq=False):
        return [*self.param_unc_names(), *(["half"] if include_tp else [])]

    def log_density_gradient(self, theta_unc, *, propto=True, jacobian=True):
        rate = np.exp(theta_unc[0])
        if rate > 1e3:
            raise RuntimeError("gamma_lpdf: Random variable is too large")
        self._gradient[0] = 3.0 - 2.0 * rate
        self._gradient[1:] = MEANS - theta_unc[1:]
        return 3.0 * theta_unc[0] - 2.0 * rate - 0.5 * np.sum((theta_unc[1:] - MEANS) ** 2), self._gradient

    def param_constrain(self, theta_unc, *, include_tp=False, include_gq=False):
        rate = np.exp(theta_unc[0])
        return np.array([rate, *theta_unc[1:], *([rate / 2.0] if include_tp else [])])
