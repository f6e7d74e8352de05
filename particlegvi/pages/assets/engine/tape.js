// Runs a graph on many points: a list of instructions on rows of numbers, as particlegvi/engine/terms/tape.py.
"use strict";
(() => {
  const SIGN = x => (x > 0 ? 1 : x < 0 ? -1 : x);
  PG.program = function (graph, roots, dim) {
    const rows = [],
      where = new Map(),
      constants = roots.map(root => graph.known(root));
    for (const number of PG.needed(graph, roots)) {
      const node = graph.nodes[number];
      if (node.operation === "constant") continue;
      if (node.operation === "variable") {
        where.set(number, node.left);
        continue;
      }
      const operand = each => (each < 0 ? [null, null] : [graph.known(each), where.get(each)]);
      const [p, a] = operand(node.left),
        [q, b] = operand(node.right);
      where.set(number, dim + rows.length);
      // a constant operand may stand on either side; sums and products give the same bits both ways
      rows.push({
        operation: node.operation,
        a: p === null ? a : b,
        b,
        constant: p !== null ? p : q,
        constant_first: p !== null,
        exponent: node.number,
      });
    }
    return { rows, registers: [], size: 0, dim, stores: roots.map((root, i) => [constants[i], where.get(root)]) };
  };
  // The multiplications of a program at one point; a function is worth many.
  const CHEAP = ["add", "subtract", "multiply", "negate"];
  PG.work_of = ({ rows }) => rows.reduce((sum, { operation }) => sum + (CHEAP.includes(operation) ? 1 : 15), 0);
  PG.execute = function (program, x, out, math) {
    const n = x[0].length,
      { rows, dim } = program;
    if (program.size !== n) {
      program.registers = rows.map(() => new Float64Array(n));
      program.size = n;
    }
    const at = k => (k < dim ? x[k] : program.registers[k - dim]);
    rows.forEach((row, k) =>
      run(row, program.registers[k], at(row.a), row.constant === null && row.b != null ? at(row.b) : null, n, math),
    );
    program.stores.forEach(([constant, where], i) => {
      if (constant !== null) out[i].fill(constant);
      else out[i].set(at(where));
    });
  };
  function run({ operation, constant: c, constant_first, exponent }, t, a, b, n, math) {
    switch (operation) {
      case "add":
        if (b) for (let i = 0; i < n; i++) t[i] = a[i] + b[i];
        else for (let i = 0; i < n; i++) t[i] = a[i] + c;
        return;
      case "subtract":
        if (b) for (let i = 0; i < n; i++) t[i] = a[i] - b[i];
        else for (let i = 0; i < n; i++) t[i] = c - a[i];
        return;
      case "multiply":
        if (b) for (let i = 0; i < n; i++) t[i] = a[i] * b[i];
        else for (let i = 0; i < n; i++) t[i] = a[i] * c;
        return;
      case "divide":
        if (b) for (let i = 0; i < n; i++) t[i] = a[i] / b[i];
        else if (constant_first) for (let i = 0; i < n; i++) t[i] = c / a[i];
        else for (let i = 0; i < n; i++) t[i] = a[i] / c;
        return;
      case "power":
        for (let i = 0; i < n; i++) t[i] = Math.pow(a[i], exponent);
        return;
      case "negate":
        for (let i = 0; i < n; i++) t[i] = -a[i];
        return;
      case "sqrt":
        for (let i = 0; i < n; i++) t[i] = Math.sqrt(a[i]);
        return;
      case "abs":
        for (let i = 0; i < n; i++) t[i] = Math.abs(a[i]);
        return;
      case "sign":
        for (let i = 0; i < n; i++) t[i] = SIGN(a[i]);
        return;
      default: {
        const f = math[operation];
        for (let i = 0; i < n; i++) t[i] = f(a[i]);
      }
    }
  }
})();
