"""The closed forms and quadratures that the claims on function space are held to, against others."""

import numpy as np
import pytest
from scipy import integrate

import particlegvi as pg
from particlegvi.functionspace import ExactGaussianProcess
from particlegvi.functionspace.basis import Nystroem
from particlegvi.verification import chance
from particlegvi.verification.claims import coefficient_law, exact_process, sign_mixing


def test_the_law_of_eulers_step_is_stationary_and_the_features_are_the_basis():
    E, A = coefficient_law.posterior()
    engine = Nystroem(coefficient_law.KERNEL, coefficient_law.Z).features(coefficient_law.X)
    np.testing.assert_allclose(E, engine, atol=1e-12)
    h = coefficient_law.SHARE * 2.0 / np.linalg.eigvalsh(A)[-1]
    step = np.eye(3) - h * A
    law = np.linalg.inv(A @ (np.eye(3) - 0.5 * h * A))
    np.testing.assert_allclose(step @ law @ step.T + 2.0 * h * np.eye(3), law, atol=1e-12)


def test_the_exact_process_is_rasmussens():
    gp = ExactGaussianProcess(pg.kernels.SquaredExponential(exact_process.LENGTHSCALE), exact_process.NOISE)
    gp.fit(exact_process.X, exact_process.Y)
    mean, covariance = exact_process.conditioned(exact_process.NEW)
    np.testing.assert_allclose(mean, gp.predict(exact_process.NEW), atol=1e-10)
    np.testing.assert_allclose(covariance, gp.posterior_covariance(exact_process.NEW), atol=1e-10)


def test_the_weights_of_the_signs():
    inverse = np.linalg.inv(sign_mixing.kernel_matrix())
    counts = [sign_mixing.Y[:4], sign_mixing.Y[4:]]

    def density(b, a):
        prior = 0.5 * np.array([a, b]) @ inverse @ np.array([a, b])
        rates = sum(len(c) * f * f - c.sum() * np.log(f * f) for f, c in zip((a, b), counts, strict=True))
        return np.exp(-prior - rates - 20.0)

    mass = [integrate.dblquad(density, 0.5, 5.0, *ends, epsrel=1e-8)[0] for ends in ((0.5, 5.0), (-5.0, -0.5))]
    expected = 0.5 * np.array([mass[0], mass[1], mass[1], mass[0]]) / sum(mass)
    np.testing.assert_allclose(sign_mixing.weights(), expected, atol=1e-6)
    start = sign_mixing.positive_start(3) @ Nystroem(
        pg.kernels.SquaredExponential(lengthscale=1.4, variance=9.0), sign_mixing.Z
    ).features(sign_mixing.Z).T
    np.testing.assert_allclose(start, np.sqrt(5.0), rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["coefficient-law", "coefficient-law-euler", "exact-process", "gaussian-projection"])
def test_false_alarms_are_rare(name):
    """At most 2 of 200 seeds, where a probability of 1e-3 gives more than that once in a thousand tests."""
    from particlegvi.verification import claims

    claim = claims.registry[name]()
    assert sum(not claim.measure(seed, wrong=False).holds for seed in chance.seeds(5, 200)) <= 2
