"""The closed forms and quadratures that the claims on function space are held to, against others."""

import numpy as np
import pytest
from scipy import integrate

import particlegvi as pg
from particlegvi.functionspace import ExactGaussianProcess
from particlegvi.functionspace.basis import Nystroem
from particlegvi.verification import chance
from particlegvi.verification.claims import coefficients, whole_process


def test_the_law_of_eulers_step_is_stationary_and_the_features_are_the_basis():
    E, A = coefficients.posterior()
    engine = Nystroem(coefficients.KERNEL, coefficients.Z).features(coefficients.X)
    np.testing.assert_allclose(E, engine, atol=1e-12)
    h = coefficients.SHARE * 2.0 / np.linalg.eigvalsh(A)[-1]
    step = np.eye(3) - h * A
    law = np.linalg.inv(A @ (np.eye(3) - 0.5 * h * A))
    np.testing.assert_allclose(step @ law @ step.T + 2.0 * h * np.eye(3), law, atol=1e-12)


def test_the_exact_process_is_rasmussens():
    gp = ExactGaussianProcess(pg.kernels.SquaredExponential(whole_process.LENGTHSCALE), whole_process.NOISE)
    gp.fit(whole_process.X, whole_process.Y)
    mean, covariance = whole_process.conditioned(whole_process.NEW)
    np.testing.assert_allclose(mean, gp.predict(whole_process.NEW), atol=1e-10)
    np.testing.assert_allclose(covariance, gp.posterior_covariance(whole_process.NEW), atol=1e-10)


def test_the_weights_of_the_signs():
    inverse = np.linalg.inv(coefficients.kernel_matrix())
    counts = [coefficients.COUNTS[:4], coefficients.COUNTS[4:]]

    def density(b, a):
        prior = 0.5 * np.array([a, b]) @ inverse @ np.array([a, b])
        rates = sum(len(c) * f * f - c.sum() * np.log(f * f) for f, c in zip((a, b), counts, strict=True))
        return np.exp(-prior - rates - 20.0)

    mass = [integrate.dblquad(density, 0.5, 5.0, *ends, epsrel=1e-8)[0] for ends in ((0.5, 5.0), (-5.0, -0.5))]
    expected = 0.5 * np.array([mass[0], mass[1], mass[1], mass[0]]) / sum(mass)
    np.testing.assert_allclose(coefficients.weights(), expected, atol=1e-6)
    basis = Nystroem(coefficients.WIDE, coefficients.POINTS)
    start = coefficients.positive_start(3) @ basis.features(coefficients.POINTS).T
    np.testing.assert_allclose(start, np.sqrt(5.0), rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["coefficient-law", "coefficient-law-euler", "exact-process", "gaussian-projection"])
def test_false_alarms_are_rare(name):
    """At most 2 of 200 seeds, where a probability of 1e-3 gives more than that once in a thousand tests."""
    from particlegvi.verification import claims

    claim = claims.registry[name]()
    assert sum(not claim.experiment(seed, wrong=False).holds for seed in chance.seeds(5, 200)) <= 2
