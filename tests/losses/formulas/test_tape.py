"""The numbers of the tape against Python's own reading of the formulas in long double."""

import math

import numpy as np
import pytest

from particlegvi.engine.terms import evaluate, tape
from particlegvi.losses.formulas.assembler import compile_formula


def value_of(formula, points, variables=("t",)):
    return evaluate.values(compile_formula(formula, variables), np.reshape(points, (-1, len(variables))))


def gradient_of(formula, points, variables=("t",)):
    return evaluate.gradients(compile_formula(formula, variables), np.reshape(points, (-1, len(variables))))


NAMES = {name: getattr(np, name) for name in ("sin", "cos", "tan", "exp", "tanh", "cosh", "sinh", "sqrt", "log")}
NAMES |= {"pi": np.pi, "abs": lambda z: np.where(np.real(z) < 0.0, -z, z)}
FORMS = ["{}+{}", "{}-{}", "{}*{}", "{}/{}", "({}+{})", "({}-{})", "({}*{})", "-{}", "{}**2", "({})**3", "({})**4"]
FORMS += [name + "({})" for name in NAMES if name != "pi"]


def random_formula(rng, variables, depth):
    """A formula of at most ``depth`` levels: Python has the same precedence, so that parentheses are left to chance."""
    if depth == 0 or rng.random() < 0.15:
        return str(rng.choice([*variables, *variables, "2", "0.5", "3e0", "1.25", "pi"]))
    return str(rng.choice(FORMS)).format(*(random_formula(rng, variables, depth - 1) for _ in range(2)))


def read_by_python(formula, points, variables):
    """Values (n,) and, by complex steps, gradients (n, dim), in long double; and values in double precision.

    Each has zeros added, as a formula without variables is a number.
    """
    step, columns = np.longdouble(1e-200), points.T.astype(np.clongdouble)
    with np.errstate(all="ignore"):
        double = eval(formula, NAMES | dict(zip(variables, points.T, strict=True))) + 0.0 * points[:, 0]
        moved = np.array([
            eval(formula, NAMES | dict(zip(variables, columns + 1j * step * unit[:, None], strict=True)))
            + 0.0 * columns[0]
            for unit in np.eye(len(variables))
        ])  # fmt: skip
    return moved[0].real, moved.imag.T / step, double


def off(found, expected):
    """The largest error relative to 1 and the largest number that is expected."""
    return np.max(np.abs(found - expected)) / (1.0 + np.max(np.abs(expected)))


EXACT = [  # every operation and function, well conditioned on the points of POSITIVE
    "t", "7", "+t", "-t**2", "2**-t", "2**3**2*t", "t^3", "1/t", "t**-3", "t**0.5", "t**2.5", "t**-1.5", "t**2.3",
    "t**17", "t**40", "t**(1 + t)", "sin(t)", "cos(t)", "tan(t/4)", "exp(-t)", "log(1 + t)", "sqrt(1 + t**2)",
    "tanh(t)", "tanh(20*t)", "cosh(t)", "sinh(t)", "abs(-t)", "t*exp(-t**2/2)", "exp(exp(t/3))", ".5*t + 1.e-1 + 2E+1",
    "\n t\n * 2 ",
]  # fmt: skip
POSITIVE = np.linspace(0.1, 3.0, 131)[:, None]  # two blocks of lanes and one that is not full


@pytest.mark.parametrize("formula", EXACT)
def test_every_operation_keeps_its_digits(formula):
    """1e-14 is about 45 roundings; the argument of an exponential adds its own size to that."""
    values, slopes, _ = read_by_python(f"({formula})".replace("^", "**"), POSITIVE, ["t"])
    np.testing.assert_allclose(value_of(formula, POSITIVE), values.astype(float), rtol=2e-14)
    room = 1e-15 if formula == "t*exp(-t**2/2)" else 0.0  # its slope has a zero
    np.testing.assert_allclose(gradient_of(formula, POSITIVE), slopes.astype(float), rtol=2e-14, atol=room)


@pytest.mark.parametrize("seed", range(150))
@pytest.mark.sample("[0-9]", "1[0-9]", "3[0-9]")
def test_random_formulas_agree_with_python(seed):
    rng = np.random.default_rng(seed)
    variables = ["x", "y", "long_name3"][: int(rng.integers(1, 4))]
    points = rng.uniform(-2.0, 2.0, size=(7, len(variables)))
    while True:
        formula = random_formula(rng, variables, int(rng.integers(2, 6)))
        try:
            compile_formula(formula, variables)
        except ValueError:  # a constant outside the domain of log or sqrt, or too large
            continue
        values, gradients, double = read_by_python(formula, points, variables)
        if off(double, values) < 1e-13 and np.max(np.abs(gradients)) < 1e9:  # where all of them are defined
            break
    assert off(value_of(formula, points, variables), values) < 1e-11, formula
    assert off(gradient_of(formula, points, variables), gradients) < 1e-10, formula
    wrong = f"({formula})*(1 + 1e-9)"
    assert off(value_of(wrong, points, variables), values) > 1e-11 or np.max(np.abs(values)) < 0.1  # control


def test_slope_of_abs_at_its_kink_is_zero():
    np.testing.assert_array_equal(gradient_of("abs(t)", [-1.0, 0.0, 2.0])[:, 0], [-1.0, 0.0, 1.0])
    assert np.isnan(gradient_of("abs(t)", [np.nan]))


def test_outside_the_domain_is_nan_not_an_error():
    assert np.isnan(value_of("log(t)", [-1.0]))[0]
    assert np.isnan(value_of("sqrt(t)", [-1.0]))[0]
    assert np.isnan(value_of("t**0.3", [-1.0]))[0]
    assert value_of("1/t", [0.0])[0] == np.inf


def test_powers_at_zero_and_below():
    np.testing.assert_allclose(value_of("t**3", [-2.0, 0.0]), [-8.0, 0.0])
    np.testing.assert_allclose(value_of("t**0", [0.0]), [1.0])
    np.testing.assert_allclose(gradient_of("t**1.5", [0.0]), [[0.0]])
    np.testing.assert_allclose(gradient_of("t**2", [0.0]), [[0.0]])
    np.testing.assert_allclose(value_of("t**-2", [-2.0]), [0.25])


def test_far_out_the_slope_of_tanh_keeps_its_digits():
    np.testing.assert_allclose(gradient_of("tanh(t)", [18.0])[0, 0], 4.0 * math.exp(-36.0), rtol=1e-13)
    np.testing.assert_array_equal(gradient_of("tanh(t)", [-800.0, 800.0]), 0.0)


def test_a_variable_that_the_formula_does_not_name_has_no_slope():
    np.testing.assert_array_equal(gradient_of("x**2", [[3.0, 5.0]], ("x", "y")), [[6.0, 0.0]])


def test_every_formula_runs_on_the_same_compiled_code():
    points = np.ones((3, 1))
    evaluate.gradients(compile_formula("t", ["t"]), points)
    evaluate.values(compile_formula("t", ["t"]), points)
    before = len(evaluate._values.cached.signatures), len(evaluate._gradients.cached.signatures)
    for formula in ("sin(t)", "3", "t**9 - exp(t)"):
        evaluate.gradients(compile_formula(formula, ["t"]), points)
        evaluate.values(compile_formula(formula, ["t"]), points)
    assert before == (len(evaluate._values.cached.signatures), len(evaluate._gradients.cached.signatures))


def test_the_point_form_agrees_with_the_block_form():
    term = compile_formula("x**2*sin(y) + y", ["x", "y"])
    point, out = np.array([0.3, 0.8]), np.empty(2)
    term.gradient(point, out)
    np.testing.assert_array_equal(out, evaluate.gradients(term, point[None])[0])
    assert term.value(point) == evaluate.values(term, point[None])[0]
    assert term.dim == 2


def test_no_instruction_writes_to_its_own_operand():
    """The loops of the interpreter are vectorised on that understanding."""
    reads_two = {tape.ADD, tape.SUBTRACT, tape.MULTIPLY, tape.DIVIDE}
    term = compile_formula("*".join(f"(x**{n} + sin({n}*y)/(1 + x**2))" for n in range(2, 20)), ["x", "y"])
    for program, registers in ((term.value_program, term.sizes[1]), (term.gradient_program, term.sizes[2])):
        for operation, target, a, b in program.tolist():
            if operation not in (tape.STORE, tape.FILL):
                assert 2 <= target < registers
                assert target != a
                assert operation not in reads_two or target != b


def test_quotients_by_exp_and_cosh_keep_their_gradient_where_these_overflow():
    """1/cosh(800) is 0 to every digit, and so is its slope; cosh(800) itself overflows (control)."""
    for formula in ("1/cosh(t)", "cosh(t)^-2", "3/cosh(t)^2", "t/exp(t)"):
        assert gradient_of(formula, [800.0]) == 0.0
    near = np.array([0.3, 1.7])
    np.testing.assert_allclose(gradient_of("1/cosh(t)", near)[:, 0], -np.tanh(near) / np.cosh(near), rtol=1e-14)
    assert not np.isfinite(gradient_of("cosh(t)", [800.0]))
