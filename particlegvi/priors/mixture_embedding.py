"""The mean embeddings of Normal and mixture priors under sums of Gaussians: sums of Gaussians again."""

from __future__ import annotations

import math
from typing import NamedTuple

from particlegvi.contracts import Array


class MixtureEmbedding(NamedTuple):
    """A sum of Gaussians: ``sum_q heights_q exp(-1/2 sum_i precisions_qi (x_i - means_qi)^2)``."""

    means: Array  # (Gaussians, dim)
    precisions: Array  # (Gaussians, dim)
    heights: Array  # (Gaussians,)

    def gaussian_on_the_line(self) -> tuple[float, float, float] | None:
        """Mean, width and height of a single Gaussian on the line, for the engine's Fourier series; else None."""
        if self.precisions.shape != (1, 1):
            return None
        return float(self.means[0, 0]), float(self.precisions[0, 0]) ** -0.5, float(self.heights[0])

    def value(self, x: Array) -> float:
        total = 0.0
        for q in range(self.heights.shape[0]):
            exponent = 0.0
            for i in range(x.shape[0]):
                gap = x[i] - self.means[q, i]
                exponent += 0.5 * self.precisions[q, i] * gap * gap
            total += self.heights[q] * math.exp(-exponent)
        return total

    def values(self, points: Array, out: Array) -> None:
        for lane in range(points.shape[1]):
            out[lane] = 0.0
        for q in range(self.heights.shape[0]):
            height = self.heights[q]
            if points.shape[0] == 1:  # the lanes are the inner loop, which the compiler turns into vector instructions
                for lane in range(points.shape[1]):
                    gap = points[0, lane] - self.means[q, 0]
                    out[lane] += height * math.exp(-(0.5 * self.precisions[q, 0] * gap * gap))
                continue
            for lane in range(points.shape[1]):
                exponent = 0.0
                for i in range(points.shape[0]):
                    gap = points[i, lane] - self.means[q, i]
                    exponent += 0.5 * self.precisions[q, i] * gap * gap
                out[lane] += height * math.exp(-exponent)

    def gradient(self, x: Array, out: Array) -> None:
        for i in range(x.shape[0]):
            out[i] = 0.0
        for q in range(self.heights.shape[0]):
            exponent = 0.0
            for i in range(x.shape[0]):
                gap = x[i] - self.means[q, i]
                exponent += 0.5 * self.precisions[q, i] * gap * gap
            level = self.heights[q] * math.exp(-exponent)
            for i in range(x.shape[0]):
                out[i] -= self.precisions[q, i] * (x[i] - self.means[q, i]) * level

    def gradients(self, points: Array, out: Array) -> None:
        if points.shape[0] > 1:
            for lane in range(points.shape[1]):
                self.gradient(points[:, lane], out[:, lane])
            return
        # On the line the lanes are the inner loop, which the compiler turns into vector instructions.
        for lane in range(points.shape[1]):
            out[0, lane] = 0.0
        for q in range(self.heights.shape[0]):
            mean = self.means[q, 0]
            precision = self.precisions[q, 0]
            height = self.heights[q]
            for lane in range(points.shape[1]):
                gap = points[0, lane] - mean
                out[0, lane] -= precision * gap * (height * math.exp(-(0.5 * precision * gap * gap)))
