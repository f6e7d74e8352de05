"""A prior typed as a formula: any density in one or two dimensions, normalised by quadrature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics import noise
from particlegvi.engine.terms import evaluate
from particlegvi.losses.formulas.assembler import Assembler, lower
from particlegvi.losses.formulas.derivative import gradient, logarithm
from particlegvi.losses.formulas.parser import checked_variables, parse, variables_of
from particlegvi.losses.formulas.values import run
from particlegvi.priors.parameters import FromParameters
from particlegvi.priors.sinh_quadrature import integrate
from particlegvi.tools.arguments import array, as_written, frozen, locations, whole
from particlegvi.tools.calls import explains_bad_calls
from particlegvi.tools.quoting import refuse

if TYPE_CHECKING:
    from particlegvi.engine.terms.tape import FormulaTape

CELLS = {1: 16_384, 2: 512}  # cells for draws on each side of the centre, in each coordinate, by dimension
FARTHEST_END = 1e150  # a finite one, so that its square is finite
FAR_ENDS = {"-inf": -np.inf, "inf": np.inf}
DIGITS = 13  # the normaliser is rounded to so many digits: its last bits would depend on the machine


@explains_bad_calls
class Prior(FromParameters):
    """A prior with the density of a formula; `from_formula` makes it.

    Parameters
    ----------
    formula : str
        The density up to a constant factor, for example ``"exp(-abs(t)**3)"`` or ``"1/(1 + x^2 + y^2)^2"``: of 0 or
        more, with a finite integral that quadrature resolves, written as losses are (`particlegvi.Loss.from_formula`).
    variables : sequence of str, optional
        The name of each coordinate, one or two; by default the names in the formula in order of their appearance.
    low, high : float or array (dim,), optional
        Ends beyond which the density is zero; infinite by default. Particles are reflected there. In a scenario the
        words "-inf" and "inf" stand for an end of one coordinate that is infinite.

    Attributes
    ----------
    dim : int
        1 or 2.
    log_normaliser : float
        Logarithm of the integral of the formula.
    error : float
        Relative error of that integral: the difference of two quadrature rules.
    mean, sd : arrays (dim,)
        Only if the tails are light enough for them to exist.
    low, high : arrays (dim,)
    """

    name = "formula"

    def __init__(
        self,
        formula: str,
        variables: Sequence[str] | str | None = None,
        low: ArrayLike = -np.inf,
        high: ArrayLike = np.inf,
    ) -> None:
        if not isinstance(formula, str):
            raise refuse("formula", formula, "a text")
        names = checked_variables(variables_of(formula) if variables is None else variables)
        if len(names) > 2:
            raise ValueError(f"variables must be one or two names, not {len(names)}, for quadrature to normalise")
        self.formula, self.variables, self.dim = formula, names, len(names)
        self.low, self.high = _ends("low", low, self.dim), _ends("high", high, self.dim)
        if not np.all(self.low < self.high):
            raise refuse("low", as_written(self.low), f"below high, which is {as_written(self.high)}")
        graph, value = parse(formula, names)
        log = logarithm(graph, value)
        mass = integrate(lambda x: run(graph, [log], x)[:, 0], self.low, self.high)
        self.log_normaliser, self.error = float(f"{mass.log_normaliser:.{DIGITS}g}"), mass.error
        self.stretches = mass.stretches
        minus = graph.add(graph.negate(log), graph.constant(self.log_normaliser))
        lowered, roots = lower(graph, [minus, *gradient(graph, minus, self.dim)])
        self._term = Assembler().assemble(lowered, roots)
        self.location = frozen(np.array([stretch.centre for stretch in mass.stretches]))
        self.scale = frozen(np.array([stretch.scale for stretch in mass.stretches]))
        if mass.mean is not None and mass.sd is not None:
            self.mean, self.sd = frozen(mass.mean), frozen(mass.sd)
        self._cells: tuple[list[Array], Array] | None = None

    @classmethod
    @explains_bad_calls
    def from_formula(
        cls,
        formula: str,
        variables: Sequence[str] | str | None = None,
        low: ArrayLike = -np.inf,
        high: ArrayLike = np.inf,
    ) -> Prior:
        """The prior with this density; parameters as in the class."""
        return cls(formula, variables, low, high)

    def __repr__(self) -> str:
        ends = "".join(f", {key}={value!r}" for key, value in self.parameters().items() if key in ("low", "high"))
        return f"Prior.from_formula({self.formula!r}, {self.variables}{ends})"

    def parameters(self) -> Facts:
        ends = {"low": self.low, "high": self.high}
        written = {key: _in_words(end) for key, end in ends.items() if np.isfinite(end).any()}
        return {"formula": self.formula, "variables": self.variables, **written}

    def log_density(self, x: ArrayLike) -> Array:
        """log p at points (n, dim), shape (n,): minus infinity outside the ends."""
        at = locations(x, self.dim)
        inside = np.all((at >= self.low) & (at <= self.high), axis=1)
        return np.where(inside, -evaluate.values(self._term, np.clip(at, self.low, self.high)), -np.inf)

    def gradient(self, x: ArrayLike) -> Array:
        """Gradient of log p at points (n, dim), shape (n, dim)."""
        return np.asarray(-evaluate.gradients(self._term, locations(x, self.dim)))

    def sample(self, particles: int, seed: int = 0, role: str = "start") -> Array:
        """Independent draws, shape (particles, dim): functions of the seed, the role and their index alone.

        A cell of a fine grid by its mass, and a place in it, evenly in the stretched coordinates.
        """
        edges, cumulative = self._grid()
        u = noise.uniforms(seed, role, whole("particles", particles, 1), self.dim + 1)
        cell = np.searchsorted(cumulative, u[:, self.dim] * cumulative[-1], side="right")
        cell = np.minimum(cell, cumulative.size - 1)
        places = np.unravel_index(cell, [len(line) - 1 for line in edges])
        drawn = []
        for i, (stretch, line, place) in enumerate(zip(self.stretches, edges, places, strict=True)):
            drawn.append(stretch.at(line[place] + u[:, i] * (line[place + 1] - line[place])))
        return np.ascontiguousarray(np.clip(np.stack(drawn, axis=1), self.low, self.high))

    def _grid(self) -> tuple[list[Array], Array]:
        """Edges of the cells in each stretched coordinate, and the cumulative mass of all cells."""
        if self._cells is None:
            number = CELLS[self.dim]
            edges = [stretch.edges(number) for stretch in self.stretches]
            pairs = [
                (stretch, 0.5 * (line[1:] + line[:-1]), np.diff(line))
                for stretch, line in zip(self.stretches, edges, strict=True)
            ]
            slopes = [stretch.log_slope(t) + np.log(widths) for stretch, t, widths in pairs]
            axes = [stretch.at(t) for stretch, t, _ in pairs]
            grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, self.dim)
            level = self.log_density(grid) + np.sum(np.meshgrid(*slopes, indexing="ij"), axis=0).ravel()
            self._cells = edges, np.cumsum(np.exp(level))
        return self._cells

    def term(self) -> FormulaTape:
        """Minus the log density, for the engine."""
        return self._term


def _in_words(ends: Array) -> float | list[float | str]:
    """Ends (dim,) as a user would have written them, an infinite one as a word, which every file can hold."""
    words: list[float | str] = [float(end) if np.isfinite(end) else f"{end}" for end in ends]
    return float(ends[0]) if ends.size == 1 else words


def _ends(key: str, value: ArrayLike, dim: int) -> Array:
    """Ends, maybe infinite, as an array (dim,) that cannot be changed."""
    allowed = f"a number or an array ({dim},) of numbers, each at most {FARTHEST_END:g} in size or infinite"
    listed = (
        [FAR_ENDS.get(end, end) if isinstance(end, str) else end for end in value] if type(value) is list else value
    )
    ends = array(key, listed, allowed)
    is_far = np.isfinite(ends) & (np.abs(ends) > FARTHEST_END)
    if ends.shape not in ((), (1,), (dim,)) or np.isnan(ends).any() or is_far.any():
        raise refuse(key, value, allowed)
    return frozen(np.full(dim, ends))
