"""Steps of networks: the fused loop against the generic one, chunks, threads, and repulsion between outputs."""

import warnings

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.networks.batches import Batches
from particlegvi.engine.numerics import threads
from particlegvi.methods.flow import ParticleProblem
from particlegvi.methods.repulsion import interaction_velocity
from particlegvi.networks import Network, NetworkLoss
from particlegvi.networks.training import Falling, at_lengths
from particlegvi.simulation.problem import Settings, check_problem

from ..refusals import refuse

SE = pg.kernels.SquaredExponential


class FromOutside:
    """A loss with the functions of another one and nothing else: the generic loop steps with it."""

    term = None

    def __init__(self, loss):
        self.value, self.gradient, self.gradient_at = loss.value, loss.gradient, loss.gradient_at
        self.dim, self.name = loss.dim, loss.name


def problem(rng, **options):
    net = Network(3, (7, 5), activation="tanh")
    X = rng.standard_normal((70, 3))
    return net, NetworkLoss(net, X, np.sin(X[:, 0]), **{"batch_size": 20, **options})


def simulate(loss, net, method, steps=45, **options):
    options = {"prior": net.prior("he"), "particles": 4, "step_size": 0.05, "record_every": 5, "seed": 3, **options}
    return pg.simulate(loss, method, steps=steps, **options)


PROCESS = pg.functionspace.covariances.get("squared-exponential", lengthscale=0.7)
METHODS = {
    "DE": pg.methods.DE(),
    "DLE": pg.methods.DLE(0.01),
    "DRLE on outputs": pg.methods.DRLE(0.01, 0.5, pg.kernels.OnOutputs(SE("median"), np.eye(3))),
    "DRLE on fresh outputs": pg.methods.DRLE(0.01, 0.5, pg.kernels.OnOutputs(SE("median"), "fresh", 5)),
    "DRE to a process": pg.methods.DRE(0.5, pg.kernels.OnOutputs(SE(1.0), "fresh", 5, process=PROCESS)),
    "DRLE": pg.methods.DRLE(0.01, 0.5, SE("median")),
    "DRE on the last layer": pg.methods.DRE(0.5, pg.kernels.OnLastLayer(SE("median"))),
}


@pytest.mark.sample("*euler-maruyama*DLE*")
@pytest.mark.parametrize("label", ["DE", "DLE"])
@pytest.mark.parametrize("integrator", ["euler-maruyama", "leimkuhler-matthews", "exponential-euler"])
def test_the_fused_loop_has_the_bits_of_the_generic_one(rng, label, integrator):
    net, loss = problem(rng, shared_batches=label != "DLE")
    runs = [simulate(each, net, METHODS[label], integrator=integrator).positions for each in (loss, FromOutside(loss))]
    assert np.array_equal(*runs)
    other = simulate(loss, net, METHODS[label], integrator=integrator, seed=4).positions
    assert not np.array_equal(runs[0], other)


@pytest.mark.parametrize("label", METHODS)
@pytest.mark.sample("DLE")
@pytest.mark.often("DE")
def test_chunks_of_1_7_and_1000_steps_on_one_and_two_threads(rng, label, monkeypatch):
    """From the middle of one epoch to the middle of another: 70 rows in batches of 20."""
    net, loss = problem(rng)
    start, found = net.prior("he").sample(4), []
    monkeypatch.setattr("particlegvi.engine.networks.compute.PART", 1.0)
    for number, chunk in ((1, 1000), (1, 7), (1, 1), (2, 1000), (2, 7)):
        monkeypatch.setattr(threads, "count", lambda number=number: number)
        flow = METHODS[label].flow(ParticleProblem(loss, net.prior(), start, 1002, 0.02, 3, "euler-maruyama", 1e-12))
        for first in range(0, 1002, chunk):
            flow.advance(first, min(chunk, 1002 - first))
        found.append(flow.particles().copy())
    assert all(np.array_equal(each, found[0]) for each in found[1:])


@pytest.mark.thorough
def test_the_repulsion_of_a_layer_is_that_of_its_marginal(rng):
    """On the last layer of every particle the force is that of a run of these parameters alone, and zero elsewhere."""
    net, loss = problem(rng)
    prior, (weights, biases) = net.prior(), net.layers[-1]
    last = slice(weights.start, biases.stop)
    method = pg.methods.DRE(0.4, pg.kernels.OnLastLayer(SE(0.8)))
    theta = prior.sample(4)
    one = {"initial": theta, "steps": 1, "step_size": 0.1}
    run = simulate(loss, net, method, **one)
    force = 10.0 * (run.initial - run.final) - loss.gradient_at(theta, 0, 3)
    assert np.abs(force[:, : last.start]).max() < 1e-11
    small = pg.priors.Normal(prior.mean[last], prior.sd[last])
    nothing = pg.Loss.from_numpy(lambda X: 0.0 * X[:, 0], lambda X: 0.0 * X, small.dim)
    alone = simulate(nothing, net, pg.methods.DRE(0.4, SE(0.8)), **{**one, "prior": small, "initial": theta[:, last]})
    assert force[:, last] == pytest.approx(10.0 * (alone.initial - alone.final), rel=1e-9, abs=1e-11)
    assert "closed form" in run.info["embedding"]


@pytest.mark.parametrize(
    ("method", "options", "says"),
    [
        (pg.methods.DLE(0.1), {"integrator": "mala"}, "batch_size"),
        (METHODS["DRLE on outputs"].with_kernel(pg.kernels.OnOutputs(SE(1.0), np.eye(2))), {}, "inputs must be"),
        (pg.methods.DRE(1.0, pg.kernels.OnOutputs(SE(1.0), np.eye(3)), embedding="closed-form"), {}, "embedding must"),
        (pg.methods.DRE(1.0, pg.kernels.OnOutputs(SE("median"), np.eye(3))), {"prior": None}, "lengthscale must be"),
        (pg.methods.DRE(1.0, pg.kernels.OnOutputs(SE(1.0), "fresh", low=[0.0, 1.0])), {}, "low must be"),
        (pg.methods.DRE(1.0, pg.kernels.OnOutputs(SE(1.0), "fresh", low=9.0)), {}, "low must be below high"),
    ],
)
def test_what_cannot_be_run_is_refused(rng, method, options, says):
    net, loss = problem(rng)
    refuse(lambda: simulate(loss, net, method, **{"initial": net.prior().sample(4), **options}), says)


def test_fresh_inputs_fill_their_box_and_are_functions_of_seed_and_step(rng):
    rows = np.array([[0.0, 1.0], [2.0, 5.0]])
    kernel = pg.kernels.OnOutputs(SE(1.0), "fresh", 2000)
    x = kernel.drawn(7, 3, rows)
    assert np.all(np.abs(x - [1.0, 3.0]) < [2.0, 4.0]) and np.all(x.std(axis=0) > 0.9 * np.array([4.0, 8.0]) / 12**0.5)
    assert np.array_equal(x, kernel.drawn(7, 3, rows))
    assert all(not np.any(x == kernel.drawn(*other, rows)) for other in ((8, 3), (6, 3), (7, 4)))


@pytest.mark.thorough
def test_the_pull_of_a_process_is_that_of_its_draws(rng):
    """Networks with two outputs, each a draw of its own: the closed form against 100,000 functions."""
    net = Network(1, (4,), 2, activation="tanh")
    X, place = rng.standard_normal((20, 1)), np.array([[-0.5], [0.1], [0.9]])
    loss, theta = NetworkLoss(net, X, np.hstack([np.sin(X), X])), net.prior("he").sample(3)
    forces = []
    for how in ("closed-form", {"how": "monte-carlo", "samples": 100_000}):
        method = pg.methods.DRE(0.5, pg.kernels.OnOutputs(SE(1.2), place, process=PROCESS), embedding=how)
        run = simulate(loss, net, method, initial=theta, particles=3, steps=1)
        forces.append(interaction_velocity(method, run, theta)(theta))
    error = run.info["embedding_error"]  # of mu_P; the slope of k is at most 0.61 / lengthscale
    assert 0.0 < error < 2e-3 and np.abs(forces[0]).max() > 20.0 * error
    assert np.abs(forces[0] - forces[1]).max() < 5.0 * error


def test_a_kernel_on_outputs_needs_a_network():
    loss, kernel = pg.losses.get("quadratic"), pg.kernels.OnOutputs(SE(1.0), np.eye(2))
    assert kernel.name == "squared-exponential on the outputs"
    with pytest.raises(ValueError, match="NetworkLoss"):
        pg.simulate(loss, pg.methods.DRE(1.0, kernel), prior=pg.priors.Normal(), particles=3, steps=2)


def test_the_stability_limit_is_that_of_the_steepest_direction(rng):
    """A linear network: twice over the largest eigenvalue of the Hessian, which lies in no coordinate axis."""
    X = rng.standard_normal((50, 40)) @ rng.standard_normal((40, 40))
    net = Network(40, None)
    loss = NetworkLoss(net, X, X[:, 0])
    A = np.column_stack([X, np.ones(50)])
    limit = 2.0 / np.linalg.eigvalsh(2.0 * A.T @ A / 50)[-1]
    options = {"prior": net.prior("unit"), "steps": 1}
    with pytest.warns(UserWarning, match="stability limit"):
        simulate(loss, net, pg.methods.DE(), step_size=1.2 * limit, **options)
    simulate(loss, net, pg.methods.DE(), step_size=0.9 * limit, **options)


@pytest.mark.slow
def test_what_comes_to_nothing_is_said_before_the_run(rng):
    """Weak repulsion between weights, and relu without a prior; not a strong one, and not one between outputs."""
    net = Network(3, (50,))
    loss = NetworkLoss(net, rng.standard_normal((30, 3)), rng.standard_normal(30))
    say = lambda method, **options: simulate(loss, net, method, steps=2, step_size=1e-3, **options)
    with pytest.warns(UserWarning, match=r"times as far as its noise does; the kernel particlegvi.kernels.OnOutputs"):
        say(pg.methods.DRLE(1e-4, 5e-3, SE("median")))
    with pytest.warns(UserWarning, match="improper"):
        say(pg.methods.DLE(0.1), prior=None, initial=net.prior().sample(3), particles=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        say(pg.methods.DRLE(1e-4, 5e-3, pg.kernels.OnOutputs(SE("median"), np.eye(3))))
        say(pg.methods.DRE(1e4, SE(5.0)))


@pytest.mark.parametrize(
    "method", [pg.methods.DLE(1e-3), pg.methods.DRLE(1e-3, 0.5, pg.kernels.OnOutputs(SE(1.0), np.eye(3)))]
)
def test_trainings_that_share_steps_are_simulations(rng, method):
    """Bit for bit, also where a size begins to fall between two steps, and where one step is all; None where one ends
    in nothing."""
    net, X = pg.networks.Network(3, (7,)), rng.standard_normal((70, 3))
    loss = pg.networks.NetworkLoss(net, X, np.sin(X[:, 0]), batch_size=20)
    settings, lengths = Settings(4, 40, 0.05, seed=3), (1, 12, 40)
    problem = check_problem(loss, method, net.prior("he"), None, settings)
    for steps, particles in zip(lengths, at_lengths(problem, method, 0.05, lengths, 0.6), strict=True):
        size = Falling(0.05, 0.6 * steps, max(1.0, 0.4 * steps))
        run = pg.simulate(loss, method, net.prior("he"), 4, steps, size, seed=3, record_every=0)
        assert np.array_equal(run.final, particles)
    with np.errstate(all="ignore"):
        ended = at_lengths(problem, method, 1e3, (2, 400), 0.5)
    assert ended[0] is not None and ended[1] is None


def test_every_row_has_every_place_as_often():
    batches, orders = Batches(6, 6), []
    for step in range(6000):
        rows, starts, counts = batches.of(1, step, 1, 1)
        orders.append(rows[0, starts[0] : starts[0] + counts[0]])
    orders = np.array(orders)
    counts = np.array([[np.sum(orders[:, place] == row) for row in range(6)] for place in range(6)])
    chi_square = np.sum((counts - 1000.0) ** 2 / 1000.0)
    assert chi_square < 52.6  # 25 degrees of freedom, one in a thousand
    pairs = np.sum(orders[:, 0] < orders[:, 1])
    assert abs(pairs - 3000.0) < 4.0 * np.sqrt(1500.0)
