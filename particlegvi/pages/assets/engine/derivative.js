// Exact derivatives on the graph (reverse mode), as particlegvi/losses/formulas/derivative.py, and powers as products,
// as particlegvi/losses/formulas/assembler.py.
"use strict";
(() => {
  PG.derivatives = function (graph, value, dim) {
    const slopes = new Map([[value, graph.constant(1)]]);
    for (let number = value; number >= 0; number--) {
      if (!slopes.has(number) || graph.is(number, "variable") || graph.is(number, "constant")) continue;
      graph.column = graph.columns[number];
      for (const [operand, slope] of passed_on(graph, number, slopes.get(number))) {
        if (graph.known(operand) === null)
          slopes.set(operand, slopes.has(operand) ? graph.add(slopes.get(operand), slope) : slope);
      }
    }
    const zero = graph.constant(0);
    return Array.from({ length: dim }, (_, i) => {
      const v = graph.variable(i);
      return slopes.has(v) ? slopes.get(v) : zero;
    });
  };

  function passed_on(g, number, slope) {
    const { operation, left: a, right: b, number: exponent } = g.nodes[number];
    if (operation === "add")
      return [
        [a, slope],
        [b, slope],
      ];
    if (operation === "subtract")
      return [
        [a, slope],
        [b, g.negate(slope)],
      ];
    if (operation === "negate") return [[a, g.negate(slope)]];
    if (operation === "multiply") {
      const first = g.multiply(slope, b);
      return [
        [a, first],
        [b, g.multiply(slope, a)],
      ];
    }
    if (operation === "divide") {
      const divisor = g.known(b);
      if (divisor !== null && PG.is_normal(1 / divisor)) return [[a, g.multiply(slope, g.constant(1 / divisor))]];
      const share = g.divide(slope, b);
      return [
        [a, share],
        [b, g.negate(g.multiply(share, number))],
      ];
    }
    if (operation === "power") {
      const lowered = g.to_power(a, g.constant(exponent - 1));
      return [[a, g.multiply(slope, g.multiply(g.constant(exponent), lowered))]];
    }
    return [[a, of_function(g, operation, number, a, slope)]];
  }
  function of_function(g, name, number, a, slope) {
    if (name === "sin") return g.multiply(slope, g.call("cos", a));
    if (name === "cos") return g.negate(g.multiply(slope, g.call("sin", a)));
    if (name === "tan") {
      const one = g.constant(1);
      return g.multiply(slope, g.add(one, g.multiply(number, number)));
    }
    if (name === "exp") return g.multiply(slope, number);
    if (name === "log") return g.divide(slope, a);
    if (name === "sqrt") return g.divide(g.multiply(g.constant(0.5), slope), number);
    if (name === "abs") return g.multiply(slope, g.sign(a));
    if (name === "sinh") return g.multiply(slope, g.call("cosh", a));
    if (name === "cosh") return g.multiply(slope, g.call("sinh", a));
    const width = g.call("cosh", a); // tanh: 1 - tanh^2 would lose every digit far out
    return g.divide(g.divide(slope, width), width);
  }

  PG.operands = node => (node.operation === "variable" ? [] : [node.left, node.right].filter(operand => operand >= 0));
  PG.needed = function (graph, roots) {
    // operands first, each as late as the depth-first order allows
    const order = [],
      seen = new Set(),
      waiting = roots
        .slice()
        .reverse()
        .map(root => [root, false]);
    while (waiting.length) {
      const [number, is_complete] = waiting.pop();
      if (is_complete) order.push(number);
      else if (!seen.has(number)) {
        seen.add(number);
        waiting.push([number, true]);
        for (const operand of PG.operands(graph.nodes[number]).reverse()) waiting.push([operand, false]);
      }
    }
    return order;
  };
  PG.lower = function (graph, roots) {
    const lowered = new PG.Graph(),
      there = new Map();
    for (const number of PG.needed(graph, roots)) {
      lowered.column = graph.columns[number];
      there.set(number, again(lowered, graph.nodes[number], there));
    }
    return [lowered, roots.map(root => there.get(root))];
  };
  function again(graph, { operation, left, right, number }, there) {
    if (operation === "constant") return graph.constant(number);
    if (operation === "variable") return graph.variable(left);
    if (operation === "power") return power(graph, there.get(left), number);
    if (["negate", "sign", "add", "subtract", "multiply", "divide"].includes(operation))
      return graph[operation](there.get(left), there.get(right));
    return graph.call(operation, there.get(left));
  }
  function power(graph, a, exponent) {
    if (Math.abs(exponent) > 32.5 || !Number.isInteger(2 * exponent))
      return graph.to_power(a, graph.constant(exponent));
    if (exponent < 0) {
      const one = graph.constant(1);
      return graph.divide(one, power(graph, a, -exponent));
    }
    let whole = Math.trunc(exponent),
      product = graph.constant(1),
      square = a;
    const rest = exponent !== whole;
    while (whole) {
      if (whole & 1) product = graph.multiply(product, square);
      whole >>= 1;
      if (whole) square = graph.multiply(square, square);
    }
    return rest ? graph.multiply(product, graph.call("sqrt", a)) : product;
  }
})();
