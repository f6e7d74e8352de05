"""The joint prior of a function and its coefficients has a covariance with our residual, not with that of (D.219)."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from particlegvi.functionspace import residuals
from particlegvi.functionspace.basis import Nystroem
from particlegvi.functionspace.covariances import Matern32
from particlegvi.plotting import style
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

KERNEL = Matern32(0.8, 1.3)
Z = np.linspace(-2.0, 2.0, 9)[:, None]
INPUTS = 25


class ResidualCovariance(Claim):
    """The eigenvalues of the joint covariance of F(X*) and u: none may be below 0, but for rounding.

    F = sum_m u_m e_m + G with u ~ N(0, Lambda), and the covariance of G is that of k given Z. Wrong: the block of F(X*)
    has r estimated from X* and Z together, as in (D.122), while the cross block and Lambda come from Z alone.
    """

    name = "residual-covariance"
    claim = "The joint law of a function and its coefficients is one: its matrix has no negative part"
    source = "thesis, (6.18), D.9; not (D.122), (D.219)"
    wrong = "r rebuilt from the new inputs, as in (D.122)"

    def measure(self, seed: int, wrong: bool) -> Experiment:
        X = np.random.default_rng(seed).uniform(-2.5, 2.5, (INPUTS, 1))
        basis = Nystroem(KERNEL, Z)
        if wrong:
            joint = residuals.ThesisResidual(basis).joint(X)
        else:
            e, scales = basis.features(X), basis.eigenvalues
            cross = e * scales
            values = cross @ e.T + residuals.get("gp", basis).covariance(X)
            joint = np.block([[values, cross], [cross.T, np.diag(scales)]])
        ascending = linalg.eigvalsh(joint)
        relative = ascending[::-1] / ascending[-1]
        rounding = 100.0 * len(joint) * float(np.finfo(float).eps)
        check = Check("most negative eigenvalue, relative", max(0.0, -float(relative[-1])), rounding)
        return Experiment((check,), {"relative": relative})

    def draw(self, picture: Picture, data: Data) -> None:
        number, negative = np.arange(1, len(data["relative"]) + 1), data["relative"] < -1e-12
        picture.dots(number[~negative], data["relative"][~negative], "not negative")
        if negative.any():
            picture.dots(number[negative], data["relative"][negative], "negative", "X", color=style.VERMILLION)
        labels, ticks = ("number of the eigenvalue", "eigenvalue / largest"), [-0.1, -0.01, 0.0, 0.01, 0.1, 1.0]
        names = [f"{tick:g}" for tick in ticks]
        picture.level(0.0).frame(*labels, symlog=1e-3, yticks=ticks, yticklabels=names, ylim=(-1.0, 2.0))
