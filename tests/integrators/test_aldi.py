"""ALDI against its printed step in numpy, under a linear map, and where it is refused; its laws are claims."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.numerics import noise

from ..refusals import refuse, refused

LOSS, FLAT, DLE = pg.losses.get("four-gaussians"), pg.priors.Flat(2), pg.methods.DLE(0.4)


def numpy_steps(loss, temperature, x, steps, h, seed, correction=1.0):
    """x_n + h (-C grad V + T (d + 1) / N (x_n - m)) + sqrt(2 h T) L z_n with L L^T = C, for each particle."""
    for step in range(steps):
        mean, n = x.mean(axis=0), len(x)
        C = sum(np.outer(point - mean, point - mean) for point in x) / n
        L, z, slope = np.linalg.cholesky(C), noise.normals(seed, "noise", *x.shape, step), loss.gradient(x)
        pull = correction * temperature * 3.0 / n
        moves = [
            h * (pull * (x[k] - mean) - C @ slope[k]) + np.sqrt(2.0 * h * temperature) * L @ z[k] for k in range(n)
        ]
        x = x + np.array(moves)
    return x


def test_the_step_is_the_printed_one():
    start = np.random.default_rng(0).standard_normal((9, 2))
    settings = {"prior": FLAT, "initial": start, "steps": 7, "step_size": 0.1, "seed": 6, "integrator": "aldi"}
    expected = numpy_steps(LOSS, 0.4, start, 7, 0.1, 6)
    for each in (LOSS, pg.Loss.from_numpy(LOSS.value, LOSS.gradient, 2)):
        run = pg.simulate(each, DLE, **settings)
        np.testing.assert_allclose(run.final, expected, rtol=0, atol=1e-12)
    assert np.abs(numpy_steps(LOSS, 0.4, start, 7, 0.1, 6, correction=0.0) - expected).max() > 1e-3  # control


def test_a_linear_map_maps_the_steps(rng):
    matrix = np.array([[1000.0, 0.0], [3.0, 0.01]])  # lower triangular: so is the root of the mapped covariance
    back = np.linalg.inv(matrix)
    image = pg.Loss.from_numpy(lambda y: LOSS.value(y @ back.T), lambda y: LOSS.gradient(y @ back.T) @ back, 2)
    start = rng.standard_normal((9, 2))
    settings = {"prior": FLAT, "steps": 20, "step_size": 0.1, "integrator": "aldi"}
    one = pg.simulate(LOSS, DLE, initial=start, **settings)
    two = pg.simulate(image, DLE, initial=start @ matrix.T, **settings)
    np.testing.assert_allclose(two.final @ back.T, one.final, rtol=0, atol=1e-8)


test_what_has_no_such_law_is_refused = refused(
    lambda method, particles: pg.simulate(LOSS, method, pg.priors.Normal([0.0, 0.0], 1.0), particles, 5, 0.01,
                                          integrator="aldi"),
    (pg.methods.DE(), 9, '^integrator must be one of .*, not "aldi": DE has no noise'),
    (pg.methods.DLE(), 3, '^particles must be 4 or more for "aldi" in 2 dimensions, not 3'),
)  # fmt: skip


def test_a_run_that_overflows_has_diverged_and_a_start_in_a_plane_is_refused(rng):
    steep = pg.Loss.from_formula("x^4 + y^4", ["x", "y"])
    settings = {"prior": FLAT, "steps": 50, "step_size": 0.1, "integrator": "aldi"}
    with pytest.raises(pg.Diverged, match="try a smaller step_size"):
        pg.simulate(steep, DLE, initial=9.0 * rng.standard_normal((9, 2)), **settings)
    refuse(lambda: pg.simulate(steep, DLE, initial=np.ones((9, 2)), **settings), "must not lie in a plane")


@pytest.mark.thorough
def test_the_bias_that_a_run_expects_is_that_of_a_normal_law():
    """With many particles a step multiplies the variance s by (1 - u)^2 + 2 h T, u = h s H: u = 1 - sqrt(1 - 2 h T)."""
    loss = pg.Loss.from_formula("x^2/2 + 5000*y^2", ["x", "y"])
    start = pg.priors.Normal([0.0, 0.0], [1.0, 0.01])
    settings = {"prior": FLAT, "particles": 1000, "steps": 800, "initial": start, "record_every": 5}
    for step_size in (0.25, 0.5):
        run = pg.simulate(loss, DLE, step_size=step_size, integrator="aldi", seed=1, **settings)
        squares = (run.positions[20:] ** 2).mean(axis=1)
        # records are 5 steps apart, and a square has a correlation time of 1 / (2 h T) steps
        error = squares.std(axis=0) * np.sqrt(2.0 / (0.4 * step_size) / len(squares) / 5.0)
        exact = (1.0 - np.sqrt(1.0 - 0.8 * step_size)) / (0.4 * step_size)  # 1.056 and 1.127
        assert np.all(np.abs(squares.mean(axis=0) * [1.0, 1e4] / 0.4 - exact) < 4.0 * error * [1.0, 1e4] / 0.4)
        assert run.info["expected_bias"] == pytest.approx(exact - 1.0, rel=0.1)


@pytest.mark.thorough
@pytest.mark.parametrize("kl_weight", [0.4, pytest.param(1.0, marks=pytest.mark.slow)])
def test_the_step_size_that_is_chosen_grows_from_a_wide_start(kl_weight):
    """The rate at the start is 10,000 + kl_weight, the largest eigenvalue of C H; at the end it is kl_weight."""
    loss, prior = pg.Loss.from_formula("x^2/2 + 5000*y^2", ["x", "y"]), pg.priors.Normal([0.0, 0.0], 1.0)
    settings = {"prior": prior, "particles": 500, "step_size": "auto", "integrator": "aldi"}
    run = pg.simulate(loss, pg.methods.DLE(kl_weight), steps=600, **settings)
    assert run.step_size.initial == pytest.approx(0.1 / 1e4, rel=0.4)
    assert run.step_size.final == pytest.approx(0.1 / kl_weight, rel=0.3)
    variance = (run.positions[-50:] ** 2).mean(axis=(0, 1)) * (np.array([1.0, 1e4]) + kl_weight) / kl_weight
    assert np.all(np.abs(variance - 1.0) < 0.15)
    assert "aldi: by its step size, variances are expected to be about" in run.describe()
    with pytest.raises(pg.Diverged):  # the control: the last step size from the start on
        pg.simulate(loss, pg.methods.DLE(kl_weight), steps=100, **settings | {"step_size": run.step_size.final})
    start = pg.priors.Normal([0.0, 0.0], [0.1, 0.005])  # narrower than the law: one size for all steps
    assert pg.simulate(loss, "DLE", steps=2, initial=start, **settings).step_size == 0.1
