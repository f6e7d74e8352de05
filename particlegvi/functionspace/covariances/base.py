"""What every covariance answers."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from particlegvi.functionspace.checks import Array


class Covariance:
    """A positive semi-definite function of two inputs, with positive parameters known by their logarithms.

    A new one is a file with a subclass that has a ``name`` and the methods that raise ``NotImplementedError`` here.
    Covariances do not change: `with_log_parameters` makes another one. ``a + b`` and ``a * b`` are covariances.
    """

    name: str

    def __call__(self, A: ArrayLike, B: ArrayLike | None = None) -> Array:
        """k(A, B), shape (n, m), for inputs (n, dim) and (m, dim); without B it is k(A, A), exactly symmetric."""
        raise NotImplementedError

    def diagonal(self, A: ArrayLike) -> Array:
        """k(a, a) for every row of A, shape (n,)."""
        raise NotImplementedError

    def log_parameters(self) -> Array:
        """The logarithms of the parameters, shape (parameters,), in the order of `parameter_names`."""
        raise NotImplementedError

    def parameter_names(self) -> list[str]:
        """The names of the parameters, for example ``["lengthscale[0]", "lengthscale[1]", "variance"]``."""
        raise NotImplementedError

    def with_log_parameters(self, vector: ArrayLike) -> Covariance:
        """The same covariance with other parameters."""
        raise NotImplementedError

    def log_parameter_gradient(self, A: ArrayLike, B: ArrayLike | None, weights: ArrayLike) -> Array:
        """The gradient of ``sum(weights * k(A, B))`` in the log parameters, shape (parameters,).

        No array larger than k(A, B) is made, however many parameters there are.
        """
        raise NotImplementedError

    def facts(self) -> dict[str, Any]:
        """The name and the parameters by name, as JSON can hold them."""
        import math

        values = map(math.exp, self.log_parameters().tolist())
        return {"name": self.name, **dict(zip(self.parameter_names(), values, strict=True))}

    def __add__(self, other: Covariance) -> Covariance:
        from particlegvi.functionspace.covariances.sum import Sum

        return Sum(self, other) if isinstance(other, Covariance) else NotImplemented

    def __mul__(self, other: Covariance) -> Covariance:
        from particlegvi.functionspace.covariances.product import Product

        return Product(self, other) if isinstance(other, Covariance) else NotImplemented

    def __repr__(self) -> str:
        words = [f"{key}={value:.6g}" for key, value in self.facts().items() if key != "name"]
        return f"{type(self).__name__}({', '.join(words)})"
