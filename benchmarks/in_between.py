"""Figure B.1 of the thesis by mean-field VI and Monte Carlo dropout: the sd of f between two clusters of data.

    python benchmarks/in_between.py        a minute; prints a table

The data are drawn like those of the scenario ``in-between``. The network has two inputs, 50 relu units and one output;
in the parameterisation "ntk" its prior is N(0, 1) for each parameter. FDGVI minimises E_Q[sum of squares] / (2 noise) +
KL(Q, P) over independent Gaussians; DLE samples the posterior of the same network, of which FDGVI is an approximation
(fifty particles, unadjusted). Monte Carlo dropout leaves out each unit with the probability 0.05, in training (Adam,
with the same prior as a penalty) and in 1,000 predictions. GWI-net and the exact process have the scenario's kernel.
"""

from __future__ import annotations

import numpy as np

import particlegvi as pg
from particlegvi.contracts import Array
from particlegvi.functionspace import ExactGaussianProcess, GaussianWasserstein, likelihoods, means
from particlegvi.functionspace.covariances import SquaredExponential
from particlegvi.networks import Network, NetworkLoss

NOISE, DROPPED, UNITS, STEPS = 0.01, 0.05, 50, 20_000
ALONG = np.array([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0])  # lambda: inputs (lambda, lambda)
HEAD = "| sd of f at lambda | " + " | ".join(f"{each:g}" for each in ALONG) + " | middle over clusters |"


def data() -> tuple[Array, Array]:
    random = np.random.default_rng(0)
    X = np.vstack([centre + 0.25 * random.normal(size=(50, 2)) for centre in (-1.0, 1.0)])
    f = np.sin(2.0 * X[:, 0]) + 0.5 * np.cos(2.0 * X[:, 1])
    return X, f + np.sqrt(NOISE) * random.normal(size=100)


def show(name: str, sd: Array) -> None:
    ratio = sd[3] / (0.5 * (sd[1] + sd[5]))
    print(f"| {name} | {' | '.join(f'{each:.3f}' for each in sd)} | {ratio:.2g} |", flush=True)


def dropout(X: Array, y: Array, at: Array) -> Array:
    """Outputs of 1,000 networks with random units left out, (1000, n), after training with other units at each step."""
    random = np.random.default_rng(1)
    keep, scale = 1.0 - DROPPED, 1.0 / np.sqrt(UNITS)
    W, b, v, c = random.normal(size=(2, UNITS)), random.normal(size=UNITS), random.normal(size=UNITS), np.zeros(1)
    parts = [W, b, v, c]
    first, second = [np.zeros_like(each) for each in parts], [np.zeros_like(each) for each in parts]
    for step in range(1, STEPS + 1):
        mask = (random.random((len(y), UNITS)) < keep) / keep
        inner = X @ W + b
        h = np.maximum(inner, 0.0) * mask
        error = (h @ v * np.sqrt(2.0) * scale + c[0] - y) / NOISE
        back = error[:, None] * (v * np.sqrt(2.0) * scale) * mask * (inner > 0.0)
        outer = h.T @ error * np.sqrt(2.0) * scale
        slopes = [X.T @ back + W, back.sum(axis=0) + b, outer + v, np.array([error.sum()]) + c]
        for part, slope, m, s in zip(parts, slopes, first, second, strict=True):
            m += 0.1 * (slope - m)
            s += 0.001 * (slope**2 - s)
            part -= 0.003 * m / (1.0 - 0.9**step) / (np.sqrt(s / (1.0 - 0.999**step)) + 1e-8)
    h = np.maximum(at @ W + b, 0.0)
    masks = (random.random((1000, 1, UNITS)) < keep) / keep
    return (h * masks) @ v * np.sqrt(2.0) * scale + c[0]


def main() -> None:
    X, y = data()
    at = np.column_stack([ALONG, ALONG])
    network = Network(2, (UNITS,), parameterisation="ntk")
    loss, prior = NetworkLoss(network, X, y), network.prior("unit")
    weight = loss.kl_weight(NOISE)
    print(HEAD + "\n" + "|---" * (len(ALONG) + 2) + "|")
    for name, method, particles, steps, step_size in (
        ("mean-field VI", pg.methods.FDGVI(weight, draws=10), 1000, 50_000, 0.2),
        ("the posterior of the network (DLE)", pg.methods.DLE(weight), 50, 200_000, 0.1),
    ):
        run = pg.simulate(loss, method, prior, particles, steps, step_size, record_every=0, progress=None)
        show(name, loss.predict(run.final, at).reshape(particles, -1).std(axis=0))
    show("Monte Carlo dropout", dropout(X, y, at).std(axis=0))
    kernel, noise = SquaredExponential(1.0, 1.0), likelihoods.Gaussian(noise_variance=NOISE)
    gwi = GaussianWasserstein(kernel, noise, 20, means.MeanNetwork()).fit(X, y)
    show("GWI-net", gwi.predict(at, return_std=True)[1])
    show("exact process", ExactGaussianProcess(kernel, NOISE).fit(X, y).predict(at, return_std=True)[1])


if __name__ == "__main__":
    main()
