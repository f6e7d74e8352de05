"""A method's own truth: the example of docs/extending/method.md against a closed form, and answers that are none."""

import re

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.numerics.noise import normals
from particlegvi.methods.flow import ParticleFlow

from ..refusals import refuse

PLANE = pg.target(pg.losses.get("four-gaussians"), pg.methods.DLE(1.0), pg.priors.Normal([0.0, 0.0]))
LOSS, PRIOR = pg.Loss.from_formula("2*(t - 1)^2", ["t"]), pg.priors.Normal(0.0, 1.0)


@pytest.fixture(scope="module")
def tempered(root):
    page = (root / "docs" / "extending" / "method.md").read_text(encoding="utf-8")
    [code] = [block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "class Tempered(" in block]
    names = {"pg": pg, "ParticleFlow": ParticleFlow, "normals": normals}
    exec(code, names)
    return names["Tempered"]


@pytest.mark.thorough
def test_the_truth_of_the_page_is_the_closed_form_and_judges_its_runs(tempered):
    """exp(-(t - 1)^2 - t^2 / 2) is normal with mean 2/3 and variance 1/3; the truth of power 1 is the control."""
    target = pg.target(LOSS, tempered(), PRIOR)
    assert (target.mean, target.variance) == pytest.approx((2.0 / 3.0, 1.0 / 3.0), abs=1e-9)
    settings = {"prior": PRIOR, "particles": 400, "steps": 1500, "step_size": 0.01, "seed": 2}
    run = pg.simulate(LOSS, tempered(), **settings)
    assert "as close as exact draws" in run.describe() and "at equilibrium" in run.describe()
    other = type("Other", (tempered,), {"target": lambda self, *parts: pg.target(LOSS, pg.methods.DLE(1.0), PRIOR)})
    with pytest.warns(UserWarning, match="not at Q"):
        wrong = pg.simulate(LOSS, other(), **settings).describe()
    assert "farther than exact draws" in wrong
    plain = type("Plain", (tempered,), {"target": None})
    refuse(lambda: pg.target(LOSS, plain(), PRIOR), "no minimiser of its objective is known")


def test_draws_are_a_truth_and_other_answers_are_refused(tempered):
    def answering(answer):
        return type("Answering", (tempered,), {"target": lambda self, loss, prior, initial: answer(loss, prior)})()

    draws = np.random.default_rng(0).normal(2.0 / 3.0, 3.0**-0.5, (3000, 1))
    found = pg.target(LOSS, answering(lambda *_: draws), PRIOR)
    assert found.kind == "draws" and found.mean == pytest.approx(draws.mean())
    for answer, words in (
        (
            lambda *_: None,
            r"^target\(loss, prior, initial\) of tempered must be what pg.target returns for dim 1.*None",
        ),
        (lambda *_: 1 / 0, r"^target\(loss, prior, initial\) of tempered failed: ZeroDivisionError"),
        (lambda *_: draws[:20], "50"),
        (lambda *_: np.hstack([draws, draws]), "reference must be"),
        (lambda *_: PLANE, "dim 1"),
    ):
        refuse(lambda answer=answer: pg.target(LOSS, answering(answer), PRIOR), words)
    run = pg.simulate(LOSS, answering(lambda *_: 1 / 0), PRIOR, 10, 5, 0.01)
    assert "failed: ZeroDivisionError" in " ".join(run.describe().split())
