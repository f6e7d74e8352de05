"""Approximations of the repulsion: unbiased or exact where theory says so, labelled, and used only when named."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.pairs.approximate import NystroemFeatures, RandomBatch
from particlegvi.engine.pairs.repulsion import Repulsion

from ...refusals import refused

KERNEL = pg.kernels.SquaredExponential(0.7, variance=2.0)


def exact(x):
    out = np.empty_like(x)
    Repulsion(KERNEL, x.shape[1], 1e-12).force(x, 0.6, out)
    return out


def forces(approximation, x, steps):
    out = np.empty((steps, *x.shape))
    for step in range(steps):
        approximation.force(x, 0.6, out[step], step)
    return out


@pytest.mark.parametrize("size", [2, 3, 7])
@pytest.mark.sample("7")
def test_random_batches_are_unbiased(size):
    x = np.random.default_rng(1).normal(size=(20, 2))
    steps = 20_000
    found = forces(RandomBatch(KERNEL, size, 5), x, steps)
    error = found.std(axis=0) / np.sqrt(steps)
    miss = (found.mean(axis=0) - exact(x)) / error
    assert np.abs(miss).max() < 4.8  # of 40 normal numbers, once in 16,000
    # the self term makes 19 of 20 of it: an estimate that forgot it would be found
    assert np.abs((found.mean(axis=0) * 20 / 19 - exact(x)) / error).max() > 6.0


def test_one_batch_of_all_is_the_direct_sum():
    x = np.random.default_rng(2).normal(size=(50, 3))
    for size in (50, 26, 80):  # 26: what is left over joins
        assert np.abs(forces(RandomBatch(KERNEL, size, 5), x, 1)[0] - exact(x)).max() < 1e-14


@pytest.mark.parametrize("dim", [1, 3])
def test_features_of_all_particles_are_the_kernel_and_fewer_are_close(dim):
    x = np.random.default_rng(3).normal(size=(80, dim))
    whole = exact(x)
    assert np.abs(forces(NystroemFeatures(KERNEL, 80, 5), x, 1)[0] - whole).max() < 1e-8
    errors = [np.sqrt(np.mean((forces(NystroemFeatures(KERNEL, size, 5), x, 20) - whole) ** 2)) for size in (2, 10, 60)]
    assert errors[0] > 1.2 * errors[1] > 2.4 * errors[2]


@pytest.mark.parametrize("how", ["random-batch", {"how": "random-batch", "size": 5}, {"how": "nystroem", "size": 20}])
@pytest.mark.thorough
def test_a_run_says_so_and_does_not_depend_on_chunks(how, monkeypatch):
    loss, prior = pg.losses.get("tilted-double-well"), pg.priors.Normal(0.0, 1.0)
    method = pg.methods.DRLE(kernel=KERNEL, repulsion=how)
    runs = []
    for seconds, threads in ((0.1, "1"), (1e-6, "2")):
        monkeypatch.setattr("particlegvi.simulation.chunks.CHUNK_SECONDS", seconds)
        monkeypatch.setenv("NUMBA_NUM_THREADS", threads)
        runs.append(pg.simulate(loss, method, prior=prior, particles=64, steps=50, step_size=1e-3))
    assert runs[0].positions.tobytes() == runs[1].positions.tobytes()
    assert runs[0].info["repulsion_approximation"].startswith("approximate: ")
    assert "repulsion_error_bound" not in runs[0].info
    plain = pg.simulate(loss, pg.methods.DRLE(kernel=KERNEL), prior=prior, particles=64, steps=50, step_size=1e-3)
    assert "repulsion_approximation" not in plain.info
    assert 0.0 < np.abs(plain.final - runs[0].final).max() < 0.1


test_other_values_get_one_sentence = refused(
    lambda value: pg.methods.DRLE(repulsion=value),
    ("fast", "repulsion.* one of exact, random-batch, nystroem"),
    ({"how": "nystroem", "size": 0}, "size of the repulsion must be a whole number from 1 to 4294967296, not 0"),
    ({"how": "random-batch", "size": 1}, "size of the repulsion must be a whole number from 2 to 42949"),
    ({"how": "exact", "size": 3}, 'repulsion.*"how" and "size"'),
    ({"size": 3}, "repulsion.* one of exact"),
    (3, 'repulsion must be a name, or a mapping with "how" and "size", not 3'),
    ({"how": "nystroem", "batch": 3}, 'repulsion.*"how" and "size"'),
)
