"""A loss: the function that every method minimises on average, in the form that the rest of the package works with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Term
from particlegvi.engine.numerics.kernel_cache import from_outside
from particlegvi.losses.automatic import FromLibraries, by_differences
from particlegvi.losses.checks import called, coordinate_names, declared, is_term, name_of, named, prepared, whole_dim
from particlegvi.losses.models.constructors import FromModels
from particlegvi.tools import arguments, html
from particlegvi.tools.calls import explains_bad_calls

Function: TypeAlias = Callable[..., Any]  # given by a user; every result is checked


class Loss(FromLibraries, FromModels):
    """A function of R^dim with its gradient, made by one of the constructors below or by `particlegvi.losses.get`.

    Attributes
    ----------
    term : NamedTuple or None
        The term that compiled code calls; None if the functions are plain numpy.
    dim : int
        Number of coordinates.
    name : str
        Name in the registry, or a description.
    kind : str
        "compiled", or "numpy", "numpy, gradient by differences", "JAX", "PyTorch", "NumPyro", "PyMC" or "Stan" for
        functions that compiled code cannot call: right, but slower.
    formula : str or None
        The formula it was made from.
    names : list of str
        The names of the model's own variables, of which `constrain` has the values.
    """

    @explains_bad_calls
    def __init__(
        self,
        term: Term | None,
        dim: int,
        name: str,
        *,
        formula: str | None = None,
        variables: Sequence[str] | None = None,
        functions: tuple[Function, Function] | None = None,
        gradient_at: Function | None = None,
    ) -> None:
        self.term = term
        self.dim = dim
        self.name = name
        self.formula = formula
        self._variables = coordinate_names(dim) if not variables else list(variables)  # checked where they are typed
        self._functions = functions
        self.near: Array | None = None  # (dim,), a point near which the loss is finite, where that is not 0
        self._gradient_at = gradient_at
        self.kind = "numpy" if functions else "compiled"

    @classmethod
    @explains_bad_calls
    def from_term(cls, term: Any, dim: int | None = None, name: str | None = None) -> Loss:
        """A loss from a term: a ``NamedTuple`` with methods ``value(self, x)`` and ``gradient(self, x, out)``.

        A term from outside the package is tried at a few points.

        Parameters
        ----------
        term : NamedTuple
            With at least one field; the fields are numbers, arrays or other terms. The methods are compiled when first
            used: plain Python on ``x`` (dim,), with functions of ``math``.
        dim : int, optional
            Number of coordinates, where the term has no attribute ``dim``.
        name : str, optional
            By default the term's attribute ``name``, or the name of its class.
        """
        if not is_term(term):
            raise arguments.refuse("term", term, "a NamedTuple with at least one field")
        for method in ("value", "gradient"):
            if not callable(declared(term, method)):
                raise ValueError(f"term {type(term).__name__} has no method {method}")
        known = declared(term, "name")
        own = known if isinstance(known, str) else type(term).__name__
        label = own if name is None else named(name)
        size = whole_dim(declared(term, "dim") if dim is None else dim)
        fields = {field: prepared(label, field, content) for field, content in term._asdict().items()}
        for field in declared(term, "positive", ()):
            if not np.all(np.asarray(fields[field]) > 0.0):
                raise arguments.refuse(f"{field} of {label}", fields[field], "a positive number")
        made = term._replace(**fields)
        if from_outside(made):
            from particlegvi.engine.terms.trial import try_term

            try_term(label, made, size)
        return cls(made, size, label)

    @classmethod
    @explains_bad_calls
    def from_formula(cls, formula: str, variables: Sequence[str] | str, name: str | None = None) -> Loss:
        """A loss typed as a formula, with its exact gradient.

        Parameters
        ----------
        formula : str
            For example ``"t**4/4 - t**2"``: numbers, the variables, ``pi``, ``+ - * / ** ^``, parentheses, and sin cos
            tan exp log sqrt abs tanh cosh sinh. The derivative of ``abs`` at 0 is 0.
        variables : sequence of str
            The name of each coordinate, in order.
        name : str, optional
            By default "formula".

        Raises
        ------
        ValueError
            For anything else; the message points at the place.
        """
        from particlegvi.losses.formulas.assembler import compile_formula
        from particlegvi.losses.formulas.parser import checked_variables

        names = checked_variables(variables)
        term = compile_formula(formula, names)
        label = "formula" if name is None else named(name)
        return cls(term, len(names), label, formula=formula, variables=names)

    @classmethod
    @explains_bad_calls
    def from_numba(cls, value: Function, gradient: Function, dim: int, name: str | None = None) -> Loss:
        """A loss from two functions of one point that numba can compile, whether or not they are jitted already.

        Parameters
        ----------
        value : callable
            ``value(x)`` with ``x`` (dim,), which returns a number.
        gradient : callable
            ``gradient(x)``, which returns an array (dim,), or ``gradient(x, out)``, which fills ``out`` (dim,). Both
            arrays belong to the engine, which fills ``x`` anew for each particle: copy what you keep.
        dim : int
            Number of coordinates.
        name : str, optional
            By default the name of ``value``.

        Raises
        ------
        ValueError
            If a function does not compile, returns the wrong shape, is finite at none of a few trial points, or if the
            gradient does not agree with differences of the value.
        """
        from particlegvi.engine.terms.trial import try_out
        from particlegvi.engine.terms.user_functions import term_of_functions

        size = whole_dim(dim)
        term, value_at, fill = term_of_functions(value, gradient, size)

        def gradient_at(x: Array) -> Array:
            slope = np.empty(size)
            fill(x, slope)
            return slope

        # The engine's own loops over the term take seconds to compile: the trial does without them.
        def each(at: Function) -> Function:
            return lambda X: np.array([at(x) for x in X.copy()])

        label = name_of(value) if name is None else named(name)
        try_out(label, each(value_at), each(gradient_at), size)
        return cls(term, size, label)

    @classmethod
    @explains_bad_calls
    def from_numpy(
        cls,
        value: Function,
        gradient: Function | str,
        dim: int,
        name: str | None = None,
        gradient_at: Function | None = None,
        near: ArrayLike | None = None,
    ) -> Loss:
        """A loss from two functions of many points at a time, in plain numpy: slower, but nothing is compiled.

        Parameters
        ----------
        value : callable
            ``value(X)`` with ``X`` (n, dim), which returns an array (n,). X is the engine's own buffer, whose numbers
            later steps replace: keep ``X.copy()``, and write nothing into it.
        gradient : callable or "differences"
            ``gradient(X)``, with X as above, which returns an array (n, dim). "differences" takes central differences
            of ``value``, at 2 dim points for each point: ten digits where it is smooth.
        dim : int
            Number of coordinates.
        name : str, optional
            By default the name of ``value``.
        gradient_at : callable, optional
            ``gradient_at(X, step, seed)``, the gradient (n, dim) that the step of this number, from 0, uses: of a
            minibatch, for example. It must be a function of its three arguments alone, so that a run repeats itself,
            and its mean over the steps the gradient. By default ``gradient``.
        near : array (dim,), optional
            Where the loss is tried, and where the paths of `particlegvi.sample` begin if the prior is flat; 0 when left
            out, which serves unless the loss is finite far from 0 only.

        Raises
        ------
        ValueError
            If a function fails, returns the wrong shape or float32, or is finite at none of a few trial points; if the
            gradient does not agree with differences of the value, or the mean of ``gradient_at`` with the gradient.
        """
        from particlegvi.engine.terms.trial import trial_points, try_batches, try_out

        differences = isinstance(gradient, str) and gradient == "differences"
        if not callable(value):
            raise arguments.refuse("value", value, "a function")
        if not callable(gradient) and not differences:
            raise arguments.refuse("gradient", gradient, 'a function or "differences"')
        if not callable(gradient_at) and gradient_at is not None:
            raise arguments.refuse("gradient_at", gradient_at, "a function")
        label, size = name_of(value) if name is None else named(name), whole_dim(dim)
        if differences:
            gradient = by_differences(value)
        loss = cls(None, size, label, functions=(value, gradient), gradient_at=gradient_at)  # type: ignore[arg-type]
        loss.kind = "numpy, gradient by differences" if differences else loss.kind
        if near is not None:
            loss.near = arguments.vector("near", near, size).copy()
        try_out(label, loss.value, loss.gradient, size, near=0.0 if loss.near is None else loss.near)
        if gradient_at is not None:
            try_batches(label, loss.gradient, loss.gradient_at, trial_points(size)[2:4])
        return loss

    @classmethod
    def _of_functions(cls, name: str, variables: list[str], functions: tuple[Function, Function]) -> Loss:
        return cls(None, len(variables), name, variables=variables, functions=functions)

    def value(self, x: ArrayLike) -> Any:
        """The loss at many points (n, dim), as an array (n,), or at one point (dim,), as a float.

        With ``dim`` 1 an array (n,) is n points and a number is one.
        """
        points, is_one = self._points(x)
        values = self._evaluated("value", points, points.shape[:1])
        return float(values[0]) if is_one else values

    def gradient(self, x: ArrayLike) -> Array:
        """The gradient at many points (n, dim), as an array (n, dim), or at one point (dim,), as an array (dim,)."""
        points, is_one = self._points(x)
        gradients = self._evaluated("gradient", points, points.shape)
        return gradients[0] if is_one else gradients

    def _evaluated(self, role: str, points: Array, shape: tuple[int, ...]) -> Array:
        if self.term is None:
            assert self._functions
            return called(role, self._functions[role == "gradient"], points, shape)
        from particlegvi.engine.terms import evaluate

        return (evaluate.gradients if role == "gradient" else evaluate.values)(self.term, points)

    def gradient_at(self, points: Array, step: int, seed: int) -> Array:
        """The gradient (n, dim) at points (n, dim) that the step of this number uses.

        The gradient itself, unless the loss was made with a function for this, for example of minibatches. It depends
        on the points, the step and the seed alone.
        """
        if self._gradient_at is None:
            return self.gradient(points)
        return called("gradient_at", self._gradient_at, points, points.shape, step, seed)

    @property
    def title(self) -> str:
        """The first line of the docstring of its class, or its name."""
        documented = (type(self.term).__doc__ or "").strip() if declared(self.term, "source") else ""
        return documented.splitlines()[0].rstrip(".") if documented else self.name

    @property
    def plot_window(self) -> tuple[tuple[float, float], ...] | None:
        """(low, high) for each coordinate, the window of figures; None where none is given."""
        return declared(self.term, "plot_window")

    @property
    def minima(self) -> Array | None:
        """The local minima (k, dim) where they are finitely many and known, otherwise None."""
        known = declared(self.term, "minima")
        return None if known is None else np.array(known, dtype=np.float64).reshape(-1, self.dim)

    def _repr_html_(self) -> str:
        facts = {"formula": self.formula} if self.formula else {"name": self.name}
        return html.card("Loss", {**facts, "coordinates": self.variables, "kind": self.kind})

    def __repr__(self) -> str:
        origin = f"formula {self.formula!r}" if self.formula else self.name
        return f"<Loss {origin}, {self.dim} coordinate{'s' if self.dim > 1 else ''}, {self.kind}>"

    def _points(self, x: ArrayLike) -> tuple[Array, bool]:
        points, shape = arguments.one_or_many("x", x, self.dim, f", as {self.name} has it")
        return points, not shape
