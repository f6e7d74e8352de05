"""The logarithm of a formula, without computing an exponential only to undo it."""

from __future__ import annotations

from particlegvi.losses.formulas.graph import Graph


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
