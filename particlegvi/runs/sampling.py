"""`particlegvi.sample`: draws from the posterior of a model that somebody wrote, without a setting."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

from numpy.typing import ArrayLike

from particlegvi import methods
from particlegvi.contracts import Method, Prior, Start, StepListening
from particlegvi.losses.formulas.parser import is_formula, variables_of
from particlegvi.losses.loss import Loss
from particlegvi.losses.models.of_stan import StanModel
from particlegvi.runs import sample_folder
from particlegvi.simulation.problem import Settings, prior_or_flat
from particlegvi.simulation.sampling.sample import Sample, check_method, drawn
from particlegvi.simulation.sampling.sample_settings import AUTO, ENSEMBLE, checked
from particlegvi.tools import arguments, objects
from particlegvi.tools.calls import explains_bad_calls
from particlegvi.tools.limits import STEPS_TO_ARRIVE
from particlegvi.tools.patience import listening


@explains_bad_calls
def sample(
    model: Any,
    prior: Prior | None = None,
    particles: int = 200,
    seed: int = 0,
    *,
    method: Method | str = "DLE",
    initial: Start | None = None,
    preconditioner: str | ArrayLike = ENSEMBLE,
    step_size: float | str = AUTO,
    accuracy: float = 0.1,
    steps: int = STEPS_TO_ARRIVE,
    seconds: float | None = None,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    progress: StepListening = "auto",
) -> Sample:
    """Draw from exp(-loss / kl_weight) times the prior; start, scale, step size and end are chosen.

    Paths of an optimiser find the start (Zhang et al. 2022). Then halves of the ensemble take Metropolis-adjusted
    Langevin steps in turns, each scaled by the covariance of the other, so that no scale of the coordinates matters and
    the law of the particles is exact. The run ends when nothing drifts, a half that started wide agrees with the other,
    and particles have forgotten where they began.

    Parameters
    ----------
    model : Loss, str, pymc.Model or bridgestan.StanModel
        A loss is minus the log likelihood, or minus the log density of a posterior with a flat prior. A text is the
        formula of a loss, with the names in it as its variables.
    prior : prior, optional
        From :mod:`particlegvi.priors`; flat when left out.
    particles : int
        Number of particles, 4 or more. Below ten for each coordinate of a half, the scale leans on that of the start.
    seed : int
        Same arguments and seed, same bytes, unless ``seconds`` ends the run.
    method : method or str
        DLE, whose target is this density.
    initial : prior or array (particles, dim), optional
        The start in place of the paths: a distribution, or points; every second particle then starts farther out.
    preconditioner : "ensemble", "diagonal", "none" or array (dim, dim)
        The matrix C that scales the steps: the covariance of the other half; its diagonal; the unit matrix; or one of
        yours, in the coordinates of the loss (without walls, where the prior has some). All leave the law exact.
    step_size : float or "auto"
        h in x - h C grad V + sqrt(2 h) C^(1/2) xi; "auto": adapted to the acceptance rate, as the page says.
    accuracy : float
        Error of the means, in standard deviations, that 99 of 100 runs do not exceed, over the last steps together.
    steps : int
        Most steps. A run that has not arrived by then says what is in its way.
    seconds : float, optional
        Most seconds after the start, which is not cut short.
    out : path, optional
        Folder for the result, which `particlegvi.load` opens. It appears at the end, whole: of a call that is
        interrupted nothing remains, and the same call begins again.
    overwrite : bool
        Whether ``out`` may be the folder of an earlier sample.
    progress : bool, "auto" or callable, optional
        As for `particlegvi.simulate`.

    Returns
    -------
    Sample
        A `particlegvi.Run` with ``arrived``, ``draws()`` and ``describe()``; ``positions`` holds every step.

    Raises
    ------
    ValueError
        If no start is found, because the loss is not finite near 0 or in the prior, or has no minimum; if its gradient
        is not finite where the particles are.
    """
    loss = _loss_of(model)
    dim = objects.loss(loss).dim
    prior = prior_or_flat(prior, dim)
    method = methods.get(method)() if isinstance(method, str) else objects.method(method)
    check_method(method)
    chosen = checked(Settings(particles, steps, step_size, seed=seed), dim, initial, preconditioner)._replace(
        accuracy=arguments.positive("accuracy", accuracy),
        seconds=None if seconds is None else arguments.positive("seconds", seconds),
    )
    saving = None if out is None else sample_folder.DrawsFolder(out, overwrite, loss, prior, method)
    with listening(progress, "run") as reporter:
        reporter.agreed = reporter.agreed or seconds is not None or None
        run = drawn(loss, prior, method, chosen, partial(reporter, method.label))
    if saving is not None:
        saving.save(run)
    return run


def _loss_of(model: Any) -> Any:
    """The loss of a formula, or of a model of PyMC or of BridgeStan; anything else as it is."""
    if isinstance(model, str) and is_formula(model):
        return Loss.from_formula(model, variables_of(model))
    if isinstance(model, StanModel):
        return Loss.from_bridgestan(model)
    return Loss.from_pymc(model) if type(model).__module__.startswith("pymc.") else model
