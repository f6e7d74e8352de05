"""The driver of ensemble jumps: one object that lets the particles of an ensemble jump once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array, Facts, Kernel, Located, Loss, Prior, Term
from particlegvi.engine.jumps.line import MARGIN, NEW, OLD, advance_jumping
from particlegvi.engine.jumps.moments import series_cutoffs
from particlegvi.engine.jumps.on_line import Line
from particlegvi.engine.jumps.proposals import (
    CENTRES,
    NORMAL,
    STUDENT,
    UNIFORM,
    Broad,
    Proposal,
    accept_direct,
    centres_of,
    cut,
    fitted,
    propose,
)
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.noise import key_words
from particlegvi.engine.pairs.algorithm import is_gaussian
from particlegvi.engine.steps.ensemble import Ensemble, enough
from particlegvi.engine.terms import evaluate
from particlegvi.engine.terms.constant import Constant

PAIRS = 4e7  # differences of kernel values that one jump may cost: about a tenth of a second
FINEST = 1e-10  # error of one value of kappa that is not worth undercutting, in units of the variance
LEAST = 512  # proposals that repay waking a thread
PROPOSED, ACCEPTED = "jumps proposed", "jumps accepted"
Members = NDArray[np.int64]


@runtime_checkable
class Gaussian(Located, Protocol):
    """A prior of independent normal coordinates is known by its name, and has its mean and sd."""

    @property
    def name(self) -> str: ...


class EnsembleJumps:
    """Metropolis steps of all particles of an ensemble with proposals from the ensemble itself.

    They leave exp(-E / kl_weight) invariant, with E the energy of N particles (`particlegvi.engine.jumps.proposals` has
    its part of pairs). An interaction of weight lambda1 has the mean embedding mu_P and a kernel whose lengthscale is a
    number. ``share`` is the probability of a proposal from the broad part of g; ``tolerance`` is the error allowed in a
    value of the kernel, in units of its variance, at least `FINEST`. Attributes: ``counts``, the numbers of proposals
    and of accepted ones so far; ``line``, the arrays of a jump on the line.
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
        self.loss, self.prior, self.embedding, self.kernel = loss, prior, embedding, kernel
        self.kl_weight, self.lambda1, self.share = float(kl_weight), float(lambda1), float(share)
        self.counts = {PROPOSED: 0, ACCEPTED: 0}
        self.walls = (np.array(prior.low, dtype=np.float64), np.array(prior.high, dtype=np.float64))
        self._key = key_words(seed)
        self._prior_term = prior.term()
        self._tolerance = max(tolerance, FINEST)
        self._series = kernel is not None and is_gaussian(kernel) and self.walls[0].size == 1
        pairs = float(particles) ** 2 if kernel is not None and not self._series else 0.0
        self._chance = min(1.0, PAIRS / pairs) if pairs else 1.0
        self._fixed = _broad(prior)
        self.line: Line | None = None
        if self.walls[0].size == 1:
            how = (self._fixed, self.share, self._chance, self.walls)
            weights = np.array([self.kl_weight, 0.0 if embedding is None else self.lambda1])
            nothing = Constant(0.0)
            terms = (loss.term or nothing, self._prior_term, embedding or nothing)
            self.line = Line(particles, *how, potential=(*terms, weights), key=self._key)
            self._cutoffs = series_cutoffs(self._tolerance)
            self._shape = (float(kernel.lengthscale), float(kernel.variance)) if self._series and kernel else (1.0, 0.0)

    def jump(self, x: Array, number: int) -> None:
        """Jump number ``number``, from 0, of the particles ``x`` (particles, dim), C-contiguous, in place."""
        if self.line is not None:
            self._jump_on_line(self.line, x.reshape(-1), number)
            return
        order = np.empty((2, len(x)), np.int64)
        members, proposers = cut(len(x), number, self._chance, self._key, order)
        for side in (0, 1):
            mine, other = order[side, : proposers[side]], order[1 - side, : members[1 - side]]
            proposal = self._proposal(x, other, number, side)
            if mine.size and proposal is not None:
                self._move(x, mine, proposal, number)

    def _jump_on_line(self, line: Line, x: Array, number: int) -> None:
        for side in (0, 1):
            self.propose_on_line(line, x, side, number)
            self._weigh(line, side)
            self.counts[PROPOSED] += line.proposed(side)
            self.counts[ACCEPTED] += line.settle(x, side) if self.kernel is None else self._settle(line, x, side)

    def propose_on_line(self, line: Line, x: Array, side: int, number: int) -> None:
        """The proposals of half ``side`` into the rows of ``line``."""
        line.propose(x, side, number)

    def beside(self, ensemble: Ensemble, particles: int, every: int) -> Callable[[Array, int, int], None] | None:
        """Steps of ``ensemble`` and these jumps after every ``every``-th without leaving compiled code.

        None where that cannot be, or where several threads are faster. The result takes particles (N, 1), the number
        of the first step, and how many steps.
        """
        line, many = self.line, particles >= 2 * enough(every, 1)
        if line is None or many or not ensemble.free or type(self) is not EnsembleJumps:
            return None
        loop, more = advance_jumping.for_terms(*ensemble.terms[:3]), (every, line.arrays)

        def advance(x: Array, first_step: int, steps: int) -> None:
            proposed, accepted = ensemble.advance_by(loop, x, first_step, steps, *more)
            self.counts[PROPOSED] += proposed
            self.counts[ACCEPTED] += accepted

        return advance

    def _weigh(self, line: Line, side: int) -> None:
        line.weigh(side)
        if self.loss.term is None:
            places = line.places(side)
            with np.errstate(all="ignore"):
                gain = self.loss.value(line.rows[OLD, places, None]) - self.loss.value(line.rows[NEW, places, None])
                line.rows[MARGIN, places] += gain / self.kl_weight

    def _settle(self, line: Line, x: Array, side: int) -> int:
        assert self.kernel is not None
        factor = self.lambda1 / (x.size * self.kl_weight)
        if self._series:
            taken = line.settle_by_series(x, side, self._shape, self._cutoffs, factor)
            if taken >= 0:
                return taken
        places = line.places(side)
        proposals = (line.members[0, places], line.rows[NEW, places, None], line.rows[MARGIN, places])
        return int(accept_direct.for_terms(self.kernel)(self.kernel, x.reshape(1, -1), *proposals, factor))

    def _proposal(self, x: Array, other: Members, number: int, side: int) -> Proposal | None:
        """The proposal density from the other half; None where there is nothing to propose from."""
        broad = self._fixed
        if broad is None:
            if other.size < 2:
                return None
            location, scale = fitted(x, other)
            if not np.all((scale > 0.0) & np.isfinite(scale)):
                return None
            broad = Broad(STUDENT, location, scale)
        centres, width = centres_of(x, other, broad, self.share, number, side, self._key)
        return Proposal(centres, width, broad, self.share if other.size else 1.0)

    def _move(self, x: Array, mine: Members, proposal: Proposal, number: int) -> None:
        new, log_ratio, log_uniform = self.propose(x, mine, proposal, number)
        with np.errstate(all="ignore"):
            margin = (self.potential(x[mine]) - self.potential(new)) / self.kl_weight + log_ratio - log_uniform
        self.counts[PROPOSED] += mine.size
        self.counts[ACCEPTED] += self._accept(x, mine, new, margin)

    def propose(self, x: Array, mine: Members, proposal: Proposal, number: int) -> tuple[Array, Array, Array]:
        """New places (n, dim), log(g(old) / g(new)) (n,), and the logarithms of the uniforms that decide, (n,)."""
        new, log_ratio, log_uniform = np.empty((mine.size, x.shape[1])), np.empty(mine.size), np.empty(mine.size)

        def part(first: int, last: int) -> None:
            propose(proposal, x, self.walls, mine, number, self._key, first, last, new, log_ratio, log_uniform)

        threads.split(part, mine.size, least=LEAST)
        return new, log_ratio, log_uniform

    def potential(self, x: Array) -> Array:
        """V = loss - lambda1 mu_P - kl_weight log p at points (n, dim), (n,)."""
        total = np.array(self.loss.value(x), dtype=np.float64)
        total += self.kl_weight * evaluate.values(self._prior_term, x)
        if self.embedding is not None:
            total -= self.lambda1 * evaluate.values(self.embedding, x)
        return total

    def _accept(self, x: Array, mine: Members, new: Array, margin: Array) -> int:
        if self.kernel is None:
            taken = margin > 0.0
            x[mine[taken]] = new[taken]
            return int(np.count_nonzero(taken))
        factor = self.lambda1 / (len(x) * self.kl_weight)
        columns = np.ascontiguousarray(x.T)
        taken = accept_direct.for_terms(self.kernel)(self.kernel, columns, mine, new, margin, factor)
        x[...] = columns.T
        return int(taken)

    def extra_state(self) -> Facts:
        """The counts, which an interrupted run goes on with."""
        return dict(self.counts)

    def restore(self, extra_state: Facts) -> None:
        """Take them out of the state of an interrupted run."""
        self.counts.update({name: int(extra_state.pop(name)) for name in self.counts})

    def facts(self) -> Facts:
        """Facts for the result: the proposal, the share of proposals accepted, and the bound on the error of log A."""
        proposed, accepted = self.counts[PROPOSED], self.counts[ACCEPTED]
        broad = "the prior" if self._fixed is not None else "a Student t fitted to the other half"
        density = f"a kernel density of at most {CENTRES} particles of the other half"
        if self.line is not None:
            density = "a piecewise linear density of the other half"
        found: Facts = {
            "share": self.share,
            "proposal": f"{density}, and {broad}",
            "proposed": proposed,
            "accepted": accepted,
            "acceptance_rate": accepted / proposed if proposed else None,
        }
        if self._chance < 1.0:
            found["group"] = self._chance  # probability with which a particle proposes in a jump
        if self.kernel is not None:
            one = 2.0 * self.lambda1 * float(self.kernel.variance) / self.kl_weight
            found["energy_error_bound"] = one * self._tolerance if self._series else 0.0
        return found


def _broad(prior: Prior) -> Broad | None:
    """The prior as the broad part of proposals, where it can be drawn from here; else None."""
    if prior.name == "uniform" and np.all(np.isfinite(prior.low)):
        return Broad(UNIFORM, np.array(prior.low), np.array(prior.high) - np.array(prior.low))
    if prior.name == "normal" and isinstance(prior, Gaussian):
        return Broad(NORMAL, np.array(prior.mean, dtype=np.float64), np.array(prior.sd, dtype=np.float64))
    return None
