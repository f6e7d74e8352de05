"""Walls on one side, on both, and in one coordinate of two: no scheme leaves them, and DLE's law is the closed form."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import particlegvi as pg
from particlegvi.engine.steps.driver import CompiledDriver
from particlegvi.integrators import aldi

HALF = pg.priors.Exponential(1.0)
ONE_OF_TWO = pg.Prior.from_formula("exp(x - y^2/2)", high=[0.0, np.inf])
OUT = {
    "half": pg.losses.get("quadratic", curvature=[1.0], centre=[-3.0]),
    "one of two": pg.losses.get("quadratic", curvature=[1.0, 2.0], centre=[3.0, 0.0]),
}
PRIORS = {"half": HALF, "one of two": ONE_OF_TWO}
KERNEL = pg.kernels.SquaredExponential(1.0)
QUIET = [pg.methods.DE(), pg.methods.DRE(0.5, KERNEL), pg.methods.SVGD(1.0, KERNEL)]
NOISY = [pg.methods.DLE(1.0), pg.methods.DRLE(1.0, 0.5, KERNEL), pg.methods.DLE(1.0, jumps={"every": 5})]
# The half-line has all; in the plane "adam" and "heun" are left out, since every kernel takes seconds to compile.
CASES = [
    (case, method, name)
    for case in PRIORS
    for method in (*QUIET, pg.methods.MMDFlow(kl_weight=1.0, kernel=KERNEL), *NOISY)
    for name in pg.integrators.names()
    if not (case == "one of two" and name in ("adam", "heun"))
    and not (name == "adam" and method.has_noise)
    and not (name == "baoab" and not method.has_noise)
    and not (name == "aldi" and not method.has_noise)
    and not (name == "mala" and not (method.has_noise and method.mmd_weight == 0.0))
    and not (name == "leimkuhler-matthews" and getattr(method, "jumps", None))
    and (isinstance(method, pg.methods.FreeEnergy) or name in ("euler-maruyama", "adam"))
]
NUMBER = 4000
LIMIT = stats.kstwobign.isf(1e-4) / np.sqrt(NUMBER)


@pytest.mark.parametrize("case, method, integrator", CASES, ids=lambda part: getattr(part, "label", part))
@pytest.mark.sample("half-DE-euler-maruyama", "half-DLE-baoab0")
@pytest.mark.often("half-SVGD-adam", "half-DLE-heun*")
def test_no_particle_leaves_a_wall_on_one_side(case, method, integrator):
    prior = PRIORS[case]
    run = pg.simulate(OUT[case], method, prior, 40, 40, 0.05, integrator=integrator, record_every=1)
    assert np.all((run.positions >= prior.low) & (run.positions <= prior.high))
    assert np.abs(run.final - run.initial).max() > 0.1


@pytest.mark.parametrize("formula, loss, ends, rates, shape", [
    ("exp(-t)", "2*t", {"low": 0.0}, 3.0, 1.0),
    ("exp(t + 2)", "-2*t", {"high": -2.0}, 3.0, 1.0),
    ("t^2*exp(-t)", "t", {"low": 0.0}, 2.0, 3.0),
])  # fmt: skip
@pytest.mark.parametrize("integrator, step_size", [("euler-maruyama", 0.002), ("mala", 0.1), ("baoab", 0.05)])
@pytest.mark.thorough
@pytest.mark.often("baoab-0.05-exp(-t)-*")
def test_the_law_on_a_half_line_is_the_closed_form(formula, loss, ends, rates, shape, integrator, step_size):
    prior, loss = pg.Prior.from_formula(formula, **ends), pg.Loss.from_formula(loss, ["t"])
    steps = round(8.0 / step_size)
    run = pg.simulate(loss, pg.methods.DLE(1.0), prior, NUMBER, steps, step_size, integrator=integrator, record_every=0)
    side = 1.0 if "low" in ends else -1.0
    away = side * (run.final[:, 0] - next(iter(ends.values())))
    assert stats.kstest(away, stats.gamma(shape, scale=1.0 / rates).cdf).statistic < LIMIT
    assert stats.kstest(away, stats.gamma(shape, scale=1.3 / rates).cdf).statistic > 2.0 * LIMIT  # control: another law


@pytest.mark.thorough
def test_aldi_keeps_the_law_of_correlated_coordinates_at_a_wall(monkeypatch):
    """A normal law of correlation 0.9 on x > 0: x is half-normal, and y = 0.9 x + sqrt(1 - 0.9^2) z."""
    prior, number = pg.Prior.from_formula("exp(-x^2/2 - y^2/2)", low=[0.0, -np.inf]), 2000
    loss = pg.Loss.from_formula("(x^2 - 1.8*x*y + y^2)/0.38 - x^2/2 - y^2/2", ["x", "y"])
    draws = np.abs(stats.norm.rvs(size=(number, 2), random_state=0))
    draws[:, 1] = 0.9 * draws[:, 0] + np.sqrt(0.19) * stats.norm.rvs(size=number, random_state=1)
    settings = {"steps": 1000, "step_size": 0.01, "initial": draws, "integrator": "aldi", "record_every": 10}
    exact = np.sqrt(2.0 / np.pi) * np.array([1.0, 0.9])

    def gap():
        run = pg.simulate(loss, pg.methods.DLE(1.0), prior, number, **settings)
        assert run.positions[:, :, 0].min() >= 0.0
        return np.abs(run.positions[20:].mean(axis=(0, 1)) - exact).max()

    assert gap() < 0.03  # the standard error of 2,000 draws is 0.02, of all records smaller
    monkeypatch.setattr(aldi, "inside", lambda points, _, reflected: reflected(points)[0])
    assert gap() > 0.1  # control: reflected along the coordinate


@pytest.mark.slow
def test_averaged_noise_has_a_bias_of_half_an_order_at_a_wall():
    """Means of the law exp(-2 t) with steps h and h / 4: the bias halves, and is a quarter for Euler-Maruyama."""
    loss, start = pg.Loss.from_formula("t", ["t"]), np.random.default_rng(0).exponential(0.5, (NUMBER, 1))
    shrinks = {}
    for name in ("leimkuhler-matthews", "euler-maruyama"):
        biases = []
        for step_size in (0.04, 0.01):
            every, method = round(1.0 / step_size), pg.methods.DLE(1.0)
            run = pg.simulate(
                loss, method, HALF, NUMBER, 40 * every, step_size, integrator=name, record_every=every, initial=start
            )
            biases.append(run.positions[4:].mean() - 0.5)  # its standard error is 0.002
        shrinks[name] = biases[0] / biases[1]
        if name == "leimkuhler-matthews":
            assert -0.12 < biases[0] < -0.08 and -0.07 < biases[1] < -0.05
    assert 1.4 < shrinks["leimkuhler-matthews"] < 2.2 < 2.8 < shrinks["euler-maruyama"] < 5.0


@pytest.mark.parametrize("method", [pg.methods.FDGVI(), pg.methods.JKO()], ids=lambda method: method.label)
@pytest.mark.thorough
def test_a_method_without_walls_refuses_one_at_zero_on_the_right(method):
    loss, kwargs = pg.Loss.from_formula("(t+3)^2", ["t"]), {"particles": 5, "steps": 2, "step_size": 0.01}
    with pytest.raises(ValueError, match=f"prior must be one without walls for {method.label}"):
        pg.simulate(loss, method, pg.Prior.from_formula("exp(t)", high=0.0), **kwargs)
    assert pg.simulate(loss, method, pg.priors.Normal(0.0, 1.0), **kwargs).particles == 5  # control


@pytest.mark.thorough
def test_without_the_walls_the_particles_leave(monkeypatch):
    """The control of both tests above."""
    set_walls = CompiledDriver.__init__

    def without(self, potential, coefficients_at, walls, seed, **settings):
        set_walls(self, potential, coefficients_at, (np.full(1, -np.inf), np.full(1, np.inf)), seed, **settings)

    monkeypatch.setattr(CompiledDriver, "__init__", without)
    run = pg.simulate(OUT["half"], pg.methods.DLE(1.0), HALF, 200, 100, 0.02, record_every=0)
    assert np.mean(run.final < 0.0) > 0.5


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:step_size 10 is beyond")
@pytest.mark.parametrize("ends", [(-1.0, 1.0), (-1.0, np.inf), (-np.inf, 1.0)])
def test_a_step_by_hand_is_reflected(ends):
    """x - h (x - 3) once, folded at both walls as often as it takes, at one wall once."""
    low, high = ends
    wall = 1.0 if high == 1.0 else -1.0
    loss = pg.losses.get("quadratic", curvature=[1.0], centre=[3.0 * wall])
    prior = pg.Prior.from_formula("exp(-t^2)", low=low, high=high)
    start = np.array([[0.9 * wall]])

    def moved(step_size):
        return wall * pg.simulate(loss, pg.methods.DE(), prior, 1, 1, step_size, initial=start).final[0, 0]

    assert_allclose(moved(0.5), 2.0 - (0.9 + 0.5 * 2.1), rtol=0, atol=1e-15)
    far = -(0.9 + 21.0 - 22.0) if np.isfinite(ends).all() else 2.0 - (0.9 + 21.0)
    assert_allclose(moved(10.0), far, rtol=0, atol=1e-13)
