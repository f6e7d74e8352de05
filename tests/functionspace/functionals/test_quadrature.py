"""Means over intervals under covariances without closed forms: by panels, whose error is stated and holds."""

import numpy as np
import pytest
from scipy.integrate import quad

from particlegvi.functionspace import ExactGaussianProcess, covariances
from particlegvi.functionspace import functionals as fl
from particlegvi.functionspace.functionals import terms as quadrature

MEANS = fl.Intervals([0.0, 0.25, 0.2, 0.9], [0.25, 0.5, 0.8, 1.4])
VALUES = fl.Points(np.linspace(-0.5, 1.5, 9)[:, None])
ROUGH = covariances.Matern12(0.3) * covariances.Periodic(0.7, 0.8, 1.0)


@pytest.mark.parametrize(
    "k",
    [covariances.SquaredExponential(0.3, 1.7), covariances.Matern12(0.3, 1.7), covariances.Matern32(0.3, 1.7)],
)
def test_they_equal_closed_forms_where_there_are_some(k):
    for a, b in ((MEANS, MEANS), (MEANS, VALUES), (VALUES, MEANS)):
        found, error = quadrature.by_panels(k, a.terms(), b.terms())
        assert np.abs(found - a.between(k, b)).max() < 1e-10 and error < 1e-10


def test_a_kink_is_cut_out(monkeypatch):
    """Control: panels that are not cut where a kernel has its kink are wrong by far more than what they state."""
    cross = MEANS.cross(ROUGH, VALUES.X)
    exact = quad(lambda t: ROUGH([[t]], [[0.25]]).item(), 0.2, 0.8, points=[0.25], epsabs=1e-13)[0] / 0.6
    assert cross[2, 3] == pytest.approx(exact, abs=1e-11)
    inner = lambda s: quad(lambda t: ROUGH([[t]], [[s]]).item(), 0.2, 0.8, points=[s], epsabs=1e-10)[0]
    exact = quad(inner, 0.25, 0.5, epsabs=1e-9)[0] / (0.6 * 0.25)
    assert MEANS.gram(ROUGH)[1, 2] == pytest.approx(exact, abs=1e-8)
    at, weights = quadrature._rule(np.array([0.2]), np.array([0.8]), 1)
    uncut = weights[0] @ ROUGH(at[0][:, None], [[0.25]])[:, 0] / 0.6
    assert abs(uncut - cross[2, 3]) > 1e-4


def test_the_error_is_stated(monkeypatch):
    union = fl.Intervals([0.0, 0.5], [0.5, 1.5]) + fl.Points([[0.1]])
    assert "quadrature_error" not in union.facts()
    gram = union.gram(ROUGH)
    stated = union.facts()["quadrature_error"]
    assert 0.0 < stated < 1e-10 and np.linalg.eigvalsh(gram)[0] > 0.0
    monkeypatch.setattr(quadrature, "MOST", 2)
    rough = fl.Intervals([0.0, 0.5], [0.5, 1.5])
    short = covariances.InverseMultiquadric(0.02, 1.0)
    coarse = rough.gram(short)
    monkeypatch.setattr(quadrature, "MOST", 64)
    fine = fl.Intervals([0.0, 0.5], [0.5, 1.5]).gram(short)
    assert 1e-9 < np.abs(coarse - fine).max() <= rough.facts()["quadrature_error"]


def test_a_curve_with_a_period_from_its_means():
    """Twelve means of a periodic function, at one noise; the process knows its period, and so the next year."""
    k, low = covariances.Periodic(1.0, 1.0, 1.0), np.arange(12) / 12.0
    truth = lambda x: np.sin(2.0 * np.pi * x)
    y = 12.0 * (np.cos(2.0 * np.pi * low) - np.cos(2.0 * np.pi * (low + 1.0 / 12.0))) / (2.0 * np.pi)
    gp = ExactGaussianProcess(k, noise_variance=1e-6).fit(fl.Intervals(low, low + 1.0 / 12.0), y)
    x = np.array([[0.13], [2.4], [-0.7]])
    assert np.allclose(gp.predict(x), truth(x[:, 0]), atol=2e-3)
    both = fl.Intervals(low, low + 1.0 / 12.0).gram(k + covariances.Matern32(0.3))
    parts = [fl.Intervals(low, low + 1.0 / 12.0).gram(each) for each in (k, covariances.Matern32(0.3))]
    assert np.allclose(both, parts[0] + parts[1], atol=1e-11)
