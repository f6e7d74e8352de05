"""Formulas on the page: the same are accepted as by the package, with the same values and slopes."""

import warnings

import numpy as np
import pytest

import particlegvi as pg

TRY = """
const x = Float64Array.from(points), out = [];
for (const text of formulas) {
  try {
    const f = PG.formula(text, ["t"]), v = new Float64Array(x.length), s = [new Float64Array(x.length)];
    f.values([x], v); f.slopes([x], s);
    out.push([Array.from(v, String), Array.from(s[0], String)]);
  } catch (error) { if (!(error instanceof PG.Mistake)) throw error; out.push(null); }
}
return out;
"""
WRITTEN = [
    "t", "3", "-t", "+t", "t**2", "-t^2", "2**-t", "2^t^2", "t**-2", "t^0.5", "abs(t)^2.5", "t**33", "t^2.3", "(t)",
    "((t))", "t/2/3", "t-2-3", "1e3*t", "1.e3*t", ".5*t", "1e-400*t", "pi*t", "sin(t)*cos(t)/tan(t)", "log(t^2 + 1)",
    "sqrt(abs(t))", "abs(t-1)", "tanh(5*t)", "cosh(t) - sinh(t)", "exp(-t^2)", "t^t", "(t^2+1)^t", "t*0", "0/t",
    "t-t", "t+t", "2*(3*t)", "-(-t)", "-(t-1)", "1/(1+t^2)", "t/4", "t/3", "t\n+ 1", "t\u00a0+\u20091", "t ^ 3 - - t",
    "exp(exp(t/9))", "sin(2)*t", "t*2^-1074", "1/3*t*3", "", " ", "t t", "2t", "t2", "(t", "t)", "sin t", "sin",
    "sin()", "sin(t,t)", "foo(t)", "x", "t**", "*t", "t//2", "t%2", "t!", "t=1", "1/0", "t/0", "log(0)*t", "log(-1)",
    "sqrt(-1)+t", "exp(1000)", "1e999", "1e", "1e+", "1.2.3", "t..", "0^-1", "(-1)^t", "0^t", "(-8)^(1/3)", "t\u00b2",
    "\u03c0*t", "t\u00b72", "t\u22121", "[t]", "pi(t)", "t(2)", "import os", "t if t else 1", "lambda: 0",
    "__class__", "constructor(t)", "t.t", "hasOwnProperty", "toString(t)", "t;1", "t//1", "'t'", "`t`", "${t}",
    "1_000*t", "0x10*t", "1j*t", "inf*t", "nan", "e*t", "+", "()", "t+()", "(" * 249 + "t" + ")" * 249,
    "(" * 251 + "t" + ")" * 251, "-" * 251 + "t", "t" + "+t" * 4999, "t" + "+t" * 5000, "1e308*10*t", "1e308*t*10",
    "\u0661*t", "t\u200b", "t\u001c+1", "t\u0085+1", "t\u3000", "\u00b5", "abs(abs(t))", "sqrt(t^2)", "t^1", "t^0",
    "2^3^2*t", "(t^2)^0.5", "t*1e-320", "1/cosh(300*t)", "cosh(300*t)^-2", "t/exp(300*t)", "cosh(t)^-3",
    "15**3.5*t^2/1e4", "cosh(1.127691100850818)*t^2",
]  # fmt: skip
POINTS = np.concatenate([np.linspace(-3.1, 2.9, 23), [0.0, 1.0, -1.0]])
PIECES = ["t", "t", "2", "0.5", "3", "1e-3", "pi", "0", "1"]
WRAPS = [
    "sin({})", "cos({})", "tanh({})", "abs({})", "exp(-({})^2)", "log(1 + ({})^2)", "sqrt(1 + ({})^2)", "cosh(({})/9)",
    "-({})", "({})^2", "({})^-1", "1/(2+({})^2)",
]  # fmt: skip


def made(rng) -> str:
    """A random formula of a few operations; now and then one letter is spoiled."""
    pieces = [str(rng.choice(PIECES)) for _ in range(int(rng.integers(1, 6)))]
    while len(pieces) > 1 or rng.random() < 0.5:
        if len(pieces) > 1 and rng.random() < 0.6:
            pieces[:2] = [f"({pieces[0]}{rng.choice(['+', '-', '*', '/'])}{pieces[1]})"]
        else:
            pieces[0] = str(rng.choice(WRAPS)).format(pieces[0])
    text = pieces[0]
    if rng.random() < 0.25:
        at = int(rng.integers(len(text)))
        text = text[:at] + str(rng.choice(list("()*/^.e -+t2a,"))) + text[at + int(rng.integers(2)) :]
    return text


def compared(engine, formulas: list[str]) -> int:
    """Hold every formula against the package's; the number of those that both accept."""
    accepted = 0
    for text, found in zip(formulas, engine(TRY, formulas=formulas, points=POINTS.tolist()), strict=True):
        try:
            loss = pg.Loss.from_formula(text, ["t"])
        except ValueError:
            assert found is None, f"the page accepts {text!r}"
            continue
        assert found is not None, f"the page refuses {text!r}"
        accepted += 1
        value, slope = (np.array([float(each.replace("Infinity", "inf")) for each in row]) for row in found)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = loss.value(POINTS), loss.gradient(POINTS)[:, 0]
        for ours, theirs in zip(expected, (value, slope), strict=True):
            scale = 1e-12 * np.maximum(1.0, np.abs(ours))
            with np.errstate(invalid="ignore"):
                close = np.abs(ours - theirs) <= scale
            same = close | (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
            assert same.all(), f"{text!r} at {POINTS[~same]}: {ours[~same]} and {theirs[~same]}"
    return accepted


@pytest.mark.thorough
def test_the_page_accepts_what_the_package_accepts_and_nothing_else(engine):
    assert 40 < compared(engine, WRITTEN) < len(WRITTEN) - 40


@pytest.mark.thorough
def test_random_formulas(engine, rng):
    assert compared(engine, [made(rng) for _ in range(300)]) > 150


@pytest.mark.thorough
def test_a_parser_that_binds_signs_too_tightly_is_noticed(changed):
    with pytest.raises(AssertionError):
        compared(changed("sign: 3", "sign: 5"), WRITTEN)


def test_the_place_of_a_mistake(engine):
    body = "try { PG.formula(text, ['t']); } catch (error) { return [error.key, error.column]; }"
    assert engine(body, text="t^2/2 + foo(t)") == ["unknown", 8]
    assert engine(body, text="2t") == ["missing_operator", 1]
