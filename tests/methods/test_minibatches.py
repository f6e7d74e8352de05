"""Losses whose gradient depends on the step: minibatches of least squares, against a loop in numpy."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.numerics.noise import normals, uniforms

from ..flows import numpy_run, problem

ROWS, BATCH, STEPS, SIZE, SEED = 40, 5, 23, 0.01, 6
DESIGN = normals(1, "prior", ROWS, 2)
TARGETS = DESIGN @ [1.0, -0.5] + 0.3 * normals(2, "prior", ROWS, 1)[:, 0]
PRIOR = pg.priors.Normal([0.0, 0.0], [1.0, 1.0])


def value(X):
    return 0.5 * np.mean((X @ DESIGN.T - TARGETS) ** 2, axis=1)


def slope(X, rows):
    return (X @ DESIGN[rows].T - TARGETS[rows]) @ DESIGN[rows] / len(rows)


def batch(step, seed):
    """Rows of a step, from the counter-based noise: a function of the step and the seed."""
    return np.argsort(uniforms(seed, "draws", ROWS, 1, step)[:, 0])[:BATCH]


def full(X):
    return slope(X, np.arange(ROWS))


def gradient_at(X, step, seed):
    return slope(X, batch(step, seed))


LOSS = pg.Loss.from_numpy(value, full, 2, gradient_at=gradient_at)
WHOLE = pg.Loss.from_numpy(value, full, 2)


@pytest.mark.parametrize("integrator", ["euler-maruyama", "heun"])
@pytest.mark.sample("euler*")
def test_runs_agree_with_a_loop_in_numpy_over_the_same_batches(integrator):
    def run(loss):
        return pg.simulate(
            loss, pg.methods.DLE(0.3), PRIOR, 7, STEPS, SIZE, seed=SEED, integrator=integrator, record_every=0
        ).final

    start = PRIOR.sample(7, seed=SEED)
    gradient = lambda X, step: gradient_at(X, step, SEED)
    right = numpy_run(integrator, gradient, pg.methods.DLE(0.3), PRIOR, start, [SIZE] * STEPS, SEED)
    np.testing.assert_allclose(run(LOSS), right, rtol=0, atol=1e-13)
    # controls: the batch of the step after, the batches of another seed, and no batches at all
    late = pg.Loss.from_numpy(value, full, 2, gradient_at=lambda X, step, seed: gradient_at(X, step + 1, seed))
    other = pg.Loss.from_numpy(value, full, 2, gradient_at=lambda X, step, seed: gradient_at(X, step, seed + 1))
    for wrong in (late, other, WHOLE):
        assert np.abs(run(wrong) - right).max() > 1e-4


def test_svgd_and_fdgvi_take_the_batch_of_the_step():
    step, taken = 5, []

    def noted(X, step, seed):
        taken.append((step, seed, X.shape))
        return gradient_at(X, step, seed)

    loss = pg.Loss.from_numpy(value, full, 2, gradient_at=noted)
    for method, rows in ((pg.methods.SVGD(0.3), 7), (pg.methods.FDGVI(0.3, 8), 8)):
        start = PRIOR.sample(7, seed=SEED)
        flow = method.flow(problem(loss, PRIOR, start, 9, SIZE, SEED))
        taken.clear()
        flow.advance(step, 2)
        assert taken == [(5, SEED, (rows, 2)), (6, SEED, (rows, 2))]


def test_mala_keeps_the_law_of_the_whole_loss():
    run = lambda loss: pg.simulate(loss, pg.methods.DLE(0.3), PRIOR, 7, STEPS, SIZE, seed=SEED, integrator="mala").final
    assert run(LOSS).tobytes() == run(WHOLE).tobytes()


@pytest.mark.parametrize("wrong", [lambda X, step, seed: X[:, 0], lambda X, step, seed: "none"])
def test_a_gradient_of_the_wrong_shape_is_one_sentence(wrong):
    with pytest.raises(ValueError, match=r"gradient_at\(X\) returned .*; it must return real .* shape \(2, 2\)"):
        pg.Loss.from_numpy(value, full, 2, gradient_at=wrong)
    batch = lambda X, step, seed: full(X) if len(X) < 3 else wrong(X, 0, 0)
    later = pg.Loss.from_numpy(value, full, 2, gradient_at=batch)
    with pytest.raises(ValueError, match=r"gradient_at\(X\) returned .*; it must return real .* shape \(3, 2\)"):
        later.gradient_at(np.zeros((3, 2)), 0, 0)
    with pytest.raises(ValueError, match="gradient_at"):
        pg.Loss.from_numpy(value, full, 2, gradient_at=0)
