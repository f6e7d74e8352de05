"""The engine's elementary functions against extended precision, over their whole range and at the edges."""

import numba
import numpy as np
import pytest

from particlegvi.engine.numerics import mathematics
from particlegvi.engine.numerics.compiled import OPTIONS

RANDOM = np.random.default_rng(0)
N = 40_000
RANGES = {
    "exp": np.concatenate([RANDOM.uniform(-708, 709, N), RANDOM.uniform(-1, 1, N)]),
    "expm1": np.concatenate([RANDOM.uniform(-40, 40, N), RANDOM.normal(size=N) * 1e-3]),
    "log": np.concatenate([np.exp(RANDOM.uniform(-700, 700, N)), 1.0 + RANDOM.normal(size=N) * 1e-3]),
    "log1p": np.concatenate([RANDOM.uniform(-0.999, 10, N), RANDOM.normal(size=N) * 1e-8]),
    "sin": np.concatenate([RANDOM.uniform(-4000, 4000, N), RANDOM.uniform(-1e9, 1e9, N)]),
    "cos": np.concatenate([RANDOM.uniform(-4000, 4000, N), RANDOM.uniform(-1e9, 1e9, N)]),
    "tan": RANDOM.uniform(-1.5, 1.5, N),
    "sinh": np.concatenate([RANDOM.uniform(-20, 20, N), RANDOM.uniform(-709, 709, N)]),
    "cosh": np.concatenate([RANDOM.uniform(-20, 20, N), RANDOM.uniform(-709, 709, N)]),
    "tanh": np.concatenate([RANDOM.uniform(-25, 25, N), RANDOM.normal(size=N) * 1e-5]),
}


def apply(name, x):
    function = getattr(mathematics, name)

    def loop(x, out):
        for i in range(x.size):
            out[i] = function(x[i])

    out = np.empty_like(x)
    numba.njit(**OPTIONS)(loop)(x, out)
    return out


@pytest.mark.parametrize("name", RANGES)
def test_accuracy(name):
    x = RANGES[name]
    exact = getattr(np, name)(x.astype(np.longdouble))
    error = np.abs(apply(name, x) - exact)
    allowed = 2.5e-16 if name in ("sin", "cos") else 5e-16 * np.abs(exact)
    assert np.all(error <= allowed), float(np.max(error / np.abs(exact)))


@pytest.mark.parametrize("name", ["exp", "expm1", "log", "log1p", "sin", "cos", "sinh", "cosh", "tanh"])
def test_edges(name):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-310, -1e-310, 710.0, -746.0, -740.0, -745.1, 709.7, 1.0])
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(x)
        ours = apply(name, x)
    same = (ours == exact) | (np.isnan(ours) & np.isnan(exact))
    if name == "exp":
        exact = np.where(np.abs(exact) < 2.3e-308, 0.0, exact)  # subnormal results are flushed
        same = (ours == exact) | (np.isnan(ours) & np.isnan(exact))
    with np.errstate(invalid="ignore"):
        close = np.abs(ours - exact) <= 4e-16 * np.abs(exact) + 1e-323
    assert np.all(same | close), list(zip(x, ours, exact, strict=True))


def test_loops_are_vectorised():
    """The point of these functions: LLVM turns a loop over them into vector instructions."""

    def loop(x, out):
        for i in range(x.size):
            out[i] = mathematics.exp(x[i])

    function = numba.njit(**OPTIONS)(loop)
    function(np.zeros(8), np.zeros(8))
    listing = next(iter(function.inspect_llvm().values()))
    assert "x double>" in listing and "@exp(" not in listing


def test_angles_without_digits_are_nan():
    assert np.isnan(apply("sin", np.array([1e300]))[0])
