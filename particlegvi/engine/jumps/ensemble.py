"""The driver of ensemble jumps: one object that lets the particles of an ensemble jump once."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array, Facts, Kernel, Located, Loss, Prior, Term
from particlegvi.engine.jumps.proposals import (
    CENTRES,
    NORMAL,
    STUDENT,
    UNIFORM,
    Broad,
    Proposal,
    accept_direct,
    add_gains,
    centres_of,
    cut,
    propose,
)
from particlegvi.engine.jumps.series import accept_series, series_of
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.noise import key_words
from particlegvi.engine.pairs.repulsion import is_gaussian
from particlegvi.engine.terms.constant import ConstantTerm

PAIRS = 4e7  # differences of kernel values that one jump may cost: about a tenth of a second
FINEST = 1e-10  # error of one value of kappa that is not worth undercutting, in units of the variance
LEAST = 512  # proposals that repay waking a thread
PROPOSED, ACCEPTED = "jumps proposed", "jumps accepted"
Members = NDArray[np.int64]


@runtime_checkable
class NormalCoordinates(Located, Protocol):
    """A prior of independent normal coordinates is known by its name, and has its mean and sd."""

    @property
    def name(self) -> str: ...


class EnsembleJumps:
    """Metropolis steps of all particles of an ensemble with proposals from the ensemble itself.

    They leave exp(-E / kl_weight) invariant, with E the energy of N particles (`engine.jumps.proposals` has its part of
    pairs). An interaction of weight lambda1 has the mean embedding mu_P and a kernel whose lengthscale is a number.
    ``share`` is the probability of a proposal from the broad part of g; ``tolerance`` is the error allowed in a value
    of the kernel, in units of its variance, at least `FINEST`. Attribute: ``counts``, the numbers of proposals and of
    accepted ones.
    """

    name = "jumps"

    def __init__(
        self,
        loss: Loss,
        prior: Prior,
        embedding: Term | None,
        kernel: Kernel | None,
        *,
        kl_weight: float,
        lambda1: float,
        share: float,
        tolerance: float,
        seed: int,
        particles: int,
    ) -> None:
        self.loss, self.kernel = loss, kernel
        self.kl_weight, self.lambda1, self.share = float(kl_weight), float(lambda1), float(share)
        self.counts = {PROPOSED: 0, ACCEPTED: 0}
        self.walls = (np.array(prior.low, dtype=np.float64), np.array(prior.high, dtype=np.float64))
        self.seed, self._key = seed, key_words(seed)
        weights = np.array([self.kl_weight, 0.0 if embedding is None else self.lambda1])
        self._terms = (loss.term or ConstantTerm(0.0), prior.term(), embedding or ConstantTerm(0.0), weights)
        self._add_gains = add_gains.for_terms(*self._terms[:3])
        self._tolerance = max(tolerance, FINEST)
        self._by_series = kernel is not None and is_gaussian(kernel) and self.walls[0].size == 1
        pairs = float(particles) ** 2 if kernel is not None and not self._by_series else 0.0
        self._chance = min(1.0, PAIRS / pairs) if pairs else 1.0
        self._broad = _broad(prior)

    def jump(self, x: Array, number: int) -> None:
        """Jump number ``number``, from 0, of the particles ``x`` (particles, dim), C-contiguous, in place."""
        order = np.empty((2, len(x)), np.int64)
        members, proposers = cut(len(x), number, self._chance, self._key, order)
        for side in (0, 1):
            mine, other = order[side, : proposers[side]], order[1 - side, : members[1 - side]]
            broad = self._broad or fitted(x[other])
            if mine.size and broad is not None:
                centres, width = centres_of(x, other, broad, self.share, number, side, self._key)
                proposal = Proposal(centres, width, broad, self.share if other.size else 1.0)
                new, margin = self.propose(x, mine, proposal, number)
                self._add_gains(*self._terms, x, mine, new, margin)
                if self.loss.term is None:
                    with np.errstate(all="ignore"):
                        margin += (self.loss.value(x[mine]) - self.loss.value(new)) / self.kl_weight
                self.counts[PROPOSED] += mine.size
                self.counts[ACCEPTED] += self._accept(x, mine, new, margin)

    def propose(self, x: Array, mine: Members, proposal: Proposal, number: int) -> tuple[Array, Array]:
        """New places (n, dim) of the particles ``mine``, and log(g(old) / g(new) / uniform) (n,)."""
        new, log_ratio = np.empty((mine.size, x.shape[1])), np.empty(mine.size)

        def part(first: int, last: int) -> None:
            propose(proposal, x, self.walls, mine, number, self._key, first, last, new, log_ratio)

        threads.split(part, mine.size, least=LEAST)
        return new, log_ratio

    def _accept(self, x: Array, mine: Members, new: Array, margin: Array) -> int:
        """Move the accepted particles; returns how many."""
        if self.kernel is None:
            taken = margin > 0.0
            x[mine[taken]] = new[taken]
            return int(np.count_nonzero(taken))
        factor = self.lambda1 / (len(x) * self.kl_weight)
        if self._by_series:
            shape = float(self.kernel.lengthscale), float(self.kernel.variance)
            # D >= -(N - 1) variance: what is refused even so needs no series that covers it
            margin[margin <= -factor * (len(x) - 1) * shape[1]] = -np.inf
            open_places = new[margin > -np.inf, 0]
            if not open_places.size:
                return 0
            series = series_of(x[:, 0], open_places, shape[0], self._tolerance)
            if series is not None:
                return int(accept_series(*shape, series, x[:, 0], mine, new[:, 0], margin, factor))
        columns = np.ascontiguousarray(x.T)
        accepted = accept_direct.for_terms(self.kernel)(self.kernel, columns, mine, new, margin, factor)
        x[...] = columns.T
        return int(accepted)

    def extra_state(self) -> Facts:
        """The counts, which an interrupted run goes on with."""
        return dict(self.counts)

    def restore(self, extra_state: Facts) -> None:
        """Take them out of the state of an interrupted run."""
        self.counts.update({name: int(extra_state.pop(name)) for name in self.counts})

    def facts(self) -> Facts:
        """Facts for the result: the proposal, the share of proposals accepted, and the bound on the error of log A."""
        proposed, accepted = self.counts[PROPOSED], self.counts[ACCEPTED]
        broad = "the prior" if self._broad is not None else "a Student t fitted to the other half"
        facts: Facts = {
            "share": self.share,
            "proposal": f"a kernel density of at most {CENTRES} particles of the other half, and {broad}",
            "proposed": proposed,
            "accepted": accepted,
            "acceptance_rate": accepted / proposed if proposed else None,
        }
        if self._chance < 1.0:
            facts["group"] = self._chance  # probability with which a particle proposes in a jump
        if self.kernel is not None:
            one = 2.0 * self.lambda1 * float(self.kernel.variance) / self.kl_weight
            facts["energy_error_bound"] = one * self._tolerance if self._by_series else 0.0
        return facts


def fitted(points: Array) -> Broad | None:
    """A product of Student t's fitted to points (n, dim); None where there is nothing to fit it to."""
    if len(points) < 2:
        return None
    with np.errstate(all="ignore"):
        scale = points.std(axis=0)
    return Broad(STUDENT, points.mean(axis=0), scale) if np.all((scale > 0.0) & np.isfinite(scale)) else None


def _broad(prior: Prior) -> Broad | None:
    """The prior as the broad part of proposals, where it can be drawn from here; else None."""
    if prior.name == "uniform" and np.all(np.isfinite(prior.low)):
        return Broad(UNIFORM, np.array(prior.low), np.array(prior.high) - np.array(prior.low))
    if prior.name == "normal" and isinstance(prior, NormalCoordinates):
        return Broad(NORMAL, np.array(prior.mean, dtype=np.float64), np.array(prior.sd, dtype=np.float64))
    return None
