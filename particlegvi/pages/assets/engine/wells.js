// The wells of a density: its modes, their masses, and the well of each particle, as particlegvi/diagnostics/basins.py.
// Two peaks belong to two wells if the density between them is below the lower peak by more than a factor e.
"use strict";
(() => {
  const BARRIER = 1,
    SEEN = 1e-6; // of the largest density: nodes below are in no well

  // how many of the ordered values are below t
  PG.rank = function (ordered, t) {
    let low = 0,
      high = ordered.length;
    while (low < high) {
      const k = (low + high) >> 1;
      if (ordered[k] < t) low = k + 1;
      else high = k;
    }
    return low;
  };

  // The label of each node: from the highest to the lowest, each joins its highest neighbour.
  function joined(levels, order, neighbours) {
    const parent = new Int32Array(levels.length).fill(-1);
    const top = node => {
      while (parent[node] !== node) {
        parent[node] = parent[parent[node]];
        node = parent[node];
      }
      return node;
    };
    for (const node of order) {
      const above = neighbours(node).filter(other => parent[other] >= 0);
      parent[node] = node;
      if (!above.length) continue;
      parent[node] = top(above.reduce((best, other) => (levels[other] > levels[best] ? other : best)));
      for (const other of above) {
        const one = top(other),
          two = top(node);
        if (one === two) continue;
        const [low, high] = levels[one] < levels[two] ? [one, two] : [two, one];
        if (levels[low] - levels[node] < BARRIER) parent[low] = high;
      }
    }
    return node => (parent[node] < 0 ? -1 : top(node));
  }
  const descending = (levels, nodes) => nodes.sort((a, b) => levels[b] - levels[a] || a - b);

  function on_line({ x, q, cdf }) {
    const turns = [];
    for (let i = 0; i < x.length; i++) {
      const is_end = i === 0 || i === x.length - 1;
      if (is_end || q[i + 1] > q[i] !== q[i] > q[i - 1]) turns.push(i);
    }
    const levels = Float64Array.from(turns, i => Math.max(Math.log(q[i]), -700)),
      order = descending(levels, Array.from(turns.keys())),
      beside = k => [k - 1, k + 1].filter(other => other >= 0 && other < turns.length),
      label = joined(levels, order, beside);
    const cuts = [],
      modes = [label(0)];
    for (let k = 1; k < turns.length; k++)
      if (label(k) !== label(k - 1)) {
        cuts.push(x[turns[levels[k - 1] < levels[k] ? k - 1 : k]]);
        modes.push(label(k));
      }
    const shares = [0, ...cuts.map(cdf), 1];
    return {
      modes: modes.map(k => [x[turns[k]]]),
      masses: modes.map((_, k) => shares[k + 1] - shares[k]),
      of: ([row]) => Array.from(row, t => PG.rank(cuts, t)),
    };
  }

  function in_plane({ axes: [a, b], density }) {
    const columns = a.length,
      rows = b.length,
      most = density.reduce((p, v) => Math.max(p, v), 0),
      nodes = [];
    density.forEach((v, k) => {
      if (v > SEEN * most) nodes.push(k);
    });
    const levels = Float64Array.from(density, Math.log);
    const around = node => {
      const i = node % columns,
        j = Math.floor(node / columns),
        found = [];
      for (let n = Math.max(j - 1, 0); n <= Math.min(j + 1, rows - 1); n++)
        for (let m = Math.max(i - 1, 0); m <= Math.min(i + 1, columns - 1); m++)
          if (n !== j || m !== i) found.push(n * columns + m);
      return found;
    };
    const label = joined(levels, descending(levels, nodes), around),
      tops = [...new Set(nodes.map(label))].sort((p, q) => (p % columns) - (q % columns) || p - q),
      modes = tops.map(node => [a[node % columns], b[Math.floor(node / columns)]]),
      number = new Map(tops.map((node, k) => [node, k])),
      masses = new Array(tops.length).fill(0);
    let all = 0;
    for (const node of nodes) {
      masses[number.get(label(node))] += density[node];
      all += density[node];
    }
    const nearest = (x, y) => {
      const far = modes.map(([p, q]) => (p - x) ** 2 + (q - y) ** 2);
      return far.indexOf(Math.min(...far));
    };
    const place = (t, axis) => Math.round((t - axis[0]) / (axis[1] - axis[0]));
    const well = (x, y) => {
      const i = place(x, a),
        j = place(y, b),
        is_outside = i < 0 || j < 0 || i >= columns || j >= rows,
        found = is_outside ? -1 : label(j * columns + i);
      return found < 0 ? nearest(x, y) : number.get(found);
    };
    return { modes, masses: masses.map(m => m / all), of: ([x, y]) => Array.from(x, (t, i) => well(t, y[i])) };
  }

  const known = new WeakMap();
  // {modes, masses, of(rows)} of a truth with a density
  PG.wells = function (truth) {
    if (!known.has(truth)) known.set(truth, truth.axes ? in_plane(truth) : on_line(truth));
    return known.get(truth);
  };
})();
