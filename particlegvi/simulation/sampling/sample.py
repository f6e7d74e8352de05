"""The run of `particlegvi.sample`: draws by name, a verdict in words, and the forms for other tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from particlegvi.contracts import Array, Facts, Loss, Method, Prior, StepProgress, Target
from particlegvi.losses.loss import Loss as PackageLoss
from particlegvi.losses.models.model import indexed
from particlegvi.methods import FreeEnergy
from particlegvi.simulation.exporting import CHAINS
from particlegvi.simulation.run import Description, Run
from particlegvi.simulation.sampling.arriving import arrive
from particlegvi.simulation.sampling.posterior import PosteriorEnergy
from particlegvi.simulation.sampling.sample_settings import SampleSettings
from particlegvi.simulation.sampling.stopping import DIFFERS, DRIFTS, REMEMBERS, TOO_FEW, UNJUDGED
from particlegvi.tools.export.columns import Columns, of_particles

if TYPE_CHECKING:
    import xarray

MOST_SHOWN = 40  # rows of `describe`
REMEDIES = {
    DRIFTS: "the ensemble still moves: more steps, or another parametrisation",
    DIFFERS: "inside and outside have not met: a funnel, ridge, heavy tails or modes ask for another parametrisation",
    REMEMBERS: "particles stay where they began: several modes, or a scale that changes from place to place",
    TOO_FEW: "more particles, or a larger accuracy",
    UNJUDGED: "more steps",
}


@dataclass
class Sample(Run):
    """The run of `particlegvi.sample`: records of each step, and whether they have arrived.

    The first records are a start that is wide on purpose, and on its way; `pooled` has the last ones, which count.
    ``info`` has the reason and the worst coordinate where they have not, the number of gradients, and what the start
    found.
    """

    @property
    def arrived(self) -> bool:
        """Whether the particles are draws from the posterior, by every test."""
        return bool(self.info["arrived"])

    def draws(self) -> Mapping[str, Array]:
        """The final particles: arrays (particles, ...) by the names of the model's own variables, in their own units.

        Of a loss that is no model of NumPyro, PyMC or Stan, arrays (particles,) by the names of the coordinates. For
        means, intervals and pictures there is `pooled`.
        """
        return self._own(self.final)

    def pooled(self) -> Mapping[str, Array]:
        """The particles of the last records, for which the accuracy holds: arrays as those of `draws`, longer.

        Each has the shape (records x particles, ...). Records of one particle are alike, and worth fewer draws.
        """
        return self._own(self.counted.reshape(-1, self.dim))

    @property
    def counted(self) -> Array:
        """The records that the verdict counts, (records, particles, dim): the last ones."""
        return self.positions[-int(self.info["counted"]) :]

    def entries(self, records: bool = False) -> dict[str, Array]:
        """The final particles, or those of all records one after the other, by the name of each entry of a variable."""
        return by_entry(self._own(self.positions.reshape(-1, self.dim) if records else self.final))

    def _own(self, points: Array) -> dict[str, Array]:
        if isinstance(self.loss, PackageLoss):
            return self.loss.constrain(points)
        return {name: points[:, number].copy() for number, name in enumerate(self.variables)}

    def plot(self, target: Target | None = None, **look: object) -> Any:
        """Draw a histogram of each variable with its mean and 90% interval; with a target, as other runs do.

        The draws are those of `pooled`.
        """
        if target is not None:
            return super().plot(target, **look)
        from particlegvi.plotting.marginals import plot_marginals

        return plot_marginals(by_entry(self.pooled()), self.arrived, self.particles, len(self.counted), **look)

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


def by_entry(variables: Mapping[str, Array]) -> dict[str, Array]:
    """Draws (n, ...) of variables by the name of each entry of them, each (n,)."""
    return {
        name: values[:, *place]
        for variable, values in variables.items()
        for name, place in zip(indexed(variable, values.shape[1:]), np.ndindex(values.shape[1:]), strict=True)
    }


def check_method(method: Method) -> None:
    """A ValueError where the steps of an ensemble have no density to go to, up to a factor."""
    if not isinstance(method, FreeEnergy) or method.kl_weight <= 0.0 or method.mmd_weight > 0.0:
        raise ValueError(
            f"method must be DLE, whose target has a density that is known up to a factor, not {method.label}"
        )
    if method.jumps is not None:
        raise ValueError(f"jumps must be left out for {method.label} with the steps of an ensemble, which has none")


def drawn(
    loss: Loss, prior: Prior, method: Method, chosen: SampleSettings, progress: StepProgress | None = None
) -> Sample:
    """The run of `particlegvi.sample`, and of scenarios with a preconditioner."""
    posterior = PosteriorEnergy(loss, prior, method.kl_weight)
    arrival = arrive(posterior, chosen, progress)
    verdict = arrival.verdict
    run = Sample(
        label=method.label,
        loss=loss,
        prior=prior,
        method=method,
        positions=arrival.positions,
        steps=np.arange(len(arrival.positions)),
        step_size=arrival.facts["step_size"],
        seed=chosen.seed,
        info={"arrived": verdict.arrived, "accuracy": chosen.accuracy, "reason": verdict.reason, **arrival.facts},
        describer=described,
    )
    run.info["worst"] = "" if verdict.worst < 0 else [*run.variables, "the energy"][verdict.worst]
    return run


def verdict_in_words(info: Facts, more: str) -> str:
    """The verdict of a run with its price, of which ``more`` is a part."""
    price = f"{more}, {info['gradients']:,} gradients, {info['start']['gradients']:,} of them for the start"
    if info["arrived"]:
        within = f"{info['accuracy']:g} standard deviations in 99 of 100 cases"
        return f"arrived ({price}); means over the last {info['counted']} steps together to {within}"
    remedy = REMEDIES.get(info["reason"], REMEDIES[UNJUDGED])
    return f"not arrived ({price}): {info['worst'] or 'the ensemble'} {info['reason']}; {remedy}"


def _start_in_words(start: Facts) -> str:
    """In how many places the paths of the start ended: one or several modes, or places of one flat mode."""
    if not start["paths"]:
        return "start: the given particles, every second one farther out"
    more = "s, whose shares come from importance weights" if start["optima"] > 1 else ""
    return f"start: {start['paths']} paths of an optimiser ended in {start['optima']} place{more}"


def described(run: Run) -> Description:
    """The verdict with its price, and a table of the coordinates."""
    info = run.info
    assert isinstance(run, Sample)
    price = f"{run.particles} particles, {run.steps[-1]} steps, {info['seconds']:.2g} s"
    verdict = verdict_in_words(info, price)
    entries = list(by_entry(run.pooled()).items())
    width = max(len(name) for name, _ in entries[:MOST_SHOWN])
    heads = "".join(f"  {head:>10}" for head in ("mean", "sd", "5%", "95%"))
    lines = [f"{run.label}: {verdict}", _start_in_words(info["start"]), "", " " * width + heads]
    for name, values in entries[:MOST_SHOWN]:
        low, high = np.quantile(values, [0.05, 0.95])
        numbers = (values.mean(), values.std(), low, high)
        lines.append(f"{name:{width}}" + "".join(f"  {number:>10.4g}" for number in numbers))
    if len(entries) > MOST_SHOWN:
        lines.append(f"... and {len(entries) - MOST_SHOWN} more, in pooled()")
    return Description("\n".join(lines), info["arrived"], verdict)
