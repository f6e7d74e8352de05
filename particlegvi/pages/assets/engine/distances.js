// W1 between particles on the line and a target, exact (Vallender, 1974), sliced W1 in the plane along the directions
// of particlegvi/diagnostics/line_distances.py, and their ranges under exact draws.
"use strict";
(() => {
  PG.w1 = function (particles, target) {
    const x = Float64Array.from(particles).sort(),
      n = x.length;
    if (target.atoms) return to_atoms(x, target);
    // beyond the last particle the integral of 1 - F is x - mean up to the end of the nodes minus that of F
    const area = i => target.area(x[i]),
      top = Math.max(x[n - 1], target.high);
    let total = area(0) + Math.max(top - x[n - 1] - (target.area(top) - target.area(x[n - 1])), 0);
    for (let i = 0; i + 1 < n; i++) {
      const c = (i + 1) / n,
        a = x[i],
        b = x[i + 1],
        whole = area(i + 1) - area(i) - c * (b - a);
      if (target.cdf(a) < c && c < target.cdf(b)) {
        const t = target.quantile(c),
          left = target.area(t) - area(i) - c * (t - a);
        total += Math.abs(left) + Math.abs(whole - left);
      } else total += Math.abs(whole);
    }
    return total;
  };
  function to_atoms(x, { atoms }) {
    const places = Array.from(x, t => [t, 1 / x.length])
      .concat(atoms.map(([t, w]) => [t, -w]))
      .sort((a, b) => a[0] - b[0]);
    let gap = 0,
      total = 0;
    for (let i = 0; i + 1 < places.length; i++) {
      gap += places[i][1];
      total += Math.abs(gap) * (places[i + 1][0] - places[i][0]);
    }
    return total;
  }
  PG.quantile = function (values, level) {
    // linear between the ordered values
    const sorted = Float64Array.from(values).sort(),
      at = level * (sorted.length - 1),
      i = Math.min(Math.floor(at), sorted.length - 2);
    return sorted.length < 2 ? sorted[0] : sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]);
  };
  PG.LEVELS = [0.05, 0.95, 0.99];
  // these quantiles of W1 between the target and n independent exact draws, simulated with a seed of its own
  PG.w1_floor = function (target, n, replicates) {
    const times = replicates || (n > 2000 ? 60 : target.atoms ? 1000 : 200),
      found = [],
      u = new Float64Array(n + 1),
      unused = new Float64Array(n + 1);
    const cells = 2001,
      xs = Float64Array.from({ length: cells }, (_, i) =>
        target.atoms ? 0 : target.low + ((target.high - target.low) * i) / (cells - 1),
      );
    const F = target.atoms ? null : xs.map(t => target.cdf(t)),
      h = xs[1] - xs[0];
    PG.spend(50 * times * n);
    for (let r = 0; r < times; r++) {
      PG.uniforms([7, 0], PG.roles.draws, 0, r, u, unused);
      let total = 0;
      for (let i = 0; i <= n; i++) {
        total -= Math.log(u[i]);
        u[i] = total;
      } // ordered uniforms are sums of exponentials
      for (let i = 0; i <= n; i++) u[i] /= total;
      if (target.atoms) {
        found.push(atoms_distance(u, n, target.atoms));
        continue;
      }
      let k = 0,
        sum = 0;
      for (let i = 0; i < cells; i++) {
        while (k < n && u[k] <= F[i]) k++;
        sum += (i === 0 || i === cells - 1 ? 0.5 : 1) * Math.abs(k / n - F[i]);
      }
      found.push(sum * h);
    }
    return PG.LEVELS.map(level => PG.quantile(found, level));
  };
  function atoms_distance(u, n, atoms) {
    let k = 0,
      level = 0,
      total = 0;
    for (let a = 0; a + 1 < atoms.length; a++) {
      level += atoms[a][1];
      while (k < n && u[k] <= level) k++;
      total += Math.abs(k / n - level) * (atoms[a + 1][0] - atoms[a][0]);
    }
    return total;
  }
  PG.DIRECTIONS = Array.from({ length: 16 }, (_, k) => [
    Math.cos((Math.PI * (k + 0.5)) / 16),
    Math.sin((Math.PI * (k + 0.5)) / 16),
  ]);
  // The mass at nodes of a grid, seen along each direction, as curves.
  PG.slices = function ([a, b], masses) {
    const cells = 257,
      most = masses.reduce((p, q) => Math.max(p, q), 0),
      kept = [],
      columns = a.length;
    masses.forEach((mass, at) => {
      if (mass > 1e-9 * most) kept.push(at);
    });
    return PG.DIRECTIONS.map(([c, s]) => {
      const along = Float64Array.from(kept, at => c * a[at % columns] + s * b[Math.floor(at / columns)]),
        q = new Float64Array(cells);
      const low = along.reduce((p, t) => Math.min(p, t), Infinity),
        h = (along.reduce((p, t) => Math.max(p, t), -Infinity) - low) / (cells - 1);
      kept.forEach((at, i) => {
        const t = (along[i] - low) / h,
          k = Math.min(Math.floor(t), cells - 2);
        q[k] += (masses[at] * (k + 1 - t)) / h;
        q[k + 1] += (masses[at] * (t - k)) / h;
      });
      q[0] *= 2;
      q[cells - 1] *= 2;
      return PG.curve(
        Float64Array.from(q, (_, i) => low + h * i),
        q,
        {},
      );
    });
  };
  // A list of one: W1 on the line, or the mean over the directions in the plane.
  PG.distance = (x, truth) => [
    x.length === 1
      ? PG.w1(x[0], truth)
      : PG.DIRECTIONS.reduce(
          (sum, [c, s], d) =>
            sum +
            PG.w1(
              x[0].map((t, i) => c * t + s * x[1][i]),
              truth.slices[d],
            ),
          0,
        ) / PG.DIRECTIONS.length,
  ];
  PG.floor_of = (truth, n) => [truth.slices ? sliced_floor(truth, n) : PG.w1_floor(truth, n)];
  // Draws of a density in the plane, one for each place of the rows: from the cells around its nodes.
  PG.plane_draws = function ({ axes: [a, b], density, sums }, number, [x, y]) {
    const rows = Array.from({ length: 4 }, () => new Float64Array(x.length)),
      [u, v, w, unused] = rows;
    PG.uniforms([7, 0], PG.roles.draws, 0, number, u, v);
    PG.uniforms([7, 0], PG.roles.draws, 1, number, w, unused);
    const below = sums || cumulated(density);
    for (let i = 0; i < x.length; i++) {
      const k = PG.rank(below, u[i] * below[below.length - 1]);
      x[i] = a[k % a.length] + (v[i] - 0.5) * (a[1] - a[0]);
      y[i] = b[Math.floor(k / a.length)] + (w[i] - 0.5) * (b[1] - b[0]);
    }
  };
  function cumulated(density) {
    let sum = 0;
    return density.map(value => (sum += value));
  }
  function sliced_floor({ axes, density, slices }, n, times = 200) {
    const size = Math.min(n, 128),
      x = new Float64Array(size),
      y = new Float64Array(size),
      sums = cumulated(density),
      found = [];
    for (let r = 0; r < times; r++) {
      PG.plane_draws({ axes, density, sums }, r, [x, y]);
      let total = 0;
      PG.DIRECTIONS.forEach(([c, s], d) => {
        const { x: nodes, F } = slices[d],
          cells = nodes.length,
          h = nodes[1] - nodes[0],
          counts = new Float64Array(cells + 1);
        for (let i = 0; i < size; i++)
          counts[Math.max(0, Math.min(cells, Math.ceil((c * x[i] + s * y[i] - nodes[0]) / h)))]++;
        for (let k = 0, sum = 0; k < cells; k++) {
          sum += counts[k];
          total += h * Math.abs(sum / size - F[k]);
        }
      });
      // W1 falls as one over the root of the number of draws
      found.push((total / PG.DIRECTIONS.length) * Math.sqrt(size / n));
    }
    return PG.LEVELS.map(level => PG.quantile(found, level));
  }
})();
