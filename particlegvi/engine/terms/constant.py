"""The terms that stand for nothing: a loss or an embedding that is constant."""

from __future__ import annotations

from typing import NamedTuple


class ConstantTerm(NamedTuple):
    """A constant function. It stands in where a method has no embedding, or a loss is evaluated outside."""

    level: float = 0.0

    def value(self, x):
        return self.level

    def gradient(self, x, out):
        for i in range(out.shape[0]):
            out[i] = 0.0

    def gradients(self, points, out):
        for i in range(points.shape[0]):
            for lane in range(points.shape[1]):
                out[i, lane] = 0.0
