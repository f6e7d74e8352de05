"""The base class of covariances, sums and products of covariances, and the iterated kernel of the thesis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Facts, Kernel
from particlegvi.engine.pairs.scaled import TOGETHER
from particlegvi.tools.arguments import frozen, points, refuse

ROWS = 64  # rows of a block, if the gradient of a diagonal is taken from the gradient of a matrix


class Covariance:
    """A positive semi-definite function of two inputs, with positive parameters given by their logarithms.

    To add a covariance, add a file with a subclass: it has a ``name`` and the methods that raise
    ``NotImplementedError`` here. Covariances are immutable: `with_log_parameters` makes a new one. ``a + b`` and
    ``a * b`` are covariances. ``kinked`` means that k(a, b) has no gradient at a = b: the process is nowhere smooth.
    """

    name: str
    kinked: bool = False

    def __call__(self, A: ArrayLike, B: ArrayLike | None = None) -> Array:
        """k(A, B), shape (n, m), for inputs (n, dim) and (m, dim); without B it is k(A, A), exactly symmetric."""
        raise self._undefined("__call__(A, B)")

    def diagonal(self, A: ArrayLike) -> Array:
        """k(a, a) for every row of A, shape (n,)."""
        raise self._undefined("diagonal(A)")

    def log_parameters(self) -> Array:
        """The logarithms of the parameters, shape (parameters,), in the order of `parameter_names`."""
        raise self._undefined("log_parameters()")

    def parameter_names(self) -> list[str]:
        """The names of the parameters, for example ``["lengthscale[0]", "lengthscale[1]", "variance"]``."""
        raise self._undefined("parameter_names()")

    def with_log_parameters(self, vector: ArrayLike) -> Covariance:
        """A covariance of this kind with other parameters."""
        raise self._undefined("with_log_parameters(vector)")

    def gradients(self, A: ArrayLike, B: ArrayLike, weights: ArrayLike) -> tuple[Array, Array]:
        """The gradients of ``sum(weights * k(A, B))`` in A with B fixed, (n, dim), and in the log parameters.

        The second has the shape (parameters,). The first is 0 at a kink where a = b; with symmetric weights, the
        gradient of ``sum(weights * k(A, A))`` in A is twice the result for B = A. For any number of parameters, no
        array is larger than k(A, B).
        """
        raise self._undefined("gradients(A, B, weights)")

    def diagonal_gradient(self, A: ArrayLike, weights: ArrayLike) -> Array:
        """The gradient of ``sum(weights * diagonal(A))`` in the log parameters, shape (parameters,)."""
        x, w = np.asarray(A, dtype=np.float64), np.asarray(weights, dtype=np.float64)
        gradient = np.zeros(len(self.parameter_names()))
        for first in range(0, len(x), ROWS):
            rows = slice(first, first + ROWS)
            gradient += self.gradients(x[rows], x[rows], np.diag(w[rows]))[1]
        return gradient

    def _undefined(self, method: str) -> NotImplementedError:
        return NotImplementedError(f"the class {type(self).__name__} of a covariance must define {method}")

    def between(self, A: Array, B: Array, columns: int) -> Between:
        """k(A, B), padded with columns of zeros to ``columns``, and its gradients; the inputs are already checked."""
        return Between(self, A, B)

    def facts(self) -> Facts:
        """The name and the parameters by name, as JSON can hold them."""
        values = map(math.exp, self.log_parameters().tolist())
        return {"name": self.name, **dict(zip(self.parameter_names(), values, strict=True))}

    def __add__(self, other: Covariance) -> Covariance:
        return Sum(self, other) if isinstance(other, Covariance) else NotImplemented

    def __mul__(self, other: Covariance) -> Covariance:
        return Product(self, other) if isinstance(other, Covariance) else NotImplemented

    def __repr__(self) -> str:
        words = [f"{key}={value:.6g}" for key, value in self.facts().items() if key != "name"]
        return f"{type(self).__name__}({', '.join(words)})"


def padded(columns: int) -> int:
    """The smallest allowed number of columns of a `Between` matrix that is at least ``columns``."""
    return -(-columns // TOGETHER) * TOGETHER


class Between:
    """k(A, B), and the gradients of weighted sums of its entries.

    Columns beyond the rows of B are zeros; their weights must be zeros, too.
    """

    def __init__(self, covariance: Covariance, A: Array, B: Array) -> None:
        self.covariance, self.A, self.B = covariance, A, B

    def fill(self, out: Array) -> None:
        """Write k(A, B) into the contiguous array ``out``."""
        out[:, : len(self.B)] = self.covariance(self.A, self.B)
        out[:, len(self.B) :] = 0.0

    def gradients(self, weights: Array) -> tuple[Array, Array]:
        """The `Covariance.gradients`."""
        return self.covariance.gradients(self.A, self.B, weights[:, : len(self.B)])


def joined(gradients: Iterable[tuple[Array, Array]]) -> tuple[Array, Array]:
    """The gradients of a sum, from those of its parts, which have parameters of their own."""
    in_inputs, in_logs = zip(*gradients, strict=True)
    return np.sum(in_inputs, axis=0), np.concatenate(in_logs)


KernelLike: TypeAlias = Covariance | Kernel  # a covariance, or a kernel of particlegvi.kernels


class Compound(Covariance):
    """A covariance made of parts; nested parts of the same kind are flattened, so that ``a + b + c`` has three."""

    kind: ClassVar[str]
    combine: ClassVar[np.ufunc]  # of the parts' values

    def __init__(self, *parts: Covariance) -> None:
        self.name = self.kind  # not of the class, so that the registry leaves out a covariance that needs others
        if not parts or not all(isinstance(part, Covariance) for part in parts):
            raise refuse(f"the parts of a {self.name}", list(parts), "one or more covariances")
        flat = [part.parts if type(part) is type(self) else (part,) for part in parts]
        self.parts: tuple[Covariance, ...] = tuple(part for group in flat for part in group)
        self.kinked = any(part.kinked for part in self.parts)

    def __call__(self, A: ArrayLike, B: ArrayLike | None = None) -> Array:
        total = self.parts[0](A, B)
        for part in self.parts[1:]:
            self.combine(total, part(A, B), out=total)
        return total

    def diagonal(self, A: ArrayLike) -> Array:
        return np.asarray(self.combine.reduce([part.diagonal(A) for part in self.parts], axis=0))

    def gradients(self, A: ArrayLike, B: ArrayLike, weights: ArrayLike) -> tuple[Array, Array]:
        pairs = zip(self.parts, self.weights_of_parts(A, B, weights), strict=True)
        return joined(part.gradients(A, B, own) for part, own in pairs)

    def weights_of_parts(self, A: ArrayLike, B: ArrayLike, weights: ArrayLike) -> Iterator[ArrayLike]:
        """For each part in turn, the weights of its entries that ``weights`` of the whole covariance imply."""
        raise NotImplementedError

    def log_parameters(self) -> Array:
        return np.concatenate([part.log_parameters() for part in self.parts])

    def parameter_names(self) -> list[str]:
        return [
            f"{number}.{part.name}.{name}"
            for number, part in enumerate(self.parts, start=1)
            for name in part.parameter_names()
        ]

    def with_log_parameters(self, vector: ArrayLike) -> Self:
        sizes = [part.log_parameters().size for part in self.parts]
        pieces = np.split(np.asarray(vector, dtype=np.float64), np.cumsum(sizes)[:-1])
        return type(self)(*[part.with_log_parameters(piece) for part, piece in zip(self.parts, pieces, strict=True)])


class Product(Compound):
    """``k_1(a, b) k_2(a, b) ...``; only the product of the variances matters."""

    kind = "product"
    combine = np.multiply

    def weights_of_parts(self, A: ArrayLike, B: ArrayLike, weights: ArrayLike) -> Iterator[ArrayLike]:
        for i in range(len(self.parts)):
            others = np.array(weights, dtype=np.float64)
            for other in self.parts[:i] + self.parts[i + 1 :]:
                others *= other(A, B)
            yield others


class Sum(Compound):
    """``k_1(a, b) + k_2(a, b) + ...``"""

    kind = "sum"
    combine = np.add

    def weights_of_parts(self, A: ArrayLike, B: ArrayLike, weights: ArrayLike) -> Iterator[ArrayLike]:
        return repeat(weights, len(self.parts))

    def diagonal_gradient(self, A: ArrayLike, weights: ArrayLike) -> Array:
        return np.concatenate([part.diagonal_gradient(A, weights) for part in self.parts])


class Derived(Covariance):
    """A covariance made of another one, with its parameters."""

    def __init__(self, name: str, covariance: Covariance) -> None:
        self.name = name  # not of the class, so that the registry leaves out a covariance that needs others
        self.covariance, self.kinked = covariance, covariance.kinked

    def log_parameters(self) -> Array:
        return self.covariance.log_parameters()

    def parameter_names(self) -> list[str]:
        return self.covariance.parameter_names()


class Iterated(Derived):
    """``r(a, b) = (1 / S) sum_s k(a, x_s) k(x_s, b)``, the iterated kernel of k under the distribution of the x_s.

    Its values are products of two values of k: doubling the variance of k multiplies the variance of r by four. It has
    no gradients, so that its parameters cannot be searched for.

    Parameters
    ----------
    covariance : Covariance
        k; r has the parameters of k.
    centres : array (S, dim)
        x_s, a sample of the distribution nu of the inputs.
    """

    source = "thesis, (6.10), (D.76), (D.77)"

    def __init__(self, covariance: Covariance, centres: ArrayLike) -> None:
        if not isinstance(covariance, Covariance):
            raise refuse("covariance", covariance, "a covariance")
        super().__init__("iterated", covariance)
        self.centres = frozen(points("centres", centres).copy())

    def __call__(self, A: ArrayLike, B: ArrayLike | None = None) -> Array:
        left = self.covariance(A, self.centres)
        if B is None:  # numpy computes one triangle only, because both factors are the same array
            return left @ left.T / len(self.centres)
        return left @ self.covariance(B, self.centres).T / len(self.centres)

    def diagonal(self, A: ArrayLike) -> Array:
        return np.mean(self.covariance(A, self.centres) ** 2, axis=1)

    def with_log_parameters(self, vector: ArrayLike) -> Self:
        return type(self)(self.covariance.with_log_parameters(vector), self.centres)
