"""Each kernel against its textbook formula, its slope against differences, and positive definiteness."""

import math

import numpy as np
import pytest
from scipy import integrate, special

from particlegvi import kernels
from particlegvi.engine.terms import evaluate, user_parts
from particlegvi.tools.quoting import shown


def matern(r, lengthscale, smoothness):
    s = math.sqrt(2.0 * smoothness) * np.asarray(r) / lengthscale
    return 2.0 ** (1.0 - smoothness) / math.gamma(smoothness) * s**smoothness * special.kv(smoothness, s)


TEXTBOOK = {
    "squared-exponential": lambda r, l: np.exp(-((r / l) ** 2) / 2.0),
    "inverse-multiquadric": lambda r, l: l / np.hypot(l, r),
    "matern-32": lambda r, l: matern(r, l, 1.5),
    "matern-52": lambda r, l: matern(r, l, 2.5),
}
DISTANCES = np.geomspace(1e-3, 20.0, 40)


@pytest.fixture(params=sorted(TEXTBOOK))
def name(request):
    return request.param


def test_the_value_is_the_textbook_one(name):
    kernel = kernels.get(name, lengthscale=1.7, variance=0.3)
    got = [kernel.value(r * r) for r in DISTANCES]
    np.testing.assert_allclose(got, 0.3 * TEXTBOOK[name](DISTANCES, 1.7), rtol=1e-12, atol=1e-15)
    assert kernel.value(0.0) == 0.3


def test_the_slope_is_the_derivative_in_the_squared_distance(name):
    kernel = kernels.get(name, lengthscale=1.7, variance=0.3)
    for r2 in DISTANCES**2:
        h = 1e-5 * r2
        difference = (kernel.value(r2 + h) - kernel.value(r2 - h)) / (2.0 * h)
        # Truncation is of order h^2 relative, rounding of order variance * eps / h.
        assert kernel.slope(r2) == pytest.approx(difference, rel=1e-7, abs=0.3 * 4e-16 / h)
    user_parts.try_kernel(as_of_a_user(kernel))


def as_of_a_user(kernel):
    """The kernel in a class from outside the package, which is tried where it is handed in."""
    return type("Own", (type(kernel),), {"__slots__": (), "__module__": "user"})(*kernel)


def test_the_slope_at_zero_is_the_limit_of_differences(name):
    kernel = kernels.get(name, lengthscale=1.7, variance=0.3)
    h = 1e-8
    # The next term of the Matern 3/2 is of relative size sqrt(h): 1e-4.
    assert kernel.slope(0.0) == pytest.approx((kernel.value(h) - kernel.value(0.0)) / h, rel=1e-3)


@pytest.mark.parametrize("r", [0.0, 0.2, 1.0, 6.0])
def test_the_mixing_density_gives_the_kernel_back(name, r):
    kernel = kernels.get(name, lengthscale=0.4, variance=1.5)
    if not hasattr(kernel, "mixing_density"):
        assert name == "squared-exponential"  # its mixture is a single Gaussian, which has no density
        return
    total, _ = integrate.quad(
        lambda v: math.exp(-0.5 * math.exp(v) * r * r) * kernel.mixing_density(v), -60, 60, limit=400, epsabs=1e-11
    )
    assert total == pytest.approx(kernel.value(r * r), abs=1e-9)
    assert kernel.mixing_density(-1e4) == 0.0
    assert kernel.mixing_density(1e4) == 0.0


def test_compiled_and_plain_python_agree(name):
    kernel = kernels.get(name, lengthscale=0.6, variance=3)
    r2 = np.concatenate([[0.0], DISTANCES**2]).reshape(1, -1)
    for compiled, plain in ((evaluate.profile_values, kernel.value), (evaluate.profile_slopes, kernel.slope)):
        got = compiled(kernel, r2)
        assert got.shape == r2.shape
        np.testing.assert_allclose(got[0], [plain(d) for d in r2[0]], rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize("lengthscale", [1e-150, 1e-30, 1e30, 1e150])
def test_extreme_lengthscales_stay_finite(name, lengthscale):
    kernel = kernels.get(name, lengthscale=lengthscale)
    for r2 in (0.0, lengthscale**2, 1.0):
        assert math.isfinite(kernel.value(r2))
        assert math.isfinite(kernel.slope(r2))
    assert kernel.value(lengthscale**2) == pytest.approx(float(TEXTBOOK[name](np.array(1.0), 1.0)))


@pytest.mark.parametrize("bad", [0, -1.0, math.nan, math.inf, 1e-200, True, None, "mean", [1.0], np.ones(2), 1j])
@pytest.mark.parametrize("key", ["lengthscale", "variance"])
def test_bad_parameters_are_refused_in_one_sentence(name, key, bad):
    with pytest.raises(ValueError, match="positive finite number") as caught:
        kernels.get(name, **{key: bad})
    message = str(caught.value)
    assert message.startswith(f"{key} must be ") and message.endswith(f", not {shown(bad)}")
    assert ('"median" or "authors"' in message) == (key == "lengthscale")
