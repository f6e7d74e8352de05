"""Compiling is told as it happens: before the first kernel, after each, and to those alone who listen to stages."""

import ast

import numba
import numpy as np
import pytest

from particlegvi.engine.numerics import compiling, nesting, noise
from particlegvi.engine.numerics.compiled import OPTIONS
from particlegvi.engine.numerics.compiling import compiling_told
from particlegvi.tools.stages import Expected

from ...sources import imports, modules
from ...test_layers import COMPILED, DECORATORS
from ...test_rules import METHODS


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


def test_more_kernels_than_expected_and_none_expected(first_use, monkeypatch):
    """After the first use nobody knows how many are to come."""
    heard, (first, second) = Listening(), kernels()
    with compiling_told(heard, lambda: Expected(1, 1.0)):
        first(1.0)
        second(1.0)
    assert [told[1:3] for told in heard.told] == [(0, 1), (1, 1), (1, 2), (2, 2)]
    heard = Listening()
    with compiling_told(heard):
        second(1)
    assert heard.told == [("compiling", 0, 0, 0.0), ("compiling", 1, 0, 0.0)]
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


def test_another_version_of_numba_compiles_helpers_as_numba_does(monkeypatch):
    class Later:
        short = (0, nesting.TRIED[1] + 1)

    monkeypatch.setattr(nesting.numba, "version_info", Later)
    options = nesting.helper_options(optimised=True)
    assert "pipeline_class" not in options
    assert numba.njit(**options)(lambda x: x).targetoptions["no_cpython_wrapper"]


def compiles(source: str) -> bool:
    """Whether a file defines a term, or a function for numba."""
    tree = ast.parse(source)
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    classes = [node for node in classes if "Protocol" not in {ast.unparse(base) for base in node.bases}]
    methods = {each.name for node in classes for each in node.body if isinstance(each, ast.FunctionDef)}
    return bool(methods & METHODS) or any(name in DECORATORS for _, name, _ in imports(source, ""))


def constant(root, name):
    """A constant of the module that computes the digest."""
    source = (root / "particlegvi" / "engine" / "numerics" / "compiled.py").read_text(encoding="utf-8")
    assigned = [node for node in ast.parse(source).body if isinstance(node, ast.Assign)]
    (found,) = [ast.literal_eval(node.value) for node in assigned if ast.unparse(node.targets[0]) == name]
    return found


def test_the_digest_covers_all_that_is_compiled(root):
    assert set(constant(root, "SOURCES")) >= COMPILED


def left_out(root):
    package = root / "particlegvi"
    names = constant(root, "NEVER_COMPILED")
    return [path for name in names for path in [package / name, *(package / name).glob("*.py")] if path.is_file()]


def constants_from(source, module, plain):
    """The constants, in capitals, that a module takes from plain ones."""
    names = [name for _, name, _ in imports(source, module)]
    taken = [name for name in names if name.rpartition(".")[0] in plain and name.rpartition(".")[2].isupper()]
    tails = {name.rpartition(".")[2] for name in names if name in plain}
    used = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute) and node.attr.isupper()]
    return taken + [ast.unparse(node) for node in used if ast.unparse(node.value) in tails]


@pytest.mark.thorough
def test_compiled_code_reads_no_constant_of_what_the_digest_leaves_out(root):
    every = modules(root)
    plain = {module for path, module, _ in every if path in left_out(root)}
    sources = {module: path.read_text(encoding="utf-8") for path, module, _ in every if module not in plain}
    found = {module: constants_from(source, module, plain) for module, source in sources.items() if compiles(source)}
    assert len(found) > 60 and {module: names for module, names in found.items() if names} == {}
    threads = "particlegvi.engine.numerics.threads"
    assert constants_from(f"from {threads} import LEAST, split", "p.a", {threads}) == [f"{threads}.LEAST"]
    used = "from particlegvi.engine.numerics import threads\nx = threads.LEAST + threads.split"
    assert constants_from(used, "p.a", {threads}) == ["threads.LEAST"]


def test_what_the_digest_leaves_out_compiles_nothing(root):
    package = root / "particlegvi"
    plain = [path for path in left_out(root) if path.name != "loss.py"]  # Loss calls terms and is none
    assert len(plain) > 20
    assert [path.name for path in plain if compiles(path.read_text(encoding="utf-8"))] == []
    assert compiles((package / "losses" / "ring.py").read_text(encoding="utf-8"))
    assert compiles((package / "priors" / "normal.py").read_text(encoding="utf-8"))
