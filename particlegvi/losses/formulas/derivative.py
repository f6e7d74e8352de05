"""The exact gradient of a formula: reverse-mode differentiation on its graph, which grows by the derivatives' nodes."""

from __future__ import annotations

from collections.abc import Callable

from particlegvi.losses.formulas.graph import Graph, is_normal


def _of_tanh(graph: Graph, number: int, a: int, slope: int) -> int:
    """1 - tanh^2 would lose every digit far out, where 1 / cosh^2 keeps them."""
    width = graph.call("cosh", a)
    return graph.divide(graph.divide(slope, width), width)


# The slope that a function passes on to its operand a, where its node is `number` and its own slope is `s`.
SLOPES: dict[str, Callable[[Graph, int, int, int], int]] = {
    "sin": lambda graph, number, a, s: graph.multiply(s, graph.call("cos", a)),
    "cos": lambda graph, number, a, s: graph.negate(graph.multiply(s, graph.call("sin", a))),
    "tan": lambda graph, number, a, s: graph.multiply(
        s, graph.add(graph.constant(1.0), graph.multiply(number, number))
    ),
    "exp": lambda graph, number, a, s: graph.multiply(s, number),
    "log": lambda graph, number, a, s: graph.divide(s, a),
    "sqrt": lambda graph, number, a, s: graph.divide(graph.multiply(graph.constant(0.5), s), number),
    "abs": lambda graph, number, a, s: graph.multiply(s, graph.sign(a)),
    "sinh": lambda graph, number, a, s: graph.multiply(s, graph.call("cosh", a)),
    "cosh": lambda graph, number, a, s: graph.multiply(s, graph.call("sinh", a)),
    "tanh": _of_tanh,
}


def gradient(graph: Graph, value: int, dim: int) -> list[int]:
    """Add the derivatives of node ``value`` to the graph and return one node for each of ``dim`` coordinates.

    Every node passes its own derivative on to its operands, from the last made to the first. The derivative of ``abs``
    at 0 is 0.
    """
    graph.part = "in the derivative, "
    slopes = {value: graph.constant(1.0)}
    for number in range(value, -1, -1):
        if number not in slopes:
            continue
        node = graph.nodes[number]
        if node.operation in ("variable", "constant"):
            continue
        graph.column = graph.columns[number]
        for operand, slope in _passed_on(graph, number, slopes[number]):
            if graph.known(operand) is None:
                slopes[operand] = graph.add(slopes[operand], slope) if operand in slopes else slope
    zero = graph.constant(0.0)
    return [slopes.get(graph.variable(coordinate), zero) for coordinate in range(dim)]


def _passed_on(graph: Graph, number: int, slope: int) -> list[tuple[int, int]]:
    """(operand, its part of the derivative) for each operand of a node whose own derivative is ``slope``."""
    operation, a, b, exponent = graph.nodes[number]
    if operation == "add":
        return [(a, slope), (b, slope)]
    if operation == "subtract":
        return [(a, slope), (b, graph.negate(slope))]
    if operation == "negate":
        return [(a, graph.negate(slope))]
    if operation == "multiply":
        return [(a, graph.multiply(slope, b)), (b, graph.multiply(slope, a))]
    if operation == "divide":
        divisor = graph.known(b)
        if divisor is not None and is_normal(1.0 / divisor):
            return [(a, graph.multiply(slope, graph.constant(1.0 / divisor)))]
        share, rate = graph.divide(slope, b), _log_rate(graph, b)
        if rate is not None:
            inner, per_unit = rate
            return [(a, share), (inner, graph.negate(graph.multiply(graph.multiply(slope, number), per_unit)))]
        return [(a, share), (b, graph.negate(graph.multiply(share, number)))]
    if operation == "power":
        rate = _log_rate(graph, number) if exponent < 0.0 else None
        if rate is not None:
            return [(rate[0], graph.multiply(graph.multiply(slope, number), rate[1]))]
        lowered = graph.power(a, graph.constant(exponent - 1.0))
        return [(a, graph.multiply(slope, graph.multiply(graph.constant(exponent), lowered)))]
    return [(a, SLOPES[operation](graph, number, a, slope))]


def _log_rate(graph: Graph, number: int) -> tuple[int, int] | None:
    """(x, node of the derivative of log(node) by x) of exp, cosh and their powers; None of other nodes.

    Quotients by them keep a finite gradient where they overflow: that of 1/cosh(x) is -tanh(x)/cosh(x).
    """
    node = graph.nodes[number]
    if node.operation == "exp":
        return node.left, graph.constant(1.0)
    if node.operation == "cosh":
        return node.left, graph.call("tanh", node.left)
    inner = _log_rate(graph, node.left) if node.operation == "power" else None
    return inner and (inner[0], graph.multiply(graph.constant(node.number), inner[1]))


def logarithm(graph: Graph, number: int) -> int:
    """The node of log(node): of exp(g) it is g, of exp(g) h the sum g + log h, of a quotient or power likewise.

    So exp(-x^2/2) has a logarithm at x = 100, where it is zero itself.
    """
    node = graph.nodes[number]
    if node.operation == "exp":
        return node.left
    if node.operation == "multiply" and (_is_positive(graph, node.left) or _is_positive(graph, node.right)):
        return graph.add(logarithm(graph, node.left), logarithm(graph, node.right))
    if node.operation == "divide" and (_is_positive(graph, node.left) or _is_positive(graph, node.right)):
        return graph.subtract(logarithm(graph, node.left), logarithm(graph, node.right))
    if node.operation == "power" and _is_positive(graph, node.left):
        return graph.multiply(graph.constant(node.number), logarithm(graph, node.left))
    if node.operation == "sqrt":
        return graph.multiply(graph.constant(0.5), logarithm(graph, node.left))
    return graph.call("log", number)


def _is_positive(graph: Graph, number: int) -> bool:
    """Whether a node is seen to be positive wherever it is defined."""
    known, operation = graph.known(number), graph.nodes[number].operation
    return known > 0.0 if known is not None else operation in ("exp", "cosh")
