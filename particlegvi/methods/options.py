"""The options of a free energy that may be written as a name or a mapping: its embedding, its repulsion, its jumps."""

from __future__ import annotations

from collections.abc import Mapping

from particlegvi import kernels
from particlegvi.contracts import Facts, Kernel, Method
from particlegvi.engine.pairs.approximate import APPROXIMATIONS, Approximation
from particlegvi.engine.terms.own_parts import try_kernel
from particlegvi.methods import jumps
from particlegvi.priors import mean_embedding
from particlegvi.tools import arguments, parts


def kernel_of(kernel: object) -> Kernel | None:
    """A kernel, from a name or a mapping with ``name`` and parameters, as scenarios have it, too; None stays None."""
    if isinstance(kernel, str):
        kernel = {"name": kernel}
    if isinstance(kernel, Mapping):
        try:
            return kernels.get(**{"name": "squared-exponential", **kernel})
        except (TypeError, ValueError) as error:
            raise ValueError(f"kernel: {error}") from None
    found: Kernel | None = parts.kernel_or_none(kernel)
    if isinstance(found, tuple):
        try_kernel(found)
    return found


def embedding_options(embedding: object) -> Facts:
    """``how`` and ``samples`` of an embedding given as a name or a mapping."""
    options: Facts = {"how": embedding}
    if isinstance(embedding, Mapping):
        options = {"how": "auto", **embedding}
    if not set(options) <= {"how", "samples"} or not isinstance(options["how"], str):
        raise arguments.refuse("embedding", embedding, 'a name, or a mapping with "how" and "samples"')
    if options["how"] not in mean_embedding.WAYS:
        raise arguments.refuse("embedding", options["how"], f"one of {', '.join(mean_embedding.WAYS)}")
    if "samples" in options:
        options["samples"] = arguments.whole("samples of the embedding", options["samples"], 1, 1_000_000)
    return options


def repulsion_options(repulsion: object) -> tuple[type[Approximation], int] | None:
    """The class of an approximation and its size, from a name or a mapping; None for "exact"."""
    allowed = 'a name, or a mapping with "how" and "size"'
    if not isinstance(repulsion, str | Mapping):
        raise arguments.refuse("repulsion", repulsion, allowed)
    options = {"how": repulsion} if isinstance(repulsion, str) else dict(repulsion)
    how = options.get("how")
    if not set(options) <= {"how", "size"} or (how == "exact" and "size" in options):
        raise arguments.refuse("repulsion", repulsion, allowed)
    if how == "exact":
        return None
    if not isinstance(how, str) or how not in APPROXIMATIONS:
        raise arguments.refuse("repulsion", how, f"one of {', '.join(['exact', *APPROXIMATIONS])}")
    chosen = APPROXIMATIONS[how]
    size = options.get("size", chosen.default)
    return chosen, arguments.whole("size of the repulsion", size, chosen.least, arguments.MOST_PARTICLES)


def jumps_of(given: object, method: Method, exact: bool) -> jumps.Jumps | None:
    """The settings of jumps of a method, whose repulsion is ``exact`` or not; a ValueError where it can have none."""
    found = jumps.resolved(given)
    if found is not None and method.kl_weight == 0.0:
        raise ValueError(f"jumps must be left out for {method.label} without noise, whose kl_weight is 0")
    if found is not None and method.mmd_weight > 0.0 and not exact:
        raise ValueError(
            f'jumps must be left out where repulsion is not "exact": its forces are no gradients of an energy, by'
            f" which {method.label} could accept"
        )
    return found
