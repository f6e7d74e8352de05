"""Several methods on one problem in one call: the same start, the same noise, one table, one figure."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from particlegvi import methods as registry
from particlegvi.contracts import Facts, Listening, Prior, Start
from particlegvi.engine.numerics.compiled import compiling_told
from particlegvi.integrators import Integrator, schedules
from particlegvi.runs.results import Comparison
from particlegvi.runs.simulating import checked_problem, run_methods, simulate
from particlegvi.simulation.problem import Settings
from particlegvi.simulation.storage import CHECKPOINT_EVERY, Saving
from particlegvi.targets.draws import draws_of
from particlegvi.tools import arguments, objects
from particlegvi.tools.calls import explains_bad_calls, shares_parameters
from particlegvi.tools.limits import STEPS
from particlegvi.tools.patience import listening
from particlegvi.tools.quoting import shown
from particlegvi.tools.registry import unknown

SHARED = ("kl_weight", "mmd_weight", "kernel")  # arguments of the call for methods that are given by their name


@shares_parameters(simulate)
@explains_bad_calls
def compare(
    loss: Any,
    methods: Mapping[str, Any] | Iterable[Any],
    prior: Prior | None = None,
    particles: int | None = None,
    steps: int | str = STEPS,
    step_size: float | schedules.Schedule | Mapping[str, object] | str | None = None,
    *,
    initial: Start | None = None,
    seed: int = 0,
    preconditioner: str | ArrayLike | None = None,
    integrator: str | Integrator | Mapping[str, object] = "euler-maruyama",
    record_every: int | None = None,
    tolerance: float = 1e-12,
    modes: ArrayLike | None = None,
    reference: object = None,
    title: str = "",
    progress: Listening = "auto",
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    checkpoint_every: float = CHECKPOINT_EVERY,
    **shared: Any,
) -> Comparison:
    """Run several methods on one problem, from the same start and with the same noise.

    Parameters
    ----------
    methods : mapping or iterable
        Methods by label, or methods alone; each an object of :mod:`particlegvi.methods` or the name of one, such as
        ``["DE", "DLE", "DRLE", "SVGD", "FDGVI"]``.
    modes : array (k, dim), optional
        Points around which the particles are counted.
    reference : array (draws, dim), optional
        Draws that stand for the truth of every method, at least 50 and nearly independent: of a long run of NUTS, say.
        Distances to them, with their null quantiles, are in the
        table, the verdict and the figures, in any dimension.
    title : str
        The words over the figure.
    progress : bool, "auto" or callable, optional
        "auto" shows a bar after a second, in a notebook and on a terminal; True shows one at once, anywhere; None or
        False shows none. A function is called as ``progress(label, steps_done, steps)`` now and then.
    out : path, optional
        A folder for all runs, which is written while they go on, so that `particlegvi.resume` can finish them.
    **shared
        ``kl_weight``, ``mmd_weight`` and ``kernel`` for the methods given by their name; a method without one of these
        parameters is made without it.

    Returns
    -------
    Comparison
        A mapping from labels to runs with ``targets``, ``summary``, ``table()``, ``describe()`` and ``plot()``.

    Raises
    ------
    Diverged
        When a step makes a particle non-finite; ``error.results`` has the runs up to there.
    """
    chosen = _by_label(methods, shared)
    objects.check_listening(progress)
    if not isinstance(title, str):
        raise arguments.refuse("title", title, "a text")
    settings = Settings(particles, steps, step_size, integrator, tolerance, record_every, seed)
    with listening(progress, "results") as reporter, compiling_told(reporter):
        problem, facts = checked_problem(loss, list(chosen.values()), prior, initial, settings, preconditioner)
        if modes is not None:
            modes = arguments.points("modes", modes, problem.start.shape[1])
            if len(modes) == 0:
                raise arguments.refuse("modes", [], "at least one point, or None")
        draws = None if reference is None else draws_of(reference, problem.start.shape[1])
        facts |= {"name": "comparison", "title": title or f"{loss.name}: {', '.join(chosen)}"}
        facts |= {} if modes is None else {"modes": modes.tolist()}
        facts |= {} if record_every is None else {"record_every": record_every}
        saving = None if out is None else Saving(out, overwrite, checkpoint_every)
        return run_methods(problem, chosen, initial, saving, facts, reporter, reference=draws)


def _by_label(methods: Mapping[str, Any] | Iterable[Any], shared: Mapping[str, Any]) -> Facts:
    """Method objects by label; methods given by their name are made with the shared weights."""
    for key in shared:
        if key not in SHARED:
            known = [name for name in inspect.signature(compare).parameters if name != "shared"]
            hint = str(unknown("argument", key, [*known, *SHARED])).partition("; ")[2]
            raise ValueError(f"{key} is not an argument of compare; {hint}")
    allowed = 'a mapping or list such as ["DE", "DLE"]'
    try:
        if isinstance(methods, str | bytes):
            raise TypeError
        entries = list(methods.items()) if isinstance(methods, Mapping) else [(None, method) for method in methods]
    except TypeError:  # a 0-d array has __iter__, and raises this as well
        raise arguments.refuse("methods", methods, allowed) from None
    if not entries:
        raise ValueError("methods must be at least one method, not none")
    by_label: Facts = {}
    for label, method in entries:
        made = _method(method, shared)
        label = getattr(made, "label", type(made).__name__) if label is None else label
        if not isinstance(label, str) or label in by_label:
            raise ValueError(f"methods must be a mapping from labels, not two of one label or none: {shown(label)}")
        if not label.isprintable():  # `describe` would print its escape codes
            raise ValueError(f"methods must have labels of printable characters, not {shown(label)}")
        by_label[label] = made
    return by_label


def _method(method: Any, shared: Mapping[str, Any]) -> Any:
    if not isinstance(method, str):
        return method
    kind = registry.get(method)
    known = inspect.signature(kind).parameters
    return kind(**{name: value for name, value in shared.items() if name in known})
