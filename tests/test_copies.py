"""No public constructor or fit follows an array of its user: whatever happens to the array later, nothing changes."""

import re

import numpy as np
import pytest

import particlegvi as pg
from particlegvi import functionspace as fs
from particlegvi import kernels, losses, priors
from particlegvi.functionspace import covariances, functionals, likelihoods

WELL = losses.get("tilted-double-well")
GRID = np.linspace(0.3, 2.0, 7)[:, None]
COVARIANCE = covariances.SquaredExponential(0.8)
BASIS = fs.basis.Nystroem(COVARIANCE, GRID[::2].copy())
X, Y, LABELS = np.linspace(0.1, 2.2, 12)[:, None], np.sin(np.linspace(0.1, 6.0, 12)), np.arange(12.0) % 2.0
ONE, TWO = np.array([0.5, 1.5]), np.array([1.2, 2.2])
POINTS = np.array([[0.4, 0.9], [1.3, 0.2], [0.1, 0.1]])


def density(prior):
    return np.concatenate([prior.log_density(POINTS + 0.7), prior.sample(4).ravel()])


def value(loss):
    return loss.value(np.full((1, loss.dim), 0.3))


def at_inputs(model):
    predicted = model.predict(GRID)
    return np.ravel(predicted[0] if isinstance(predicted, tuple) else predicted)


def of_kernel(kernel):
    return kernel(GRID, GRID)


def numbers(made):
    """All arrays and numbers that an object holds, one after the other."""
    held = vars(made).values() if hasattr(made, "__dict__") else made
    return np.concatenate([np.ravel(part) for part in held if isinstance(part, float | np.ndarray)])


def sampler(initial, inducing):
    return fs.ProjectedLangevinSampler(COVARIANCE, likelihoods.Gaussian(0.1), inducing, particles=5, steps=20,
                                        step_size=0.01, initial=initial)  # fmt: skip


KERNEL_OF_ONE = {"fit_kernel": False, "inducing_points": 5, "random_state": 0}
SAMPLED = {**KERNEL_OF_ONE, "particles": 5, "steps": 20}
NETWORKS = {"hidden": (3,), "particles": 2, "steps": 20, "random_state": 0}
ESTIMATORS = {
    "ProjectedLangevinRegressor": (Y, SAMPLED),
    "ProjectedLangevinClassifier": (LABELS, SAMPLED),
    "ProjectedLangevinPoissonRegressor": (LABELS, SAMPLED),
    "SparseGaussianProcessRegressor": (Y, KERNEL_OF_ONE),
    "SparseGaussianProcessClassifier": (LABELS, KERNEL_OF_ONE),
    "GaussianWassersteinRegressor": (Y, {**KERNEL_OF_ONE, "mean": "inducing"}),
    "EnsembleRegressor": (Y, NETWORKS),
    "EnsembleClassifier": (LABELS, NETWORKS),
}


def estimator(name, settings):
    kind = getattr(pg.networks if name.startswith("Ensemble") else fs, name)
    return lambda x, y: kind(**settings).fit(x, np.round(y / y.max()) if "Classifier" in name else y)


def probabilities(model):
    return np.ravel(model.predict_proba(GRID))


def mean_network(x, y):
    network = fs.means.MeanNetwork((3,), epochs=20)
    network.fit(x, y, None, None, 0)
    return network


DOORS = {  # arrays of the user, what is made of them, and numbers that show it
    "Normal": ((ONE, TWO), priors.Normal, density),
    "Uniform": ((ONE - 1.0, TWO + 1.0), priors.Uniform, density),
    "Laplace": ((ONE, TWO), priors.Laplace, density),
    "StudentT": ((ONE, TWO), lambda a, b: priors.StudentT(3.0, a, b), density),
    "GaussianMixture": ((POINTS, np.abs(POINTS) + 0.1, np.ones(3)), priors.GaussianMixture, density),
    "Exponential": ((ONE,), priors.Exponential, density),
    "HalfNormal": ((ONE,), priors.HalfNormal, density),
    "Gamma": ((TWO, ONE), priors.Gamma, density),
    "LogNormal": ((ONE, TWO), priors.LogNormal, density),
    "Prior": ((-ONE, TWO), lambda a, b: pg.Prior.from_formula("exp(-x^2 - y^2)", None, a, b), density),
    "quadratic": ((TWO, ONE), lambda a, b: losses.get("quadratic", curvature=a, centre=b), value),
    "linear_model": ((POINTS, np.arange(3.0)), lambda x, y: losses.linear_model(x, y, "gaussian"), value),
    "NetworkLoss": ((X, Y), lambda x, y: pg.networks.NetworkLoss(pg.networks.Network(1, (3,)), x, y), value),
    "SquaredExponential": ((TWO,), covariances.SquaredExponential, lambda made: made(POINTS, POINTS)),
    "Mercer": (
        (ONE, TWO), lambda mean, sd: fs.basis.Mercer(covariances.SquaredExponential(1.0), mean, sd, 6),
        lambda basis: basis.features(POINTS),
    ),
    "Iterated": ((GRID,), lambda z: covariances.Iterated(COVARIANCE, z), of_kernel),
    "Nystroem": ((GRID,), lambda z: fs.basis.Nystroem(COVARIANCE, z), lambda basis: basis.features(X)),
    "Points": ((GRID,), functionals.Points, numbers),
    "Slopes": ((GRID,), functionals.Slopes, numbers),
    "Intervals": ((ONE, TWO), functionals.Intervals, numbers),
    "Windows": ((X, np.full((12, 1), 0.3)), functionals.Windows, numbers),
    "OnOutputs": ((GRID,), lambda x: kernels.OnOutputs(kernels.SquaredExponential(1.0), x), lambda made: made.inputs),
    "OnOutputs, fresh": (
        (-ONE, TWO), lambda a, b: kernels.OnOutputs(kernels.SquaredExponential(1.0), "fresh", 5, a, b),
        lambda made: np.concatenate([made.low, made.high]),
    ),
    "Loss": (
        (TWO,), lambda near: pg.Loss.from_numpy(lambda x: (x**2).sum(1), lambda x: 2.0 * x, 2, near=near),
        lambda made: made.near,
    ),
    "MMDFlow": ((POINTS,), pg.methods.MMDFlow, lambda method: np.asarray(method.reference)),
    "ExactGaussianProcess": ((X, Y), lambda x, y: fs.ExactGaussianProcess(COVARIANCE, 0.1).fit(x, y), at_inputs),
    "SparseGaussianProcess": (
        (X, Y, GRID),
        lambda x, y, z: fs.SparseGaussianProcess(COVARIANCE, likelihoods.Gaussian(0.1), z).fit(x, y),
        lambda model: np.append(at_inputs(model), model.certify().kl),
    ),
    "SubsetOfRegressors": ((X, Y), lambda x, y: fs.SubsetOfRegressors(COVARIANCE, 0.1, 5).fit(x, y), at_inputs),
    "BayesianLinearRegression": (
        (X, Y), lambda x, y: fs.BayesianLinearRegression(BASIS.features, 0.1).fit(x, y), at_inputs
    ),
    "ProjectedLangevinSampler": ((np.ones((5, 7)), GRID), sampler, lambda model: at_inputs(model.fit(X, Y))),
    "ProjectedLangevinSampler.fit": (
        (X, Y), lambda x, y: sampler("prior", GRID.copy()).fit(x, y), at_inputs
    ),
    "ClassProcesses": (
        (X, LABELS),
        lambda x, y: fs.ClassProcesses(COVARIANCE, 4, iterations=5).fit(x, np.round(y / y.max())), probabilities,
    ),
    "GaussianWasserstein": (
        (X, Y), lambda x, y: fs.GaussianWasserstein(COVARIANCE, likelihoods.Gaussian(0.1), 4).fit(x, y),
        lambda model: np.append(at_inputs(model), model.objective_),
    ),
    "MeanNetwork": ((X, Y), mean_network, at_inputs),
    "Dataset": ((X, Y), lambda x, y: pg.datasets.Dataset("any", "regression", x, y), numbers),
    **{
        name: ((X, targets), estimator(name, settings), probabilities if "Classifier" in name else at_inputs)
        for name, (targets, settings) in ESTIMATORS.items()
    },
    "compare": (
        (np.linspace(-1.0, 1.0, 60)[:, None],),
        lambda draws: pg.compare(WELL, ["DE"], priors.Normal(), 3, 5, 0.01, reference=draws),
        lambda results: results.targets["DE"].draws,
    ),
    "simulate": (
        (POINTS[:, :1],),
        lambda start: pg.simulate(WELL, pg.methods.DE(), particles=3, initial=start, steps=5),
        lambda run: run.initial.ravel(),
    ),
}  # fmt: skip

# Constructors that take no array: numbers, words and other parts. `Stationary` has the doors of all its subclasses.
WITHOUT_ARRAYS = {
    "Basis", "Bernoulli", "BernoulliLogistic", "Constant", "Cosine", "Covariance", "DE", "DLE", "DRE", "DRLE",
    "EnsembleEstimator", "FDGVI", "Flat", "Fourier", "FreeEnergy", "Functionals", "Gaussian", "Geometric",
    "InverseMultiquadric", "JKO", "Jumps", "Likelihood", "Linear", "LinearRegression", "LogisticRegression",
    "Matern12", "Matern32", "Matern52", "Mean", "Method", "Network", "OnCoordinates", "OnFirstLayer", "OnLastLayer",
    "Periodic", "Poisson", "PoissonLog", "PoissonSquare", "Polynomial", "Product", "Projection", "Residual", "SVGD",
    "Schedule", "ShiftedMixture", "Sum", "TableSettings", "TensorProduct", "ThesisResidual", "Union",
}  # fmt: skip
# The package makes these for its user to read, or hands them to a part; nothing of a user is kept in them.
MADE = {
    "AtomicTarget", "Basins", "DensityTarget", "Distance", "Diverged", "Drift", "Embedding", "ExcessEnergy",
    "FreeEnergyParts", "GaussianOptima", "Misplaced", "Run", "Sample", "Selection", "Split", "Step", "StepCoefficients",
    "Table", "Targets", "Task",
}  # fmt: skip


def constructors(listing):
    """The names of the classes in docs/public-names.txt."""
    return set(re.findall(r"^pg\.(?:[a-z_]\w*\.)*([A-Z]\w*)\(", listing, re.MULTILINE))


def test_every_constructor_is_a_door_or_takes_no_array(root):
    """A new public class needs a line in one of the three lists."""
    listing = (root / "docs" / "public-names.txt").read_text(encoding="utf-8")
    sorted_in = {*WITHOUT_ARRAYS, *MADE, *DOORS}
    missing = sorted(constructors(listing) - sorted_in)
    assert not missing, f"add {missing} to DOORS, WITHOUT_ARRAYS or MADE"
    assert len(constructors(listing)) > 100
    assert not {*WITHOUT_ARRAYS, *MADE} - constructors(listing) and not {*WITHOUT_ARRAYS, *MADE} & {*DOORS}
    new = "pg.priors.Wishart(scale)\npg.priors.Wishart.sample(self)\n"  # control
    assert constructors(listing + new) - sorted_in == {"Wishart"}


@pytest.mark.parametrize("door", DOORS)
def test_an_array_that_changes_later_changes_nothing(door):
    arrays, make, read = DOORS[door]
    given = [array.copy() for array in arrays]
    made = make(*given)
    before = np.array(read(make(*(array.copy() for array in arrays))))
    for array in given:
        array *= 1.3  # also refuses an array that was frozen
    np.testing.assert_array_equal(read(made), before)
    assert not np.array_equal(read(make(*given)), before)  # control: the arrays matter
