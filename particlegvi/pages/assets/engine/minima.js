// The minimum of the loss that lies below each particle, by Newton's method inside a radius in which it goes down.
"use strict";
(() => {
  const STEPS = 200;

  // places in rows, as the particles are; what presses against a wall of a uniform prior stays there
  PG.minima = function ({ loss, prior }, particles) {
    const x = particles.map(row => row.slice()),
      n = x[0].length,
      dim = x.length,
      rows = () => x.map(() => new Float64Array(n));
    const slope = rows(),
      curvature = [rows(), rows()],
      radius = new Float64Array(n).fill(0.5),
      value = new Float64Array(n),
      trial = new Float64Array(n);
    loss.values(x, value);
    let moving = true;
    for (let k = 0; k < STEPS && moving; k++) {
      PG.spend_on(loss, n * (2 + 2 * dim));
      PG.free_slopes({ loss, prior }, x, slope);
      for (let d = 0; d < dim; d++) differences(loss, x, d, curvature[d]);
      const next = x.map(row => row.slice());
      for (let i = 0; i < n; i++) {
        const step = newton(
          slope.map(row => row[i]),
          curvature.map(of => of.map(row => row[i])),
          radius[i],
        );
        step.forEach((s, d) => {
          const moved = next[d][i] + s,
            is_walled = prior.name === "uniform";
          next[d][i] = is_walled ? Math.min(Math.max(moved, prior.low[d]), prior.high[d]) : moved;
        });
      }
      loss.values(next, trial);
      moving = false;
      for (let i = 0; i < n; i++) {
        const far = Math.hypot(...next.map((row, d) => row[i] - x[d][i])),
          size = Math.hypot(...x.map(row => row[i]));
        if (far > 1e-9 * (1 + size) && radius[i] > 1e-9 * (1 + size)) moving = true;
        if (!(trial[i] <= value[i])) {
          radius[i] *= 0.25;
          continue;
        }
        next.forEach((row, d) => {
          x[d][i] = row[i];
        });
        value[i] = trial[i];
        radius[i] *= 2;
      }
    }
    return x;
  };
  // the slopes without what presses a particle against a wall of the prior
  PG.free_slopes = function ({ loss, prior }, x, slopes) {
    loss.slopes(x, slopes);
    if (prior.name !== "uniform") return;
    slopes.forEach((row, d) =>
      row.forEach((v, i) => {
        if ((x[d][i] <= prior.low[d] && v > 0) || (x[d][i] >= prior.high[d] && v < 0)) row[i] = 0;
      }),
    );
  };
  function differences(loss, x, d, out) {
    // the derivatives of the slopes in one coordinate
    const sides = [-1, 1].map(sign => {
      const moved = x.map((row, e) => (e === d ? row.map(t => t + sign * 1e-5 * (1 + Math.abs(t))) : row)),
        slopes = x.map(row => new Float64Array(row.length));
      loss.slopes(moved, slopes);
      return slopes;
    });
    out.forEach((row, e) => {
      for (let i = 0; i < row.length; i++)
        row[i] = e < x.length ? (sides[1][e][i] - sides[0][e][i]) / (2e-5 * (1 + Math.abs(x[d][i]))) : 0;
    });
  }
  function newton(g, H, radius) {
    const a = H[0][0],
      b = g.length > 1 ? 0.5 * (H[0][1] + H[1][0]) : 0,
      c = g.length > 1 ? H[1][1] : a,
      lowest = 0.5 * (a + c) - Math.hypot(0.5 * (a - c), b),
      shift = Math.max(0, 1e-3 * Math.abs(lowest) + 1e-12 - lowest);
    let step = g.length === 1 ? [-g[0] / (a + shift)] : solved(a + shift, b, c + shift, g);
    const far = Math.hypot(...step);
    if (!Number.isFinite(far)) return g.map(() => 0);
    if (far > radius) step = step.map(s => (s * radius) / far);
    return step;
  }
  function solved(a, b, c, [g, h]) {
    const det = a * c - b * b;
    return [(b * h - c * g) / det, (b * g - a * h) / det];
  }
})();
