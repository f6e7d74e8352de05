"""The counter-based numbers: known answers, layout, law, and independence of everything but their counter."""

import numba
import numpy as np
import pytest
from scipy import stats

from particlegvi.engine.numerics import mathematics, noise
from particlegvi.engine.numerics.compiled import OPTIONS

# Known-answer vectors of Philox4x32-10 from Random123 (Salmon et al. 2011), kat_vectors.
KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


def plain_philox(counter, key):
    """Philox4x32-10 in Python integers."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & 0xFFFFFFFF, (p0 >> 32) ^ c3 ^ k1, p0 & 0xFFFFFFFF
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return c0, c1, c2, c3


def plain_normal(seed, role, particle, coordinate, step):
    """The normal of the documented layout, in plain Python."""
    pair = step // 2
    counter = (particle, pair & 0xFFFFFFFF, pair >> 32, (role << 24) + coordinate)
    a, b, c, d = plain_philox(counter, (seed & 0xFFFFFFFF, seed >> 32))
    u = (((a << 32 | b) >> 12) + 0.5) / 2.0**52
    v = (((c << 32 | d) >> 12) + 0.5) / 2.0**52
    radius = np.sqrt(-2.0 * np.log(u))
    return radius * (np.cos(2 * np.pi * v) if step % 2 == 0 else np.sin(2 * np.pi * v))


@pytest.mark.parametrize("counter, key, answer", KNOWN)
def test_known_answers(counter, key, answer):
    assert plain_philox(counter, key) == answer
    compiled = numba.njit(noise.philox.py_func)
    assert tuple(int(w) for w in compiled(*(np.uint64(c) for c in counter + key))) == answer


def test_layout_is_the_documented_one():
    for seed in (0, 7, 2**40 + 5):
        for role_name, role in noise.ROLES.items():
            for step in (0, 1, 2, 2**34 + 1):
                ours = noise.normals(seed, role_name, 3, 2, step)
                plain = [[plain_normal(seed, role, p, c, step) for c in range(2)] for p in range(3)]
                np.testing.assert_allclose(ours, plain, rtol=0, atol=4e-15)


def test_numbers_do_not_depend_on_how_many_are_asked_for():
    many = noise.normals(3, "noise", 1000, 3, 17)
    assert np.array_equal(many[:131, :2], noise.normals(3, "noise", 131, 2, 17))


def test_law_of_normals_and_uniforms():
    n = 400_000
    z = np.concatenate([noise.normals(11, "noise", n // 4, 1, step)[:, 0] for step in range(4)])
    for power, moment, variance in ((1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)):
        assert abs(np.mean(z**power) - moment) < 4.5 * np.sqrt(variance / n)
    assert stats.kstest(z, "norm").pvalue > 1e-4
    assert stats.kstest(noise.uniforms(11, "start", n, 1)[:, 0], "uniform").pvalue > 1e-4
    # negative control: the same test sees a scale that is wrong by 1 per cent
    assert stats.kstest(1.01 * z, "norm").pvalue < 1e-4


def test_neighbouring_numbers_are_uncorrelated():
    n = 200_000
    base = noise.normals(5, "noise", n, 2, 6)
    others = {
        "next step, same pair": noise.normals(5, "noise", n, 2, 7),
        "next pair": noise.normals(5, "noise", n, 2, 8),
        "another role": noise.normals(5, "draws", n, 2, 6),
        "next seed": noise.normals(6, "noise", n, 2, 6),
        "next particle": np.roll(base, 1, axis=0),
        "other coordinate": base[:, ::-1],
    }
    for name, other in others.items():
        for a, b in ((base, other), (base**2 - 1, other**2 - 1)):
            correlation = np.mean(a[:, 0] * b[:, 0]) / np.sqrt(np.mean(a[:, 0] ** 2) * np.mean(b[:, 0] ** 2))
            assert abs(correlation) < 4.5 / np.sqrt(n), name
    assert np.mean(base[:, 0] * (0.02 * base[:, 0] + other[:, 0])) > 4.5 / np.sqrt(n)  # control: 2 per cent is seen


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, True, "1", None])
def test_bad_seeds_are_named(seed):
    with pytest.raises(ValueError, match=r"seed must be a whole number from 0 to 2\^64 - 1, not"):
        noise.key_words(seed)


def test_coordinates_may_begin_anywhere():
    whole = noise.normals(3, "noise", 70, 5, 7)
    np.testing.assert_array_equal(noise.normals(3, "noise", 70, 2, 7, first=3), whole[:, 3:])
    both = noise.uniforms(3, "noise", 9, 2, 2)
    np.testing.assert_array_equal(noise.uniforms(3, "noise", 9, 1, 2, first=1), both[:, 1:])
    with pytest.raises(ValueError, match="particles must be at most 4294967296 in at mo.*, not 1 in 16777217"):
        noise.normals(3, "noise", 1, 1, 0, first=2**24)


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


def test_angles_without_digits_are_nan():
    assert np.isnan(apply("sin", np.array([1e300]))[0])
