"""Compiling is told as it happens: before the first kernel, after each, and to those alone who listen to stages."""

from __future__ import annotations

import numba
import pytest

from particlegvi.engine.numerics import compiling
from particlegvi.engine.numerics.compiling import compiling_told
from particlegvi.tools.stages import Expected


class Listening:
    """A progress that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, int, int, float]] = []

    def __call__(self, done: int, total: int) -> None: ...

    def stage(self, name: str, done: int, total: int, seconds: float) -> None:
        self.told.append((name, done, total, seconds))


def kernels():
    """Two functions that numba has not seen, the first with a function inside."""

    @numba.njit
    def inner(x):
        return x + 1.0

    @numba.njit
    def outer(x):
        return 2.0 * inner(x)

    return outer, numba.njit(lambda x: x - 1.0)


@pytest.fixture
def first_use(monkeypatch):
    monkeypatch.setattr(compiling, "compiled_before", lambda: False)
    monkeypatch.setattr(compiling, "slowness", lambda: 2.0)


def test_what_is_compiled_within_another_kernel_is_a_part_of_it(first_use):
    heard, (first, second) = Listening(), kernels()
    with compiling_told(heard, lambda: Expected(3, 5.0)):
        first(1.0)
        assert heard.told == [("compiling", 0, 3, 10.0), ("compiling", 1, 3, 10.0)]
        first(2.0)  # is compiled
        second(1.0)
    assert heard.told[2:] == [("compiling", 1, 3, 10.0), ("compiling", 2, 3, 10.0)]
    second(1)  # for whole numbers, when nobody listens any more
    assert len(heard.told) == 4


def test_more_kernels_than_expected_and_none_expected(first_use):
    heard, (first, second) = Listening(), kernels()
    with compiling_told(heard, lambda: Expected(1, 1.0)):
        first(1.0)
        second(1.0)
    assert [told[1:3] for told in heard.told] == [(0, 1), (1, 1), (1, 2), (2, 2)]
    heard = Listening()
    with compiling_told(heard):
        second(1)
    assert heard.told == [("compiling", 0, 0, 0.0), ("compiling", 1, 0, 0.0)]


def test_after_the_first_use_nobody_knows_how_much_is_to_come(first_use, monkeypatch):
    monkeypatch.setattr(compiling, "compiled_before", lambda: True)
    heard = Listening()
    with compiling_told(heard, lambda: Expected(3, 5.0)):
        kernels()[0](1.0)
    assert heard.told[0] == ("compiling", 0, 0, 0.0)


def test_a_plain_function_hears_nothing_and_an_error_ends_the_listening():
    with compiling_told(lambda done, total: pytest.fail("it was called")):
        kernels()[0](1.0)
    heard = Listening()
    with pytest.raises(numba.core.errors.NumbaError), compiling_told(heard):
        numba.njit(lambda x: x.nothing)(1.0)
    told = len(heard.told)
    kernels()[0](1.0)
    assert len(heard.told) == told


def test_the_yardstick_is_of_the_order_of_one():
    assert 0.3 <= compiling.slowness() < 100.0
