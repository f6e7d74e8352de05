"""Q*: the truth that each method's particles are compared with.

`target` finds it: for DE the limit of its flow, atoms with the weights of their basins (Theorem 5.4.1); for DLE the
Gibbs density by adaptive quadrature; for DRLE the fixed point of its equation; for FDGVI the local optima. Losses have
one or two dimensions.
"""

from __future__ import annotations

import numpy as np

from particlegvi import methods
from particlegvi.contracts import Distribution, Loss, Method, Prior, Start
from particlegvi.engine.numerics.kernel_cache import from_outside
from particlegvi.engine.terms.user_parts import try_prior
from particlegvi.losses.loss import Loss as PackageLoss
from particlegvi.methods.repulsion import kernel_from
from particlegvi.priors.flat import Flat
from particlegvi.targets.density import NOTABLE, AtomicTarget, DensityTarget
from particlegvi.targets.gaussians import GaussianOptima
from particlegvi.targets.own import OwnTruth, Truth, own_truth
from particlegvi.tools import arguments, objects
from particlegvi.tools.calls import explains_bad_calls
from particlegvi.tools.errors import warn

__all__ = ["AtomicTarget", "DensityTarget", "GaussianOptima", "target"]


@explains_bad_calls
@np.errstate(under="ignore")  # a density that underflows is 0, also where the user lets numpy raise
def target(
    loss: Loss, method: Method | str, prior: Prior | None = None, initial: Start | None = None, seed: int = 0
) -> Truth:
    """Q*, the distribution that a method's particles should have.

    Parameters
    ----------
    loss : Loss
        With one or two dimensions.
    method : method or str
        One of :mod:`particlegvi.methods`, whose weights decide which Q* is meant; or the name of one such as "DLE",
        which then has its defaults.
    prior : prior, optional
        Flat when left out, as for `particlegvi.simulate`. For DE only its box matters: the flow is reflected there.
    initial : prior or array (n, dim), optional
        Where the particles start: a distribution, or points of equal weight. Needed for DE; FDGVI looks for optima
        there too.
    seed : int
        Seed of the run, for a lengthscale that a rule chooses from prior samples.

    Returns
    -------
    AtomicTarget, DensityTarget or GaussianOptima
        For DE; DLE and DRLE; FDGVI. For a method that says its truth itself (`particlegvi.targets.own`) that one.

    Raises
    ------
    ValueError
        If there is no such target (DRE has none with a density, a Flat prior may leave nothing integrable, the minima
        of DE may not be isolated), it cannot be resolved, or an argument is missing or does not fit the loss.
    """
    dim = int(objects.loss(loss).dim)
    method = methods.get(method)() if isinstance(method, str) else method
    objects.method(method)
    seed = arguments.seed(seed)
    if prior is not None:
        objects.same_dim("prior", objects.prior(prior).dim, dim)
        if from_outside(prior):
            try_prior(prior)
    initial = None if initial is None else objects.start(initial, dim)
    if isinstance(loss, PackageLoss) and loss.kind == "network":
        raise ValueError("the loss is one of networks, which have no density that could be drawn; compare predictions")
    if isinstance(method, OwnTruth):
        return own_truth(method, loss, Flat(dim) if prior is None else prior, initial)
    if dim not in (1, 2):
        raise ValueError(f"the loss has {dim} dimensions; targets are known for 1 and 2")
    if method.objective == "reference":
        raise ValueError(f"the {method.label} goes to the reference that it was given, and only draws of it are known")
    if method.objective == "none":
        raise ValueError(f"the method {method.label} has no target, because no minimiser of its objective is known")
    kl_weight, mmd_weight = float(method.kl_weight), float(method.mmd_weight)
    if method.objective == "gaussians" and not (kl_weight > 0.0 and mmd_weight == 0.0):
        raise ValueError(
            f"kl_weight of {method.label} must be above 0 and mmd_weight 0 for a target over Gaussians,"
            f" not {kl_weight:g} and {mmd_weight:g}"
        )
    if kl_weight == 0.0 and mmd_weight > 0.0:
        raise ValueError(
            "DRE has no density target: its flow has infinitely many invariant measures (C.6.1) and Q* need not have a"
            " density; a kl_weight above 0 gives one"
        )
    if prior is None:
        prior = Flat(dim)
    if kl_weight == 0.0:
        return _basins(loss, prior, initial)
    if method.objective == "gaussians":
        return GaussianOptima(loss, prior, kl_weight, initial)
    from particlegvi.targets.minimisers import gibbs, repulsive

    if mmd_weight == 0.0:
        density = gibbs(loss, prior, kl_weight)
    else:
        points = None if isinstance(initial, Distribution) else initial
        kernel, _ = kernel_from(method.kernel, prior, points, seed)
        density = repulsive(loss, prior, kl_weight, mmd_weight, kernel)
    if density.missed is not None and density.missed > NOTABLE:
        warn(f"{unfound(density.missed)}; moments and distances are those of the wells that were found")
    return density


def unfound(missed: float) -> str:
    """How much of its mass a target's search for wells may have missed, in words; empty up to one per cent."""
    if missed <= NOTABLE:
        return ""
    share = "a part of its mass, of which no bound is known" if missed >= 1.0 else f"up to {missed:.0%} of its mass"
    return f"the search for the wells of Q* may have missed {share}"


def _basins(loss: Loss, prior: Prior, initial: Start | None) -> AtomicTarget:
    if initial is None:
        raise ValueError("initial is missing; DE's target depends on where the particles start, a prior or an array")
    low, high = np.array(prior.low, dtype=np.float64), np.array(prior.high, dtype=np.float64)
    if len(low) == 1:
        from particlegvi.targets.basins.basins_line import basins_on_line

        return basins_on_line(loss, float(low[0]), float(high[0]), initial)
    from particlegvi.targets.basins.basins_plane import basins_in_plane

    return basins_in_plane(loss, low, high, initial)
