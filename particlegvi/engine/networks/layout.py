"""The layout of a network's parameters: as a particle has them, and padded to whole vectors as compiled code does.

A particle is laid out layer by layer: weights (inputs by outputs, row by row), then biases. In the padded form a row of
a hidden layer is as long as a multiple of WIDTH and there are a multiple of TALL of them; the last layer has a row for
each output instead, because its outputs are dot products. The padding of a gradient holds numbers without meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array
from particlegvi.engine.numerics.compiled import nested
from particlegvi.engine.numerics.vectors import WIDTH, broadcast, load, multiply, store

FAN_IN, FAN_OUT, ROW, WEIGHTS, BIASES, PLAIN, UNITS, STRIDE = range(8)  # columns of a plan
TILE = 4  # rows of the data that a product takes together
BLOCK = 32  # rows of the data at a time, whose costs are added to the others together
LARGEST = 64  # where no costs are added up, at most
TALL = 4


class Layout(NamedTuple):
    """The places of the parameters.

    The plan has a row for each layer: its inputs and outputs, the length of a padded row, where its weights and its
    biases begin in the padded form, where it begins in a particle, and where its inputs begin in a block of units and
    how far their rows are apart.
    """

    plan: NDArray[np.int64]  # (layers, 8)
    scales: Array  # factors of the parameters of each layer, (layers,)
    sizes: NDArray[np.int64]  # lengths of a particle, of its padded form, and of the units of a block, (3,)


def multiple(number: int, of: int = WIDTH) -> int:
    """The number itself, or the next multiple."""
    return (number + of - 1) // of * of


def layout(widths: Sequence[int], scales: Sequence[float]) -> Layout:
    """The layout of a network with these numbers of inputs, of units of each hidden layer, and of outputs."""
    layers = len(widths) - 1
    plan = np.zeros((layers, 8), dtype=np.int64)
    at = plain = units = 0
    for layer, (inputs, outputs) in enumerate(zip(widths[:-1], widths[1:], strict=True)):
        last = layer == layers - 1
        row = multiple(inputs if last else outputs)
        stride = inputs if layer == 0 and not last else multiple(inputs)
        biases = at + row * (outputs if last else multiple(inputs, TALL))
        plan[layer] = inputs, outputs, row, at, biases, plain, units, stride
        at = biases + multiple(outputs)
        plain += (inputs + 1) * outputs
        units += LARGEST * stride + TALL  # rows are read a little beyond their ends
    return Layout(plan, np.array(scales, dtype=np.float64), np.array([plain, at, units + WIDTH], dtype=np.int64))


@nested
def copy(source, at, target, to, number, scale):
    """target = scale * source, so many numbers of flat arrays."""
    factor = broadcast(scale)
    whole = number // WIDTH * WIDTH
    for i in range(0, whole, WIDTH):
        store(target, to + i, multiply(factor, load(source, at + i)))
    for i in range(whole, number):
        target[to + i] = scale * source[at + i]


@nested
def carry(source, target, plan, scales, packing):
    """Parameters of a particle into their padded form; or without ``packing`` a gradient from that to the particle's.

    The padding stays as it is, which is zero.
    """
    for layer in range(plan.shape[0]):
        inputs = plan[layer, FAN_IN]
        outputs = plan[layer, FAN_OUT]
        row = plan[layer, ROW]
        plain = plan[layer, PLAIN]
        padded = plan[layer, WEIGHTS]
        if layer < plan.shape[0] - 1:
            for k in range(inputs):
                own, wide = plain + k * outputs, padded + k * row
                copy(source, own if packing else wide, target, wide if packing else own, outputs, scales[layer])
        elif outputs == 1:
            copy(source, plain if packing else padded, target, padded if packing else plain, inputs, scales[layer])
        else:
            for k in range(inputs):
                for j in range(outputs):
                    own, wide = plain + k * outputs + j, padded + k + j * row
                    target[wide if packing else own] = scales[layer] * source[own if packing else wide]
        plain += inputs * outputs
        padded = plan[layer, BIASES]
        copy(source, plain if packing else padded, target, padded if packing else plain, outputs, scales[layer])


@nested
def even_block(rows):
    """Rows of a block, a multiple of TILE, so that all blocks of a batch are about as large as each other."""
    blocks = (rows + LARGEST - 1) // LARGEST
    return ((rows + blocks - 1) // blocks + TILE - 1) // TILE * TILE


@nested
def transpose(packed, plan, transposed):
    """The weights between hidden layers, transposed: as many rows as there are outputs, as long as the layer before."""
    for layer in range(1, plan.shape[0] - 1):
        row = plan[layer, ROW]
        other = plan[layer - 1, ROW]
        at = plan[layer, WEIGHTS]
        for k in range(plan[layer, FAN_IN]):
            for j in range(plan[layer, FAN_OUT]):
                transposed[layer, j * other + k] = packed[at + k * row + j]
