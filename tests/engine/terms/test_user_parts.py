"""Own parts are tried where they are handed in: a right one passes, each wrong one is refused in one sentence."""

import math
from typing import NamedTuple

import numpy as np

import particlegvi as pg
from particlegvi.engine.pairs.direct import Direct
from particlegvi.engine.pairs.repulsion import suitable
from particlegvi.engine.terms.user_parts import try_kernel, try_likelihood, try_loss, try_prior
from particlegvi.functionspace.likelihoods.likelihood import Likelihood, generator

from ...plain_parts import PlainLoss, PlainPrior
from ...refusals import refused


class _Bell(NamedTuple):
    lengthscale: float = 0.5
    factor: float = 1.0


class Bell(_Bell):
    """Its slope is right where the factor is 1. Its name is that of a kernel of the package."""

    __slots__ = ()
    name = "squared-exponential"
    variance = 1.0

    def value(self, r2):
        return math.exp(-r2 / self.lengthscale**2)

    def slope(self, r2):
        return -self.factor / self.lengthscale**2 * math.exp(-r2 / self.lengthscale**2)


class Bare(_Bell):
    """A kernel without ``variance``."""

    __slots__ = ()
    name, value, slope = "own", Bell.value, Bell.slope


class _Square(NamedTuple):
    factor: float = 1.0
    scale: float = 1.0


class Square(_Square):
    __slots__ = ()
    dim = 2

    def value(self, x):
        return self.scale * (0.5 * x[0] ** 2 + x[1] ** 2 + x[0])

    def gradient(self, x, out):
        out[0] = self.scale * (x[0] + 1.0)
        out[1] = self.factor * self.scale * 2.0 * x[1]


class Forgets(_Square):
    __slots__ = ()
    dim = 2

    def value(self, x):
        return x[0] + x[1]

    def gradient(self, x, out):
        out[0] = 1.0


class MinusLog(NamedTuple):
    factor: float = 1.0

    def value(self, x):
        return self.factor * 0.5 * x[0] ** 2

    def gradient(self, x, out):
        out[0] = self.factor * x[0]


class OwnPrior(PlainPrior):
    factor, of_term = 1.0, 1.0

    def gradient(self, x):
        return self.factor * super().gradient(x)

    def term(self):
        return MinusLog(self.of_term)


class _Counts(NamedTuple):
    factor: float = 1.0
    bend: float = 1.0


class OwnCounts(_Counts, Likelihood):
    """Counts with the rate exp(f)."""

    __slots__ = ()
    name = "own-counts"

    def cost_at(self, f, y):
        return math.exp(f) - y * f

    def slope_at(self, f, y):
        return self.factor * (math.exp(f) - y)

    def curvature_at(self, f, y):
        return self.bend * math.exp(f)

    def log_density(self, y, f):
        return y * np.asarray(f) - np.exp(f) + 0.0 * np.asarray(y)  # up to a constant of y, finite for all y

    def sample(self, f, random=None):
        return generator(random).poisson(np.exp(f)).astype(float)


class OtherDraws(OwnCounts):
    __slots__ = ()
    name = "other-draws"

    def sample(self, f, random=None):
        return generator(random).poisson(2.0 * np.exp(f)).astype(float)


class SpreadDraws(OwnCounts):
    """Its draws have the mean of its density, and a larger variance."""

    __slots__ = ()
    name = "spread-draws"

    def sample(self, f, random=None):
        return generator(random).negative_binomial(3, 3.0 / (3.0 + np.exp(f))).astype(float)


class OtherInformation(OwnCounts):
    __slots__ = ()
    name = "other-information"

    def information(self, f):
        return np.ones(3) if self.factor == 1.0 else -np.exp(f)


class TwoWells(OwnCounts):
    """The cost f^4 / 4 - f^2 / 2 + y f, which has two wells, and says that it is convex."""

    __slots__ = ()
    name = "two-wells"
    convex = True

    def cost_at(self, f, y):
        return f**4 / 4.0 - f * f / 2.0 + y * f

    def slope_at(self, f, y):
        return f**3 - f + y

    def curvature_at(self, f, y):
        return 3.0 * f * f - 1.0

    def log_density(self, y, f):
        f = np.asarray(f)
        return -(f**4 / 4.0 - f * f / 2.0 + y * f)

    sample = Likelihood.sample  # it is the cost of no density, and has no draws


class SaysSo(TwoWells):
    """This one rightly says that it is not."""

    __slots__ = ()
    convex = False


class Upwards(OwnCounts):
    """Its cost has the wrong sign, and its slope, curvature and density with it; its draws are those of counts."""

    __slots__ = ()
    name = "upwards"
    convex = False

    def cost_at(self, f, y):
        return y * f - math.exp(f)

    def slope_at(self, f, y):
        return y - math.exp(f)

    def curvature_at(self, f, y):
        return -math.exp(f)

    def log_density(self, y, f):
        return np.exp(f) - np.asarray(y) * f


def test_right_parts_pass():
    pg.Loss.from_term(Square())
    for scale in (1e-6, 1e6):
        pg.Loss.from_term(Square(scale=scale))
    for lengthscale in (1e-4, 0.5, 1e4):
        try_kernel(Bell(lengthscale))
    try_prior(OwnPrior("standard-normal"))
    try_likelihood(OwnCounts(), np.array([0.0, 3.0, 7.0]))
    try_likelihood(SaysSo(), np.array([1.0, 2.0]))
    try_loss(PlainLoss(lambda x: x[:, 0] ** 2, lambda x: 2 * x, 1, "own"), np.linspace(-2.0, 2.0, 9)[:, None])


test_a_wrong_term_is_refused = refused(
    pg.Loss.from_term,
    *[
        (Square(factor, scale), r"^the gradient of Square at \[.*\] must be .* in coordinate 2, as")
        for factor, scale in ((-1.0, 1.0), (2.0, 1.0), (0.99, 1.0), (2.0, 1e-6))  # however small the loss is
    ],
    (Forgets(), "must be finite where its value is"),
)
WELL, DLE = pg.losses.get("tilted-double-well"), pg.methods.DLE(1.0)


def simulated(loss=WELL, method=DLE, prior=None):
    pg.simulate(loss, method, prior or pg.priors.Normal(), particles=5, steps=1, step_size=0.01)


def of_kernel(factor):
    return pg.methods.DRLE(1.0, 0.5, Bell("median", factor))  # it has no numbers before a prior is known


def of_prior(factor, of_term):
    prior = OwnPrior("standard-normal")
    prior.factor, prior.of_term = factor, of_term
    return prior


def of_loss(**wrong):
    loss = PlainLoss(lambda x: x[:, 0] ** 2, lambda x: 2 * x, 1, "own")
    vars(loss).update(wrong)
    return loss


def fitted(y, likelihood):
    sampler = pg.functionspace.ProjectedLangevinSampler(pg.kernels.SquaredExponential(1.0), likelihood, 2, particles=4)
    sampler.fit(np.linspace(0.0, 1.0, len(y))[:, None], y)


SLOPE = "^the slope of the kernel squared-exponential at .* must be .*, as differences of its value by"
OF_PRIOR = "the gradient of the prior standard-normal at .* as differences of its log density say"
OF_TERM = "minus the gradient of the prior standard-normal at .* as differences of its term say"
test_a_wrong_part_is_refused_at_each_door = refused(
    (lambda: pg.methods.DRLE(1.0, 0.5, Bare()), "^kernel must be a kernel of .*, not .*, which has no variance$"),
    (lambda: pg.kernels.OnOutputs(Bare(), [[0.0]]), "^kernel must be a kernel such as .* which has no variance$"),
    (lambda: pg.methods.DRLE(1.0, 0.5, Bell(0.5, 2.0)), SLOPE),
    (lambda: pg.target(WELL, of_kernel(-1.0), prior=pg.priors.Normal()), SLOPE),
    (lambda: simulated(prior=of_prior(-1.0, 1.0)), OF_PRIOR),
    (lambda: pg.target(WELL, DLE, of_prior(1.0, 2.0)), OF_TERM),
    (
        lambda: fitted([1.0, 2.0], OwnCounts(-1.0)),
        "the slope of the likelihood own-counts for y = 1 at .* differences of its cost",
    ),
    (
        lambda: fitted([1.0, -3.0], OwnCounts()),
        "y must be 0 or above, as all draws of the likelihood own-counts are, not -3",
    ),
    (lambda: fitted([1.0, 2.0], OwnCounts("a")), "^factor of the likelihood own-counts must be a finite number, not"),
    (
        lambda: fitted([1.0, 2.0], OtherInformation()),
        r"^information\(f\) of the likelihood other-.* must be .*\(5, 2\)",
    ),
    (lambda: fitted([1.0, 2.0], OtherInformation(2.0)), r"^information\(f\) of .* must be 0 or above for every f, not"),
    (
        lambda: fitted([1.0, 2.0], TwoWells()),
        "^convex of the likelihood two-wells must be False: its curvature",
    ),
    (
        lambda: fitted([1.0, 2.0], Upwards()),
        "the mean of the curvature of the likelihood upwards over its draws",
    ),
    (lambda: fitted([1.0, 2.0], OtherDraws()), "the mean of the slope of the likelihood other-draws over its draws"),
    (
        lambda: fitted([1.0, 2.0], SpreadDraws()),
        r"^sample\(f\) of the likelihood spread-draws must draw from its log_density\(y, f\)",
    ),
    (
        lambda: simulated(of_loss(derivative=lambda x: -2 * x)),
        "the gradient of the loss own at .* as differences of its value say",
    ),
)


def test_an_own_kernel_of_the_name_of_ours_has_its_own_formulas():
    for dim in (1, 2, 3):
        found = {type(each) for each in suitable(Bell(), dim, 1e-6)}
        assert found == {Direct}
        assert len(suitable(pg.kernels.SquaredExponential(0.5), dim, 1e-6)) > 1  # control
