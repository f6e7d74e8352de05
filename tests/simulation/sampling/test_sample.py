"""`pg.sample` as a user calls it: names, words, refusals, and the posteriors of posteriordb."""

import os
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.simulation.sampling.posterior import PosteriorEnergy
from particlegvi.simulation.sampling.sample import REMEDIES

from ...sources import script

DATA = Path(os.environ.get("PARTICLEGVI_DATA", "nowhere")) / "posteriordb"


def line(seed=0):
    """Linear regression with an intercept, far from 0 and badly scaled; known noise, so a normal posterior."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.ones(60), 1000.0 + 50.0 * rng.standard_normal(60)])
    y = X @ [3.0, 0.2] + 5.0 * rng.standard_normal(60)
    loss = pg.Loss.from_numpy(
        lambda b: ((y - b @ X.T) ** 2).sum(axis=1) / 50.0, lambda b: -(y - b @ X.T) @ X / 25.0, dim=2
    )
    precision = X.T @ X / 25.0
    return loss, np.linalg.solve(precision, X.T @ y / 25.0), np.linalg.inv(precision)


@pytest.fixture(scope="module")
def run():
    return pg.sample(line()[0], seed=1, progress=None)


def test_a_regression_with_an_intercept_is_right(run):
    _, mean, covariance = line()
    sd = np.sqrt(np.diag(covariance))
    assert sd[0] / sd[1] > 900.0  # the scales that no step size fits
    assert run.arrived
    assert np.all(np.abs(run.final.mean(axis=0) - mean) < 4.0 * sd / np.sqrt(200))
    assert np.all(np.abs(np.log(run.final.std(axis=0) / sd)) < 4.0 / np.sqrt(400))
    correlation = covariance[0, 1] / sd.prod()
    # Fisher's transformation: standard error 1 / sqrt(n - 3)
    assert abs(np.arctanh(np.corrcoef(run.final.T)[0, 1]) - np.arctanh(correlation)) < 4.0 / np.sqrt(197)


def test_the_words_say_the_verdict_and_the_price(run):
    words = run.describe()
    assert words.startswith("DLE: arrived (200 particles, ") and f"{run.info['gradients']:,} gradients" in words
    assert words.splitlines()[1] == "start: 20 paths of an optimiser ended in 1 place" and "theta_2" in words
    assert len(words.splitlines()) == 6 and " steps together to 0.1 standard deviations" in words
    assert set(run.draws()) == {"theta_1", "theta_2"}
    assert np.array_equal(run.draws()["theta_2"], run.final[:, 1])
    counted = int(re.search(r"the last (\d+) steps", words)[1])
    pooled = run.positions[-counted:].reshape(-1, 2)
    assert counted == len(run.counted) < len(run.steps) and np.array_equal(run.pooled()["theta_1"], pooled[:, 0])
    for name, column in zip(("theta_1", "theta_2"), pooled.T, strict=True):
        assert f"{column.mean():.4g}  " in words and f"{column.std():.4g}  " in words, name
    assert run.positions.shape == (len(run.steps), 200, 2)


def test_all_records_are_too_wide_and_those_that_count_are_not():
    """Every second particle starts farther out, so that the standard deviation of all records is too large."""
    runs = [pg.sample("x^2/2", seed=seed, progress=None) for seed in range(8)]
    counted, everything = (np.mean([points.std() for points in sets]) for sets in (
        [run.counted for run in runs], [run.positions for run in runs]))  # fmt: skip
    draws = sum(run.counted.size for run in runs) / 4.0  # a step of acceptance 0.57 is worth a fourth of a draw or more
    assert abs(np.log(counted)) < 4.0 / np.sqrt(2.0 * draws)
    assert np.log(everything) > 4.0 / np.sqrt(2.0 * draws)  # control


def test_the_picture_says_verdict_marks_and_draws(run):
    text = " ".join(each.get_text() for each in run.plot().texts)
    assert "the run has arrived" in text and "dot: mean; bar: 90% of the draws" in text
    assert f"200 particles at each of the last {len(run.counted)} steps" in text
    run.info["arrived"] = False  # control
    assert "has not arrived" in " ".join(each.get_text() for each in run.plot().texts)
    run.info["arrived"] = True


def test_a_text_is_a_formula_and_no_name():
    assert pg.sample("(rate - 2)^2", particles=20, steps=8, progress=None).variables == ["rate"]
    with pytest.raises(ValueError, match="loss"):
        pg.sample("ring", progress=None)


def test_a_run_that_has_not_arrived_names_the_coordinate_and_a_remedy():
    loss = pg.Loss.from_formula("x^2/8 + 2*(y + x^2/2 - 2)^2", ["x", "y"])
    run = pg.sample(loss, seed=0, steps=40, progress=None)
    assert not run.arrived
    with pytest.warns(UserWarning, match="not arrived") as caught:
        run.describe()
    assert any(name in str(caught[0].message) for name in ("x ", "y ", "the energy", "the ensemble"))
    assert any(remedy in str(caught[0].message) for remedy in REMEDIES.values())


def test_the_prior_counts_and_the_temperature():
    """A normal likelihood and prior: the posterior of kl_weight w has the precision 1/w + 1."""
    loss = pg.Loss.from_formula("(x - 2)^2/2", ["x"])
    run = pg.sample(loss, pg.priors.Normal(0.0, 1.0), 400, method=pg.methods.DLE(kl_weight=0.5), progress=None)
    assert run.arrived
    assert abs(run.final.mean() - 4.0 / 3.0) < 4.0 / np.sqrt(3.0 * 400)
    assert abs(np.log(run.final.var() * 3.0)) < 4.0 * np.sqrt(2.0 / 400)


@pytest.mark.parametrize(("low", "high"), [(0.0, 3.0), (0.0, np.inf), (-np.inf, 3.0)])
def test_a_prior_with_walls_is_kept(low, high):
    """exp(-x) between walls, and its image; the law has most of its mass at a wall."""
    sign = 1.0 if low == 0.0 else -1.0
    loss = pg.Loss.from_formula("x" if sign > 0.0 else "-x", ["x"])
    prior = pg.Prior.from_formula("exp(-abs(x))", ["x"], low=low, high=high)
    run = pg.sample(loss, prior, 400, progress=None)
    assert run.arrived
    beyond = sign * (run.final[:, 0] - (low if sign > 0.0 else high))
    assert beyond.min() >= 0.0 and run.final.min() >= low and run.final.max() <= high
    # density exp(-2 t) for t >= 0 up to the far wall (where x < 0 < high the prior's kink is at 0: compare quantiles)
    if sign > 0.0:
        t = np.linspace(0.0, min(high, 40.0), 100_001)
        density = np.exp(-2.0 * t)
    else:
        t = np.linspace(0.0, 40.0, 100_001)
        density = np.exp(-np.abs(3.0 - t) + (3.0 - t))
    share = np.cumsum(density) / density.sum()
    levels = np.interp(np.sort(beyond), t, share)
    grid = np.arange(1, 401) / 400.0
    assert np.sqrt(400) * max(np.max(grid - levels), np.max(levels - grid + 1 / 400.0)) < 1.95


@pytest.mark.slow
def test_the_means_on_a_half_line_keep_the_accuracy(monkeypatch):
    """Of the half-normal law; steps are in the logarithm, and the mean of 12 runs has a standard error of 0.013."""
    sd, flat = np.sqrt(1.0 - 2.0 / np.pi), pg.Loss.from_formula("0*x", ["x"])

    def bias():
        runs = [pg.sample(flat, pg.priors.HalfNormal(1.0), seed=seed, progress=None) for seed in range(12)]
        return np.mean([run.counted.mean() - np.sqrt(2.0 / np.pi) for run in runs]) / sd

    assert abs(bias()) < 0.05
    kept = property(lambda self: False, lambda self, value: None)  # control: as if the coordinate were the user's own
    monkeypatch.setattr(PosteriorEnergy, "is_bent", kept, raising=False)
    assert bias() > 0.06


def test_names_of_coordinates_are_as_many_as_these_and_different():
    loss = pg.Loss.from_formula("x^2 + y^2", ["x", "y"])
    loss.variables = ["intercept", "slope"]
    assert list(pg.sample(loss, particles=20, steps=3, progress=None).draws()) == ["intercept", "slope"]
    for names in (["a"], ["a", "a"], "ab", ["a", "b", "c"]):
        with pytest.raises(ValueError, match="variables must be 2 different names, one for each coordinate, not"):
            loss.variables = names


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"particles": 3}, "particles must be .*, not 3"),
        ({"accuracy": 0.0}, "accuracy must be .*, not 0"),
        ({"method": "DRLE"}, "method must be DLE, .* not DRLE"),
        ({"method": "SVGD"}, "method must be DLE, .* not SVGD"),
        ({"steps": 0}, "steps must be .*, not 0"),
        ({"step_size": 0.0}, "step_size must be .*, not 0"),
        ({"preconditioner": "all"}, 'preconditioner must be "ensemble", "diagonal", "none", or a .*, not "all"'),
        ({"preconditioner": [[-1.0]]}, "preconditioner must be a matrix that is symmetric and positive definite"),
        ({"initial": np.zeros((3, 1))}, r"initial must be a prior, or an array of the shape \(200, 1\)"),
        ({"initial": np.zeros((200, 1))}, "initial must be points that do not lie in a plane"),
        ({"seconds": -1.0}, "seconds must be .*, not -1"),
        ({"prior": pg.priors.Flat(3)}, "prior"),
    ],
)
def test_bad_settings_are_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        pg.sample(pg.Loss.from_formula("x^2", ["x"]), progress=None, **settings)


@pytest.mark.parametrize("preconditioner", ["diagonal", "none", [[2.0, 1.9], [1.9, 2.0]]])
def test_every_scale_and_start_leaves_the_law_exact(preconditioner, rng):
    """A normal law of correlation 0.9, from points that are three times as wide."""
    precision = np.linalg.inv([[1.0, 0.9], [0.9, 1.0]])
    loss = pg.Loss.from_numpy(lambda x: 0.5 * np.einsum("ni,ij,nj->n", x, precision, x), lambda x: x @ precision, 2)
    start = 3.0 * rng.standard_normal((300, 2))
    run = pg.sample(loss, None, 300, initial=start, preconditioner=preconditioner, progress=None)
    assert run.arrived and "the given particles" in run.describe()
    assert np.allclose(run.positions[0, ::2], start[::2])  # the others start farther out
    assert np.all(np.abs(run.final.mean(axis=0)) < 4.0 / np.sqrt(300))
    assert np.all(np.abs(np.log(run.final.std(axis=0))) < 4.0 / np.sqrt(600))
    assert abs(np.arctanh(np.corrcoef(run.final.T)[0, 1]) - np.arctanh(0.9)) < 4.0 / np.sqrt(297)


def test_starts_are_read_as_those_of_plain_steps():
    """On the line (n,) is n points, and a text is no start."""
    loss, points = pg.Loss.from_formula("x^2", ["x"]), np.linspace(-2.0, 2.0, 20)
    scaled = {"steps": 3, "preconditioner": "none", "progress": None}
    for call in (partial(pg.sample, loss, None, 20, **scaled), partial(pg.simulate, loss, "DLE", **scaled)):
        assert np.array_equal(call(initial=points).positions, call(initial=points[:, None]).positions)
        for text in ("a", ["a", "b"]):
            with pytest.raises(ValueError, match=r"initial must be a prior, or an array \(n, 1\) .*, not .*a"):
                call(initial=text)


def test_a_matrix_is_the_scale_and_a_step_size_the_step():
    """With the variance of a normal law as the matrix the chain is that of a standard normal law."""
    runs = []
    for sd in (1.0, 1000.0):
        loss = pg.Loss.from_numpy(lambda x, sd=sd: 0.5 * (x[:, 0] / sd) ** 2, lambda x, sd=sd: x / sd**2, 1)
        settings = {"initial": sd * np.linspace(-2.0, 2.0, 50)[:, None], "preconditioner": [[sd**2]], "step_size": 0.3}
        runs.append(pg.sample(loss, None, 50, steps=9, progress=None, **settings))
    assert np.allclose(runs[0].positions, runs[1].positions / 1000.0, atol=1e-8)
    assert [run.step_size for run in runs] == [pytest.approx(0.3)] * 2


def test_a_loss_that_is_finite_far_from_0_only_is_tried_and_sampled_there():
    def value(x):
        with np.errstate(all="ignore"):
            return (x - 1000.0).sum(axis=1) - 2.0 * np.log(x - 1000.0).sum(axis=1)  # Gamma(3), from 1000 on

    settings = {"value": value, "gradient": lambda x: 1.0 - 2.0 / (x - 1000.0), "dim": 2}
    with pytest.raises(ValueError, match="far from 0 only, near= takes a point of there"):
        pg.Loss.from_numpy(**settings)
    run = pg.sample(pg.Loss.from_numpy(**settings, near=[1002.0, 1002.0]), progress=None)
    assert np.all(np.abs(run.final.mean(axis=0) - 1003.0) < 4.0 * np.sqrt(3.0 / 200))


def test_the_limit_of_time_ends_a_run():
    loss = pg.Loss.from_formula("x^2/8 + 2*(y + x^2/2 - 2)^2", ["x", "y"])
    run = pg.sample(loss, seconds=1e-6, progress=None)
    assert len(run.steps) == 2 and not run.arrived


@pytest.mark.thorough
@pytest.mark.skipif(not DATA.is_dir(), reason="needs PARTICLEGVI_DATA/posteriordb")
@pytest.mark.parametrize("particles", [pytest.param(50, marks=pytest.mark.slow), 200])
def test_posteriordb_is_right_or_says_that_it_has_not_arrived(particles, root):
    module = script(root / "benchmarks" / "posteriors.py")
    for name, make in module.POSTERIORS.items():
        posterior = make()
        run = pg.sample(posterior.loss(), particles=particles, seed=0, progress=None)
        assert run.arrived or name == "eight_schools"
        if run.arrived:
            assert max(module.errors(run.final, posterior.reference)) < 4.5, name
