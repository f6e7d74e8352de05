"""The number of inducing points that a certificate needs: when it stops doubling, and what it says then."""

from __future__ import annotations

import pytest

from particlegvi.functionspace import ExactGaussianProcess, SparseGaussianProcess, likelihoods
from particlegvi.functionspace.covariances import Matern12

from .. import references


class TestAuto:
    k, X, y, noise = references.synthetic()

    def fit(self, **settings):
        return SparseGaussianProcess(self.k, likelihoods.Gaussian(self.noise), "auto", **settings)

    def test_it_doubles_until_the_gap_is_certified(self):
        model = self.fit().fit(self.X, self.y)
        gaps = model.facts["certified_gaps"]
        assert list(gaps) == ["16", "27"] and gaps["16"] > 0.1 >= gaps["27"]
        assert model.facts["stopped"] == "certified_gap" and model.facts["asked"] == 32
        assert len(model.basis.inducing_points) == 27 and model.certify().kl == gaps["27"]
        exact = ExactGaussianProcess(self.k, self.noise).fit(self.X, self.y).log_marginal_likelihood()
        assert exact - model.bound <= gaps["27"]

    def test_it_is_the_fit_with_that_number(self):
        given = SparseGaussianProcess(self.k, likelihoods.Gaussian(self.noise), 32).fit(self.X, self.y)
        model = self.fit().fit(self.X, self.y)
        assert model.predict(self.X).tobytes() == given.predict(self.X).tobytes()

    def test_it_says_why_it_stopped(self):
        X, y = self.X[:60], self.y[:60]
        assert self.fit(most_inducing_points=5).fit(X, y).facts["stopped"] == "most_inducing_points"
        assert len(self.fit(most_inducing_points=5).fit(X, y).basis.inducing_points) == 5
        rough = SparseGaussianProcess(Matern12(0.1), likelihoods.Gaussian(0.01), "auto", certified_gap=1e-300)
        facts = rough.fit(X, y).facts
        assert facts["stopped"] == "all rows" and list(facts["certified_gaps"]) == ["16", "32", "60"]
        facts = self.fit(certified_gap=1e-14).fit(X, y).facts
        assert facts["stopped"] == "no variance left" and facts["found"] < 60


@pytest.mark.parametrize(
    ("points", "settings", "words"),
    [
        ("many", {}, 'inducing_points must be an array, a whole number or "auto", not "many"'),
        ("auto", {"certified_gap": 0.0}, "certified_gap must be a positive finite number, not 0.0"),
        ("auto", {"most_inducing_points": 0}, "most_inducing_points must be a whole number of 1 or more, not 0"),
    ],
)
def test_bad_input_is_refused(points, settings, words):
    with pytest.raises(ValueError, match=words):
        SparseGaussianProcess(Matern12(), likelihoods.Gaussian(0.1), points, **settings)


def test_only_a_gaussian_likelihood_has_a_certificate():
    with pytest.raises(ValueError, match='the likelihood for inducing_points="auto" must be Gaussian, not Bernoulli'):
        SparseGaussianProcess(Matern12(), likelihoods.get("bernoulli-logistic"), "auto")
