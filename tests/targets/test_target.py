"""Which target a method has, and what is said where it has none."""

import pickle

import numpy as np
import pytest
from scipy import stats

import particlegvi as pg
from particlegvi.contracts import Target

from ..refusals import refuse, refused
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
    assert [(target.kind, target.dim) for target in targets] == [(kind, 1) for _, kind in cases]
    for target in targets:
        assert [name for name in vars(Target) if not name.startswith("_") and not hasattr(target, name)] == []
        assert target.sample(5, seed=3).shape == (5, 1)
        np.testing.assert_array_equal(target.sample(5, seed=3), target.sample(5, seed=3))
    x = np.linspace(-2.0, 2.0, 9)
    assert np.array_equal(targets[1].pdf(x), targets[2].pdf(x))
    assert not np.allclose(targets[1].pdf(x), targets[3].pdf(x))


def test_the_name_of_a_method_stands_for_its_defaults():
    x = np.linspace(-2.0, 2.0, 9)
    assert np.array_equal(pg.target(LOSS, "DLE", NORMAL).pdf(x), pg.target(LOSS, pg.methods.DLE(), NORMAL).pdf(x))
    refuse(lambda: pg.target(LOSS, "DEL", NORMAL), '^there is no method "DEL"')


def test_no_prior_is_a_flat_one():
    x = np.linspace(-2.0, 2.0, 9)
    flat = pg.target(LOSS, pg.methods.DLE(0.5), prior=pg.priors.Flat(1))
    assert np.array_equal(pg.target(LOSS, pg.methods.DLE(0.5)).pdf(x), flat.pdf(x))


@pytest.mark.thorough
def test_a_rule_for_the_lengthscale_is_resolved():
    chosen, _ = pg.kernels.resolve(None, NORMAL, None, 5)
    named = pg.target(LOSS, pg.methods.DRLE(0.5, 0.5, kernel=chosen), prior=NORMAL)
    for kernel in (None, pg.kernels.SquaredExponential("median")):
        ruled = pg.target(LOSS, pg.methods.DRLE(0.5, 0.5, kernel=kernel), prior=NORMAL, seed=5)
        assert ruled.mean == pytest.approx(named.mean, abs=1e-12) and ruled.variance == named.variance


DE, DLE = pg.methods.DE(), pg.methods.DLE(1.0)
test_what_cannot_be_is_said_in_one_sentence = refused(
    lambda arguments: pg.target(**{"loss": LOSS, **arguments}),
    ({"loss": pg.losses.get("quadratic", dim=3), "method": DLE, "prior": pg.priors.Flat(3)}, "3 dimensions"),
    ({"method": pg.methods.DRE(0.5), "prior": NORMAL}, "C.6.1"),
    ({"method": DE, "initial": pg.priors.Flat(1)}, "Flat"),
    ({"method": DE, "initial": np.array([0.0, np.nan])}, r"initial must .*, not one with NaN"),
    ({"method": DE, "initial": NORMAL, "prior": pg.priors.Uniform(-1.0, 1.0)}, "outside the prior's box"),
    ({"method": DLE, "prior": pg.priors.Flat(2)}, "prior must be of dimension 1, a.*, not 2"),
)


class Mine(pg.methods.Method):
    label, kl_weight = "mine", 0.5

    def flow(self, problem):
        raise AssertionError("no target is simulated")


@pytest.mark.thorough
def test_the_objective_decides():
    """The control: what the contract does ask for changes the target."""

    class Gaussians(Mine):
        objective = "gaussians"

    class Reference(Mine):
        objective = "reference"

    class Wanders(Mine):
        objective = "none"

    class Repulsive(Mine):
        mmd_weight, kernel = 0.5, pg.kernels.SquaredExponential(1.0)

    assert pg.target(LOSS, Gaussians(), prior=NORMAL, initial=NORMAL).kind == "gaussians"
    refuse(lambda: pg.target(LOSS, Reference(), prior=NORMAL), "the mine goes to the reference")
    words = "^the method mine has no target, because no minimiser of its objective is"
    refuse(lambda: pg.target(LOSS, Wanders(), prior=NORMAL), words)
    repulsive = pg.target(LOSS, Repulsive(), prior=NORMAL)
    drle = pg.target(LOSS, pg.methods.DRLE(0.5, 0.5, kernel=pg.kernels.SquaredExponential(1.0)), prior=NORMAL)
    x = np.linspace(-2.0, 2.0, 9)
    assert np.array_equal(repulsive.pdf(x), drle.pdf(x))
    assert not np.allclose(repulsive.pdf(x), pg.target(LOSS, Mine(), prior=NORMAL).pdf(x))
    Gaussians.mmd_weight = 0.5
    with pytest.raises(ValueError, match="kl_weight of .* must be above 0 and mmd_weight 0 for a target over Gau"):
        pg.target(LOSS, Gaussians(), prior=NORMAL)


def test_a_user_who_lets_numpy_raise_has_the_target():
    right = pg.target(LOSS, pg.methods.DLE(0.5), prior=NORMAL).mean
    with np.errstate(all="raise"):
        assert pg.target(LOSS, pg.methods.DLE(0.5), prior=NORMAL).mean == right


PLANE = pg.losses.get("quadratic", curvature=[1.0, 4.0], centre=[1.0, -2.0])


def test_draws_on_the_line_follow_the_distribution_function():
    target = pg.target(pg.losses.get("tilted-double-well"), pg.methods.DLE(1.0), prior=pg.priors.Normal())
    x = target.sample(4000, seed=1)
    assert x.shape == (4000, 1)
    assert stats.kstest(x[:, 0], target.cdf).pvalue > 1e-3
    assert stats.kstest(1.1 * x[:, 0], target.cdf).pvalue < 1e-3


def test_draws_in_the_plane_follow_the_density():
    """The quadratic's Gibbs density is Normal: squared radii of standardised draws are chi-squared, angles uniform."""
    target = pg.target(PLANE, pg.methods.DLE(0.5), prior=pg.priors.Flat(2))
    x = target.sample(20_000, seed=2)
    z = (x - [1.0, -2.0]) / np.sqrt([0.5, 0.125])
    assert stats.kstest(np.sum(z**2, axis=1), stats.chi2(2).cdf).pvalue > 1e-3
    assert stats.kstest(np.arctan2(z[:, 1], z[:, 0]), stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > 1e-3
    assert np.array_equal(x, target.sample(20_000, seed=2))
    assert not np.array_equal(x, target.sample(20_000, seed=3))


@pytest.mark.parametrize("name", ["banana", "four-gaussians", "ring"])
@pytest.mark.sample("ring")
def test_draws_fall_into_boxes_as_often_as_the_quadrature_says(name):
    target = pg.target(pg.losses.get(name), pg.methods.DLE(0.5), prior=pg.priors.Normal([0.0, 0.0], [4.0, 4.0]))
    x, number = target.sample(40_000, seed=4), 5
    edges = [np.quantile(x[::2, i], np.linspace(0, 1, number + 1)[1:-1]) for i in range(2)]

    def cell(points):
        return number * np.searchsorted(edges[0], points[:, 0]) + np.searchsorted(edges[1], points[:, 1])

    expected = np.bincount(cell(target.grid), target.masses, number**2) * len(x)
    seen = np.bincount(cell(x), minlength=number**2)
    few = expected < 20
    expected, seen = (np.append(counts[~few], counts[few].sum()) for counts in (expected, seen))
    # nodes are not spread evenly over the cut cells: one per cent more than chance is put up with
    error = np.sqrt(expected) + 0.01 * expected + 1.0
    assert np.all(np.abs(seen - expected) < 4.5 * error)
    moved = np.bincount(cell(x + 0.2 * x.std(axis=0)), minlength=number**2)
    moved = np.append(moved[~few], moved[few].sum())
    assert np.any(np.abs(moved - expected) > 4.5 * error)


@pytest.mark.thorough
def test_draws_of_atoms_and_of_a_gaussian():
    atoms = pg.target(pg.losses.get("tilted-double-well"), pg.methods.DE(), initial=pg.priors.Normal(0.5, 1.0))
    x = atoms.sample(5000, seed=0)
    low, high = pg.diagnostics.binomial_limits(5000, atoms.weights[0], 0.999)
    assert low <= np.sum(x == atoms.atoms[0]) <= high
    fitted = pg.target(PLANE, pg.methods.FDGVI(0.5), prior=pg.priors.Flat(2))
    z = (fitted.sample(5000) - [1.0, -2.0]) / np.sqrt([0.5, 0.125])
    assert stats.kstest(z.ravel(), "norm").pvalue > 1e-3
    refuse(lambda: fitted.sample(0), "number must be a whole number from 1 to 4294967296, not 0")


@pytest.mark.thorough
def test_targets_and_described_comparisons_go_to_other_processes():
    """A function of Python in a loss is the user's to make picklable; all else is, also where it was computed."""
    kernel, prior, loss = pg.kernels.SquaredExponential(1.0), pg.priors.Gamma(2.0, 1.0), pg.losses.get("double-well")
    plane, both = pg.Loss.from_formula("x^2 + y^4", ["x", "y"]), pg.priors.Normal([0.0, 0.0], 1.0)
    repulsive = pg.methods.DRLE(0.5, 0.5, kernel=kernel)
    for target, x in (
        (pg.target(loss, "DLE", prior), np.linspace(0.1, 2.0, 5)),
        (pg.target(loss, repulsive, NORMAL), np.linspace(-20.0, 20.0, 5)),
        (pg.target(plane, pg.methods.DLE(0.5), both), np.eye(2)),
    ):
        assert np.array_equal(pickle.loads(pickle.dumps(target)).pdf(x), target.pdf(x))
    results = pg.compare(loss, ["DE", "DLE", "DRLE"], NORMAL, 20, 20)
    words = results.describe()
    assert pickle.loads(pickle.dumps(results)).describe() == words
    with pytest.raises((AttributeError, pickle.PicklingError)):  # the control: a local function
        pickle.dumps(pg.target(LOSS, "DLE", NORMAL))
