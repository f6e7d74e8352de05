"""The compiled step against a loop in numpy, and what must not change its bits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import particlegvi as pg
from particlegvi.engine.pairs.repulsion import Repulsion
from particlegvi.engine.steps import driver, flow
from particlegvi.methods.free_energy import FreeEnergy

from ...flows import advanced, numpy_run, problem

KERNELS = ["squared-exponential", "inverse-multiquadric", "matern-32", "matern-52"]


@pytest.mark.parametrize("kernel_name", KERNELS)
@pytest.mark.parametrize("loss_name, dim", [("tilted-double-well", 1), ("four-gaussians", 2)])
@pytest.mark.sample("tilted-double-well-1-squared-exponential")
@pytest.mark.often("four-gaussians-2-squared-exponential")
def test_drle_is_the_printed_update(kernel_name, loss_name, dim):
    loss = pg.losses.get(loss_name)
    prior = pg.priors.Normal(np.full(dim, 0.3), np.full(dim, 1.5))
    kernel = pg.kernels.get(kernel_name, lengthscale=0.8, variance=1.3)
    method = pg.methods.DRLE(kl_weight=0.4, mmd_weight=0.7, kernel=kernel)
    run = pg.simulate(loss, method, prior=prior, particles=37, steps=7, step_size=0.01, seed=5, record_every=0)
    expected = numpy_run("plain", loss, method, prior, run.initial, [0.01] * 7, 5)
    assert_allclose(run.final, expected, rtol=0, atol=2e-13)
    # negative controls: the two weights swapped, and the square root of two missing, are far away
    swapped = pg.methods.DRLE(kl_weight=0.7, mmd_weight=0.4, kernel=kernel)
    colder = FreeEnergy(kl_weight=0.2, mmd_weight=0.7, kernel=kernel)
    for wrong in (swapped, colder):
        other = numpy_run("plain", loss, wrong, prior, run.initial, [0.01] * 7, 5)
        assert np.abs(other - expected).max() > 1e-3


@pytest.mark.parametrize(
    "kind, particles",
    [(pg.kernels.SquaredExponential, 300), (pg.kernels.SquaredExponential, 5000), (pg.kernels.Matern52, 300)],
)
@pytest.mark.thorough
def test_coupled_loop_equals_the_general_path(kind, particles, monkeypatch):
    """Few particles run in one compiled loop, many step by step on threads: the same sums, so the same bits."""
    loss, method = pg.losses.get("tilted-double-well"), pg.methods.DRLE(1.0, 0.5, kind(1.0))
    start = np.random.default_rng(1).normal(size=particles).round(1)  # many particles coincide at first

    def final():
        return pg.simulate(loss, method, pg.priors.Normal(0.0, 1.0), None, 21, 1e-3, initial=start[:, None]).final

    together = final()
    monkeypatch.setattr(driver, "COUPLED_UP_TO", 0)
    called = []
    monkeypatch.setattr(Repulsion, "force", lambda *given, force=Repulsion.force: called.append(1) or force(*given))
    assert np.array_equal(together, final()) and len(called) == 21


@pytest.mark.slow
def test_a_loss_in_numpy_has_the_noise_of_the_compiled_loop():
    """Its steps are calls of their own, and the normals of an odd step wait for it since the step before."""
    loss, prior = pg.losses.get("tilted-double-well"), pg.priors.Normal(0.0, 1.0)
    same = pg.Loss.from_numpy(loss.value, loss.gradient, 1)
    start, method = prior.sample(37, seed=3), pg.methods.DLE(0.4)
    expected = advanced(method.flow(problem(loss, prior, start)), [9]).state
    for groups in ([9], [1, 3, 5], [4, 5]):
        assert np.array_equal(advanced(method.flow(problem(same, prior, start)), groups).state, expected)
    flow = advanced(method.flow(problem(same, prior, start)), [7])
    flow.restore(start, {})  # as a run does that looks for its first bad step
    assert np.array_equal(advanced(flow, [9]).state, expected)


def test_compiled_code_finds_each_switch_by_its_name():
    assert [vars(flow)[name.upper()] for name in flow.Switches._fields] == list(range(7))
