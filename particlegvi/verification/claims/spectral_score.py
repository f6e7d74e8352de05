"""The spectral Stein estimator of a score, with and without the truncation that it lives by."""

from __future__ import annotations

import numpy as np

from particlegvi.functionspace.linear.spectral import spectral
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture


class SpectralScore(Claim):
    """Samples of N(0, 1): the error of the estimated score at the samples, root mean square, relative to that of the
    score. It is below 1 and falls with the number of samples.

    Wrong: all eigenfunctions whose eigenvalue is no rounding error.
    """

    name = "spectral-score"
    claim = "The spectral Stein estimator nears the score of its samples with their number"
    source = "Shi, Sun and Zhu (2018), which 004 uses; docs/linear-benchmark.md"
    wrong = "no truncation of the eigenfunctions"
    numbers = (50, 130, 350)
    runs = 60

    def measure(self, seed: int, wrong: bool) -> Experiment:
        errors = np.empty((self.runs, len(self.numbers)))
        for run, words in enumerate(chance.seeds(seed, self.runs)):
            random = np.random.default_rng(words)
            for place, number in enumerate(self.numbers):
                x = random.normal(size=(number, 1))
                found = spectral(x, kept=1.0 if wrong else 0.99)
                errors[run, place] = np.sqrt(np.mean((found + x) ** 2) / np.mean(x**2))
        means = errors.mean(axis=0)
        fall = np.log(errors[:, 0] / errors[:, -1])
        standard = float(fall.mean() / (fall.std(ddof=1) / np.sqrt(self.runs)))
        checks = (
            Check("largest mean relative error", float(means.max()), 1.0),
            Check("fall of the error's logarithm, in its errors", standard, chance.student(self.runs), ">="),
        )
        return Experiment(checks, {"errors": means})

    def draw(self, picture: Picture, data: Data) -> None:
        picture.curve(self.numbers, data["errors"], "estimate", "o-").level(1.0, "a score of 0")
        picture.frame("samples", "relative error of the score", log="xy", ticks=self.numbers)
