"""Compiling is told as it happens: before the first kernel, after each, and to those alone who listen to stages."""

import ast

import numba
import numpy as np
import pytest

from particlegvi.engine.numerics import noise
from particlegvi.engine.numerics.compiled import OPTIONS
from particlegvi.engine.numerics.compiling import compiling_told

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


def test_a_plain_function_hears_nothing_and_an_error_ends_the_listening():
    with compiling_told(lambda done, total: pytest.fail("it was called")):
        kernels()[0](1.0)
    heard = Listening()
    with pytest.raises(numba.core.errors.NumbaError), compiling_told(heard):
        numba.njit(lambda x: x.nothing)(1.0)
    told = len(heard.told)
    kernels()[0](1.0)
    assert len(heard.told) == told


def pair(function):
    """The normals of one counter by a helper, from a caller that is compiled as numba does it."""

    @numba.njit(**OPTIONS)
    def caller(k0, k1):
        return function(np.uint64(3), np.uint64(5), np.uint64(7), k0, k1)

    return caller(*noise.key_words(11))


def test_the_bits_are_those_of_numbas_own_way():
    ordinary = numba.njit(**OPTIONS)(noise.normal_pair.py_func)
    assert pair(ordinary) == pair(noise.normal_pair)
    assert pair(noise.normal_pair) == tuple(noise.normals(11, "noise", 4, 1, step, first=7)[3, 0] for step in (10, 11))


def constant(root, name):
    """A constant of the module that computes the digest."""
    source = (root / "particlegvi" / "engine" / "numerics" / "kernel_cache.py").read_text(encoding="utf-8")
    assigned = [node for node in ast.parse(source).body if isinstance(node, ast.Assign)]
    (found,) = [ast.literal_eval(node.value) for node in assigned if ast.unparse(node.targets[0]) == name]
    return found


def test_the_digest_covers_all_that_is_compiled(root):
    assert set(constant(root, "SOURCES")) >= COMPILED
