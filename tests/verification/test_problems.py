"""What the experiments know in closed form, against the engine's own terms."""

import numpy as np

import particlegvi as pg
from particlegvi.engine.terms.evaluate import values
from particlegvi.priors import embedding
from particlegvi.verification import problems

T = np.linspace(-4.0, 4.0, 41)


def test_loss_embedding_and_potential():
    np.testing.assert_allclose(problems.loss(T), problems.LOSS.value(T[:, None]), atol=1e-12)
    mean = values(embedding(problems.PRIOR, problems.KERNEL).term, T[:, None])
    np.testing.assert_allclose(problems.embedding(T), mean, atol=1e-15)
    method = problems.STRONG
    by_parts = problems.LOSS.value(T[:, None]) - 2.0 * 1.0 * mean - 0.5 * problems.PRIOR.log_density(T[:, None])
    gap = problems.potential(T, method) - by_parts
    np.testing.assert_allclose(gap, gap[0], atol=1e-12)


def test_formulas_are_the_same_functions():
    for formula, function in (
        (problems.LOSS_FORMULA, problems.loss),
        (problems.EMBEDDING_FORMULA, problems.embedding),
    ):
        written = pg.Loss.from_formula(formula, variables=["t"]).value(T[:, None])
        np.testing.assert_allclose(written, function(T), atol=1e-12)


def test_the_swapped_loss_turns_v_into_the_printed_one():
    """loss' - lambda1 mu_P - lambda2 log p = loss - lambda1 log p - lambda2 mu_P, with lambda1 = 2, lambda2 = 0.5."""
    changed = problems.swapped(problems.STRONG).value(T[:, None])
    flown = changed - 2.0 * problems.embedding(T) + 0.5 * 0.5 * T**2
    printed = problems.loss(T) + 2.0 * 0.5 * T**2 - 0.5 * problems.embedding(T)
    np.testing.assert_allclose(flown, printed, atol=1e-12)
