"""Repulsion between networks: the features that kernels on networks compare, and a warning where it has no effect."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.contracts import Array, Method, Prior
from particlegvi.engine.networks import compute
from particlegvi.integrators import schedules
from particlegvi.kernels.on_outputs import OnFeatures
from particlegvi.methods.flow import ParticleProblem
from particlegvi.methods.free_energy import FreeEnergy
from particlegvi.methods.repulsion import interaction
from particlegvi.networks.architecture import Network
from particlegvi.priors import Flat, Normal

IDLE = 0.01  # warn if the interaction moves a network by less than this share of its noise or gradient


class Outputs:
    """The outputs of networks at inputs (n, inputs): features (particles, n outputs)."""

    def __init__(self, network: Network, inputs: Array) -> None:
        self.network, self.inputs = network, inputs

    def of(self, particles: Array) -> Array:
        """The features (particles, n outputs)."""
        return compute.outputs(self.network.shape, particles, self.inputs).reshape(len(particles), -1)

    def pull_back(self, particles: Array, slopes: Array) -> Array:
        """The transposed Jacobian of the features times slopes (particles, n outputs), as (particles, dim)."""
        shape = (len(particles), len(self.inputs), self.network.outputs)
        return compute.pull_back(self.network.shape, particles, self.inputs, slopes.reshape(shape))

    def marginal(self, prior: Prior) -> Prior | None:
        """None: the distribution of outputs under a prior is not a prior of the package."""
        return None


class Parameters:
    """The parameters of one layer as features (particles, parameters of the layer)."""

    def __init__(self, network: Network, place: slice) -> None:
        self.network, self.place = network, place

    def of(self, particles: Array) -> Array:
        """The features, one row for each particle."""
        return particles[:, self.place].copy()

    def pull_back(self, particles: Array, slopes: Array) -> Array:
        """Turn slopes of the features into slopes (particles, dim) of all parameters."""
        found = np.zeros_like(particles)
        found[:, self.place] = slopes
        return found

    def marginal(self, prior: Prior) -> Prior | None:
        """The distribution of the features under a Normal prior."""
        return Normal(prior.mean[self.place], prior.sd[self.place]) if isinstance(prior, Normal) else None


def advice(problem: ParticleProblem, method: Method, activation: str) -> list[str]:
    """Warnings: the posterior is improper, or the repulsion is too weak to have an effect."""
    found = []
    if isinstance(problem.prior, Flat) and method.kl_weight > 0.0 and activation == "relu":
        found.append(
            f"the posterior of {method.label} is improper without a prior: a relu network stays the same if the weights"
            " of one layer grow and the weights of the next layer shrink"
        )
    repels = isinstance(method, FreeEnergy) and method.mmd_weight > 0.0 and not isinstance(problem.prior, Flat)
    if repels and isinstance(method, FreeEnergy) and not isinstance(method.kernel, OnFeatures):
        share, other = _share(problem, method)
        if share < IDLE:
            found.append(
                f"the repulsion of {method.label} between {problem.loss.dim} weights moves a network {share:.1g} times"
                f" as far as its {other} does; the kernel particlegvi.kernels.OnOutputs compares outputs, not weights"
            )
    return found


def _share(problem: ParticleProblem, method: FreeEnergy) -> tuple[float, str]:
    """The displacement by the interaction divided by that by noise (or by the gradient), and the divisor's name."""
    step_size = problem.step_size
    times = schedules.times(step_size, np.array([problem.steps]))
    time = float(times[-1])
    pushed = _length(interaction(method, problem, problem.start)(problem.start)) * time
    if method.kl_weight > 0.0:
        return pushed / max(math.sqrt(2.0 * method.kl_weight * time * problem.loss.dim), 1e-300), "noise"
    return pushed / max(_length(problem.loss.gradient(problem.start)) * time, 1e-300), "gradient"


def _length(vectors: Array) -> float:
    return float(np.sqrt((vectors**2).sum(axis=1)).mean())
