"""Compiling is told as it happens: before the first kernel, after each, and to those alone who listen to stages."""

import numba
import numpy as np
import pytest

from particlegvi.engine.numerics.compiled import OPTIONS, TRIED, compiling_told, nested
from particlegvi.engine.numerics.kernel_cache import SOURCES

from ...test_layers import COMPILED


class Listening:
    """A progress that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, int, int]] = []

    def __call__(self, done: int, total: int) -> None: ...

    def stage(self, name: str, done: int, total: int) -> None:
        self.told.append((name, done, total))


def kernels():
    """Two functions that numba has not seen, the first with a function inside."""

    @numba.njit
    def inner(x):
        return x + 1.0

    @numba.njit
    def outer(x):
        return 2.0 * inner(x)

    return outer, numba.njit(lambda x: x - 1.0)


def test_what_is_compiled_within_another_kernel_is_a_part_of_it():
    heard, (first, second) = Listening(), kernels()
    with compiling_told(heard):
        first(1.0)
        assert heard.told == [("compiling", 0, 0), ("compiling", 1, 0)]
        first(2.0)  # is compiled
        second(1.0)
    assert heard.told[2:] == [("compiling", 1, 0), ("compiling", 2, 0)]
    second(1)  # for whole numbers, when nobody listens any more
    assert len(heard.told) == 4


def test_a_helper_is_compiled_in_its_callers_alone_and_has_the_bits_of_numbas_own_way():
    def wave(x, y):
        return np.sin(x) * y + x / y

    alone, helper = numba.njit(**OPTIONS)(wave), nested(wave)
    x, y = np.random.default_rng(0).normal(size=(2, 1000))

    def of_all(function):
        return numba.njit(lambda x, y: np.array([function(x[i], y[i]) for i in range(x.size)]), **OPTIONS)

    assert of_all(helper)(x, y).tobytes() == of_all(alone)(x, y).tobytes()
    assert alone(1.0, 2.0) == alone.py_func(1.0, 2.0)
    if (0, TRIED[0]) <= numba.version_info.short <= (0, TRIED[1]):
        with pytest.raises(KeyError, match="only compiled code can call"):
            helper(1.0, 2.0)


def test_a_plain_function_hears_nothing_and_an_error_ends_the_listening():
    with compiling_told(lambda done, total: pytest.fail("it was called")):
        kernels()[0](1.0)
    heard = Listening()
    with pytest.raises(numba.core.errors.NumbaError), compiling_told(heard):
        numba.njit(lambda x: x.nothing)(1.0)
    told = len(heard.told)
    kernels()[0](1.0)
    assert len(heard.told) == told


def test_the_digest_covers_all_that_is_compiled():
    assert set(SOURCES) >= COMPILED
