"""Which formulas are refused, where the error points, and that nothing hostile gets through or takes long."""

import ast
import sys
import time

import numpy as np
import pytest

from particlegvi import Loss, losses
from particlegvi.engine.terms import evaluate
from particlegvi.losses.formulas.assembler import compile_formula
from particlegvi.losses.formulas.parser import LONGEST, MOST_VARIABLES, is_formula, variables_of
from particlegvi.losses.formulas.values import PlainFormula

from ...refusals import refused

WRONG = [
    # formula, column (from 1), part of the sentence
    ("", 1, "it is empty"),
    ("t +", 4, "missing before the end"),
    ("t * / 2", 5, 'missing before "/"'),
    ("(t", 1, "never closed"),
    ("t)", 2, "never opened"),
    ("2t", 2, "a product is written with *"),
    ("pi(t)", 3, "a product is written with *"),
    ("1..2", 3, "an operator is missing"),
    ("sin t", 1, "sin(...)"),
    ("2*sinn(t)", 3, 'did you mean "sin"'),
    ("x + t", 1, 'there is no "x"'),
    ("Sin(t)", 1, 'did you mean "sin"'),
    ("t.real", 2, "'.'"),
    ("max(t, 2)", 1, 'there is no "max"'),
    ("t[0]", 2, "round parentheses"),
    ("t!", 2, "factorial"),
    ("|t|", 1, "abs(...)"),
    ("t²", 2, "write **2"),
    ("t − 1", 3, "typographic minus"),
    ("π*t", 1, "write pi"),
    ("t + \ud800", 5, "not part of a formula"),
    ("٣*t", 1, "not part of a formula"),
    ("1e+", 2, "no digits"),
    ("t + " + "9" * 400, 5, "too large"),
    ("t + 1/0", 6, "divides by zero"),
    ("t*10**400", 5, "the power of 10 and 400"),
    ("1e308*10 + t", 6, "the product of 1e+308 and 10"),
    ("(-2)**t", 5, "positive base"),
    ("t/1e-310", 2, "in the derivative"),
]


@pytest.mark.parametrize(("formula", "column", "part"), WRONG, ids=[repr(case[0])[:24] for case in WRONG])
def test_a_mistake_is_named_and_pointed_at(formula, column, part):
    with pytest.raises(ValueError) as raised:
        compile_formula(formula, ["t"])
    sentence, shown, caret = str(raised.value).split("\n")
    assert sentence.startswith(f"formula, column {column}: ")
    assert part in sentence
    pointed = shown[caret.index("^") :][:1]
    expected = formula[column - 1 : column]
    assert pointed == expected or not expected.isprintable() or expected == "\ud800"


HOSTILE = {
    "parentheses": "(" * 100_000,
    "closed parentheses": "(" * 4000 + "t" + ")" * 4000,
    "signs": "-" * 9_000 + "t",
    "powers": "t**" * 3_000 + "t",
    "functions": "sin(" * 2_000 + "t" + ")" * 2_000,
    "a million characters": "t+" * 500_000 + "t",
    "one long name": "a" * 9_999,
    "one long number": "1" * 9_999,
    "an import": "__import__('os').system('true')",
    "an attribute": "t.__class__",
    "a huge power of a constant": "9**9**9**9",
    "surrogates": "\udcff" * 100,
}


@pytest.mark.parametrize("formula", HOSTILE.values(), ids=HOSTILE)
def test_hostile_formulas_are_refused_at_once(formula):
    start = time.process_time()
    with pytest.raises(ValueError) as raised:
        compile_formula(formula, ["t"])
    assert time.process_time() - start < 1.0
    assert len(str(raised.value)) < 600


def test_the_deepest_and_longest_formulas_that_are_allowed_work():
    deep = "sin(" * 240 + "t" + ")" * 240
    np.testing.assert_allclose(evaluate.values(compile_formula(deep, ["t"]), np.zeros((1, 1))), 0.0)
    long = "+".join(["t*t"] * (LONGEST // 4))
    assert len(long) <= LONGEST
    np.testing.assert_allclose(evaluate.values(compile_formula(long, ["t"]), np.ones((1, 1))), LONGEST // 4, rtol=1e-12)
    distinct = "".join(f"+t/{n}" for n in range(1, 1500))[:LONGEST].rsplit("+", 1)[0]
    assert np.isfinite(evaluate.gradients(compile_formula(distinct, ["t"]), np.ones((1, 1)))).all()


def test_nothing_recurses():
    """A formula at the limit of depth is compiled with hardly any stack left."""
    formula = "(" * 120 + "t" + "**2)" * 100 + ")" * 20
    depth = 0
    frame = sys._getframe()
    while frame is not None:
        depth += 1
        frame = frame.f_back
    first = compile_formula(formula, ["t"])  # imports what it needs
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(depth + 40)
    try:
        again = compile_formula(formula, ["t"])
    finally:
        sys.setrecursionlimit(limit)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))


def test_nothing_is_evaluated(root):
    """No module of the parser calls eval, exec, compile or the like."""
    paths = sorted((root / "particlegvi" / "losses" / "formulas").glob("*.py"))
    assert paths
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in {"eval", "exec", "compile", "__import__"}, path
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {alias.name for alias in node.names} | {getattr(node, "module", "") or ""}
                assert not names & {"ast", "sympy", "pickle", "importlib", "builtins"}, path


test_wrong_variables_are_named = refused(
    lambda variables, formula="1": compile_formula(formula, variables),
    *[(["t"], formula, "formula must be a text, not") for formula in (None, 3, b"t", ["t"])],
    *[
        ([], "variables must be a list of 1 to 1000 names, not"),
        (["t", "t"], 'variables[1] must be a name that no other variable has, not "t"'),
        (["sin"], 'variables[0] must be another name than that of a function, not "sin"'),
        (["2x"], "starts with a letter"),
        (["x y"], "variables[0] must be a name of letters, digits and _ only, not"),
        ([3], "variables[0] must be a name that starts with a letter, not 3"),
        ([f"x{n}" for n in range(MOST_VARIABLES + 1)], "variables must be a list of 1 to 1000 names, not"),
    ],
    plain=True,
)
test_a_formula_without_a_variable_is_refused = refused(
    variables_of, *[(formula, "formula must be one with a variable") for formula in ("5", "pi + 1", "sin(2)", "")]
)


FORMULAS = [
    "x^2/2 + 3*cos(2*y) + y^2/4",
    "3/2*(t**4/4 + t**3/3 - t**2) - 3/8",
    "abs(b - 1) + sqrt(1 + a^2)*exp(-b)",
    "log(1 + x^2)/(2 + sin(x)) - tanh(x)*cosh(x/3) + 2^x",
    "(x^2 + 1)^0.3 - tan(x/9) + sinh(x/5)*3",
    "-x^-2",
]


@pytest.mark.parametrize(
    ("formula", "variables"),
    [
        ("x^2", ["x"]),
        ("y + x*y + sin(a)", ["y", "x", "a"]),
        ("pi*theta_1^2 + exp(theta_2)", ["theta_1", "theta_2"]),
        ("foo(t) + t", ["t"]),
        ("beta^2 + alpha", ["beta", "alpha"]),
        ("sin (z)", ["z"]),
    ],
)
def test_variables_come_in_the_order_in_which_they_appear(formula, variables):
    assert variables_of(formula) == variables


def test_names_are_no_formulas():
    assert not any(is_formula(name) for name in [*losses.names(), "double-wel", "x", "no_such", "Ring"])
    assert all(is_formula(text) for text in ["x^2", "2*x", "x + y", "cos(t)", "(x-1)^2", "-x", "x - 1"])


@pytest.mark.parametrize("formula", FORMULAS)
def test_numpy_gives_what_the_engine_gives(formula, rng):
    names = variables_of(formula)
    own, loss = PlainFormula(formula, names), Loss.from_formula(formula, names)
    points = rng.normal(size=(50, len(names)))
    np.testing.assert_allclose(own.values_at(points), loss.value(points), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(own.gradients_at(points), loss.gradient(points), rtol=1e-11, atol=1e-12)
    assert np.abs(own.gradients_at(points) - 1.001 * loss.gradient(points)).max() > 1e-6  # control
