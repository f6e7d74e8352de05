"""Models of Stan by a stand-in for BridgeStan: names, shapes, units, and the law of the draws."""

import numpy as np
import pytest
from scipy import stats

import particlegvi as pg
from particlegvi.losses.models.of_stan import arrays

from ...refusals import refuse
from .stan_model import MEANS, StanModel


@pytest.fixture(scope="module")
def run():
    return pg.sample(pg.Loss.from_bridgestan(StanModel()), seed=1, progress=None)


def test_the_loss_is_minus_the_log_density_with_the_jacobian(rng):
    loss = pg.Loss.from_bridgestan(StanModel())
    assert (loss.kind, loss.name, loss.dim) == ("Stan", "gamma_model", 7)
    theta = rng.standard_normal((4, 7))
    density = stats.gamma(3.0, scale=0.5).logpdf(np.exp(theta[:, 0])) + theta[:, 0]
    expected = -density - stats.norm.logpdf(theta[:, 1:], MEANS).sum(axis=1)
    gap = loss.value(theta) - expected
    assert np.ptp(gap) < 1e-12  # a constant, which Stan leaves out
    assert np.ptp(loss.value(theta) - expected + theta[:, 0]) > 0.1  # the control: without the Jacobian
    assert loss.value(np.full(7, 8.0)) == np.inf  # where Stan rejects


def test_names_and_shapes_are_those_of_the_model():
    loss = pg.Loss.from_bridgestan(StanModel())
    assert loss.variables == [
        "rate (unconstrained)", "b[0, 0]", "b[1, 0]", "b[0, 1]", "b[1, 1]", "b[0, 2]", "b[1, 2]"
    ]  # fmt: skip
    assert loss.names == ["rate", "b", "half"]
    own = loss.constrain([np.log(3.0), *MEANS])
    assert own["rate"] == pytest.approx(3.0) and own["half"] == pytest.approx(1.5)
    assert own["b"].tolist() == [[11.0, 12.0, 13.0], [21.0, 22.0, 23.0]]
    assert loss.constrain(np.zeros((5, 7)))["b"].shape == (5, 2, 3)
    assert arrays(["t:1", "t:2"], np.ones((2, 2))).keys() == {"t:1", "t:2"}


def test_draws_have_the_law_in_the_units_of_the_model(run):
    draws = run.draws()
    assert run.arrived and draws["b"].shape == (200, 2, 3)
    rate = draws["rate"]
    assert stats.kstest(rate, stats.gamma(3.0, scale=0.5).cdf).statistic < 1.95 / np.sqrt(200)
    assert stats.kstest(rate, stats.gamma(3.0, scale=1.0).cdf).statistic > 1.95 / np.sqrt(200)  # the control
    assert np.all(np.abs(draws["b"].mean(axis=0).T.ravel() - MEANS) < 4.5 / np.sqrt(200))


def test_the_words_and_the_table_have_the_names(run):
    words = run.describe()
    assert "b[1, 2]" in words and "half" in words and "unconstrained" not in words
    columns = run.columns()
    assert np.array_equal(columns["rate"], run.draws()["rate"]) and "b[0, 1]" in columns
    assert len(run.columns(records=True)["half"]) == 200 * len(run.steps)


def test_the_picture_has_a_panel_for_each_variable(run):
    labels = [axes.get_xlabel() for axes in run.plot().axes if axes.get_visible()]
    assert labels == list(run.entries()) and len(labels) == 8


@pytest.mark.needs("arviz")
def test_arviz_has_the_variables_of_the_model(run):
    posterior = run.to_inference_data().posterior
    assert set(posterior.data_vars) == {"rate", "b", "half"}
    assert posterior["b"].dims == ("chain", "draw", "b_dim_0", "b_dim_1")
    assert np.array_equal(posterior["rate"].values[:, -1], run.draws()["rate"])


def test_bad_models_are_refused():
    class Empty(StanModel):
        def param_unc_num(self):
            return 0

    class Impossible(StanModel):
        def log_density_gradient(self, theta_unc, **options):
            raise RuntimeError("rejected")

    refuse(lambda: pg.Loss.from_bridgestan("model.stan"), "model must be a bridgestan.StanModel, .*, not")
    refuse(lambda: pg.Loss.from_bridgestan(Empty()), "must have a continuous variable that is not observed")
    refuse(lambda: pg.Loss.from_bridgestan(Impossible()), "value is not finite at any of 106 trial points")
