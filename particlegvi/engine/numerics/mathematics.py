"""Elementary functions for compiled code: polynomials with explicit fma, so that loops over them vectorise and every
platform gives the same bits.

Terms reach them by the name ``math`` (see `engine.numerics.adapter`). Relative errors are below 4e-16 unless a
docstring says otherwise; the tests hold that. ``pow``, ``erf`` and ``erfc`` are the platform's.
"""

from __future__ import annotations

import math

import numpy as np

from particlegvi.engine.numerics.bits import bits_float, float_bits, fma
from particlegvi.engine.numerics.compiled import inlined

pi = math.pi
e = math.e
inf = math.inf

LOG2_E = 1.4426950408889634
LN2_HIGH = 6.93147180369123816490e-01  # the low 32 bits are zero, so that n * LN2_HIGH is exact for |n| < 2^20
LN2_LOW = 1.90821492927058770002e-10
ROUND = 6755399441055744.0  # 1.5 * 2^52: adding it rounds to an integer and leaves that in the low bits
BIT_52 = np.uint64(52)
ONE = np.uint64(1)
TWO = np.uint64(2)
E2, E3, E4, E5, E6, E7, E8, E9, E10, E11, E12, E13 = (1.0 / math.factorial(k) for k in range(2, 14))
# (exp(r) - 1 - r) / r^2 interpolated at ten Chebyshev points of |r| <= ln(2)/2: exp to 1.7e-17 before rounding
P0, P1, P2, P3, P4, P5, P6, P7, P8, P9 = (
    0.5000000000000001,
    0.16666666666666669,
    0.04166666666662399,
    0.008333333333330051,
    0.0013888888917281794,
    0.00019841269863105968,
    2.480152119021773e-05,
    2.7557268378684192e-06,
    2.7620138719733994e-07,
    2.5100424157005067e-08,
)
LARGEST_EXPONENT = 709.782712893384  # exp of more is inf
SMALLEST_EXPONENT = -708.3964185322641  # exp of less is subnormal, and flushed to zero here
L1, L2, L3, L4, L5, L6, L7, L8, L9, L10 = (2.0 / (2 * k + 1) for k in range(1, 11))
S1, S2, S3, S4, S5, S6, S7, S8 = ((-1.0) ** k / math.factorial(2 * k + 1) for k in range(1, 9))
C1, C2, C3, C4, C5, C6, C7, C8 = ((-1.0) ** k / math.factorial(2 * k) for k in range(1, 9))
HALF_PI_HIGH = 1.5707963267948966
HALF_PI_MIDDLE = 6.123233995736766e-17
HALF_PI_LOW = -1.4973849048591833e-33
LARGEST_ANGLE = 2.0**50  # beyond it less than two bits of the angle are left
MANTISSA = np.uint64(0x000FFFFFFFFFFFFF)
SQRT_HALF = np.uint64(0x3FE6A09E667F3BCD)
LOG_OFFSET = np.uint64(0x3FF0000000000000 - 0x3FE6A09E667F3BCD)
INTEGER_BASE = np.uint64(0x4330000000000000)


@inlined
def exp(x):
    """e to the x: inf above 709.78, and 0 below -708.4, where the result would be subnormal."""
    shifted = fma(x, LOG2_E, ROUND)
    n = shifted - ROUND
    r = fma(n, -LN2_LOW, fma(n, -LN2_HIGH, x))
    p = fma(P9, r, P8)
    p = fma(p, r, P7)
    p = fma(p, r, P6)
    p = fma(p, r, P5)
    p = fma(p, r, P4)
    p = fma(p, r, P3)
    p = fma(p, r, P2)
    p = fma(p, r, P1)
    p = fma(p, r, P0)
    p = fma(fma(p, r, 1.0), r, 1.0)
    # 2^n goes into the exponent bits; n = 1024 is reached only where p < 1, so the sum does not overflow
    result = bits_float(float_bits(p) + (float_bits(shifted) << BIT_52))
    # beyond the two ends that was nonsense, and is replaced: fewer comparisons than clamping x first
    beyond = x + inf  # nan where x is
    result = 0.0 if x < SMALLEST_EXPONENT else result
    return result if x <= LARGEST_EXPONENT else beyond


@inlined
def expm1(x):
    """exp(x) - 1, without cancellation near 0."""
    r = 0.0 if fabs(x) > 0.35 else x
    p = fma(E13, r, E12)
    p = fma(p, r, E11)
    p = fma(p, r, E10)
    p = fma(p, r, E9)
    p = fma(p, r, E8)
    p = fma(p, r, E7)
    p = fma(p, r, E6)
    p = fma(p, r, E5)
    p = fma(p, r, E4)
    p = fma(p, r, E3)
    p = fma(p, r, E2)
    near = fma(p * r, r, r)
    far = exp(x) - 1.0
    return far if fabs(x) > 0.35 else near


@inlined
def log_normal(x):
    """Natural logarithm of a positive normal number."""
    b = float_bits(x) + LOG_OFFSET
    m = bits_float((b & MANTISSA) + SQRT_HALF)  # in [sqrt(1/2), sqrt(2))
    k = bits_float((b >> BIT_52) | INTEGER_BASE) - 4503599627370496.0 - 1023.0
    f = m - 1.0
    s = f / (m + 1.0)
    z = s * s
    p = fma(L10, z, L9)
    p = fma(p, z, L8)
    p = fma(p, z, L7)
    p = fma(p, z, L6)
    p = fma(p, z, L5)
    p = fma(p, z, L4)
    p = fma(p, z, L3)
    p = fma(p, z, L2)
    p = fma(p, z, L1)
    # log(1 + f) = f - f^2/2 + s (f^2/2 + p z): the leading f is exact, so the rounding of s costs nothing
    half_square = 0.5 * f * f
    series = f - (half_square - s * (half_square + p * z))
    return fma(k, LN2_HIGH, fma(k, LN2_LOW, series))


@inlined
def log(x):
    """Natural logarithm: -inf at 0, nan below, subnormals included."""
    tiny = x < 2.2250738585072014e-308
    scaled = x * 18014398509481984.0 if tiny else x
    result = log_normal(scaled) - (37.42994775023705 if tiny else 0.0)
    result = x if x == inf else result
    result = -inf if x == 0.0 else result
    return result if x >= 0.0 else np.nan


@inlined
def log1p(x):
    """log(1 + x) without cancellation near 0."""
    u = 1.0 + x
    correction = ((u - 1.0) - x) / u
    return log(u) - (correction if (u > 0.0 and u < inf) else 0.0)


@inlined
def _quarter_turns(x):
    """x = q pi/2 + r with |r| <= pi/4: the bits of q, and r."""
    shifted = fma(x, 0.6366197723675814, ROUND)
    n = shifted - ROUND
    r = fma(n, -HALF_PI_LOW, fma(n, -HALF_PI_MIDDLE, fma(n, -HALF_PI_HIGH, x)))
    return float_bits(shifted), r


@inlined
def _sin_polynomial(r):
    z = r * r
    p = fma(S8, z, S7)
    p = fma(p, z, S6)
    p = fma(p, z, S5)
    p = fma(p, z, S4)
    p = fma(p, z, S3)
    p = fma(p, z, S2)
    p = fma(p, z, S1)
    return fma(p * z, r, r)


@inlined
def _cos_polynomial(r):
    z = r * r
    p = fma(C8, z, C7)
    p = fma(p, z, C6)
    p = fma(p, z, C5)
    p = fma(p, z, C4)
    p = fma(p, z, C3)
    p = fma(p, z, C2)
    p = fma(p, z, C1)
    return fma(p, z, 1.0)


@inlined
def _sin_or_cos(x, quarter):
    """sin(x + quarter pi/2), to 2e-16 absolute; nan where no digit of the angle is left (|x| > 2^50)."""
    q, r = _quarter_turns(x)
    q = q + quarter
    odd = (q & ONE) != np.uint64(0)
    # both are computed before the choice: a choice between numbers vectorises, one between computations may not
    sine = _sin_polynomial(r)
    cosine = _cos_polynomial(r)
    value = cosine if odd else sine
    value = -value if (q & TWO) != np.uint64(0) else value
    return value if fabs(x) <= LARGEST_ANGLE else np.nan


@inlined
def sin(x):
    """Sine of an angle in radians, to 2e-16 absolute."""
    return _sin_or_cos(x, np.uint64(0))


@inlined
def cos(x):
    """Cosine of an angle in radians, to 2e-16 absolute."""
    return _sin_or_cos(x, ONE)


@inlined
def tan(x):
    """Tangent of an angle in radians."""
    return sin(x) / cos(x)


@inlined
def sinh(x):
    """Hyperbolic sine."""
    a = fabs(x)
    t = expm1(a if a < 700.0 else 0.0)
    small = 0.5 * (t + t / (t + 1.0))
    half = exp(0.5 * a)
    size = small if a < 700.0 else (0.5 * half) * half
    return size if x >= 0.0 else -size


@inlined
def cosh(x):
    """Hyperbolic cosine."""
    half = exp(0.5 * fabs(x))
    square = half * half
    return 0.5 * square + 0.5 / square if fabs(x) < 700.0 else (0.5 * half) * half


@inlined
def tanh(x):
    """Hyperbolic tangent."""
    a = fabs(x)
    t = expm1(2.0 * (a if a < 22.0 else 22.0))
    size = t / (t + 2.0)
    size = size if a == a else a
    return size if x >= 0.0 else -size


@inlined
def sqrt(x):
    """Square root (correctly rounded everywhere)."""
    return math.sqrt(x)


@inlined
def fabs(x):
    """Absolute value."""
    return math.fabs(x)


@inlined
def floor(x):
    """The largest integer not above x, as a float."""
    return np.floor(x)


@inlined
def copysign(x, y):
    """x with the sign of y."""
    return math.copysign(x, y)


@inlined
def pow(x, y):
    """x to the y, by the platform."""
    return math.pow(x, y)


@inlined
def erf(x):
    """The error function, by the platform."""
    return math.erf(x)


@inlined
def erfc(x):
    """The complementary error function, by the platform."""
    return math.erfc(x)
