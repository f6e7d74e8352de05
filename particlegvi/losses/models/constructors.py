"""The constructors of a loss from a model of NumPyro, PyMC or Stan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Term
from particlegvi.losses.automatic import value_and_gradient
from particlegvi.losses.checks import NamedCoordinates
from particlegvi.losses.models.model import Draws, ModelEnergy
from particlegvi.losses.models.of_numpyro import of_numpyro
from particlegvi.losses.models.of_pymc import of_pymc
from particlegvi.losses.models.of_stan import of_bridgestan
from particlegvi.tools import arguments


class FromModels(NamedCoordinates):
    """Losses whose coordinates stand for the variables of a model."""

    name: str
    kind: str
    term: Term | None
    value: Callable[[ArrayLike], Any]
    gradient: Callable[[ArrayLike], Array]
    constraining: Callable[[Array], Draws] | None = None  # the map of a model; None for other losses

    @classmethod
    def from_numpyro(cls, model: Callable[..., object], *args: Any, **kwargs: Any) -> Self:
        """Minus the log density of a model of NumPyro, in coordinates without walls.

        Parameters
        ----------
        model : callable
            A function with ``numpyro.sample`` in it; all its variables must be continuous.
        *args, **kwargs
            The arguments of ``model``, its data among them.

        Raises
        ------
        MissingLibrary
            Without the extra ``numpyro``.
        ValueError
            If the model fails, has discrete variables or none, has no data, computes in float32, or is finite nowhere.
        """
        return cls._from_model(of_numpyro(model, args, kwargs))

    @classmethod
    def from_pymc(cls, model: Any) -> Self:
        """Minus the log density of a model of PyMC, in coordinates without walls.

        PyTensor compiles it for some ten seconds, longer the first time.

        Parameters
        ----------
        model : pymc.Model
            All its variables must be continuous.

        Raises
        ------
        MissingLibrary
            Without the extra ``pymc``.
        ValueError
            As for `from_numpyro`.
        """
        return cls._from_model(of_pymc(model))

    @classmethod
    def from_bridgestan(cls, model: Any) -> Self:
        """Minus the log density of a model of Stan, in coordinates without walls.

        Parameters
        ----------
        model : bridgestan.StanModel
            A compiled model with its data. Transformed parameters are among its variables, generated quantities are
            not.

        Raises
        ------
        ValueError
            If the model has no parameters, or is finite nowhere.
        """
        return cls._from_model(of_bridgestan(model))

    @classmethod
    def _from_model(cls, model: ModelEnergy) -> Self:
        from particlegvi.engine.terms.trial import try_out

        loss = cls._of_functions(model.name, model.coordinates, value_and_gradient(model.energy))
        loss.kind = model.language
        loss.constraining = model.constrain
        try_out(model.name, loss.value, loss.gradient, loss.dim, model.coordinates)
        return loss

    @classmethod
    def _of_functions(cls, name: str, variables: list[str], functions: tuple[Any, Any]) -> Self:
        raise NotImplementedError  # `Loss` has it

    def constrain(self, theta: ArrayLike) -> Draws:
        """The variables of the model in their own units, at many points (n, dim) or at one (dim,).

        Returns
        -------
        dict
            Arrays (n, ...) by the names of the variables, or (...) for one point. Of a loss that is no model, its
            coordinates.
        """
        points, shape = arguments.one_or_many("theta", theta, self.dim, f", as {self.name} has it")
        if self.constraining is None:
            values = {name: points[:, number].copy() for number, name in enumerate(self.variables)}
        else:
            values = self.constraining(points)
        return values if shape else {name: np.asarray(rows[0]) for name, rows in values.items()}

    @property
    def names(self) -> list[str]:
        """The names of the model's own variables, those of `constrain`; of another loss those of its coordinates."""
        return list(self.constrain(np.full(self.dim, 0.5)))
