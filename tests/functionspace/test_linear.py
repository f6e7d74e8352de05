"""Least squares and logistic regression against numpy's and scipy's own."""

import numpy as np
import pytest
from scipy import optimize

from particlegvi.functionspace import LinearRegression, LogisticRegression

RNG = np.random.default_rng(4)
X = RNG.normal(size=(40, 3)) * [1.0, 20.0, 0.1] + [5.0, -3.0, 100.0]
Y = X @ [0.5, -0.1, 3.0] + 2.0 + RNG.normal(size=40)
NEW = RNG.normal(size=(6, 3)) + [5.0, -3.0, 100.0]


def design(X):
    return np.hstack([np.ones((len(X), 1)), X])


class TestLinear:
    def test_against_the_normal_equations(self):
        model = LinearRegression().fit(X, Y)
        expected = np.linalg.lstsq(design(X), Y, rcond=None)[0]
        np.testing.assert_allclose([model.intercept, *model.coefficients], expected, rtol=1e-8)
        residual = Y - design(X) @ expected
        noise = residual @ residual / 36
        assert model.noise_variance == pytest.approx(noise, rel=1e-9)
        mean, sd = model.predict(NEW, return_std=True)
        np.testing.assert_allclose(mean, design(NEW) @ expected, rtol=1e-9)
        inverse = np.linalg.inv(design(X).T @ design(X))
        expected = noise * np.einsum("ni,ij,nj->n", design(NEW), inverse, design(NEW))
        np.testing.assert_allclose(sd**2, expected, rtol=1e-6)

    def test_constant_and_repeated_columns_do_no_harm(self):
        wide = np.hstack([X, np.full((40, 1), 0.1), X[:, :1]])
        new = np.hstack([NEW, np.full((6, 1), 0.1), NEW[:, :1]])
        expected = LinearRegression().fit(X, Y)
        found = LinearRegression().fit(wide, Y)
        for ours, right in zip(found.predict(new, True), expected.predict(NEW, True), strict=True):
            np.testing.assert_allclose(ours, right, rtol=1e-8)
        assert found.noise_variance == pytest.approx(expected.noise_variance)
        assert found.coefficients[3] == 0.0

    def test_more_columns_than_rows_interpolates_and_knows_no_noise(self):
        model = LinearRegression().fit(X[:3], Y[:3])
        np.testing.assert_allclose(model.predict(X[:3]), Y[:3])
        assert np.isnan(model.noise_variance)

    def test_only_constant_columns_leave_the_mean(self):
        model = LinearRegression().fit(np.full((40, 2), 3.0), Y)
        np.testing.assert_allclose(model.predict([[3.0, 3.0]]), Y.mean())
        assert model.noise_variance == pytest.approx(Y.var(ddof=1))


class TestLogistic:
    labels = (RNG.uniform(size=40) < 1.0 / (1.0 + np.exp(-(X[:, 0] - 5.0) * 2.0))).astype(float)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)

    def test_is_the_minimum_that_scipy_finds(self):
        model = LogisticRegression(penalty=0.7).fit(self.scaled, self.labels)

        def cost(w):
            f = design(self.scaled) @ w
            return np.sum(np.log1p(np.exp(-np.where(self.labels == 1.0, f, -f)))) + 0.35 * w[1:] @ w[1:]

        found = optimize.minimize(cost, np.zeros(4), method="BFGS", options={"gtol": 1e-8})
        np.testing.assert_allclose([model.intercept, *model.coefficients], found.x, atol=1e-6)
        new = self.scaled[:5] + 1.0
        np.testing.assert_allclose(model.predict(new), 1.0 / (1.0 + np.exp(-design(new) @ found.x)), atol=1e-6)

    def test_inputs_far_from_zero_are_as_good(self):
        near = LogisticRegression().fit(self.scaled, self.labels)
        far = LogisticRegression().fit(self.scaled + 1e4, self.labels)
        np.testing.assert_allclose(far.predict(self.scaled + 1e4), near.predict(self.scaled), atol=1e-9)

    def test_separable_labels_have_a_finite_answer(self):
        x = np.linspace(-1.0, 1.0, 20)
        model = LogisticRegression(penalty=1e-3).fit(x, x > 0.0)
        assert np.all(np.isfinite(model.coefficients)) and model.coefficients[0] > 10.0
        assert np.array_equal(model.predict(x) > 0.5, x > 0.0)

    @pytest.mark.parametrize("labels", [np.ones(40), np.linspace(0, 1, 40), -np.ones(40)])
    def test_other_labels_are_refused(self, labels):
        with pytest.raises(ValueError, match="0 and 1, each at least once"):
            LogisticRegression().fit(X, labels)
