"""Powers as operations of the tape: products for whole exponents, a square root for halves, ``pow`` for the rest."""

from __future__ import annotations

from particlegvi.losses.formulas.graph import BINARY, Graph, Node

LARGEST_PRODUCT = 32.5  # beyond it the rounding of repeated squaring shows, and pow is more accurate


def lower(graph: Graph, roots: list[int]) -> tuple[Graph, list[int]]:
    """A new graph with the same roots, in which "power" remains only for exponents that need ``pow``."""
    lowered = Graph(graph.formula)
    there: dict[int, int] = {}
    for number in needed(graph, roots):
        node = graph.nodes[number]
        lowered.column = graph.columns[number]
        there[number] = _again(lowered, node, there)
    return lowered, [there[root] for root in roots]


def needed(graph: Graph, roots: list[int]) -> list[int]:
    """The nodes on which the roots depend, operands first, each as late as the depth-first order allows."""
    order: list[int] = []
    seen: set[int] = set()
    waiting = [(root, False) for root in reversed(roots)]
    while waiting:
        number, is_complete = waiting.pop()
        if is_complete:
            order.append(number)
        elif number not in seen:
            seen.add(number)
            waiting.append((number, True))
            waiting.extend((operand, False) for operand in reversed(operands(graph.nodes[number])))
    return order


def operands(node: Node) -> list[int]:
    """The nodes that a node reads."""
    if node.operation == "variable":
        return []
    return [operand for operand in (node.left, node.right) if operand >= 0]


def _again(graph: Graph, node: Node, there: dict[int, int]) -> int:
    """The same node in the new graph."""
    operation, left, right, number = node
    if operation == "constant":
        return graph.constant(number)
    if operation == "variable":
        return graph.variable(left)
    if operation == "power":
        return _power(graph, there[left], number)
    if operation == "negate":
        return graph.negate(there[left])
    if operation == "sign":
        return graph.sign(there[left])
    if right >= 0:
        return BINARY[operation](graph, there[left], there[right])
    return graph.call(operation, there[left])


def _power(graph: Graph, a: int, exponent: float) -> int:
    if abs(exponent) > LARGEST_PRODUCT or not (2.0 * exponent).is_integer():
        return graph.power(a, graph.constant(exponent))
    if exponent < 0.0:
        return graph.divide(graph.constant(1.0), _power(graph, a, -exponent))
    whole = int(exponent)
    product = _whole_power(graph, a, whole) if whole else graph.constant(1.0)
    return product if exponent == whole else graph.multiply(product, graph.call("sqrt", a))


def _whole_power(graph: Graph, a: int, exponent: int) -> int:
    """By repeated squaring; the squares are nodes like any others, so the powers of one base share them."""
    product = graph.constant(1.0)
    square = a
    while exponent:
        if exponent & 1:
            product = graph.multiply(product, square)
        exponent >>= 1
        if exponent:
            square = graph.multiply(square, square)
    return product
