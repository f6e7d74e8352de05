"""Fourier features: reference numbers, and the exact process as their limit."""

import numpy as np
import pytest

from particlegvi import functionspace as fs
from particlegvi.functionspace import covariances, likelihoods
from particlegvi.functionspace import functionals as fl

from ...refusals import refused

M12, M32, M52 = covariances.Matern12, covariances.Matern32, covariances.Matern52
X = np.linspace(0.0, 1.0, 200)[:, None]
Y = np.sin(12.0 * X[:, 0]) + 0.3 * np.cos(97.0 * X[:, 0] + 1.0)
NOISE = likelihoods.Gaussian(noise_variance=0.09)


@pytest.mark.parametrize(
    ("kind", "entries", "before", "after"),
    [
        (M12, (1.8681318681, 0.7692307692, 3.9758825036, 3.2066517344, 0.0), [0.65143906] * 3 + [0, 0],
         [0.56471812] * 3 + [0, 0]),
        (M32, (1.7209070371, 0.7692307692, 4.0157453361, 4.4865417865, 2.4800544392),
         [0.82936319] * 3 + [-0.44863286, -0.89726572], [0.73953204] * 3 + [0.46705691, 0.93411382]),
        (M52, (1.7868411995, 0.5863784910, 4.6245093155, 5.7396040027, 4.4640979906),
         [0.92720415, 0.75686228, 0.24583667, -0.70788514, -1.41577027],
         [0.86220464, 0.64218138, -0.01788840, 0.79761880, 1.59523760]),
    ],
)  # fmt: skip
def test_reference_numbers(kind, entries, before, after):
    k, some = kind(0.7, 1.3), fl.Fourier(-0.5, 1.5, 2)
    assert np.allclose(some.gram(k)[[0, 0, 1, 3, 3], [0, 1, 1, 3, 4]], entries, rtol=1e-9, atol=1e-12)
    cross = some.cross(k, [[-0.8], [0.3], [1.9]])
    inside = [1.0, -0.80901699, 0.30901699, 0.58778525, -0.95105652]
    assert np.allclose(cross.T, [before, inside, after], atol=1e-8)


@pytest.mark.parametrize("kind", [M12, M32, M52])
@pytest.mark.parametrize("ends", [False, True])
def test_inner_products_are_limits_of_grids(kind, ends):
    """g(Z)^T K(Z, Z)^-1 g(Z) grows to <g, g>_k as Z fills [low, high]: the error falls with the spacing."""
    k, some = kind(0.7, 1.3), fl.Fourier(-0.5, 1.5, 2, ends=ends)
    gram, errors = some.gram(k)[:5, :5], []
    for number in (60, 120):
        Z = np.linspace(-0.5, 1.5, number)[:, None]
        g = some.cross(k, Z)[:5]
        errors.append(np.abs(g @ np.linalg.solve(k(Z), g.T) - gram).max())
    assert errors[1] < 0.55 * errors[0] and errors[1] < 0.05 * gram.max()


@pytest.mark.parametrize(
    ("kind", "evidence", "bounds", "mean", "unpadded", "ends"),
    [
        (M12, -33.10331880, (-108.74868770, -78.64834760, -37.18219081), -0.1255118654, 111.8923,
         (8.9804, 3.9177, 2.6157, 1.9564)),
        (M32, -21.92878719, (-26.01769257, -24.80040612, -21.93009949), -0.2641070825, 197.9011,
         (2.7315, 1.3761, 0.6920, 0.3472)),
        (M52, -20.30456540, (-20.49608327, -20.41930964, -20.30472350), -0.2762827296, 256.0076,
         (2.7346, 1.3823, 0.6951, 0.3486)),
    ],
)  # fmt: skip
def test_bounds_reach_the_evidence_where_they_can(kind, evidence, bounds, mean, unpadded, ends):
    k = kind(0.2, 1.0)
    exact = fs.ExactGaussianProcess(k, 0.09).fit(X, Y).log_marginal_likelihood()
    assert exact == pytest.approx(evidence, abs=1e-7)
    fits = [fs.SparseGaussianProcess(k, NOISE, fl.Fourier(-1.0, 2.0, M)).fit(X, Y) for M in (20, 40, 80)]
    assert np.allclose([fit.bound for fit in fits], bounds, atol=1e-6)
    assert fits[-1].predict([[0.5]]).item() == pytest.approx(mean, abs=1e-8)
    stuck = fs.SparseGaussianProcess(k, NOISE, fl.Fourier(0.0, 1.0, 80)).fit(X, Y).bound
    assert exact - stuck == pytest.approx(unpadded, abs=1e-3)
    gaps = [
        exact - fs.SparseGaussianProcess(k, NOISE, fl.Fourier(0.0, 1.0, M, ends=True)).fit(X, Y).bound
        for M in (20, 40, 80, 160)
    ]
    assert np.allclose(gaps, ends, atol=1e-3)


@pytest.mark.parametrize("kind", [M12, M32, M52])
def test_two_sets_on_one_interval_share_their_functions(kind):
    k, large = kind(0.4, 1.3), fl.Fourier(-0.5, 1.0, 4, ends=True)
    gram = large.gram(k)
    for number, ends in ((2, True), (4, False), (0, False)):
        some = fl.Fourier(-0.5, 1.0, number, ends=ends)
        those = [*range(number + 1), *range(5, 5 + number), *(range(9, len(gram)) if ends else ())]
        assert np.allclose(some.between(k, large), gram[those], rtol=1e-12, atol=1e-12 * gram.max())
        assert np.allclose(large.between(k, some), gram[:, those], rtol=1e-12, atol=1e-12 * gram.max())
    process = fs.ExactGaussianProcess(k, 1e-9).fit(large, gram[3])
    assert np.allclose(process.predict(fl.Fourier(-0.5, 1.0, 4)), gram[3, :9], atol=1e-5 * gram.max())


test_bad_features_are_refused = refused(
    (lambda: fl.Fourier(1.0, 1.0, 3), "high must be above low"),
    (lambda: fl.Fourier(0.0, 1.0, 2).gram(covariances.SquaredExponential(0.3)), "must be a Matern covariance"),
    (lambda: fl.Fourier(0.0, 1.0, 2).gram(M32([0.3, 0.4])), "must be a Matern covariance"),
    (lambda: (fl.Fourier(0.0, 1.0, 2) + fl.Fourier(0.0, 2.0, 2)).gram(M32(0.3)), "must have the same interval"),
    (lambda: fs.SparseGaussianProcess(M32(0.3), NOISE, fl.Fourier(0.0, 1.0, 2)).fit(np.ones((3, 2)), np.ones(3)),
     "functions of 2 coordinates like X, not 1"),
    (lambda: (fl.Fourier(0.0, 1.0, 2) + fl.Slopes([[0.5]])).gram(M32(0.3)), "the covariance for slopes must be"),
    (lambda: fs.ExactGaussianProcess(M32(0.3), 0.1, mean=np.ravel).fit(fl.Fourier(0.0, 1.0, 1), np.ones(3)),
     "mean must be None where fourier features are observed"),
)  # fmt: skip
