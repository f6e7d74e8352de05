"""Kinds of figure: functions from results and options to a figure, known by a name.

`figure_kind` marks the function of a kind, in any file of this folder, and takes a check for each option (`rules`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import update_wrapper
from typing import Any, TypeAlias

from matplotlib.figure import Figure

from particlegvi.contracts import Scenario
from particlegvi.plotting.look import Look, drawn_in, in_look
from particlegvi.plotting.moving import SHARE, MovingFigure, clock_of
from particlegvi.plotting.protocols import Results
from particlegvi.plotting.reading import Select
from particlegvi.plotting.rules import Check, flag, labels
from particlegvi.plotting.swept import Swept
from particlegvi.plotting.text_layout import finished
from particlegvi.settings.pictures import KEYS as STYLE
from particlegvi.tools import arguments
from particlegvi.tools.quoting import refuse, shown
from particlegvi.tools.registry import Registry, check_parameters

Draw: TypeAlias = Callable[..., Figure] | Callable[..., MovingFigure]

kinds: Registry[FigureKind] = Registry(str(__package__), "kind of figure")


class FigureKind:
    """A function that draws results, with its name, and the default value and the check of each option."""

    def __init__(
        self, draw: Draw, name: str, of: tuple[str, ...], checks: Mapping[str, Check], *, moves: bool,
        select: Select | None, dim: int | None,
    ) -> None:  # fmt: skip
        update_wrapper(self, draw)
        parameters = inspect.signature(draw).parameters.values()
        self._draw, self._select, self.name, self.of, self.moves, self._dim = draw, select, name, of, moves, dim
        self.defaults = {each.name: each.default for each in parameters if each.kind is each.KEYWORD_ONLY}
        if select is not None:
            self.defaults, checks = {"methods": None, **self.defaults}, {"methods": labels, **checks}
        self.checks: dict[str, Check] = {}
        for option in (*self.defaults, *checks):
            if option in STYLE:
                raise RuntimeError(f'the option {option} of the figure "{name}" is a setting of every look')
            check = checks.get(option) or (flag if isinstance(self.defaults.get(option), bool) else None)
            if option not in self.defaults or check is None:
                wrong = "is none of its keyword-only parameters" if option in checks else "has no check"
                raise RuntimeError(
                    f'the option {option} of the figure "{name}" {wrong}; '
                    f'say @figure_kind("{name}", {option}=...) for a parameter with a default value'
                )
            self.checks[option] = check

    def __call__(self, results: Results | Swept, **settings: Any) -> Figure:
        """Draw, in the look that the scenario's ``style`` and those of the settings that are no options ask for."""
        figure, made, _ = self._drawn(results, settings)
        if isinstance(made, MovingFigure) and clock_of(made.runs).words == SHARE:
            made.clock.set_text("")  # 100% of the steps: that says something in a film only
        return figure

    def moving(self, results: Results | Swept, **settings: Any) -> MovingFigure:
        """The figure as one that moves; of a kind that has `moves`."""
        _, made, look = self._drawn(results, settings)
        assert isinstance(made, MovingFigure), f"the figure {self.name} does not move"
        return made._replace(shows={label: in_look(look, show) for label, show in made.shows.items()}, look=look)

    def _drawn(self, results: Results | Swept, settings: Scenario) -> tuple[Figure, Figure | MovingFigure, Look]:
        """The figure, what the function returns, and the look."""
        options = {name: value for name, value in settings.items() if name in self.defaults}
        look = self.look(results, settings)
        with drawn_in(look):
            runs = []
            if self._select is not None:  # such a kind draws no sweep
                runs = [self._select(results, options.pop("methods", None))]  # type: ignore[arg-type]
            if self._dim is not None:
                self.check_dim(*(run.positions.shape[2] for run in runs[0].values()))
            made = self._draw(results, *runs, **options)
            return finished(made.figure if isinstance(made, MovingFigure) else made), made, look

    def look(self, results: Results | Swept, settings: Scenario) -> Look:
        """The look of a figure with these settings: those of the scenario's ``style``, and their own before them."""
        own = {name: value for name, value in settings.items() if name not in self.defaults}
        return Look(**{**results.scenario.get("style", {}), **own})

    def checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options, and settings of the look (`particlegvi.settings.pictures`), in plain form, or a ValueError."""
        check_parameters(f'the figure "{self.name}"', given, [*self.defaults, *STYLE])
        return {option: self._value(option, value) for option, value in given.items()}

    def check_dim(self, *dims: int) -> None:
        """Raise a ValueError where particles have another dimension than those that the figure draws."""
        wrong = [dim for dim in dims if self._dim not in (None, dim)]
        if wrong:
            raise ValueError(f'the figure "{self.name}" draws particles of {self._dim} dimension(s), not {wrong[0]}')

    def _value(self, option: str, value: object) -> object:
        if value is None and option in self.defaults and self.defaults[option] is None:
            return None
        check = self.checks[option] if option in self.checks else STYLE[option].check
        return check(value, f'{option} of the figure "{self.name}"')


def figure_kind(
    name: str,
    /,
    *,
    of: tuple[str, ...] = ("particles",),
    runs: Select | None = None,
    dim: int | None = None,
    moves: bool = False,
    **checks: Check,
) -> Callable[[Draw], FigureKind]:
    """Make the function below a kind of figure: its keyword-only parameters are the options that a scenario may set.

    Parameters
    ----------
    name : str
        Name in ``[[figures]]``; the file of the picture is called so as well.
    of : tuple of str
        The kinds of scenario that it draws.
    runs : callable, optional
        Chooses the runs that the function gets as its second argument, or refuses them: `reading.named_runs`,
        `reading.chosen_runs`, ... The figure has the option ``methods`` then: the labels of the methods to draw, in
        this order; all by default.
    dim : int, optional
        The dimension of the particles that it draws, 1 or 2; any by default.
    moves : bool
        Whether the function returns a `particlegvi.plotting.moving.MovingFigure`, so that the figure can become a film.
    **checks
        The check of each option; one whose default is True or False needs none.
    """

    return lambda draw: FigureKind(draw, name, of, checks, moves=moves, select=runs, dim=dim)


def options(name: str) -> dict[str, Any]:
    """The options of a kind of figure with their default values."""
    return dict(kinds[name].defaults)


def check(specification: Mapping[str, Any], scenario_kind: str | None = None, dim: int | None = None) -> None:
    """Check an entry of ``[[figures]]``; `particlegvi.run` does so before anything is simulated.

    With ``scenario_kind`` the figure must be one of scenarios of this kind, with ``dim`` one of particles of this
    dimension.
    """
    kind, _ = checked(specification)
    if dim is not None:
        kind.check_dim(arguments.whole("dim", dim, 1))
    if scenario_kind is not None and not isinstance(scenario_kind, str):
        raise refuse("scenario_kind", scenario_kind, "the name of a kind of scenario, or left out")
    if scenario_kind is not None and scenario_kind not in kind.of:
        fitting = [name for name in kinds.names() if scenario_kind in kinds[name].of]
        allowed = f"one of {', '.join(fitting)}" if fitting else "left out"
        asked = f"a scenario of the kind {shown(scenario_kind)}"
        raise ValueError(f"the figure of {asked} must be {allowed}, not {kind.name}")


def checked(specification: Mapping[str, Any]) -> tuple[FigureKind, dict[str, Any]]:
    """The kind of an entry of ``[[figures]]`` and its options in plain form, or the error of `check`."""
    if not isinstance(specification, Mapping):
        raise ValueError(f"an entry of [[figures]] must be a table with a kind, not {shown(specification)}")
    if "kind" not in specification:
        raise ValueError(f'every entry of [[figures]] needs a "kind"; allowed: {", ".join(kinds.names())}')
    kind = kinds[specification["kind"]]
    return kind, kind.checked({key: value for key, value in specification.items() if key != "kind"})
