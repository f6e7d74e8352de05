"""`particlegvi.sample`: draws from the posterior of a model that somebody wrote, without a setting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from particlegvi import methods
from particlegvi.contracts import Array, Loss, Method, Prior, StepListening, Target
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.losses.loss import Loss as CheckedLoss
from particlegvi.losses.models.model import indexed
from particlegvi.priors import Flat
from particlegvi.simulation.exporting import CHAINS
from particlegvi.simulation.run import Description, Run
from particlegvi.simulation.sampling.arriving import MOST_STEPS, arrive
from particlegvi.simulation.sampling.posterior import PosteriorEnergy
from particlegvi.tools import arguments, objects
from particlegvi.tools.calls import explains_bad_calls
from particlegvi.tools.export.columns import Columns, of_particles
from particlegvi.tools.progress import listening_to_steps

if TYPE_CHECKING:
    import xarray

MOST_SHOWN = 40  # rows of `describe`
FEWEST = 4  # particles: two in each half have a covariance
REMEDIES = (
    ("drifts", "the ensemble still moves: more steps, or another parametrisation"),
    ("wide", "inside and outside have not met: a funnel, a ridge or heavy tails ask for another parametrisation"),
    ("forgotten", "particles stay where they began: several modes, or a scale that changes from place to place"),
    ("draws", "more particles, or a larger accuracy"),
)


@dataclass
class Sample(Run):
    """The run of `particlegvi.sample`: records of each step, and whether they have arrived.

    ``info`` has the reason and the worst coordinate where they have not, the number of gradients, and what the start
    found.
    """

    @property
    def arrived(self) -> bool:
        """Whether the particles are draws from the posterior, by every test."""
        return bool(self.info["arrived"])

    def draws(self) -> Mapping[str, Array]:
        """The final particles: arrays (particles, ...) by the names of the model's own variables, in their own units.

        Of a loss that is no model of NumPyro, PyMC or Stan, arrays (particles,) by the names of the coordinates.
        """
        return self._own(self.final)

    def entries(self, records: bool = False) -> dict[str, Array]:
        """The final particles, or those of all records one after the other, by the name of each entry of a variable."""
        own = self._own(self.positions.reshape(-1, self.dim) if records else self.final)
        return {
            name: values[:, *place]
            for variable, values in own.items()
            for name, place in zip(indexed(variable, values.shape[1:]), np.ndindex(values.shape[1:]), strict=True)
        }

    def _own(self, points: Array) -> dict[str, Array]:
        if isinstance(self.loss, CheckedLoss):
            return self.loss.constrain(points)
        return {name: points[:, number].copy() for number, name in enumerate(self.variables)}

    def plot(self, target: Target | None = None, **look: object) -> Any:
        """Draw a histogram of each variable with its mean and 90% interval; with a target, as other runs do."""
        if target is not None:
            return super().plot(target, **look)
        from particlegvi.plotting.marginals import plot_marginals

        return plot_marginals(self.entries(), **look)

    def columns(self, records: bool = False) -> Columns:
        """The rows of `to_dataframe` as columns by name, in the units of the model."""
        entries = self.entries(records)
        own = np.stack(list(entries.values()), axis=-1).reshape(-1, self.particles, len(entries))
        which = {"record": np.arange(len(self.steps)), "time": self.times} if records else None
        return of_particles(own, list(entries), which)

    def groups(self, last: float, chains: bool | None) -> dict[str, xarray.Dataset]:
        """The groups of `to_datatree`, with the model's own variables in ``posterior``."""
        found = super().groups(last, chains)
        posterior = found["posterior"]
        positions = posterior["position"].to_numpy()
        own = self._own(positions.reshape(-1, self.dim))
        found["posterior"] = posterior.drop_vars(["position", "coordinate"]).assign(
            {
                name: (
                    (*CHAINS, *(f"{name}_dim_{axis}" for axis in range(values.ndim - 1))),
                    values.reshape(positions.shape[:2] + values.shape[1:]),
                )
                for name, values in own.items()
            }
        )
        return found

    def _independent(self) -> bool:
        return False  # each half is scaled by the other


def described(run: Run) -> Description:
    """The verdict with its price, and a table of the coordinates."""
    info = run.info
    price = (
        f"{run.particles} particles, {run.steps[-1]} steps, {info['gradients']:,} gradients"
        f" ({info['start']['gradients']:,} of them for the start), {info['seconds']:.2g} s"
    )
    if info["arrived"]:
        verdict = f"arrived ({price}); means to {info['accuracy']:g} standard deviations in 99 of 100 cases"
    else:
        subject = info["worst"] or "the ensemble"
        remedy = next(words for key, words in REMEDIES if key in info["reason"])
        verdict = f"not arrived ({price}): {subject} {info['reason']}; {remedy}"
    assert isinstance(run, Sample)
    entries = list(run.entries().items())
    width = max(len(name) for name, _ in entries[:MOST_SHOWN])
    heads = "".join(f"  {head:>10}" for head in ("mean", "sd", "5%", "95%"))
    lines = [f"{run.label}: {verdict}", "", " " * width + heads]
    for name, values in entries[:MOST_SHOWN]:
        low, high = np.quantile(values, [0.05, 0.95])
        numbers = (values.mean(), values.std(), low, high)
        lines.append(f"{name:{width}}" + "".join(f"  {number:>10.4g}" for number in numbers))
    if len(entries) > MOST_SHOWN:
        lines.append(f"... and {len(entries) - MOST_SHOWN} more, in draws()")
    return Description("\n".join(lines), info["arrived"], verdict)


@explains_bad_calls
def sample(
    model: Loss,
    prior: Prior | None = None,
    particles: int = 200,
    seed: int = 0,
    *,
    method: Method | str = "DLE",
    accuracy: float = 0.1,
    steps: int = MOST_STEPS,
    seconds: float | None = None,
    progress: StepListening = "auto",
) -> Sample:
    """Draw from exp(-loss / kl_weight) times the prior; start, scale, step size and end are chosen.

    Paths of an optimiser find the start (Zhang et al. 2022). Then halves of the ensemble take Metropolis-adjusted
    Langevin steps in turns, each scaled by the covariance of the other, so that no scale of the coordinates matters and
    the law of the particles is exact. The run ends when nothing drifts, a half that started wide agrees with the other,
    and particles have forgotten where they began.

    Parameters
    ----------
    model : Loss
        Minus the log likelihood, or minus the log density of a posterior with a flat prior.
    prior : prior, optional
        From :mod:`particlegvi.priors`; flat when left out.
    particles : int
        Number of particles, 4 or more. Below ten for each coordinate of a half, the scale leans on that of the start.
    seed : int
        Same arguments and seed, same bytes, unless ``seconds`` ends the run.
    method : method or str
        DLE, whose target is this density.
    accuracy : float
        Error of the means, in standard deviations, that 99 of 100 runs do not exceed, over the last steps together.
    steps : int
        Most steps. A run that has not arrived by then says what is in its way.
    seconds : float, optional
        Most seconds.
    progress : bool, "auto" or callable, optional
        As for `particlegvi.simulate`.

    Returns
    -------
    Sample
        A `particlegvi.Run` with ``arrived``, ``draws()`` and ``describe()``; ``positions`` holds every step.

    Raises
    ------
    ValueError
        If no start is found, because the loss is not finite near 0 or in the prior, or has no minimum.
    """
    dim = objects.loss(model).dim
    prior = Flat(dim) if prior is None else objects.prior(prior)
    objects.same_dim("prior", prior.dim, dim)
    method = methods.get(method)() if isinstance(method, str) else objects.method(method)
    if method.kl_weight <= 0.0 or method.mmd_weight > 0.0 or method.objective != "measures":
        raise ValueError(
            f"method must be DLE, whose target has a density that is known up to a factor, not {method.label}"
        )
    particles = arguments.whole("particles", particles, least=FEWEST)
    seed = arguments.seed(seed)
    accuracy = arguments.positive("accuracy", accuracy)
    steps = arguments.whole("steps", steps, least=1)
    seconds = None if seconds is None else arguments.positive("seconds", seconds)
    posterior = PosteriorEnergy(model, prior, method.kl_weight)
    with listening_to_steps(progress, method.label) as reporter, one_blas_thread():
        found = arrive(posterior, particles, seed, accuracy, (steps, seconds), reporter)
    verdict = found.verdict
    info = {"arrived": verdict.arrived, "accuracy": accuracy, "reason": verdict.reason, **found.facts}
    run = Sample(
        label=method.label,
        loss=model,
        prior=prior,
        method=method,
        positions=found.positions,
        steps=np.arange(len(found.positions)),
        step_size=found.facts["step_size"],
        seed=seed,
        info=info,
        describer=described,
    )
    run.info["worst"] = "" if verdict.worst < 0 else [*run.variables, "the energy"][verdict.worst]
    return run
