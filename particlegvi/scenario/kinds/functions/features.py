"""The features of a method: functionals or an eigenbasis in the place of inducing points, from their checked table."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.functionspace.basis.mercer import Mercer
from particlegvi.functionspace.covariances.covariance import Covariance, Product
from particlegvi.functionspace.functionals import Fourier, Functionals, TensorProduct, Windows
from particlegvi.scenario.kinds.functions.keys import MOST_FEATURES
from particlegvi.tools.quoting import refuse


def features_of(settings: Facts, kernel: Covariance, inputs: int, number: int | None = None) -> Functionals | Mercer:
    """The functionals or the basis for so many inputs; ``number`` replaces frequencies, count or size.

    Of several inputs they are the products of functionals of each coordinate.
    """
    if settings["name"] == "mercer":
        return Mercer(kernel, settings["mean"], settings["sd"], number or settings["size"], inputs=inputs)
    low, high = settings["low"], settings["high"]
    of: Functionals
    if settings["name"] == "fourier":
        of = Fourier(low, high, number or settings["frequencies"], settings["ends"])
    else:
        of = Windows(np.linspace(low, high, number or settings["count"])[:, None], settings["width"])
    if inputs > 1:
        if not isinstance(kernel, Product):
            raise ValueError(
                f'features {settings["name"]} of {inputs} inputs need a kernel with by_coordinate="product"'
            )
        of = TensorProduct(*[of] * inputs)
    of.check(kernel)
    if len(of) > MOST_FEATURES:
        raise refuse("features", len(of), f"at most {MOST_FEATURES} functionals of all coordinates together")
    return of
