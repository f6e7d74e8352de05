"""The exact eigenbasis of the squared exponential under a normal law nu of the inputs, in closed form."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from particlegvi.contracts import Array, Facts
from particlegvi.functionspace import covariances
from particlegvi.functionspace.covariances.covariance import Covariance, KernelLike
from particlegvi.functionspace.covariances.stationary import SquaredExponential
from particlegvi.tools.arguments import coordinates, frozen, points, refuse, same_length, scales, whole
from particlegvi.tools.registry import look_up

MOST = 20_000  # functions
SMALLEST = 1e-290  # of the eigenvalues: their inverses and squares are finite
LARGE = 1e100  # a Hermite polynomial beyond this is scaled down


class Mercer:
    """``e_m = sqrt(lambda_m) b_m`` with ``int k(., x) b_m(x) dnu(x) = lambda_m b_m`` and b_m orthonormal in L2(nu).

    k is a squared exponential and nu a normal law with independent inputs. The b_m are Hermite functions. With several
    inputs they are products of functions of one input, in descending order of the eigenvalue.

    Parameters
    ----------
    covariance : SquaredExponential, or such a kernel of particlegvi.kernels
        k.
    mean, sd : float or array (inputs,)
        The mean and standard deviation of nu, in the units of the inputs.
    size : int
        The number of functions.
    inputs : int, optional
        The number of coordinates of an input, where neither mean, sd nor the lengthscale has one entry for each.

    Attributes
    ----------
    covariance : Covariance
    inputs, size : int
    eigenvalues : array (size,)
        lambda_m, descending. All of them together have the sum k(x, x).
    levels : array (size, inputs)
        The number of the function of each input, from 0 on, in every product.

    Raises
    ------
    ValueError
        If k is another covariance, or its last eigenvalue would be below 1e-290.

    Source: Rasmussen and Williams (2006), (4.39), (4.40), without the normalisation that they leave out.
    """

    name = "mercer"

    def __init__(
        self,
        covariance: KernelLike,
        mean: ArrayLike = 0.0,
        sd: ArrayLike = 1.0,
        size: int = 50,
        *,
        inputs: int | None = None,
    ) -> None:
        k = covariances.of(covariance)
        if not isinstance(k, SquaredExponential):
            raise refuse("covariance", k, "SquaredExponential, whose eigenpairs are known")
        self.covariance: Covariance = k
        self.size = whole("size", size, 1, MOST)
        self.mean, self.sd = _moments(k, mean, sd, inputs)
        lengthscales = np.broadcast_to(k.lengthscale, len(self.mean))
        self.axes = list(map(Hermite, lengthscales.tolist(), self.mean.tolist(), self.sd.tolist()))
        self.levels, eigenvalues = _largest([axis.eigenvalues(self.size) for axis in self.axes], self.size)
        self.eigenvalues = frozen(k.variance * eigenvalues)
        if not self.eigenvalues[-1] >= SMALLEST:
            most = int(np.count_nonzero(self.eigenvalues >= SMALLEST))
            raise refuse("size", size, f"at most {most}, up to which the eigenvalues are above {SMALLEST:g}")

    @property
    def inputs(self) -> int:
        """The number of coordinates of an input."""
        return len(self.axes)

    def features(self, X: ArrayLike) -> Array:
        """e_m(x_n), shape (n, size), for inputs (n, inputs)."""
        x = points("X", X, self.inputs)
        e = np.full((len(x), self.size), math.sqrt(self.covariance.diagonal(np.zeros((1, self.inputs)))[0]))
        for d, axis in enumerate(self.axes):
            e *= axis.features(x[:, d], int(self.levels[:, d].max()) + 1)[:, self.levels[:, d]]
        return e

    def prior_variances(self, prior: str) -> Array:
        """The prior variances of the coefficients: the eigenvalues for "rkhs" (the thesis), ones for "gp"."""
        choices = {"rkhs": self.eigenvalues.copy(), "gp": np.ones(self.size)}
        return look_up("prior of the coefficients", prior, choices)

    def facts(self) -> Facts:
        """Mean and sd of nu, the number of functions, and the part of the prior variance that they leave out."""
        prior = float(self.covariance.diagonal(np.zeros((1, self.inputs)))[0])
        left = max(0.0, 1.0 - float(self.eigenvalues.sum()) / prior)
        return {"mean": self.mean.tolist(), "sd": self.sd.tolist(), "kept": self.size, "left_out": left}

    def state(self) -> dict[str, Array]:
        """The eigenvalues: the basis itself follows from its parameters."""
        return {"eigenvalues": self.eigenvalues}


class Hermite(NamedTuple):
    """The eigenpairs of the squared exponential of one input, of variance 1, under N(mean, sd^2)."""

    lengthscale: float
    mean: float
    sd: float

    def rates(self) -> tuple[float, float, float]:
        """The first eigenvalue, the ratio B of an eigenvalue to the one before, and c / a (Rasmussen and Williams)."""
        ratio = 2.0 * (self.sd / self.lengthscale) ** 2  # b / a
        root = math.sqrt(1.0 + 2.0 * ratio)
        return math.sqrt(2.0 / (1.0 + ratio + root)), ratio / (1.0 + ratio + root), root

    def eigenvalues(self, count: int) -> Array:
        """The first so many, descending."""
        first, base, _ = self.rates()
        with np.errstate(under="ignore"):
            return np.asarray(first * base ** np.arange(count))

    def features(self, x: Array, count: int) -> Array:
        """sqrt(lambda_m) b_m(x_n), (n, count), by the recurrence of orthonormal Hermite polynomials.

        The sizes of the polynomials are kept apart as logarithms.
        """
        first, base, root = self.rates()
        t = (x - self.mean) / self.sd
        z, logarithm = math.sqrt(0.5 * root) * t, 0.25 * ((1.0 - root) * t * t + math.log(root))
        scale = 0.5 * (math.log(first) + math.log(base) * np.arange(count))
        before, now, e = np.zeros_like(z), np.ones_like(z), np.empty((len(x), count))
        for m in range(count):
            with np.errstate(under="ignore"):
                e[:, m] = now * np.exp(logarithm + scale[m])
            before, now = now, math.sqrt(2.0 / (m + 1)) * z * now - math.sqrt(m / (m + 1)) * before
            far = np.abs(now) > LARGE
            before[far] /= LARGE
            now[far] /= LARGE
            logarithm[far] += math.log(LARGE)
        return e


def _moments(k: SquaredExponential, mean: ArrayLike, sd: ArrayLike, inputs: int | None) -> tuple[Array, Array]:
    """Mean and sd of nu for each input."""
    m, s = same_length(("mean", "sd"), coordinates("mean", mean), np.atleast_1d(scales("sd", sd)))
    m, _ = same_length(("mean and sd", "lengthscale"), m, np.atleast_1d(k.lengthscale))
    dim = len(m) if inputs is None else whole("inputs", inputs, 1)
    if len(m) not in (1, dim):
        raise refuse("inputs", dim, f"{len(m)}, the number of entries of mean, sd or lengthscale")
    return frozen(np.broadcast_to(m, dim).copy()), frozen(np.broadcast_to(s, dim).copy())


def _largest(factors: list[Array], size: int) -> tuple[NDArray[np.int64], Array]:
    """The ``size`` largest products of one entry of each factor, descending: their numbers (size, inputs), and them."""
    numbers, values = np.arange(size)[:, None], factors[0]
    # The product of the numbers i and j is among them only if the (i + 1) (j + 1) that are no smaller are few enough.
    counts = size // (np.arange(size) + 1)
    i, j = np.repeat(np.arange(size), counts), np.concatenate([np.arange(count) for count in counts])
    for factor in factors[1:]:
        products = values[i] * factor[j]
        kept = np.argsort(-products, kind="stable")[:size]
        numbers, values = np.column_stack([numbers[i[kept]], j[kept]]), products[kept]
    return numbers, values
