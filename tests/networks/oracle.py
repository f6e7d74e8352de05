"""Networks in plain numpy, written from the definition: what the compiled ones are held against."""

import numpy as np
from scipy.special import erf, expit

PHI = lambda z: 0.5 * (1.0 + erf(z / np.sqrt(2.0)))
ACTIVATIONS = {
    "relu": lambda z: np.maximum(z, 0.0), "tanh": np.tanh, "gelu": lambda z: z * PHI(z), "identity": lambda z: z,
    "sine": np.sin,
}  # fmt: skip


def outputs(widths, activation, theta, X, scales=None):
    """Outputs (n, outputs) of one network whose parameters are theta (dim,), layer by layer."""
    at, a = 0, X
    for layer, (n, m) in enumerate(zip(widths[:-1], widths[1:], strict=True)):
        W, b = theta[at : at + n * m].reshape(n, m), theta[at + n * m : at + (n + 1) * m]
        a = (a @ W + b) * (1.0 if scales is None else scales[layer])
        a = ACTIVATIONS[activation](a) if layer < len(widths) - 2 else a
        at += (n + 1) * m
    return a


def cost(name, f, y):
    """The mean cost of outputs f (n, outputs)."""
    if name == "squared":
        return np.mean(np.sum((f - y.reshape(len(f), -1)) ** 2, axis=1))
    if name == "logistic":
        p = expit(f[:, 0])
        return -np.mean(y * np.log(p) + (1 - y) * np.log1p(-p))
    if name == "softmax":
        p = np.exp(f) / np.exp(f).sum(axis=1, keepdims=True)
        return -np.mean(np.log(p[np.arange(len(y)), y.astype(int)]))
    v = np.log1p(np.exp(f[:, 1])) + 1e-6
    return np.mean(0.5 * np.log(v) + 0.5 * (y - f[:, 0]) ** 2 / v)


def slope(value, theta, width=1e-6):
    """The gradient (dim,) of value(theta) by central differences."""
    return np.array([(value(theta + width * e) - value(theta - width * e)) / (2 * width) for e in np.eye(len(theta))])
