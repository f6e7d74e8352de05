// Where the particles of DE end in the plane: the minima of the loss, each with the start's mass that flows to it, as
// particlegvi/targets/basins/basins_plane.py. The flow is followed from the middles of equally likely strata.
"use strict";
(() => {
  const STRATA = 48, // along each coordinate
    STEPS = 4000,
    ERROR = 1e-3, // of a step, relative to the size of the start
    CAREFUL = 0.2, // and relative to its length, so that the flow comes to rest
    SHORTEST = 1e-9, // relative to the size of the start: at a kink the steps become shorter and shorter
    STILL = 1e-7, // of the steepest slope at the start
    SAME = 1e-3; // two ends are one minimum, relative to the size of the start

  function normal_quantile(u) {
    let low = -40,
      high = 40;
    for (let k = 0; k < 80; k++) {
      const t = 0.5 * (low + high);
      if (0.5 * PG.erfc(-t / Math.SQRT2) < u) low = t;
      else high = t;
    }
    return 0.5 * (low + high);
  }
  function strata(start) {
    if (start.name === "points") return [0, 1].map(d => Float64Array.from(start.points, point => point[d]));
    const middles = Array.from({ length: STRATA }, (_, k) => (k + 0.5) / STRATA),
      along = [0, 1].map(d =>
        middles.map(u =>
          start.name === "normal"
            ? start.mean[d] + start.sd[d] * normal_quantile(u)
            : start.low[d] + (start.high[d] - start.low[d]) * u,
        ),
      ),
      row = f => Float64Array.from({ length: STRATA * STRATA }, (_, k) => f(k));
    return [row(k => along[0][k % STRATA]), row(k => along[1][Math.floor(k / STRATA)])];
  }
  // The ends of the flow from these places, by Heun's steps of a length of its own for each; null where one goes on.
  function followed(s, start, scale) {
    const x = start.map(row => row.slice()),
      n = x[0].length,
      rows = () => x.map(() => new Float64Array(n)),
      slope = rows(),
      later = rows(),
      trial = rows(),
      inside = (t, d) => (s.prior.name === "uniform" ? Math.min(Math.max(t, s.prior.low[d]), s.prior.high[d]) : t);
    PG.free_slopes(s, x, slope);
    const size = i => Math.hypot(...slope.map(row => row[i])),
      length = x[0].map((_, i) => (0.01 * scale) / size(i)),
      steepest = length.reduce((most, _, i) => Math.max(most, size(i)), 0),
      is_still = i => !(size(i) > STILL * steepest && length[i] * size(i) > SHORTEST * scale);
    for (let k = 0; k < STEPS; k++) {
      let is_moving = false;
      PG.spend_on(s.loss, n);
      for (let i = 0; i < n; i++) {
        length[i] = Math.min(length[i], (0.1 * scale) / size(i));
        for (let d = 0; d < 2; d++) trial[d][i] = inside(x[d][i] - length[i] * slope[d][i], d);
      }
      PG.free_slopes(s, trial, later);
      for (let i = 0; i < n; i++) {
        if (is_still(i)) continue;
        is_moving = true;
        const gap = 0.5 * length[i] * Math.hypot(...slope.map((row, d) => later[d][i] - row[i])),
          allowed = Math.min(ERROR * scale, CAREFUL * length[i] * size(i));
        if (!(gap <= allowed)) {
          length[i] *= 0.3;
          continue;
        }
        const ways = [0, 1].map(d => 0.5 * (slope[d][i] + later[d][i]));
        for (let d = 0; d < 2; d++) x[d][i] = inside(x[d][i] - length[i] * ways[d], d);
        length[i] *= Math.min(2, 0.8 * Math.sqrt(allowed / gap));
      }
      if (!is_moving) return x;
      PG.free_slopes(s, x, slope);
      if (!x.every(row => row.every(t => Math.abs(t) < 1e6 * scale))) return null;
    }
    return null;
  }

  // The different places of the columns with their shares, or null where they are many.
  function gathered(x, scale) {
    const n = x[0].length,
      found = [];
    for (let i = 0; i < n; i++) {
      const known = found.find(({ place: [p, q] }) => Math.hypot(p - x[0][i], q - x[1][i]) < SAME * scale);
      if (known) known.count++;
      else if (found.length >= 200) return null;
      else found.push({ place: [x[0][i], x[1][i]], count: 1 });
    }
    return found.map(({ place, count }) => [place, count / n]);
  }
  // [[place, weight], ...], or null where the flow does not settle; where there is one minimum alone, nothing flows
  PG.ends = function (s) {
    const start = strata(s.start),
      span = row => row.reduce((p, t) => Math.max(p, t), -Infinity) - row.reduce((p, t) => Math.min(p, t), Infinity),
      scale = Math.max(...start.map(span), 1e-6) / 4,
      minima = gathered(PG.minima(s, start), scale);
    if (!minima || minima.length === 1) return minima;
    const x = followed(s, start, scale);
    return x && gathered(x, scale);
  };
})();
