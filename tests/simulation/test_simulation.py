"""The simulation loop: records, starts, errors in one sentence, divergence, exact laws of the integrators."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.simulation.loop import record_steps
from particlegvi.simulation.problem import Settings, check_problem

from ..interpreters import python
from ..refusals import refuse, refused

DOUBLE_WELL = {"prior": pg.priors.Normal(0.0, 1.0), "particles": 20, "steps": 50, "step_size": 1e-3}


@pytest.mark.parametrize("steps", [0, 1, 2, 199, 200, 201, 1000, 99_999, 100_000, 1_234_567])
def test_default_records_are_few_and_hold_both_ends(steps):
    due = record_steps(steps, None)
    assert len(due) <= 200 and due[0] == 0 and due[-1] == steps
    assert len(due) > min(steps, 98)
    assert np.all(np.diff(due) > 0) or steps == 0


def test_records_of_a_given_distance():
    assert record_steps(10, 4).tolist() == [0, 4, 8, 10]
    assert record_steps(8, 4).tolist() == [0, 4, 8]
    assert record_steps(10, 0).tolist() == [0, 10]


def test_shapes_and_times():
    run = pg.simulate(
        pg.losses.get("four-gaussians"),
        pg.methods.DLE(0.2),
        initial=pg.priors.Normal([0, 0], 1.0),
        particles=7,
        steps=30,
        step_size=0.1,
        record_every=10,
    )
    assert run.positions.shape == (4, 7, 2) and run.final.dtype == np.float64
    np.testing.assert_allclose(run.times, [0.0, 1.0, 2.0, 3.0])
    assert run.average_loss().shape == (4,)
    np.testing.assert_allclose(run.average_loss()[-1], np.mean(run.loss.value(run.final)))


def test_records_do_not_change_the_run():
    loss = pg.losses.get("tilted-double-well")
    finals = [
        pg.simulate(loss, pg.methods.DRLE(1.0, 0.5), **DOUBLE_WELL, record_every=every).final for every in (None, 0, 7)
    ]
    assert np.array_equal(finals[0], finals[1]) and np.array_equal(finals[0], finals[2])


def test_histogram_integrates_to_one():
    run = pg.simulate(pg.losses.get("tilted-double-well"), pg.methods.DLE(1.0), **DOUBLE_WELL)
    density, edges = run.histogram(bins=13)
    assert density.shape == (13,) and np.isclose(np.sum(density * np.diff(edges)), 1.0)
    run.positions = run.positions * 1e-323  # subnormal numbers, between which numpy has no bars
    density, edges = run.histogram(bins=13)
    assert np.isclose(np.sum(density * np.diff(edges)), 1.0) and "<svg" in run._repr_html_()


BAD = [
    ({"particles": 0}, "particles must be a whole number from 1 to 4294967296, not 0"),
    ({"integrator": "euler-maruyana"}, 'did you mean "euler-maruyama"'),
    ({"prior": pg.priors.Normal([0.0, 0.0], 1.0)}, "prior must be of dimension 1, as the loss is, not 2"),
    ({"prior": None}, "initial"),
    ({"initial": np.zeros((3, 2)), "particles": None}, r"initial must be a prior.*, not an array of the shape \(3,"),
    ({"initial": np.full((20, 1), np.inf)}, r"initial must be a prior, .*, not one with NaN or infinity"),
    ({"initial": np.zeros((3, 1))}, "particles must be 3, as many points as initial has, not 20"),
    ({"initial": pg.priors.Normal([0.0, 0.0], 1.0)}, "initial must be of dimension 1, as the loss is, not 2"),
    (
        {"prior": pg.priors.Uniform(-1.0, 1.0), "initial": np.full((20, 1), 3.0)},
        r"initial must be inside the prior's box, not have particle 0 at \[3\.\]",
    ),
]


test_bad_arguments_get_one_sentence = refused(
    lambda change: pg.simulate(pg.losses.get("tilted-double-well"), pg.methods.DLE(1.0), **DOUBLE_WELL | change), *BAD
)


def test_divergence_names_step_and_particle_and_keeps_the_records():
    loss = pg.losses.get("tilted-double-well")
    start = np.array([[0.1], [5.0], [0.2]])
    with (
        pytest.warns(UserWarning, match="stability limit"),
        pytest.raises(pg.Diverged, match="try a smaller step_size than 0.5, for example 0.00") as caught,
    ):
        pg.simulate(loss, pg.methods.DE(), initial=start, steps=1000, step_size=0.5, record_every=2)
    x, step = 5.0, 0
    with np.errstate(all="ignore"):
        while np.isfinite(x):
            x = np.float64(x - 0.5 * 1.5 * x * (x - 1.0) * (x + 2.0))
            step += 1
    assert caught.value.particle == 1
    assert abs(caught.value.step - step) <= 1  # the overflow itself may come a step apart in another order of products
    run = caught.value.run
    assert np.all(np.isfinite(run.positions)) and run.steps[-1] <= caught.value.step
    assert len(run.steps) == len(run.positions)


@pytest.mark.parametrize(("formula", "hint"), [("log(x)", True), ("log(x - 3)", False)])
def test_a_loss_of_positive_numbers_has_the_hint_of_a_half_line(formula, hint):
    with pytest.raises(ValueError, match="must be finite") as caught:
        pg.simulate(pg.Loss.from_formula(formula, ["x"]), "DE", initial=[[-1.0], [2.0], [4.0]], steps=1)
    assert ("it is finite where coordinate 1 is above 0: give it a prior on a half-line" in str(caught.value)) == hint


def test_records_that_would_not_fit_go_to_disk_and_are_the_same(monkeypatch):
    from particlegvi.simulation import storage

    loss = pg.losses.get("tilted-double-well")
    in_memory = pg.simulate(loss, pg.methods.DLE(1.0), **DOUBLE_WELL, record_every=1)
    monkeypatch.setattr(storage, "IN_MEMORY", 1000)
    with pytest.warns(UserWarning, match="51 records of 20 particles take 8.2e-06 GB and are kept in a temporary file"):
        on_disk = pg.simulate(loss, pg.methods.DLE(1.0), **DOUBLE_WELL, record_every=1)
    assert isinstance(on_disk.positions, np.memmap)
    assert np.array_equal(in_memory.positions, on_disk.positions)
    np.testing.assert_array_equal(in_memory.average_loss(), on_disk.average_loss())


LOSS, PRIOR = pg.losses.get("double-well"), pg.priors.Normal(0.0, 1.0)


def test_a_problem_is_checked_and_its_start_drawn():
    problem = check_problem(LOSS, pg.methods.DE(), PRIOR, None, Settings(particles=5, steps=2e1, seed=3))
    assert problem.steps == 20 and isinstance(problem.steps, int)
    assert problem.start.tobytes() == PRIOR.sample(5, seed=3).tobytes()
    given = check_problem(LOSS, pg.methods.DE(), None, [0.5, 1.5], Settings())
    assert np.array_equal(given.start, [[0.5], [1.5]]) and given.prior.name == "flat"
    refuse(lambda: check_problem(LOSS, pg.methods.DE(), PRIOR, None, Settings(tolerance=1.0)), "tolerance")


RUNS = """
import hashlib
import numpy as np
import particlegvi as pg

def bowl(dim):
    return pg.losses.get("quadratic", curvature=[1.0] * dim, centre=[0.0] * dim)

def told(method, dim, particles):
    prior = pg.priors.Normal([0.0] * dim, [1.0] * dim)
    run = pg.simulate(bowl(dim), method, prior, particles, 5, 0.05, record_every=0)
    print(hashlib.sha256(run.final.tobytes()).hexdigest(), *run.info.get("repulsion", ()), sep=",")

kernel = pg.kernels.SquaredExponential(0.5)
told(pg.methods.DRLE(0.5, 0.5, kernel, jumps={"every": 1}), 1, 50)
told(pg.methods.DRLE(0.5, 0.5, kernel), 2, 6000)
told(pg.methods.SVGD(0.5, kernel), 2, 50)
told(pg.methods.DRE(0.5, kernel), 20, 400)
x = np.random.default_rng(0).normal(size=(99, 99))
print(hashlib.sha256((x @ x).tobytes()).hexdigest())  # the control
"""


@pytest.mark.slow
def test_particles_do_not_depend_on_the_kernels_of_blas():
    cores = ("Haswell", "Nehalem")
    found = [python("-c", RUNS, OPENBLAS_CORETYPE=core).stdout.splitlines() for core in cores]
    assert found[0][1].partition(",")[2]  # an algorithm is named
    assert found[0][:-1] == found[1][:-1]
    if found[0] == found[1]:  # else the product of matrices is the control
        pytest.skip("the library of linear algebra has one set of kernels here")
