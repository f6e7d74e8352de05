"""Counter-based random numbers: each is a function of (seed, role, particle, step, coordinate) and of nothing else.

Philox4x32-10 (Salmon et al. 2011) with key = seed (two 32-bit words) and counter words

    particle, low word of step // 2, high word of step // 2, role * 2^24 + coordinate

The four output words make two uniforms, and Box-Muller makes two normals of them, for steps 2s and 2s + 1 of the
same particle, coordinate and role. Threads, chunks and restarts therefore cannot change a number. This layout is final.
"""

from __future__ import annotations

import math

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.numerics.compiled import compiled, inlined, nested
from particlegvi.engine.numerics.mathematics import COS_PI, ROUND, SIN_PI, log_normal
from particlegvi.engine.numerics.vectors import as_row, bits_float, float_bits, fma, polynomial
from particlegvi.tools import arguments
from particlegvi.tools.arguments import MOST_COORDINATES, MOST_PARTICLES
from particlegvi.tools.registry import look_up

ROLES = {  # numbers are never given anew
    "noise": 0, "start": 1, "prior": 2, "split": 3, "draws": 4, "acceptance": 5, "jumps": 6, "batches": 7, "context": 8,
}  # fmt: skip
NOISE_ROLE = np.uint64(ROLES["noise"] << 24)  # as the compiled steps need it: the counter word of coordinate 0
ACCEPTANCE_ROLE = np.uint64(ROLES["acceptance"] << 24)
JUMPS_ROLE = np.uint64(ROLES["jumps"] << 24)
BATCHES_ROLE = np.uint64(ROLES["batches"] << 24)
LANES = 64
AT_ONCE = 2**20  # normals drawn together; each draw makes two

LOW = np.uint64(0xFFFFFFFF)
SHIFT_32 = np.uint64(32)
SHIFT_12 = np.uint64(12)
MULTIPLIER_0 = np.uint64(0xD2511F53)
MULTIPLIER_1 = np.uint64(0xCD9E8D57)
WEYL_0 = np.uint64(0x9E3779B9)
WEYL_1 = np.uint64(0xBB67AE85)
EXPONENT_ONE = np.uint64(0x3FF0000000000000)
ONE = np.uint64(1)
TWO = np.uint64(2)
SHIFT_62 = np.uint64(62)


@inlined
def philox(c0, c1, c2, c3, k0, k1):
    """Ten rounds of Philox4x32, each 32-bit word held in 64 bits so that the products vectorise."""
    for _ in range(10):
        product_0 = MULTIPLIER_0 * c0
        product_1 = MULTIPLIER_1 * c2
        next_0 = (product_1 >> SHIFT_32) ^ c1 ^ k0
        next_2 = (product_0 >> SHIFT_32) ^ c3 ^ k1
        c1 = product_1 & LOW
        c3 = product_0 & LOW
        c0 = next_0
        c2 = next_2
        k0 = (k0 + WEYL_0) & LOW
        k1 = (k1 + WEYL_1) & LOW
    return c0, c1, c2, c3


@inlined
def open_uniform(high, low):
    """A number in (0, 1) from 52 of 64 bits: the midpoint of its cell, never 0 or 1."""
    return bits_float((((high << SHIFT_32) | low) >> SHIFT_12) | EXPONENT_ONE) - (1.0 - 2.0**-53)


@inlined
def sin_cos_turn(u):
    """sin and cos of 2 pi u for 0 <= u <= 1, branch-free."""
    t = 2.0 * u
    shifted = fma(t, 2.0, ROUND)
    q = float_bits(shifted)
    r = fma(shifted - ROUND, -0.5, t)  # in units of pi, |r| <= 1/4
    z = r * r
    sine = float_bits(polynomial(SIN_PI, z) * r)
    cosine = float_bits(polynomial(COS_PI, z))
    odd = np.uint64(0) - (q & ONE)
    first = (sine & ~odd) | (cosine & odd)
    second = (cosine & ~odd) | (sine & odd)
    first ^= (q & TWO) << SHIFT_62
    second ^= ((q + ONE) & TWO) << SHIFT_62
    return bits_float(first), bits_float(second)


@inlined
def uniform_pair(particle, pair, role_word, k0, k1):
    """The two uniforms of (particle, steps 2 pair and 2 pair + 1, role and coordinate)."""
    a, b, c, d = philox(particle & LOW, pair & LOW, pair >> SHIFT_32, role_word, k0, k1)
    return open_uniform(a, b), open_uniform(c, d)


@inlined
def normal_pair(particle, pair, role_word, k0, k1):
    """The two standard normals of (particle, steps 2 pair and 2 pair + 1, role and coordinate)."""
    u, v = uniform_pair(particle, pair, role_word, k0, k1)
    radius = math.sqrt(-2.0 * log_normal(u))
    sine, cosine = sin_cos_turn(v)
    return radius * cosine, radius * sine


@nested
def fill_normals(first, even, odd, pair, role_word, k0, k1):
    """Normals of steps 2 pair (``even``) and 2 pair + 1 (``odd``), (dim, lanes), for particles from ``first`` on."""
    for coordinate in range(even.shape[0]):
        word = role_word + np.uint64(coordinate)
        for lane in range(even.shape[1]):
            a, b = normal_pair(np.uint64(first + lane), pair, word, k0, k1)
            even[coordinate, lane] = a
            odd[coordinate, lane] = b


@nested
def fill_uniforms(first, even, odd, pair, role_word, k0, k1):
    """`fill_normals` with uniforms on (0, 1)."""
    for coordinate in range(even.shape[0]):
        word = role_word + np.uint64(coordinate)
        for lane in range(even.shape[1]):
            a, b = uniform_pair(np.uint64(first + lane), pair, word, k0, k1)
            even[coordinate, lane] = a
            odd[coordinate, lane] = b


@compiled
def noise_part(normals, first_pair, role_word, coordinates, first, last, seed):
    """Normals into the rows first, ..., last - 1 of ``normals`` (rows, 2, particles): of the even and the odd step.

    Row r is of the coordinate r % coordinates in the pair of steps first_pair + r // coordinates.
    """
    k0, k1 = seed
    for row in range(first, last):
        even = as_row(normals[row, 0], 0, normals.shape[2])
        odd = as_row(normals[row, 1], 0, normals.shape[2])
        word = role_word + np.uint64(row % coordinates)
        fill_normals(np.int64(0), even, odd, np.uint64(first_pair + row // coordinates), word, k0, k1)


@compiled
def _fill_uniforms(out, role_word, step, seed):
    k0, k1 = seed
    both = np.empty((2, 1, out.shape[0]))
    for coordinate in range(out.shape[1]):
        word = role_word + np.uint64(coordinate)
        fill_uniforms(np.int64(0), both[0], both[1], np.uint64(step // 2), word, k0, k1)
        out[:, coordinate] = both[step % 2, 0]


def key_words(seed: int) -> tuple[np.uint64, np.uint64]:
    """The two words of the Philox key. ``seed`` must be a whole number from 0 to 2^64 - 1."""
    number = arguments.seed(seed)
    return np.uint64(number & 0xFFFFFFFF), np.uint64(number >> 32)


def role_word(role: str) -> np.uint64:
    """The counter word of a role at coordinate 0."""
    return np.uint64(look_up("role", role, ROLES) << 24)


def _checked(particles: int, dim: int, first: int) -> None:
    if particles > MOST_PARTICLES or first + dim > MOST_COORDINATES:
        raise ValueError(
            f"particles must be at most {MOST_PARTICLES} in at most {MOST_COORDINATES} dimensions, the limits of the"
            f" noise's counter, not {particles} in {first + dim}"
        )


def normals(seed: int, role: str, particles: int, dim: int, step: int = 0, first: int = 0) -> Array:
    """Standard normals (particles, dim) of one role and step, from coordinate ``first`` on.

    ``role`` is one of "noise" (the steps), "start" (initial particles), "prior" (draws that approximate an
    embedding or a bandwidth), "split" (of data), "draws" (reparameterised draws), "acceptance" (of proposals),
    "jumps" (between modes), "batches" (of rows) and "context" (draws of a context): roles never disturb each other.
    """
    _checked(particles, dim, first)
    key, word = key_words(seed), role_word(role)
    out = np.empty((particles, dim))
    most = max(AT_ONCE // max(particles, 1), 1)
    for begin in range(0, dim, most):
        count = min(most, dim - begin)
        rows = np.empty((count, 2, particles))
        noise_part(rows, step // 2, word + np.uint64(first + begin), count, 0, count, key)
        out[:, begin : begin + count] = rows[:, step % 2].T
    return out


def uniforms(seed: int, role: str, particles: int, dim: int, step: int = 0, first: int = 0) -> Array:
    """Uniforms on the open interval (0, 1), shape (particles, dim), of one role and step, from coordinate ``first``."""
    _checked(particles, dim, first)
    out = np.empty((particles, dim))
    _fill_uniforms(out, role_word(role) + np.uint64(first), step, key_words(seed))
    return out
