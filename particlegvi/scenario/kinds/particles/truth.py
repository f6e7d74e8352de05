"""The target Q* of each run, computed when it is first needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from particlegvi import targets
from particlegvi.contracts import Facts, Target
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.scenario.kinds.particles.building import Parts
from particlegvi.simulation.run import Run
from particlegvi.targets.draws import Draws


class RunTargets(Mapping[str, Any]):
    """The target of every run by label; None if there is none, and then ``reasons`` has a sentence that says why.

    Equal targets are taken from ``before``, the targets of runs of these parts with another seed.
    """

    def __init__(self, runs: Mapping[str, Run], parts: Parts, before: RunTargets | None = None) -> None:
        self._runs = runs
        self._parts = parts
        self._reference = None if parts.reference is None else Draws(parts.reference)  # the truth of every method
        self._found: Facts = {}
        self.reasons: dict[str, str] = {}
        self._before: dict[tuple[str, object], tuple[Target | None, str]] = {} if before is None else before.known()

    def __getitem__(self, label: str) -> Any:
        run = self._runs[label]
        if self._reference is not None:
            return self._reference
        if label not in self._found:
            self._found[label], reason = self._before.get(self._key(label)) or self._solved(run)
            if reason:
                self.reasons[label] = reason
        return self._found[label]

    def _solved(self, run: Run) -> tuple[Target | None, str]:
        try:
            with one_blas_thread():  # so that the last digits do not depend on the number of processors
                return targets.target(run.loss, run.method, run.prior, self.start(run), seed=run.seed), ""
        except ValueError as error:
            return None, str(error)

    def known(self) -> dict[tuple[str, object], tuple[Target | None, str]]:
        """The targets found so far, or the reason why there is none, by label and lengthscale."""
        solved = {self._key(label): (target, self.reasons.get(label, "")) for label, target in self._found.items()}
        return {**self._before, **solved}

    def _key(self, label: str) -> tuple[str, object]:
        """The label, and the lengthscale if a rule chooses it for each seed."""
        run = self._runs[label]
        if run.method.mmd_weight == 0.0:
            return label, None
        number = run.info.get("lengthscale")
        return label, number if isinstance(number, int | float) else f"of seed {run.seed}"

    def start(self, run: Run) -> Any:
        """The start of the particles: a distribution, or points (particles, dim)."""
        return run.prior if self._parts.initial is None else self._parts.initial

    def first_start(self, run: Run) -> NDArray[np.float64]:
        """The start of the first particle, (dim,): FD-GVI puts the mean of its first Gaussian there."""
        start = self.start(run)
        return start[0] if isinstance(start, np.ndarray) else start.sample(1, seed=run.seed)[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)
