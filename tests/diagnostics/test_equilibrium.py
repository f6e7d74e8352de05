"""Excess energies, basins, drifts and times to equilibrium against closed forms and processes that are known."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi import diagnostics
from particlegvi.diagnostics import misplaced
from particlegvi.scenario.kinds.particles import verdict
from particlegvi.scenario.kinds.particles.evidence import Evidence
from particlegvi.targets import minimisers

QUADRATIC = pg.losses.get("quadratic", curvature=[1.0, 4.0], centre=[1.0, -2.0])
WELL = pg.losses.get("double-well")


def test_the_excess_energy_of_a_gaussian_is_chi_squared():
    target = pg.target(QUADRATIC, pg.methods.DLE(0.3))
    x = target.sample(4000, seed=1)
    found = diagnostics.excess_energy(x, target, 0.3)
    assert found.mean == pytest.approx(np.mean(QUADRATIC.value(x)), rel=1e-3)  # whose minimum is 0
    assert found.expected == pytest.approx(0.3, rel=1e-3)
    assert found.near_gaussian and found.gaussian == pytest.approx(0.3)
    # the variance of T chi-squared(2)/2 is T^2
    assert found.standard_error == pytest.approx(0.3 / np.sqrt(4000), rel=1e-2)
    assert abs(found.deviation) < 4.0
    hot = diagnostics.excess_energy([1.0, -2.0] + 1.1 * (x - [1.0, -2.0]), target, 0.3)
    assert hot.deviation > 4.0


def test_the_excess_energy_of_a_quartic_is_not():
    """Under exp(-t^4/T) the mean of t^4 is T/4, by parts, and not T/2."""
    loss = pg.Loss.from_numpy(lambda x: x[:, 0] ** 4, lambda x: 4.0 * x**3, 1)
    target = pg.target(loss, pg.methods.DLE(0.5))
    found = diagnostics.excess_energy(target.sample(100), target, 0.5)
    assert found.expected == pytest.approx(0.125, rel=1e-5)
    assert not found.near_gaussian


def test_basins_on_the_line():
    target = pg.target(WELL, pg.methods.DLE(0.05), prior=pg.priors.Normal(0.5, 2.0))
    basins = diagnostics.Basins(target)
    assert len(basins.modes) == 2
    left, right = basins.modes[:, 0]
    cut = np.linspace(left, right, 20001)
    cut = cut[np.argmin(target.pdf(cut))]
    assert basins.masses == pytest.approx([target.cdf(cut), 1.0 - target.cdf(cut)], abs=2e-3)
    assert basins.counts([left, cut - 0.05, cut + 0.05, right, right]).tolist() == [2, 3]
    # one basin where the barrier is lower than the temperature
    assert len(diagnostics.Basins(pg.target(WELL, pg.methods.DLE(20.0))).modes) == 1


@pytest.mark.parametrize(
    ("name", "temperature", "number"), [("four-gaussians", 0.2, 4), ("ring", 0.1, 1), ("banana", 1.0, 1)]
)
@pytest.mark.thorough
def test_basins_in_the_plane(name, temperature, number):
    """Four modes are four; a ring and a bent ridge, however narrow, are one."""
    prior = pg.priors.Normal([1.0, 0.0], [4.0, 4.0])
    target = pg.target(pg.losses.get(name), pg.methods.DLE(temperature), prior=prior)
    basins = diagnostics.Basins(target)
    assert len(basins.modes) == number
    assert basins.masses.sum() == pytest.approx(1.0)
    if number == 4:
        corner = np.array([[-3.0, -3.0], [-3.0, 3.0], [3.0, -3.0], [3.0, 3.0]])
        assert np.abs(basins.modes - corner).max() < 0.3
        quadrant = 2 * (target.grid[:, 0] > 0.0) + (target.grid[:, 1] > 0.0)
        assert basins.masses == pytest.approx(np.bincount(quadrant, target.masses), abs=0.01)
        assert basins.counts(corner[[0, 0, 3]]).tolist() == [2, 0, 0, 1]


def ornstein_uhlenbeck(particles, records, horizon, start, seed):
    """Exact paths of dx = -x dt + sqrt(2) dW, (records, particles, 1)."""
    random = np.random.default_rng(seed)
    decay = np.exp(-horizon / (records - 1))
    x = [start * np.ones((particles, 1)) if np.isscalar(start) else start]
    for _ in range(records - 1):
        x.append(decay * x[-1] + np.sqrt(1.0 - decay**2) * random.normal(size=(particles, 1)))
    return np.array(x), np.linspace(0.0, horizon, records)


LOSS = pg.losses.get("quadratic", curvature=[1.0], centre=[0.0])


def test_a_process_at_rest_does_not_drift_and_one_on_its_way_does():
    """Also with memories far longer than the run, which a test along time would have to estimate."""
    for horizon in (0.1, 3.0, 100.0):
        drifting = 0
        for seed in range(100):
            start = np.random.default_rng(1000 + seed).normal(size=(60, 1))
            x, times = ornstein_uhlenbeck(60, 41, horizon, start, seed)
            drifting += diagnostics.drift(x, times, LOSS).significant
        assert drifting <= 2  # at the level 0.001: three of a hundred have probability 0.0002
    x, times = ornstein_uhlenbeck(300, 41, 2.0, 5.0, 0)
    found = diagnostics.drift(x, times, LOSS)
    assert found.significant and found.change < 0.0
    # the mean is 5 exp(-t): between the quarters it falls by this
    mean = 5.0 * np.exp(-times)
    gap = mean[(times > 1.5)].mean() - mean[(times > 1.0) & (times <= 1.5)].mean()
    itself = diagnostics.drift(x, times, pg.Loss.from_numpy(lambda x: x[:, 0], np.ones_like, 1))
    assert itself.name == "mean loss"
    assert itself.change == pytest.approx(gap, abs=4.0 * abs(itself.change / itself.standard_errors))
    assert diagnostics.drift(x[[0, -1]], times[[0, -1]], LOSS) is None
    assert diagnostics.drift(x[:, :1], times, LOSS) is None


@pytest.mark.slow
def test_a_loss_that_overflows_is_never_rest():
    """Its mean and its difference are not numbers, which no limit exceeds; the control is a loss that stays finite."""
    start = np.random.default_rng(0).normal(size=(60, 1))
    x, times = ornstein_uhlenbeck(60, 41, 3.0, start, 0)
    with np.errstate(all="ignore"):
        steep = pg.Loss.from_formula("exp(2000*abs(t))", ["t"])
        drift = diagnostics.drift(x, times, steep)
    assert drift.significant and drift.name == "mean loss" and np.isnan(drift.change)
    assert not diagnostics.drift(x, times, LOSS).significant


def test_tiny_drifts_of_huge_ensembles_are_nobodys_concern():
    x = np.random.default_rng(0).normal(size=(1, 5000, 1)) + np.linspace(0.0, 1e-3, 41)[:, None, None]
    found = diagnostics.drift(x, np.linspace(0.0, 1.0, 41), LOSS)
    assert abs(found.standard_errors) > 10.0 and not found.significant


def test_the_time_to_equilibrium():
    times = np.arange(6.0)
    assert diagnostics.time_to_equilibrium(times, [9, 5, 0.5, 0.6, 0.2, 0.3], 1.0) == 2.0
    assert diagnostics.time_to_equilibrium(times, [9, 0.5, 5, 0.6, 0.2, 0.3], 1.0) == 3.0
    assert diagnostics.time_to_equilibrium(times, [9, 8, 7, 6, 5, 4], 1.0) is None
    # Ornstein-Uhlenbeck from 5: 5 exp(-t) is the 99% floor of n = 400, about 1.8/sqrt(n), after t = 4.0
    target = pg.target(LOSS, pg.methods.DLE(1.0))
    x, times = ornstein_uhlenbeck(400, 101, 10.0, 5.0, 3)
    floor = diagnostics.wasserstein1_floor(target, 400, (0.99,))[0]
    found = diagnostics.time_to_equilibrium(times, [diagnostics.wasserstein1(each, target) for each in x], floor)
    assert np.log(5.0 / floor) - 1.0 < found < np.log(5.0 / floor) + 2.5


CENTRE, WIDTH = -1.8201645613672577, 2e-6


def run_at(points, loss, prior, target):
    """A run at rest at these points, and its verdict."""
    records = np.array([np.roll(points, shift, axis=0) for shift in range(11, -1, -1)])  # as independent draws move
    steps = np.arange(12) * 100
    run = pg.Run("DLE", loss, prior, pg.methods.DLE(1.0), records, steps, 0.01, 0)
    distance = {"value": 1e-3, "floor": [1e-2, 2e-2, 3e-2], "particles": len(points)}
    found = {"distances": {"w1" if target.dim == 1 else "sliced_w1": distance}}
    return verdict.equilibrium(Evidence(run, target, None, None, run.initial[0], found))


@pytest.mark.parametrize("dim", [1, 2])
@pytest.mark.thorough
def test_exact_draws_are_not_misplaced_and_stray_ones_are(dim):
    variables = ["x", "y"][:dim]
    loss, prior = pg.Loss.from_formula("+".join(f"{v}^2/2" for v in variables), variables), pg.priors.Flat(dim)
    target = pg.target(loss, pg.methods.DLE(1.0), prior)
    draws = target.sample(4000, seed=3)
    assert not misplaced(draws, target).impossible.any() and not misplaced(draws, target).missed.any()
    assert run_at(draws, loss, prior, target)["reached"] is True
    draws[7] = 4.4  # rare, and possible among 4000
    assert not misplaced(draws, target).impossible.any()
    draws[7] = 9.0
    found = misplaced(draws, target)
    assert np.flatnonzero(found.impossible).tolist() == [7]
    said = run_at(draws, loss, prior, target)
    assert said["reached"] is False
    assert said["verdict"].startswith("not at Q*: 1 of 4000 particles are misplaced, for example at (9")
    assert said["verdict"].endswith("Q* has no mass there, and no exact draw would be there")


@pytest.mark.thorough
def test_a_particle_between_two_wells_is_misplaced():
    loss = pg.Loss.from_formula("40*(t^2 - 4)^2", ["t"])
    target = pg.target(loss, pg.methods.DLE(1.0), pg.priors.Normal(0.0, 2.0))
    draws = target.sample(500, seed=1)
    assert not misplaced(draws, target).impossible.any()
    draws[3] = 0.0
    assert misplaced(draws, target).impossible.sum() == 1


WELLS = {  # a bowl, the centre of a narrow well in it, and what of the loss makes it
    "line": ("t^2/2", [CENTRE], f"18*exp(-(t - ({CENTRE!r}))^2/(2*({WIDTH!r})^2))"),
    "plane": (
        "t^2/2 + (u - 0.3*t^2)^2",
        [-1.0812, 0.7031],
        "18*exp(-((t + 1.0812)^2 + (u - 0.7031)^2)/(2*0.0002^2))",
    ),
}


@pytest.mark.parametrize("where", WELLS)
@pytest.mark.thorough
def test_particles_in_a_well_that_the_quadrature_missed(where, monkeypatch):
    bowl, centre, well = WELLS[where]
    loss = pg.Loss.from_formula(f"{bowl} - {well}", ["t", "u"][: len(centre)])
    prior = pg.priors.Normal(np.zeros(len(centre)), 2.0)
    if where == "line":  # control: where the well is known
        known = pg.target(loss, pg.methods.DLE(1.0), prior)
        assert not misplaced(known.sample(400, seed=2), known).missed.any()
    monkeypatch.setattr(minimisers, "MOST_SEARCHES", 0)
    wrong = pg.target(loss, pg.methods.DLE(1.0), prior)
    draws = wrong.sample(400, seed=2)
    assert not misplaced(draws, wrong).missed.any()  # as W1 has it: nothing is to be seen
    draws[:5] = centre
    assert misplaced(draws, wrong).missed.sum() == 5
    said = run_at(draws, loss, prior, wrong)
    assert said["reached"] is False and "5 of 400 particles are misplaced" in said["verdict"]
    assert "the quadrature of Q* missed a well there (its resolution is" in said["verdict"]


@pytest.mark.parametrize(
    "loss",
    [
        pg.losses.get("tilted-double-well"),
        pg.losses.get("abs-sine"),
        pytest.param(pg.Loss.from_formula(WELLS["plane"][0], ["t", "u"]), marks=pytest.mark.thorough),
    ],
)
def test_the_density_of_the_quadrature_is_the_density(loss):
    target = pg.target(loss, pg.methods.DLE(0.5), pg.priors.Normal(np.zeros(loss.dim), 2.0))
    x = target.sample(3000, seed=5)
    assert not misplaced(x, target).missed.any() and not misplaced(x, target).impossible.any()
    np.testing.assert_allclose(target.quadrature_pdf(x), target.pdf(x), rtol=1e-5 * 10 ** (loss.dim - 1), atol=1e-7)
    far = 1e9 * np.vstack([np.eye(loss.dim), -np.eye(loss.dim)])
    assert not target.quadrature_pdf(far).any()
