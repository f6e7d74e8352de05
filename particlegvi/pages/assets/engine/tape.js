// Losses as instructions that work on many points at once. A row is [operation, left, right]: the numbers of earlier
// rows, a coordinate of "variable", or the number of "constant". The rows of a page's own losses are those of the
// package, in its order of operations (particlegvi/pages/programs.py); those of a typed formula are made by PG.formula.
"use strict";
PG.losses = {}; // by name, of the page

(() => {
  const BINARY = {
    add: (a, b, out) => {
      for (let i = 0; i < out.length; i++) out[i] = a[i] + b[i];
    },
    subtract: (a, b, out) => {
      for (let i = 0; i < out.length; i++) out[i] = a[i] - b[i];
    },
    multiply: (a, b, out) => {
      for (let i = 0; i < out.length; i++) out[i] = a[i] * b[i];
    },
    divide: (a, b, out) => {
      for (let i = 0; i < out.length; i++) out[i] = a[i] / b[i];
    },
    power: (a, b, out) => {
      for (let i = 0; i < out.length; i++) out[i] = Math.pow(a[i], b[i]);
    },
  };

  // A function (x, outs) that fills an array for each of the roots.
  function program(rows, roots) {
    const needed = new Set(roots);
    for (let k = rows.length - 1; k >= 0; k--) {
      const [operation, left, right] = rows[k];
      if (!needed.has(k) || operation === "variable" || operation === "constant") continue;
      needed.add(left);
      if (right !== undefined) needed.add(right);
    }
    const order = [...needed].sort((a, b) => a - b);
    let size = -1,
      registers = [];
    return (x, outs) => {
      if (size !== x[0].length) {
        size = x[0].length;
        registers = [];
        for (const k of order)
          registers[k] = new Float64Array(size).fill(rows[k][0] === "constant" ? rows[k][1] : 0);
      }
      for (const k of order) {
        const [operation, left, right] = rows[k],
          out = registers[k];
        if (operation === "variable") registers[k] = x[left];
        else if (operation in BINARY) BINARY[operation](registers[left], registers[right], out);
        else if (operation !== "constant") {
          const f = operation === "negate" ? t => -t : Math[operation],
            a = registers[left];
          for (let i = 0; i < size; i++) out[i] = f(a[i]);
        }
      }
      roots.forEach((root, i) => outs[i].set(registers[root]));
    };
  }
  // A loss from its rows, with the numbers of those that are its value and its slopes.
  PG.loss = function ({ rows, value, slopes, ...facts }) {
    const values = program(rows, [value]),
      gradient = program(rows, slopes),
      cheap = ["add", "subtract", "multiply", "negate", "variable", "constant"];
    return {
      ...facts,
      work: rows.reduce((sum, [operation]) => sum + (cheap.includes(operation) ? 1 : 15), 0), // multiplications
      values: (x, out) => values(x, [out]),
      slopes: gradient,
    };
  };
})();
