"""Helpers are part of their callers: no machine code of their own, the same bits, and numba's way where need be."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from particlegvi.engine.numerics import nesting, noise
from particlegvi.engine.numerics.compiled import OPTIONS

KNOWN = pytest.mark.skipif("pipeline_class" not in nesting.helper_options(), reason="another version of numba")


def pair(function):
    """The normals of one counter by a helper, from a caller that is compiled as numba does it."""

    @numba.njit(**OPTIONS)
    def caller(k0, k1):
        return function(np.uint64(3), np.uint64(5), np.uint64(7), k0, k1)

    return caller(*noise.key_words(11))


@KNOWN
def test_a_helper_has_no_machine_code_and_cannot_be_called_from_python():
    pair(noise.normal_pair)
    (made,) = noise.normal_pair.overloads.values()
    assert isinstance(made.library, nesting.HelperLibrary)
    address = made.library.get_pointer_to_function(made.fndesc.llvm_func_name)
    assert address == 0
    ordinary = numba.njit(lambda x: x + 1.0)
    ordinary(1.0)  # the control: numba's own way leaves an address
    (made,) = ordinary.overloads.values()
    assert made.library.get_pointer_to_function(made.fndesc.llvm_func_name) != 0
    with pytest.raises(KeyError, match=nesting.ONLY_COMPILED):
        noise.normal_pair(*(np.uint64(number) for number in (3, 5, 7, 1, 2)))


def test_the_bits_are_those_of_numbas_own_way():
    ordinary = numba.njit(**OPTIONS)(noise.normal_pair.py_func)
    assert pair(ordinary) == pair(noise.normal_pair)
    assert pair(noise.normal_pair) == tuple(noise.normals(11, "noise", 4, 1, step, first=7)[3, 0] for step in (10, 11))


def test_another_version_of_numba_compiles_helpers_as_numba_does(monkeypatch):
    class Later:
        short = (0, nesting.TRIED[1] + 1)

    monkeypatch.setattr(nesting.numba, "version_info", Later)
    options = nesting.helper_options(optimised=True)
    assert "pipeline_class" not in options
    assert numba.njit(**options)(lambda x: x).targetoptions["no_cpython_wrapper"]
