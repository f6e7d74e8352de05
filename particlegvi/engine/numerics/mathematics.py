"""Elementary functions for compiled code: polynomials with explicit fma, so that loops over them vectorise and every
platform gives the same bits.

Terms reach them by the name ``math`` (see `engine.terms.evaluate`). Relative errors are below 4e-16 unless a
docstring says otherwise; the tests hold that. ``pow``, ``erf`` and ``erfc`` are the platform's.
"""

import math

import numpy as np

from particlegvi.engine.numerics.compiled import inlined
from particlegvi.engine.numerics.vectors import bits_float, float_bits, fma, polynomial

pi = math.pi
e = math.e
inf = math.inf
sqrt, fabs, copysign = math.sqrt, math.fabs, math.copysign  # exact everywhere
pow, erf, erfc = math.pow, math.erf, math.erfc

LOG2_E = 1.4426950408889634
LN2_HIGH = 6.93147180369123816490e-01  # the low 32 bits are zero, so that n * LN2_HIGH is exact for |n| < 2^20
LN2_LOW = 1.90821492927058770002e-10
ROUND = 6755399441055744.0  # 1.5 * 2^52: adding it rounds to an integer and leaves that in the low bits
BIT_52 = np.uint64(52)
ONE = np.uint64(1)
TWO = np.uint64(2)
EXPM1 = tuple(1.0 / math.factorial(k) for k in range(2, 14))
# (exp(r) - 1 - r) / r^2 interpolated at ten Chebyshev points of |r| <= ln(2)/2: exp to 1.7e-17 before rounding
EXP = (
    1.0,
    1.0,
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
LOG = tuple(2.0 / (2 * k + 1) for k in range(1, 11))
SIN = tuple((-1.0) ** k / math.factorial(2 * k + 1) for k in range(1, 9))
COS = tuple((-1.0) ** k / math.factorial(2 * k) for k in range(9))
# sin(pi r) / r and cos(pi r) as polynomials in r^2
SIN_PI = tuple((-1.0) ** k * math.pi ** (2 * k + 1) / math.factorial(2 * k + 1) for k in range(8))
COS_PI = tuple((-1.0) ** k * math.pi ** (2 * k) / math.factorial(2 * k) for k in range(9))
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
    p = polynomial(EXP, r)
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
    near = fma(polynomial(EXPM1, r) * r, r, r)
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
    p = polynomial(LOG, z)
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
def _sin_or_cos(x, quarter):
    """sin(x + quarter pi/2), to 2e-16 absolute; nan where no digit of the angle is left (|x| > 2^50)."""
    q, r = _quarter_turns(x)
    q = q + quarter
    odd = (q & ONE) != np.uint64(0)
    # both are computed before the choice: a choice between numbers vectorises, one between computations may not
    z = r * r
    sine = fma(polynomial(SIN, z) * z, r, r)
    cosine = polynomial(COS, z)
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
def floor(x):
    """The largest integer not above x, as a float."""
    return np.floor(x)
