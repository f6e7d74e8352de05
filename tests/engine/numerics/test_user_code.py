"""Two definitions of one name are two, at every door through which code from outside becomes compiled code.

Each stands for a notebook cell that is run again after an edit: of a number in a method, of a helper that it calls, of
a constant of the module, of a default or of a variable around it. An unchanged cell must compile nothing.
"""

import types

import numba
import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.numerics.kernel_cache import is_ours
from particlegvi.engine.numerics.uncompiled import failed
from particlegvi.engine.numerics.user_code import compiled_copy, frozen
from particlegvi.engine.pairs.direct import pair_energy
from particlegvi.engine.terms import evaluate
from particlegvi.functionspace import likelihoods

from .listening import compilations

CELL = """
import math
from typing import NamedTuple
import numba
from particlegvi.functionspace.likelihoods.likelihood import Likelihood

SCALE = {constant}

@numba.njit
def helper(t):
    return {helper} * t * t

class _Fields(NamedTuple):
    lengthscale: float = 1.0

class Term(_Fields):
    name = "own"
    dim = 1

    def value(self, x):
        return {literal} * SCALE * helper(x[0])

    def gradient(self, x, out):
        out[0] = 2.0 * {literal} * SCALE * helper(x[0]) / x[0]

class Kernel(_Fields):
    name = "own"
    variance = 1.0

    def value(self, squared_distance):
        return math.exp(-{literal} * SCALE * helper(math.sqrt(squared_distance)))

    def slope(self, squared_distance):
        return -{literal} * SCALE * helper(1.0) * math.exp(-{literal} * SCALE * helper(math.sqrt(squared_distance)))

class Watching(_Fields, Likelihood):
    def cost_at(self, f, y):
        return {literal} * SCALE * helper(f - y)

    def slope_at(self, f, y):
        return 2.0 * {literal} * SCALE * helper(1.0) * (f - y)

    def curvature_at(self, f, y):
        return 2.0 * {literal} * SCALE * helper(1.0)

def value(x):
    return {literal} * SCALE * helper(x[0])

def gradient(x, out):
    out[0] = 2.0 * {literal} * SCALE * helper(x[0]) / x[0]
"""
BASE = {"literal": 1.0, "helper": 1.0, "constant": 1.0}
EDITS = [{**BASE, name: 3.0} for name in BASE]
POINT = np.array([[0.7]])


def run_cell(literal: float | str, helper: float, constant: float, cell: str = CELL) -> types.SimpleNamespace:
    names = {"__name__": "__main__"}
    exec(compile(cell.format(literal=literal, helper=helper, constant=constant), "<cell>", "exec"), names)
    return types.SimpleNamespace(**names)


def loss_of_term(cell):
    return pg.Loss.from_term(cell.Term()).value(POINT)[0]


def loss_of_functions(cell):
    return pg.Loss.from_numba(cell.value, cell.gradient, dim=1).gradient(POINT)[0, 0]


def prior(cell):
    return evaluate.gradients(cell.Term(), POINT)[0, 0]


def kernel(cell):
    return pair_energy(cell.Kernel(), np.array([[0.0], [0.5]]))


def profile(cell):
    return evaluate.profile_slopes(cell.Kernel(), np.array([0.3]))[0]


def likelihood(cell):
    return float(cell.Watching().cost(0.7, 0.0))


DOORS = [loss_of_term, loss_of_functions, prior, kernel, profile, likelihood]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.sample("kernel")
@pytest.mark.often("loss_of_term")
def test_an_edited_cell_is_never_taken_for_the_one_before(door):
    before = door(run_cell(**BASE))
    found = {before} | {door(run_cell(**edit)) for edit in EDITS[:1]}
    assert len(found) == 2, "an edit of a number in the method"
    assert door(run_cell(**EDITS[1])) == pytest.approx(door(run_cell(**EDITS[0])), rel=1e-14), "of the helper"
    assert door(run_cell(**EDITS[2])) == pytest.approx(door(run_cell(**EDITS[0])), rel=1e-14), "of the constant"
    with compilations() as heard:
        assert door(run_cell(**BASE)) == before  # bit for bit
    assert heard == []


def test_a_constant_that_is_changed_under_a_class_counts_from_then_on():
    cell = run_cell(**BASE)
    loss, first = pg.Loss.from_term(cell.Term()), loss_of_term(cell)
    vars(cell)["Term"].value.__globals__["SCALE"] = 3.0
    assert loss.value(POINT)[0] == pytest.approx(3.0 * first, rel=1e-14)
    cell.Term.value = lambda self, x: 7.0  # as IPython's autoreload edits a class
    assert loss.value(POINT)[0] == 7.0


def test_control_numba_alone_takes_the_second_for_the_first():
    first, second = (run_cell(**each).Kernel() for each in (BASE, EDITS[0]))
    function = numba.njit(lambda term: term.value(0.3))
    assert function(first) == function(second)
    assert function(frozen(first)) != function(frozen(second))


def test_a_class_with_the_name_of_one_of_ours_is_not_ours():
    class SquaredExponential(pg.kernels.SquaredExponential):
        __slots__ = ()

        def value(self, squared_distance):
            return 2.0

    ours, theirs = pg.kernels.SquaredExponential(1.0), SquaredExponential(1.0)
    assert is_ours(ours) and frozen(ours) is ours and not is_ours(theirs)
    assert evaluate.profile_values(ours, np.zeros(1))[0] == 1.0
    assert evaluate.profile_values(theirs, np.zeros(1))[0] == 2.0
    assert type(frozen(likelihoods.Gaussian(1.0))) is likelihoods.Gaussian


def functions(*texts):
    found = []
    for text in texts:
        names = {"__name__": "__main__"}
        exec(text, names)
        found.append(names["f"])
    return found


TABLE = "import numpy as np\ntable = np.array([1.0, {}])\ndef f(x): return x + table[1]"
LAMBDA = "def f(x):\n    return [x + {} for _ in range(2)]"
DEFAULT = "def f(x, a={}): return x + a"
CELLS = "def around(a):\n    def f(x): return x + a\n    return f\nf = around({})"
RECURSIVE = "def f(x): return {} if x < 1 else f(x - 1)"
NESTED = "def g(x): return h(x)\ndef h(x): return x + {}\ndef f(x): return g(x)"


@pytest.mark.parametrize("text", [TABLE, LAMBDA, DEFAULT, CELLS, RECURSIVE, NESTED])
def test_a_version_is_all_that_a_function_names(text):
    one, again, other = map(compiled_copy, functions(text.format(1.0), text.format(1.0), text.format(2.0)))
    assert one is again is not other
    assert compiled_copy(one) is one and not (text != LAMBDA and one(0.5) == other(0.5))


def test_versions_tell_signs_of_zero_kinds_of_numbers_and_unknown_objects_apart():
    text = "thing = {}\ndef f(x): return x if thing else x"
    objects = ("0.0", "-0.0", "0", "False", "object()", "object()")
    assert len(set(map(compiled_copy, functions(*(text.format(each) for each in objects))))) == len(objects)


def test_a_version_sees_the_modules_of_a_user(monkeypatch):
    own = types.ModuleType("own_helpers")
    own.SCALE, own.unused = 1.0, 1.0
    names = {"__name__": "__main__", "own": own}
    exec("def f(x): return x * own.SCALE", names)
    before = compiled_copy(names["f"])
    monkeypatch.setattr(own, "unused", 2.0)
    assert compiled_copy(names["f"]) is before
    monkeypatch.setattr(own, "SCALE", 2.0)
    assert compiled_copy(names["f"]) is not before


def test_a_helper_in_plain_python_is_compiled_and_what_cannot_be_is_one_sentence():
    plain = CELL.replace("@numba.njit\n", "")
    assert evaluate.profile_values(run_cell(1.0, 3.0, 1.0, plain).Kernel(), POINT) == pytest.approx(np.exp(-2.1))
    with pytest.raises(ValueError, match=r"^Kernel cannot be compiled by numba \(Unknown attribute 'nowhere' of type"):
        evaluate.profile_values(run_cell("self.nowhere", 1.0, 1.0, plain).Kernel(), POINT)


def test_the_colours_that_numba_adds_with_colorama_are_left_out():
    error = numba.core.errors.TypingError("\x1b[1m\x1b[31mCannot unify int64 and str\x1b[0m")
    assert str(failed("value", error, ())) == (
        "value cannot be compiled by numba (Cannot unify int64 and str), defined by the user"
    )
