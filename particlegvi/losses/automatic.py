"""Gradients that nobody has to write: by JAX, by PyTorch, and by differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Term
from particlegvi.losses.checks import name_of, named
from particlegvi.tools import arguments
from particlegvi.tools.calls import explains_bad_calls, shares_parameters
from particlegvi.tools.errors import needed

Function: TypeAlias = Callable[[Array], Array]
Pair: TypeAlias = Callable[[Array], tuple[Array, Array]]  # values (n,) and gradients (n, dim) at points (n, dim)
THIRD = np.finfo(np.float64).eps ** (1.0 / 3.0)  # of the size of a coordinate: rounding and curvature cost as much
SHAPES = (1, 16, 128)  # points in a call of a function that is compiled for each number of them
IN_PIECES = 2_048  # points; beyond, one call of all pays for its compiling
MOST_AT_ONCE = 2_000_000  # numbers in the points of one call of a value


def by_differences(value: Function) -> Function:
    """The gradient of ``value(X)`` by central differences, in a few calls of many points.

    The step of a coordinate is 6e-6 times its size, or 6e-6 where it is below 1; the error is about 4e-11 of the third
    derivative, and 2e-11 of the value.
    """

    def gradient(X: Array) -> Array:
        n, dim = X.shape
        slopes = np.empty((n, dim))
        rows = max(1, MOST_AT_ONCE // (2 * dim * dim))
        for first in range(0, n, rows):
            points = np.array(X[first : first + rows])
            steps = THIRD * np.maximum(np.abs(points), 1.0)
            above, below = points + steps, points - steps  # as rounded: their difference is the step that is taken
            moved = np.repeat(points[None, None], 2, axis=0).repeat(dim, axis=1)  # (2, dim, points, dim)
            for i in range(dim):
                moved[0, i, :, i], moved[1, i, :, i] = above[:, i], below[:, i]
            values = np.asarray(value(moved.reshape(-1, dim))).reshape(2, dim, len(points))
            slopes[first : first + rows] = ((values[0] - values[1]) / (above - below).T).T
        return slopes

    return gradient


def in_few_shapes(both: Pair) -> Pair:
    """``both`` called with 1, 16 or 128 points at a time, up to 2,048 of them: JAX compiles it for every shape anew.

    Free rows hold the last point.
    """

    def in_pieces(X: Array) -> tuple[Array, Array]:
        n = len(X)
        size = next((size for size in SHAPES if size >= n), SHAPES[-1])
        if n in (0, size) or n > IN_PIECES:
            return both(X)
        rows = np.minimum(np.arange(-(-n // size) * size), n - 1)
        pieces = [both(X[part]) for part in rows.reshape(-1, size)]
        values, slopes = (np.concatenate(parts)[:n] for parts in zip(*pieces, strict=True))
        return values, slopes

    return in_pieces


def value_and_gradient(both: Pair) -> tuple[Function, Function]:
    """The value and the gradient from a function that finds both: those of the last points are kept."""
    last: list[tuple[Array, tuple[Array, Array]]] = []

    def at(X: Array) -> tuple[Array, Array]:
        if last and np.array_equal(last[0][0], X):
            return last[0][1]
        result = both(X)
        last[:] = [(X.copy(), result)]
        return result

    return lambda X: at(X)[0], lambda X: at(X)[1]


def jax_functions(f: Function, batched: bool) -> tuple[Function, Function]:
    """``f`` and its gradient at many points, compiled by JAX."""
    needed("a loss in JAX", "jax", "jax")
    import jax

    if jax.numpy.zeros(1).dtype != np.float64:
        raise ValueError('JAX must compute in float64: call jax.config.update("jax_enable_x64", True) before this')
    many = f if batched else jax.vmap(f)

    def total(X: Array) -> tuple[Array, Array]:
        values = many(X)
        return values.sum(), values  # each value depends on its own row: the gradient of the sum is that of each

    compiled = jax.jit(jax.value_and_grad(total, has_aux=True))

    def both(X: Array) -> tuple[Array, Array]:
        (_, values), slopes = compiled(X)
        return np.asarray(values), np.asarray(slopes)

    return value_and_gradient(in_few_shapes(both))


def torch_functions(f: Function, batched: bool) -> tuple[Function, Function]:
    """``f`` and its gradient at many points, by PyTorch, in float64 on the processor."""
    needed("a loss in PyTorch", "torch", "torch")
    import torch

    many = f if batched else torch.vmap(f)

    def value(X: Array) -> Array:
        with torch.no_grad():
            return _checked(many(torch.from_numpy(X.copy())))

    def gradient(X: Array) -> Array:
        points = torch.from_numpy(X.copy()).requires_grad_(True)
        return _checked(torch.autograd.grad(many(points).sum(), points)[0])

    def _checked(tensor: torch.Tensor) -> Array:
        if tensor.dtype != torch.float64:
            raise ValueError(f"f must return float64, not {tensor.dtype}: give its constants dtype=torch.float64")
        return tensor.detach().numpy()

    return value, gradient


class FromLibraries:
    """The constructors of a loss from one function of a library that finds gradients."""

    kind: str
    term: Term | None
    _functions: tuple[Function, Function] | None
    _gradient_at: Callable[..., object] | None

    @classmethod
    @explains_bad_calls
    def from_jax(
        cls, f: Function, dim: int, name: str | None = None, *, batched: bool = False, near: ArrayLike | None = None
    ) -> Self:
        """A loss from one function of JAX; its gradient is found by JAX, and both are jitted once.

        Parameters
        ----------
        f : callable
            ``f(x)`` with ``x`` (dim,), which returns a number; with ``batched``, ``f(X)`` with ``X`` (n, dim), which
            returns (n,), each from its own row.
        dim : int
            Number of coordinates.
        name : str, optional
            By default the name of ``f``.
        batched : bool
            Whether ``f`` takes many points.
        near : array (dim,), optional
            As `from_numpy`.

        Raises
        ------
        MissingLibrary
            Without the extra ``jax``.
        ValueError
            If JAX computes in float32, or as `from_numpy`.
        """
        return cls._from_library("JAX", f, dim, name, arguments.flag("batched", batched), near)

    @classmethod
    @shares_parameters(from_jax)
    @explains_bad_calls
    def from_torch(
        cls, f: Function, dim: int, name: str | None = None, *, batched: bool = False, near: ArrayLike | None = None
    ) -> Self:
        """A loss from one function of PyTorch; its gradient is found by PyTorch, in float64 on the processor.

        ``x`` and ``X`` are tensors. `MissingLibrary` without the extra
        ``torch``.
        """
        return cls._from_library("PyTorch", f, dim, name, arguments.flag("batched", batched), near)

    @classmethod
    def _from_library(
        cls, library: str, f: Function, dim: int, name: str | None, batched: bool, near: ArrayLike | None
    ) -> Self:
        if not callable(f):
            raise arguments.refuse("f", f, "a function")
        made = jax_functions if library == "JAX" else torch_functions
        values, gradient = made(f, batched)

        def value(X: Array) -> Array:
            result = values(X)
            if not batched and result.ndim > 1:
                raise ValueError(
                    f"f(x) returned an array of shape {result.shape[1:]} for one point x of shape {X.shape[1:]};"
                    " it must return one number, for example the sum of the array"
                )
            return result

        loss = cls.from_numpy(value, gradient, dim, name_of(f) if name is None else named(name), near=near)
        loss.kind = library
        return loss

    @classmethod
    def from_numpy(
        cls, value: Function, gradient: Function, dim: int, name: str | None = None, *, near: ArrayLike | None = None
    ) -> Self:
        raise NotImplementedError  # `Loss` has it
