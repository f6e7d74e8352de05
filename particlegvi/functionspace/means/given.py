"""A mean that the user has already: any model with fit and predict, or a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from particlegvi.contracts import Array, Basis, Facts
from particlegvi.functionspace.means.mean import Validation
from particlegvi.tools.arguments import vector
from particlegvi.tools.quoting import refuse


@runtime_checkable
class Model(Protocol):
    """A regression model with scikit-learn's methods."""

    def fit(self, X: Array, y: Array, /) -> object: ...
    def predict(self, X: Array, /) -> Array: ...


class Given:
    """A given model as the mean, so that the posterior adds error bars to the model's predictions.

    Parameters
    ----------
    model : object or function
        An object with ``fit(X, y)`` and ``predict(X)``, such as a regressor of scikit-learn; or a function from inputs
        (n, dim) to values (n,), which is not fitted.
    """

    def __init__(self, model: Model | Callable[[Array], Array]) -> None:
        if isinstance(model, type) or not isinstance(model, Model) and not callable(model):
            raise refuse("model", model, "an object with fit and predict, or a function")
        self.model = model

    @property
    def fixed(self) -> bool:
        """Whether the model is a function, which is not fitted."""
        return not isinstance(self.model, Model)

    def fit(self, X: Array, y: Array, validation: Validation, basis: Basis, seed: int) -> None:
        if isinstance(self.model, Model):
            self.model.fit(X, y)
        self.predict(X[:1])

    def predict(self, X: Array) -> Array:
        found = self.model.predict(X) if isinstance(self.model, Model) else self.model(X)
        return vector("the prediction of the given mean", found, len(X))

    def facts(self) -> Facts:
        return {"mean": "given", "model": type(self.model).__name__}
