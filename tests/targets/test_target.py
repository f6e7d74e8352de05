"""Which target a method has, and what is said where it has none."""

import subprocess
import sys

import numpy as np
import pytest

import particlegvi as pg

from .references import line_loss

LOSS = line_loss(lambda t: (t**2 - 1.0) ** 2, lambda t: 4.0 * t * (t**2 - 1.0))
NORMAL = pg.priors.Normal(0.0, 1.0)


def test_the_weights_decide_which_target_it_is():
    kernel = pg.kernels.SquaredExponential(1.0)
    cases = [
        (pg.methods.DE(), "atoms"),
        (pg.methods.DLE(0.5), "density"),
        (pg.methods.DRLE(0.5, 0.0, kernel=kernel), "density"),
        (pg.methods.DRLE(0.5, 0.5, kernel=kernel), "density"),
        (pg.methods.DRLE(0.0, 0.0, kernel=kernel), "atoms"),
        (pg.methods.FDGVI(0.5), "gaussians"),
    ]
    targets = [pg.target(LOSS, method, prior=NORMAL, initial=NORMAL) for method, _ in cases]
    assert [target.kind for target in targets] == [kind for _, kind in cases]
    x = np.linspace(-2.0, 2.0, 9)
    assert np.array_equal(targets[1].pdf(x), targets[2].pdf(x))
    assert not np.allclose(targets[1].pdf(x), targets[3].pdf(x))


def test_no_prior_is_a_flat_one():
    x = np.linspace(-2.0, 2.0, 9)
    flat = pg.target(LOSS, pg.methods.DLE(0.5), prior=pg.priors.Flat(1))
    assert np.array_equal(pg.target(LOSS, pg.methods.DLE(0.5)).pdf(x), flat.pdf(x))


def test_a_rule_for_the_lengthscale_is_resolved():
    chosen, _ = pg.kernels.resolve(None, NORMAL, None, 5)
    named = pg.target(LOSS, pg.methods.DRLE(0.5, 0.5, kernel=chosen), prior=NORMAL)
    for kernel in (None, pg.kernels.SquaredExponential("median")):
        ruled = pg.target(LOSS, pg.methods.DRLE(0.5, 0.5, kernel=kernel), prior=NORMAL, seed=5)
        assert ruled.mean == pytest.approx(named.mean, abs=1e-12) and ruled.variance == named.variance


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"method": pg.methods.DRE(0.5), "prior": NORMAL}, "C.6.1"),
        ({"method": pg.methods.DE(), "prior": NORMAL}, "initial is missing"),
        ({"method": pg.methods.DE(), "initial": pg.priors.Flat(1)}, "Flat"),
        ({"method": pg.methods.DE(), "initial": "normal"}, "initial is 'normal'"),
        ({"method": pg.methods.DE(), "initial": np.array([0.0, np.nan])}, "initial is an array"),
        ({"method": pg.methods.DE(), "initial": pg.priors.Normal([0.0, 0.0], 1.0)}, "initial has 2 dimensions"),
        (
            {"method": pg.methods.DE(), "initial": NORMAL, "prior": pg.priors.Uniform(-1.0, 1.0)},
            "outside the prior's box",
        ),
        ({"method": pg.methods.DLE(1.0), "prior": pg.priors.Flat(2)}, "prior has 2 dimensions"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(arguments, words):
    with pytest.raises(ValueError, match=words) as caught:
        pg.target(LOSS, **arguments)
    assert "\n" not in str(caught.value)


def test_three_dimensions_are_refused():
    loss = pg.Loss.from_numpy(lambda x: np.sum(x**2, axis=1), lambda x: 2.0 * x, 3)
    with pytest.raises(ValueError, match="3 dimensions"):
        pg.target(loss, pg.methods.DLE(1.0), prior=pg.priors.Flat(3))


def test_nothing_slow_is_imported():
    code = "import sys, particlegvi.targets, particlegvi.diagnostics; sys.exit('scipy.stats' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
