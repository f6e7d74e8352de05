// What particles say about their truth, by the rules of particlegvi/scenario/kinds/particles/verdict.py: the key of a
// sentence, and its values. A test holds both to the same words on the same numbers.
"use strict";
(() => {
  const CONVERGED = 1e-6, // of the largest slope at the start, or of the longest way of a particle
    NEARLY = 0.02, // of the longest way
    STUCK = 0.05, // share of particles that have changed their well
    SETTLED = 0.1, // share of the time after which particles rest in a well
    SHORT = 0.1, // of the squared distance of independent draws
    EARLY = 3, // records that tell nothing of the way yet
    HUGE = 1e100, // farther particles have run away
    FAR = 1e3, // scales of the problem, beyond which particles have no business
    GROWTH = 10, // in the second half, by which they go on
    MOST_WELLS = 64,
    SLIGHT = 0.01, // of an even share of the mass
    UNDECIDED = ["stuck", "few", "too_short", "near", "within"]; // verdicts that do not deny an equilibrium
  const said = (key, values = {}) => ({ key, values });
  const distance = (x, i, y, j) => Math.hypot(...x.map((row, d) => row[i] - y[d][j]));
  const most_of = (n, f) => {
    let most = 0;
    for (let i = 0; i < n; i++) most = Math.max(most, f(i));
    return most;
  };

  // x: rows; records: [{time, x}], which end with x; w1 and floor: on the line W1, in the plane sliced W1, and the 5%,
  // 95% and 99% quantiles of exact draws
  PG.verdict = function ({ x, settings, truth, w1, floor, records }) {
    const lost = escaped(x, settings.prior, records),
      is_early = records.length <= EARLY;
    if (2 * lost > x[0].length || !x.every(row => row.every(t => Math.abs(t) < HUGE))) return said("diverged");
    if (lost && !is_early) return said("escaping", { count: lost, all: x[0].length });
    if (!(settings.kl_weight > 0))
      return settings.mmd_weight > 0 ? rests(x, records) : descends(x, settings, truth, records);
    const drifts = is_early ? null : PG.drifts(records, settings.loss);
    if (drifts) return said("drifting");
    if (is_early || (drifts === null && !truth)) return said("unknown");
    if (!truth) return said(slow(x, records) ? "unknown_short" : "no_truth");
    const found = against(x, settings, truth, w1, floor[2], records),
      misplaced = UNDECIDED.includes(found.key) && PG.misplaced(x, truth, settings);
    return misplaced ? said("misplaced", misplaced) : found;
  };

  // The number of particles that have left every scale of the start and the prior, and are far beyond halfway's place
  // (particlegvi/diagnostics/outliers.py).
  function escaped(x, prior, records) {
    const n = x[0].length,
      start = records[0].x,
      before = PG.earlier(records).x,
      centre = start.map(row => row.reduce((sum, t) => sum + t / n, 0)),
      away = (rows, i) => Math.hypot(...rows.map((row, d) => row[i] - centre[d])),
      [at, size] =
        prior.name === "normal"
          ? [prior.mean, prior.sd]
          : prior.name === "uniform"
            ? [prior.low.map((a, d) => 0.5 * (a + prior.high[d])), prior.low.map((a, d) => 0.5 * (prior.high[d] - a))]
            : [centre.map(() => 0), centre.map(() => 1)],
      ends = centre.map((_, d) => [at[d], at[d] + size[d]]),
      scale = Math.max(most_of(n, i => away(start, i)), away(ends, 0), away(ends, 1));
    let count = 0;
    for (let i = 0; i < n; i++) {
      const far = away(x, i);
      if (!(far <= FAR * scale) && !(far < GROWTH * away(before, i))) count++;
    }
    return count;
  }
  function against(x, settings, truth, w1, floor, records) {
    const n = x[0].length,
      wells = occupancy(x, truth, records),
      times = w1 / floor,
      stuck = wells && wells.changed <= STUCK * n,
      is_short = slow(x, records, stuck ? wells.labels : null);
    const apart =
      wells && wells.apart && said(stuck ? "metastable" : "shares", { ...wells.apart, changed: wells.changed, all: n });
    const away = apart || (times > 1.5 ? said("far", { times }) : beyond_in_words(x, settings, truth));
    if (away) return is_short ? said("short") : away;
    if (stuck && !is_short && wells.crossed <= STUCK * n) return said("stuck", { changed: wells.changed, all: n });
    const variances = [truth.variance].flat(),
      sd = Math.sqrt(variances.reduce((sum, v) => sum + v, 0) / variances.length);
    if (1.5 * floor > sd) return said("few", { all: n });
    return said(is_short ? "too_short" : times > 1 ? "near" : "within");
  }
  // What is beyond its limit where W1 is not: the excess energy, Stein's discrepancy, or on the line the
  // Kolmogorov-Smirnov distance with Stephens' form of its 99% quantile; null where nothing is.
  function beyond_in_words(x, settings, truth) {
    const n = x[0].length,
      root = Math.sqrt(n),
      { mean, expected, deviation } = PG.excess_energy(x, truth, settings);
    if (!(Math.abs(deviation) <= Math.max(4 + 7.1 / root, 0.02 * root)))
      return said("energy", { mean, expected, errors: Math.abs(deviation) });
    const stein = PG.stein_discrepancy(x, truth, settings);
    if (stein && stein.value > 1.5 * stein.floor) return said("stein", stein);
    if (truth.axes) return null;
    const sorted = x[0].slice().sort(),
      far = most_of(n, i => Math.max((i + 1) / n - truth.cdf(sorted[i]), truth.cdf(sorted[i]) - i / n));
    return far > (1.5 * 1.6276) / (root + 0.12 + 0.11 / root) ? said("beyond") : null;
  }
  function occupancy(x, truth, records) {
    const wells = PG.wells(truth),
      number = wells.modes.length;
    if (number < 2) return null;
    const labels = wells.of(x),
      moved_since = before => labels.filter((k, i) => k !== before[i]).length,
      [changed, crossed] = [0.5, SETTLED].map(share => moved_since(wells.of(PG.earlier(records, share).x))),
      found = { labels, changed, crossed, apart: null };
    if (number > MOST_WELLS) return found;
    const counts = counted(labels, number);
    let worst = 0;
    wells.modes.forEach((mode, k) => {
      const count = counts[k],
        [low, high] = PG.binomial_limits(labels.length, Math.min(wells.masses[k], 1), 1 - 0.001 / number),
        outside = Math.max(low - count, count - high);
      if (outside <= worst) return;
      worst = outside;
      found.apart = { count, place: mode, due: wells.masses[k] * labels.length };
    });
    return found;
  }
  // The number of particles in each mode, from the left on the line; null for one mode, and for very many. Hills at the
  // ends of a support, with less than a hundredth of an even share, are none.
  PG.in_modes = function (x, truth) {
    const wells = truth.atoms ? null : PG.wells(truth),
      masses = wells ? wells.masses : truth.atoms.map(([, weight]) => weight),
      is_mode = k => masses[k] * masses.length > SLIGHT,
      number = masses.filter((_, k) => is_mode(k)).length;
    if (number < 2 || number > MOST_WELLS) return null;
    const labels = wells ? wells.of(x) : in_basins(x[0], truth);
    return counted(labels, masses.length).filter((_, k) => is_mode(k));
  };
  // Whether particles moved less in the second half than a tenth of the squared distance of independent draws; with
  // labels, of draws from the well of each.
  function slow(x, records, labels = null) {
    const n = x[0].length,
      then = PG.earlier(records).x,
      moved = x.reduce((all, row, d) => all + row.reduce((sum, t, i) => sum + (t - then[d][i]) ** 2 / n, 0), 0);
    return n > 1 && moved < 2 * SHORT * ((labels && variance_within(x, labels)) || variance_within(x));
  }
  function variance_within(x, labels = new Array(x[0].length).fill(0)) {
    const counts = counted(labels, 1 + Math.max(...labels));
    return x.reduce((all, row) => {
      const sums = counts.map(() => 0);
      row.forEach((t, i) => {
        sums[labels[i]] += t;
      });
      return all + row.reduce((sum, t, i) => sum + (t - sums[labels[i]] / counts[labels[i]]) ** 2 / row.length, 0);
    }, 0);
  }
  function rests(x, records) {
    // flows without noise and without a known end: how far particles still go
    const n = x[0].length,
      end = records[records.length - 1].time,
      at = records.findIndex(each => each.time >= 0.75 * end);
    if (at >= records.length - 1) return said("unknown");
    const start = records[0].x,
      variance = rows => variance_within(rows) / rows.length;
    const scale = Math.sqrt(Math.max(variance(start), variance(x))) || most_of(n, i => distance(x, i, start, i)) || 1,
      most = most_of(n, i => distance(x, i, records[at].x, i));
    return said(most <= NEARLY * scale ? "rests" : "moves");
  }
  function descends(x, settings, truth, records) {
    const n = x[0].length,
      start = records[0].x,
      steepest = rows => {
        const slopes = rows.map(() => new Float64Array(n));
        PG.free_slopes(settings, rows, slopes);
        return most_of(n, i => Math.hypot(...slopes.map(row => row[i])));
      };
    const slope = steepest(x),
      first = steepest(start),
      scale = most_of(n, i => distance(x, i, start, i)) || 1,
      atoms = truth && truth.atoms,
      away = (i, place) => Math.abs(x[0][i] - place),
      nearest = atoms && nearest_atoms(x[0], atoms),
      minima = atoms ? null : PG.minima(settings, x),
      farthest = most_of(n, i => (minima ? distance(x, i, minima, i) : away(i, atoms[nearest[i]][0])));
    if (!(farthest <= NEARLY * scale)) return said("descending", { slope, away: farthest });
    const unlikely = atoms && wrong_count(nearest, atoms, n);
    if (unlikely) return said("unlikely", unlikely);
    const is_done = slope <= CONVERGED * Math.max(first, 1e-300) || farthest <= CONVERGED * scale;
    return said(is_done ? "settled" : "nearly");
  }
  function nearest_atoms(row, atoms) {
    const middles = atoms.slice(1).map(([place], k) => 0.5 * (place + atoms[k][0]));
    return Array.from(row, t => PG.rank(middles, t));
  }
  function in_basins(row, { atoms, tops }) {
    return tops ? Array.from(row, t => PG.rank(tops, t)) : nearest_atoms(row, atoms);
  }
  function counted(labels, number) {
    const counts = new Array(number).fill(0);
    for (const label of labels) counts[label]++;
    return counts;
  }
  function wrong_count(nearest, atoms, n) {
    const counts = counted(nearest, atoms.length);
    for (let k = 0; k < atoms.length; k++) {
      const [place, weight] = atoms[k],
        count = counts[k],
        [low, high] = PG.binomial_limits(n, Math.min(weight, 1), 1 - 0.001 / atoms.length);
      if (count < low || count > high) return { count, place: [place], low, high };
    }
    return null;
  }
})();
