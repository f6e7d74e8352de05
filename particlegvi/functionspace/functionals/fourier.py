"""Fourier features: inner products of F with 1, cos and sin on an interval, in the space of a Matern covariance.

With k a Matern covariance of order p + 1/2, lam = sqrt(2 p + 1) / lengthscale and g_0, ..., g_2M the functions 1,
cos w_m (x - low), sin w_m (x - low), w_m = 2 pi m / (high - low), the functionals are L_m F = <F, g_m>_k in the space
of k on [low, high]. Their covariances are those inner products, diagonal plus rank p + 1,

    C_LL = diag(n_m) + G P^-1 G^T,    n_m = (high - low) (lam^2 + w_m^2)^(p+1) / q (1 for m = 0, 1/2 for the others),
    q = variance (2 lam)^(2p+1) (p!)^2 / (2p)!,    P = Cov(F, F', ..., F^(p)),    G = (g, g', ..., g^(p))(low),

and Cov(L_m F, F(x)) is g_m(x) on [low, high] and (G P^-1 c(x - edge))_m outside, c_j(r) = Cov(F^(j)(0), F(r)).

Each g_m has equal values and equal derivatives at both ends, so that the g_m never span the space: unless [low, high]
extends beyond the data, the evidence lower bound does not reach the log evidence. With ``ends=True`` the values
F^(j)(high) for j = 0, ..., p are added; then the bound reaches it.

Sources: Hensman, Durrande and Solin (2018), section 3; the thesis's 3.5.4 has no matrices, and its argument for the
functionals (functions of L2) is wrong: cosines need point masses at the ends.
"""

from __future__ import annotations

import math

import numpy as np

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.covariances.stationary import Matern12, Matern32, Matern52, Stationary
from particlegvi.functionspace.functionals.functional import Functionals
from particlegvi.functionspace.functionals.terms import Terms
from particlegvi.tools.arguments import flag, real, refuse, whole

MOST_FREQUENCIES = 100_000
SMOOTHNESS: dict[type[Covariance], int] = {Matern12: 0, Matern32: 1, Matern52: 2}  # p of a Matern of order p + 1/2


class Fourier(Functionals):
    """Inner products with the cosines 0, ..., frequencies and the sines 1, ..., frequencies on [low, high].

    They need a Matern covariance of order 1/2, 3/2 or 5/2 of one coordinate.

    Parameters
    ----------
    low, high : float
        The interval, in the units of the input. Data outside the interval are allowed.
    frequencies : int
        M, 0 or more: there are 2 M + 1 functionals, cosines first.
    ends : bool
        Whether F(high) and its first p derivatives follow as further functionals.
    """

    name = "fourier"
    inputs = 1

    def __init__(self, low: float, high: float, frequencies: int, ends: bool = False) -> None:
        self.low, self.high = real("low", low, "a finite number"), real("high", high, "a finite number")
        if not self.low < self.high:
            raise refuse("high", high, f"above low, which is {self.low:g}")
        self.frequencies = whole("frequencies", frequencies, 0, MOST_FREQUENCIES)
        self.ends = flag("ends", ends)
        self._smooth: int | None = None

    def __len__(self) -> int:
        if not self.ends:
            return 2 * self.frequencies + 1
        if self._smooth is None:
            raise ValueError("the number of Fourier functionals with ends=True is known after a covariance was given")
        return 2 * self.frequencies + 2 + self._smooth

    def check(self, covariance: Covariance) -> None:
        smooth = SMOOTHNESS.get(type(covariance))
        if smooth is None or not isinstance(covariance, Stationary) or covariance.lengthscale.size != 1:
            raise ValueError(
                f"the covariance for Fourier must be a Matern covariance of order 1/2, 3/2 or 5/2, not {covariance!r}"
            )
        self._smooth = smooth

    def against(self, covariance: Covariance, terms: Terms) -> Array:
        assert terms.plain  # slopes and windows are refused for Matern covariances
        at, x, M = MaternState.of(covariance), terms.place[:, 0], self.frequencies
        G = self.rows(at)[: 2 * M + 1]
        angle = self.angles()[:, None] * (np.clip(x, self.low, self.high) - self.low)
        table = np.concatenate([np.cos(angle[: M + 1]), np.sin(angle[M + 1 :])])
        pulled = np.linalg.solve(at.matrix, G.T).T
        for beyond, edge in ((x < self.low, self.low), (x > self.high, self.high)):
            table[:, beyond] = pulled @ at.tail(x[beyond] - edge)
        return np.concatenate([table, at.tail(x - self.high)]) if self.ends else table

    def beside(self, covariance: Covariance, other: Functionals) -> Array:
        if not isinstance(other, Fourier) or (self.low, self.high) != (other.low, other.high):
            raise ValueError(f"sets of the kind fourier must have the same interval, not {self!r} and {other!r}")
        at = MaternState.of(covariance)
        rows, columns = (some.rows(at)[: 2 * some.frequencies + 1] for some in (self, other))
        w, p, M = self.angles(), at.smooth, min(self.frequencies, other.frequencies)
        among = (self.high - self.low) * (at.lam**2 + w * w) ** (p + 1) / at.intensity
        among[1:] *= 0.5
        matrix = rows @ np.linalg.solve(at.matrix, columns.T)
        both = [np.r_[: M + 1, some.frequencies + 1 : some.frequencies + 1 + M] for some in (self, other)]
        matrix[both[0], both[1]] += among[both[0]]
        if other.ends:
            matrix = np.concatenate([matrix, rows], axis=1)
        if self.ends:
            below = np.concatenate([columns.T, at.matrix], axis=1) if other.ends else columns.T
            matrix = np.concatenate([matrix, below])
        return matrix

    def __repr__(self) -> str:
        return f"Fourier({self.low:g} to {self.high:g}, {self.frequencies} frequencies{', ends' * self.ends})"

    def angles(self) -> Array:
        """w_m of all functions: cosines 0, ..., M, then sines 1, ..., M."""
        cosines = 2.0 * math.pi * np.arange(self.frequencies + 1) / (self.high - self.low)
        return np.concatenate([cosines, cosines[1:]])

    def rows(self, at: MaternState) -> Array:
        """G, and below it P if there are ends: values and derivatives at an end, (functionals, p + 1)."""
        w, M = self.angles(), self.frequencies
        rows = np.zeros((len(w), at.smooth + 1))
        rows[: M + 1, 0] = 1.0
        if at.smooth >= 1:
            rows[M + 1 :, 1] = w[M + 1 :]
        if at.smooth == 2:
            rows[: M + 1, 2] = -(w[: M + 1] ** 2)
        return np.concatenate([rows, at.matrix]) if self.ends else rows


class MaternState:
    """P = Cov(F, F', ..., F^(p)) at one place, and the covariances c(r) of these with F at a distance r.

    ``matrix`` is P, (p + 1, p + 1), ``smooth`` is p, ``lam`` is sqrt(2 p + 1) / lengthscale, and ``intensity`` is q of
    above.
    """

    def __init__(self, smooth: int, lengthscale: float, variance: float) -> None:
        self.smooth, self.lengthscale, self.variance = smooth, lengthscale, variance
        self.lam = lam = math.sqrt(2.0 * smooth + 1.0) / lengthscale
        factor = math.factorial(smooth) ** 2 / math.factorial(2 * smooth)
        self.intensity = variance * (2.0 * lam) ** (2 * smooth + 1) * factor
        self.matrix = variance * np.array([
            [[1.0]],
            [[1.0, 0.0], [0.0, lam**2]],
            [[1.0, 0.0, -(lam**2) / 3.0], [0.0, lam**2 / 3.0, 0.0], [-(lam**2) / 3.0, 0.0, lam**4]],
        ][smooth])  # fmt: skip

    @classmethod
    def of(cls, covariance: Covariance) -> MaternState:
        smooth = SMOOTHNESS.get(type(covariance))
        assert smooth is not None and isinstance(covariance, Stationary)
        return cls(smooth, float(covariance.lengthscale.ravel()[0]), covariance.variance)

    def tail(self, r: Array) -> Array:
        """c_j(r) = (-1)^j k^(j)(r), (p + 1, n)."""
        p, t = self.smooth, self.lam * np.abs(r)
        k = np.ones_like(t) if p == 0 else 1.0 + t if p == 1 else 1.0 + t + t * t / 3.0
        slope = self.lam * np.sign(r) * (t if p == 1 else t * (1.0 + t) / 3.0)
        curvature = self.lam**2 * (t * t - t - 1.0) / 3.0
        return self.variance * np.exp(-t) * np.array([k, slope, curvature][: p + 1])
