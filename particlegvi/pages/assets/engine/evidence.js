// What a density says of particles beside W1: their excess energy, their kernel Stein discrepancy, and particles where
// it has no mass, as particlegvi/diagnostics/{free_energy,discrepancy,outliers}.py.
"use strict";
(() => {
  const POINTS = 250, // that stand for the density
    SIMULATED = 500, // discrepancies of exact draws
    MOST = 1000, // particles in a discrepancy
    EXPECTED = 1e-6, // draws among as many as there are particles
    OUTSIDE = 1e-12; // the share that the package's targets leave out on each side
  const known = new WeakMap();

  // The nodes of a truth: their coordinates as rows, log densities and masses; and the shape of the grid.
  function nodes_of(truth) {
    const axes = truth.axes || [truth.x],
      columns = axes[0].length,
      shape = [columns, axes.length > 1 ? axes[1].length : 1],
      along = [at => at % columns, at => Math.floor(at / columns)],
      steps = axes.map(axis => axis[1] - axis[0]),
      edge = (at, d) => (along[d](at) === 0 || along[d](at) === shape[d] - 1 ? 0.5 : 1),
      edges = at => axes.reduce((share, _, d) => share * edge(at, d), 1),
      density = truth.axes ? truth.density : truth.q,
      in_plane = axes.length > 1,
      cell = steps.reduce((p, h) => p * h, 1);
    // in the plane half of a cell on the edge is outside, and its node has half of the density
    const levels = Float64Array.from(density, (v, at) => Math.log(in_plane ? v / edges(at) : v)),
      masses = Float64Array.from(density, (v, at) => v * cell * (in_plane ? 1 : edges(at))),
      rows = axes.map((axis, d) => Float64Array.from(density, (_, at) => axis[along[d](at)]));
    return { axes, columns, shape, steps, levels, masses, rows };
  }
  // log q + loss / T - log p, a smooth function: constant for DLE, and for DRLE the interaction with the others.
  function interaction(truth, { loss, prior, kl_weight, mmd_weight }, nodes) {
    const { axes, columns, shape, steps, levels, rows } = nodes,
      values = new Float64Array(levels.length),
      top = levels.reduce((best, v, at) => (v > levels[best] ? at : best), 0);
    const at_node = at =>
      levels[at] + values[at] / kl_weight + PG.minus_log_density(prior, rows.map(row => row[at]));
    if (!(mmd_weight > 0)) {
      const one = new Float64Array(1);
      loss.values(rows.map(row => Float64Array.of(row[top])), one);
      values[top] = one[0];
      const constant = at_node(top);
      return () => constant;
    }
    PG.spend_on(loss, levels.length);
    loss.values(rows, values);
    const level = at_node(top),
      table = Float64Array.from(levels, (_, at) => {
        const found = at_node(at);
        return Number.isFinite(found) ? found : level;
      });
    return point => {
      // linear between the nodes in each coordinate
      const places = axes.map((axis, d) => Math.min(Math.max((point[d] - axis[0]) / steps[d], 0), shape[d] - 1)),
        [i, j] = [0, 1].map(d => (d < axes.length ? Math.min(Math.floor(places[d]), shape[d] - 2) : 0)),
        a = places[0] - i,
        along = row => (1 - a) * table[row * columns + i] + a * table[row * columns + i + 1];
      return axes.length === 1 ? along(0) : (1 - places[1] + j) * along(j) + (places[1] - j) * along(j + 1);
    };
  }
  const point_of = (x, i) => x.map(row => row[i]);
  // {levels, masses, log_density(rows), score(rows)} of a truth and the settings that it belongs to
  function density_of(truth, settings) {
    if (known.has(truth)) return known.get(truth);
    const { loss, prior, kl_weight, mmd_weight } = settings,
      nodes = nodes_of(truth),
      shared = interaction(truth, settings, nodes);
    function log_density(x) {
      const out = new Float64Array(x[0].length);
      loss.values(x, out);
      return out.map((v, i) => shared(point_of(x, i)) - v / kl_weight - PG.minus_log_density(prior, point_of(x, i)));
    }
    function score(x) {
      const out = x.map(row => new Float64Array(row.length));
      loss.slopes(x, out);
      out.forEach((row, d) =>
        row.forEach((slope, i) => {
          const pull = prior.name === "normal" ? (x[d][i] - prior.mean[d]) / prior.sd[d] ** 2 : 0;
          row[i] = -slope / kl_weight - pull;
          if (!(mmd_weight > 0)) return;
          const [before, after] = [-1, 1].map(sign => {
            const point = point_of(x, i);
            point[d] += sign * nodes.steps[d];
            return shared(point);
          });
          row[i] += (after - before) / (2 * nodes.steps[d]);
        }),
      );
      return out;
    }
    const found = { ...nodes, log_density, score, floors: new Map() };
    known.set(truth, found);
    return found;
  }

  // The mean height above the lowest potential, what is expected of exact draws, and the difference in standard errors.
  PG.excess_energy = function (x, truth, settings) {
    const { levels, masses, log_density } = density_of(truth, settings),
      own = log_density(x),
      n = own.length,
      all = masses.reduce((sum, m) => sum + m, 0);
    let top = -Infinity,
      mean = 0,
      variance = 0;
    for (const list of [levels, own]) for (const v of list) top = Math.max(top, v);
    masses.forEach((m, k) => {
      if (m > 0) mean += (m / all) * levels[k];
    });
    masses.forEach((m, k) => {
      if (m > 0) variance += (m / all) * (levels[k] - mean) ** 2;
    });
    const T = settings.kl_weight,
      expected = T * (top - mean),
      found = T * (top - own.reduce((sum, v) => sum + v / n, 0)),
      // levels of a flat density differ by rounding alone
      error = T * Math.max(Math.sqrt(variance / n), 1e-13 * (1 + Math.abs(top)));
    return { mean: found, expected, deviation: error > 0 ? (found - expected) / error : 0 };
  };

  // Stein's kernel at a pair of points with their scores.
  function stein(x, s, i, y, t, j, precision) {
    let far = 0,
      both = 0,
      along = 0;
    for (let d = 0; d < x.length; d++) {
      const gap = x[d][i] - y[d][j];
      far += gap * gap;
      both += s[d][i] * t[d][j];
      along += (s[d][i] - t[d][j]) * gap;
    }
    const shrink = 1 / (1 + precision * far),
      kernel = Math.sqrt(shrink),
      cubed = precision * kernel * shrink;
    return both * kernel + cubed * along + cubed * (x.length - 3 * (1 - shrink));
  }
  // Points that stand for the density: quantiles on the line, draws in the plane.
  function points_of(truth) {
    if (!truth.axes) return [Float64Array.from({ length: POINTS }, (_, k) => truth.quantile((k + 0.5) / POINTS))];
    const found = [0, 1].map(() => new Float64Array(POINTS));
    PG.plane_draws(truth, 0, found);
    return found;
  }
  const precision_of = ({ variance }) => {
    const each = [variance].flat();
    return each.length / each.reduce((sum, v) => sum + v, 0);
  };
  // The 99% quantile of the discrepancy of n exact draws. In the limit n times its square is a quadratic form of
  // normals, which is simulated.
  function stein_floor(truth, settings, n) {
    const { score, floors } = density_of(truth, settings);
    if (!floors.has("table")) {
      PG.spend(POINTS ** 2 * SIMULATED);
      const y = points_of(truth),
        s = score(y),
        rows = Array.from({ length: POINTS }, () => new Float64Array(POINTS)),
        even = new Float64Array(POINTS),
        odd = new Float64Array(POINTS),
        forms = [];
      rows.forEach((row, i) => {
        for (let j = 0; j < POINTS; j++) row[j] = stein(y, s, i, y, s, j, precision_of(truth));
      });
      for (let k = 0; k < SIMULATED; k += 2) {
        PG.normals([7, 0], PG.roles.draws, 2, k, even, odd);
        for (const z of [even, odd]) {
          let form = 0;
          rows.forEach((row, i) => {
            let sum = 0;
            for (let j = 0; j < POINTS; j++) sum += row[j] * z[j];
            form += sum * z[i];
          });
          forms.push(form / POINTS);
        }
      }
      floors.set("table", Math.max(PG.quantile(forms, 0.99), 0));
    }
    return Math.sqrt(floors.get("table") / n);
  }
  // {value, floor}; null beside walls, where Stein's identity lacks a term
  PG.stein_discrepancy = function (particles, truth, settings) {
    if (settings.prior.name === "uniform") return null;
    const all = particles[0].length,
      n = Math.min(all, MOST),
      x = particles.map(row => Float64Array.from({ length: n }, (_, i) => row[Math.floor((i * all) / n)])),
      s = density_of(truth, settings).score(x),
      precision = precision_of(truth);
    PG.spend(10 * n * n);
    let sum = 0;
    for (let i = 0; i < n; i++) {
      sum += stein(x, s, i, x, s, i, precision);
      for (let j = 0; j < i; j++) sum += 2 * stein(x, s, i, x, s, j, precision);
    }
    return { value: Math.sqrt(Math.max(sum, 0)) / n, floor: stein_floor(truth, settings, n) };
  };

  // The highest log density below which so little mass is that fewer than 1e-6 of n exact draws would be there.
  function lowest_level({ levels, masses, floors, axes }, n) {
    if (floors.has(n)) return floors.get(n);
    let share = 2 * axes.length * OUTSIDE,
      limit = -Infinity;
    for (const at of Uint32Array.from(levels.keys()).sort((p, q) => levels[p] - levels[q])) {
      share += masses[at];
      if (n * share >= EXPECTED) break;
      limit = levels[at];
    }
    floors.set(n, limit);
    return limit;
  }
  // How many particles are there, and one of them; or null.
  PG.misplaced = function (x, truth, settings) {
    const density = density_of(truth, settings),
      own = density.log_density(x),
      n = own.length,
      limit = lowest_level(density, n),
      where = Array.from(own.keys()).filter(i => own[i] < limit);
    return where.length ? { count: where.length, all: n, place: point_of(x, where[0]) } : null;
  };
})();
