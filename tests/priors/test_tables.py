"""Tables in place of slow mean embeddings, against quadrature around the point and around the centre of the prior."""

import numpy as np
import pytest

from particlegvi import kernels, priors
from particlegvi.engine.terms import evaluate
from particlegvi.priors import tabulating
from particlegvi.priors.embedding_table import EmbeddingTable
from particlegvi.priors.gaussian_sums import gaussian_sum

from .test_embeddings import Cauchy

PRIORS = [
    lambda place, scale: priors.Laplace(place, scale),
    lambda place, scale: priors.StudentT(3.9, place, scale),
    lambda place, scale: priors.StudentT(0.7, place, scale),
    lambda place, scale: priors.Prior.from_formula(f"exp(-abs((t - {place})/{scale})^3)"),
]
KERNELS = [kernels.Matern32, kernels.Matern52, kernels.InverseMultiquadric]
UNIT, SHARES = np.polynomial.legendre.leggauss(20)


def by_quadrature(prior, kernel, x, place=None):
    """E kappa(x, T) by 20 nodes in each of the panels around x and around the centre."""
    away = 2.0 ** np.arange(-12.0, 90.0)
    place = float(prior.location[0]) if place is None else place
    at = [centre + side * away for centre in (x, place) for side in (-1.0, 1.0)]
    edges = np.unique(np.clip(np.concatenate([*at, [x, place]]), prior.low[0], prior.high[0]))
    half = 0.5 * np.diff(edges)[:, None]
    nodes = edges[:-1, None] + half * (1.0 + UNIT)
    density = np.exp(prior.log_density(nodes.reshape(-1, 1))).reshape(nodes.shape)
    return float(np.sum(half * SHARES * density * np.vectorize(kernel.value)((nodes - x) ** 2)))


def worst(prior, kernel, term, place=None, scale=None):
    place = float(prior.location[0]) if place is None else place
    x = place + (float(prior.scale[0]) if scale is None else scale) * np.array([-20.0, -1.3, 0.01, 0.8, 3.0])
    return max(abs(term.value(np.array([each])) - by_quadrature(prior, kernel, each, place)) for each in x)


@pytest.mark.parametrize("number", [4, pytest.param(100, marks=pytest.mark.thorough)])
def test_random_pairs_err_by_less_than_they_state(number, rng):
    for k in range(number):
        place, scale, lengthscale = rng.normal(), 10.0 ** rng.uniform(-1.0, 1.0), 10.0 ** rng.uniform(-1.0, 1.0)
        prior, kernel = PRIORS[k % 3 if k % 10 else 3](place, scale), KERNELS[rng.integers(3)](lengthscale)
        found = priors.embedding(prior, kernel)
        assert isinstance(found.term, EmbeddingTable) and found.error < 1e-7
        assert worst(prior, kernel, found.term) <= found.error + 1e-12


@pytest.mark.slow
def test_two_hundred_pairs_of_every_prior_and_kernel_err_by_less_than_they_state(rng):
    every = [
        *PRIORS, priors.Normal, lambda place, scale: priors.Uniform(place - scale, place + 2.0 * scale),
        lambda place, scale: priors.GaussianMixture([place, place + 3.0 * scale], scale),
    ]  # fmt: skip
    shares, k = [], 0
    while len(shares) < 200:
        k += 1
        place, scale, lengthscale = rng.normal(), 10.0 ** rng.uniform(-1.0, 1.0), 10.0 ** rng.uniform(-1.0, 1.0)
        prior = every[k % len(every)](place, scale)
        kernel = [*KERNELS, kernels.SquaredExponential, Cauchy][rng.integers(5)](lengthscale)
        try:
            found = priors.embedding(prior, kernel)
        except ValueError:  # in a sentence, where nodes cannot resolve the kernel of a user
            assert isinstance(kernel, Cauchy)
            continue
        error = worst(prior, kernel, found.term, place, scale)
        assert error <= found.error + 1e-12, (prior, kernel, found.description, error)
        aside = by_quadrature(prior, kernel, place + 0.1 * scale, place)
        shares.append(abs(found.term.value(np.array([place])) - aside))
    assert np.median(shares) > 1e-4  # control: a tenth of a scale away the quadrature disagrees


def test_a_table_of_few_panels_says_so_and_is_seen(monkeypatch):
    """Control: the quadrature sees a rough table, and the rough table states its error."""
    prior, kernel = priors.Laplace(0.3, 0.7), kernels.Matern32(0.8)
    fine = priors.embedding(prior, kernel)
    direct = prior.smooth(*gaussian_sum(kernel)[:2])
    x = np.linspace(-3.0, 3.0, 41)[:, None]
    assert np.abs(evaluate.gradients(fine.term, x) - evaluate.gradients(direct, x)).max() <= fine.term.slope_error
    for key, number in (("FIT", 1.0), ("WORST_SLOPE", np.inf), ("_edges", lambda terms: np.linspace(-24.3, 24.3, 9))):
        monkeypatch.setattr(tabulating, key, number)
    rough = tabulating.tabulated(direct, prior)
    assert 1e-4 < worst(prior, kernel, rough) <= rough.error
    assert 1e-4 < np.abs(evaluate.gradients(rough, x) - evaluate.gradients(direct, x)).max() <= rough.slope_error


@pytest.mark.thorough
def test_every_pair_on_the_line_is_quick():
    """A step may afford a table, one function, or a few hundred Gaussians for each particle."""
    for name in kernels.names():
        for make in (*PRIORS, priors.Normal, lambda a, b: priors.GaussianMixture([a, a + 1.0, a + 2.0], b)):
            term = priors.embedding(make(0.3, 1.1), kernels.get(name)).term
            assert isinstance(term, EmbeddingTable) or len(term[-1]) <= tabulating.MOST_GAUSSIANS
            assert isinstance(term, EmbeddingTable) or type(term).__name__ != "LaplaceEmbedding" or len(term[-1]) == 1


@pytest.mark.thorough
@pytest.mark.parametrize("make", [priors.Laplace, lambda a, b: priors.StudentT(4.0, a, b), priors.Uniform])
def test_in_the_plane_a_table_is_the_product(make, rng):
    prior, kernel = make([-1.0, 0.5], [0.4, 2.0]), kernels.Matern52(0.6)
    found = priors.embedding(prior, kernel).term
    direct = prior.smooth(*gaussian_sum(kernel)[:2])
    assert isinstance(found, EmbeddingTable) and not isinstance(direct, EmbeddingTable)
    x = rng.normal(size=(50, 2)) * 2.0
    assert np.abs(evaluate.values(found, x) - evaluate.values(direct, x)).max() <= found.error
    assert np.abs(evaluate.gradients(found, x) - evaluate.gradients(direct, x)).max() <= 2.0 * found.slope_error


@pytest.mark.thorough
def test_heavy_tails_count_under_the_kernel_of_a_user():
    """A box of some standard deviations would lose 5e-4 of this prior."""
    for freedom in (3.0, 1.0):
        prior, kernel = priors.StudentT(freedom), Cauchy(0.7)
        found = priors.embedding(prior, kernel)
        assert found.error < 1e-4
        assert abs(found.term.value(np.array([9.0])) - by_quadrature(prior, kernel, 9.0)) <= found.error
        assert abs(by_quadrature(prior, kernel, 9.0) - by_quadrature(prior, kernel, 9.1)) > found.error  # control


@pytest.mark.thorough
def test_an_embedding_is_made_once_for_the_same_numbers_and_code():
    first = priors.embedding(priors.StudentT(3.0), kernels.Matern32(0.5))
    assert priors.embedding(priors.StudentT(3.0), kernels.Matern32(0.5)) is first
    others = [(priors.StudentT(3.5), kernels.Matern32(0.5)), (priors.StudentT(3.0), kernels.Matern52(0.5)),
              (priors.StudentT(3.0), kernels.Matern32(0.6))]  # fmt: skip
    assert all(priors.embedding(*pair) is not first for pair in others)

    class Changed(Cauchy):
        def value(self, r2):
            return 2.0 / (1.0 + r2 / self.lengthscale**2)

        def slope(self, r2):
            return -2.0 / self.lengthscale**2 / (1.0 + r2 / self.lengthscale**2) ** 2

    Changed.__name__ = Changed.__qualname__ = "Cauchy"
    for kernel, height in ((Cauchy(0.5), 1.0), (Changed(0.5), 2.0)):
        nodes = priors.embedding(priors.Uniform(-1e-9, 1e-9), kernel, how="quadrature").term
        assert evaluate.values(nodes, np.zeros((1, 1)))[0] == pytest.approx(height)
