// Q* in the plane: a density on a rectangular grid, with its marginals as curves.
"use strict";
(() => {
  const BELOW = 40;
  let N = 129; // nodes on a side
  const axis = ([low, high]) => Float64Array.from({ length: N }, (_, i) => low + ((high - low) * i) / (N - 1));

  function weights(settings, box) {
    // log of loss's and prior's part at the grid, row by row of the second coordinate
    const { loss, prior, kl_weight } = settings,
      [a, b] = box.map(axis),
      x = new Float64Array(N * N),
      y = new Float64Array(N * N),
      out = new Float64Array(N * N);
    for (let j = 0; j < N; j++)
      for (let i = 0; i < N; i++) {
        x[j * N + i] = a[i];
        y[j * N + i] = b[j];
      }
    PG.spend_on(loss, N * N);
    loss.values([x, y], out);
    for (let k = 0; k < N * N; k++) {
      const v = -out[k] / kl_weight - PG.minus_log_density(prior, [x[k], y[k]]);
      out[k] = Number.isNaN(v) ? -Infinity : v;
    }
    return [a, b, out];
  }
  function place(settings, slack) {
    const { loss, prior } = settings;
    let box = loss.window.map(([low, high], d) =>
      prior.name === "uniform"
        ? [prior.low[d], prior.high[d]]
        : prior.name === "normal"
          ? [Math.min(low, prior.mean[d] - 7 * prior.sd[d]), Math.max(high, prior.mean[d] + 7 * prior.sd[d])]
          : [low, high],
    );
    for (let k = 0; k < 12; k++) {
      const [, , v] = weights(settings, box),
        top = v.reduce((p, q) => Math.max(p, q), -Infinity);
      if (!(Math.abs(top) + slack < PG.STEEPEST)) return null;
      const rows = [
        [N, -1],
        [N, -1],
      ];
      v.forEach((value, at) => {
        if (value > top - BELOW - slack)
          [at % N, Math.floor(at / N)].forEach((i, d) => {
            rows[d] = [Math.min(rows[d][0], i), Math.max(rows[d][1], i)];
          });
      });
      const at_edge = rows.map(([first, last]) => [first === 0, last === N - 1]),
        free = prior.name !== "uniform";
      if (!free || !at_edge.flat().some(Boolean)) {
        const next = box.map(([low, high], d) => {
          const h = (high - low) / (N - 1);
          return [low + h * Math.max(rows[d][0] - 1, 0), low + h * Math.min(rows[d][1] + 1, N - 1)];
        });
        const shrinks = next.some(([low, high], d) => high - low < 0.9 * (box[d][1] - box[d][0]));
        box = next;
        if (!shrinks || k > 9) return box;
      } else
        box = box.map(([low, high], d) => {
          const w = 0.5 * (high - low);
          return [at_edge[d][0] ? low - w : low, at_edge[d][1] ? high + w : high];
        });
    }
    return null;
  }
  function convolution([a, b], { lengthscale, variance = 1 }) {
    // by one coordinate and then the other
    const matrix = x => Array.from(x, t => Float64Array.from(x, u => Math.exp(-0.5 * ((t - u) / lengthscale) ** 2)));
    const K = matrix(a),
      L = matrix(b),
      between = new Float64Array(N * N);
    return masses => {
      PG.spend(2 * N ** 3);
      const out = new Float64Array(N * N);
      for (let j = 0; j < N; j++)
        for (let i = 0; i < N; i++) {
          let sum = 0;
          const row = K[i],
            at = j * N;
          for (let k = 0; k < N; k++) sum += row[k] * masses[at + k];
          between[i * N + j] = sum;
        }
      for (let i = 0; i < N; i++)
        for (let j = 0; j < N; j++) {
          let sum = 0;
          const row = L[j],
            at = i * N;
          for (let k = 0; k < N; k++) sum += row[k] * between[at + k];
          out[j * N + i] = variance * sum;
        }
      return out;
    };
  }
  // settings as for PG.line_target: {axes, density, marginals, slices, mean, variance} or null
  PG.plane_target = function (settings) {
    for (const nodes of settings.mmd_weight > 0 ? [129, 193] : [129, 257, 385]) {
      N = nodes;
      const found = on_grid(settings);
      if (found === null || found.is_resolved) return found;
    }
    return null; // too narrow for this grid: rather nothing than something wrong
  };
  function on_grid(settings) {
    const { kl_weight, mmd_weight, kernel, prior } = settings;
    if (!(kl_weight > 0)) return null;
    const strength = (2 * mmd_weight) / kl_weight,
      box = place(settings, 2 * strength * (kernel.variance || 1));
    if (!box) return null;
    const [a, b, level] = weights(settings, box),
      cell = (a[1] - a[0]) * (b[1] - b[0]),
      embedding = strength > 0 ? PG.embedding(prior, kernel, 2) : null;
    for (let j = 0; j < N; j++)
      for (let i = 0; i < N; i++) {
        const edges = (i === 0 || i === N - 1 ? 0.5 : 1) * (j === 0 || j === N - 1 ? 0.5 : 1);
        level[j * N + i] += Math.log(edges * cell) + (embedding ? strength * embedding.value([a[i], b[j]]) : 0);
      }
    let [masses] = PG.normalised(level),
      residual = 0,
      every_other = 0;
    for (let j = 0; j < N; j += 2) for (let i = 0; i < N; i += 2) every_other += 4 * masses[j * N + i];
    const is_resolved =
      Math.abs(every_other - 1) < 1e-4 || (prior.name === "uniform" && Math.abs(every_other - 1) < 2e-2);
    if (!is_resolved) return { is_resolved };
    if (strength > 0) {
      const solved = PG.fixed_point(level, convolution([a, b], kernel), strength, masses, 1e-8);
      if (!solved) return null;
      masses = solved.masses;
      residual = solved.bound;
    }
    return { is_resolved, residual, ...PG.plane_law([a, b], masses) };
  }
  // A law in the plane from its masses at the nodes of a grid: {axes, density, marginals, slices, mean, variance}.
  PG.plane_law = function (axes, masses) {
    const columns = axes[0].length,
      steps = axes.map(axis => axis[1] - axis[0]),
      sums = axes.map(axis => new Float64Array(axis.length));
    masses.forEach((m, at) => {
      sums[0][at % columns] += m;
      sums[1][Math.floor(at / columns)] += m;
    });
    const mean = sums.map((m, d) => m.reduce((sum, v, i) => sum + v * axes[d][i], 0)),
      marginals = sums.map((m, d) => {
        const q = m.map(v => v / steps[d]);
        q[0] *= 2; // half of the cell of an end is outside
        q[q.length - 1] *= 2;
        return PG.curve(axes[d], q, {});
      });
    return {
      axes,
      density: masses.map(m => m / (steps[0] * steps[1])),
      marginals,
      slices: PG.slices(axes, masses),
      mean,
      variance: sums.map((m, d) => m.reduce((sum, v, i) => sum + v * (axes[d][i] - mean[d]) ** 2, 0)),
    };
  };
  // levels of the density whose inside holds these shares of the mass
  PG.mass_levels = function (density, shares) {
    const sorted = Float64Array.from(density).sort().reverse(),
      all = sorted.reduce((p, q) => p + q, 0),
      found = [];
    let sum = 0,
      k = 0;
    for (const share of shares) {
      while (k < sorted.length - 1 && sum + sorted[k] < share * all) sum += sorted[k++];
      found.push(sorted[k]);
    }
    return found;
  };
})();
