"""The target Q* of each run, computed when it is first needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from particlegvi import targets
from particlegvi.contracts import Facts
from particlegvi.kinds.particles.building import Parts
from particlegvi.simulation.run import Run


class Targets(Mapping[str, Any]):
    """The target of every run by label; None where there is none, with the sentence that says why in ``reasons``."""

    def __init__(self, runs: Mapping[str, Run], parts: Parts) -> None:
        self._runs = runs
        self._parts = parts
        self._found: Facts = {}
        self.reasons: dict[str, str] = {}

    def __getitem__(self, label: str) -> Any:
        run = self._runs[label]
        if label not in self._found:
            shared = self._parts.targets
            of = label, self._of_seed(run)
            if of not in shared:
                try:
                    found = targets.target(run.loss, run.method, run.prior, self.start(run), seed=run.seed)
                    shared[of] = found, ""
                except ValueError as error:
                    shared[of] = None, str(error)
            self._found[label], reason = shared[of]
            if reason:
                self.reasons[label] = reason
        return self._found[label]

    def _of_seed(self, run: Run) -> object:
        """What the target depends on besides the parts: the lengthscale, where a rule chose one by the seed."""
        if run.method.mmd_weight == 0.0:
            return None
        number = run.info.get("lengthscale")
        return number if isinstance(number, int | float) else ("seed", run.seed)

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
