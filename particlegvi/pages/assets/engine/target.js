// Q* on the line: exp(-loss / kl_weight) p for DLE, the fixed point of its equation for DRLE, on equally spaced nodes.
"use strict";
(() => {
  const BELOW = 45,
    ENOUGH = 1e-5, // change of the moments with twice as many nodes that is accepted
    FINE = 16385, // enough nodes but for laws with many modes
    MOST = 32 * (FINE - 1) + 1;
  const nodes = (low, high, n) => Float64Array.from({ length: n }, (_, i) => low + ((high - low) * i) / (n - 1));
  function volumes(low, high, n) {
    // the trapezoidal rule, corrected at the ends where a density may stop at a wall
    const h = (high - low) / (n - 1),
      w = new Float64Array(n).fill(h);
    [3 / 8, 7 / 6, 23 / 24].forEach((c, i) => {
      w[i] = c * h;
      w[n - 1 - i] = c * h;
    });
    return w;
  }
  function log_weight({ loss, prior, kl_weight }) {
    // of DLE, at many points
    return x => {
      const out = new Float64Array(x.length);
      PG.spend_on(loss, x.length);
      loss.values([x], out);
      for (let i = 0; i < x.length; i++) {
        const v = -out[i] / kl_weight - PG.minus_log_density(prior, [x[i]]);
        out[i] = Number.isNaN(v) ? -Infinity : v;
      }
      return out;
    };
  }
  function place({ loss, prior }, weight, slack) {
    // the interval that holds all mass but exp(-BELOW), or null
    if (prior.name === "uniform") return trimmed(prior.low[0], prior.high[0]);
    let [low, high] = loss.window[0];
    if (prior.name === "normal") {
      low = Math.min(low, prior.mean[0] - 8 * prior.sd[0]);
      high = Math.max(high, prior.mean[0] + 8 * prior.sd[0]);
    }
    for (let k = 0; k < 24; k++) {
      const v = weight(nodes(low, high, 2001)),
        top = v.reduce((a, b) => Math.max(a, b), -Infinity),
        width = high - low;
      if (top === Infinity) return null;
      const grow = end => Number.isFinite(top) && v[end] < top - BELOW - slack;
      if (grow(0) && grow(2000)) return trimmed(low, high);
      if (!grow(0)) low -= 0.5 * width;
      if (!grow(2000)) high += 0.5 * width;
    }
    return null;
    function trimmed(a, b) {
      for (let k = 0; k < 3; k++) {
        const x = nodes(a, b, 4001),
          v = weight(x),
          top = v.reduce((p, q) => Math.max(p, q), -Infinity),
          keep = at => v[at] > top - BELOW - slack;
        if (!(Math.abs(top) + slack < PG.STEEPEST)) return null;
        let first = 0,
          last = 4000;
        while (!keep(first)) first++;
        while (!keep(last)) last--;
        [a, b] = [x[Math.max(first - 1, 0)], x[Math.min(last + 1, 4000)]];
      }
      return [a, b];
    }
  }
  function moments(x, masses) {
    let mean = 0,
      variance = 0;
    for (let i = 0; i < x.length; i++) mean += x[i] * masses[i];
    for (let i = 0; i < x.length; i++) variance += (x[i] - mean) ** 2 * masses[i];
    return [mean, variance];
  }
  const variation = ({ masses, w }) =>
    masses.reduce((sum, m, i) => (i ? sum + Math.abs(m / w[i] - masses[i - 1] / w[i - 1]) : 0), 0);
  // settings: loss, prior, kl_weight, mmd_weight, kernel; null where there is no density
  PG.line_target = function (settings) {
    const { kl_weight, mmd_weight, kernel, prior } = settings;
    if (!(kl_weight > 0)) return null;
    const strength = (2 * mmd_weight) / kl_weight,
      weight = log_weight(settings),
      ends = place(settings, weight, 2 * strength * (kernel.variance || 1));
    if (!ends) return null;
    const embedding = strength > 0 ? PG.embedding(prior, kernel, 1) : null;
    const level = n => {
      const x = nodes(...ends, n),
        w = volumes(...ends, n),
        v = weight(x);
      if (embedding) PG.spend(40 * n);
      return [x, w, v.map((a, i) => a + (embedding ? strength * embedding.value([x[i]]) : 0) + Math.log(w[i]))];
    };
    let found = null,
      before = null,
      varied = NaN,
      is_resolved = true,
      change = Infinity;
    for (let n = 513; n <= MOST; n = 2 * n - 1) {
      const [x, w, v] = level(n),
        [masses, log_normaliser] = PG.normalised(v),
        now = [log_normaliser, ...moments(x, masses)];
      const scale = Math.sqrt(now[2]) || 1,
        settled = before && n > 1000;
      change = before
        ? Math.max(...now.map((value, k) => Math.abs(value - before[k]) / (k ? scale ** k : 1)))
        : Infinity;
      found = { x, w, v, masses, log_normaliser, bound: 0 };
      if (2 * n > FINE) {
        // sums over few nodes may agree by chance: of a density that they resolve the variation stays as well
        const now_varied = variation(found);
        is_resolved = n < FINE || now_varied < 1.2 * varied;
        varied = now_varied;
      }
      if (settled && is_resolved && change < (n < FINE ? 1e-9 : n === FINE ? ENOUGH : 1e-7)) break;
      before = now;
    }
    // more modes than nodes can tell apart: rather nothing than something wrong
    if (change > ENOUGH || !is_resolved) return null;
    if (strength > 0) {
      const nodes_of = ([x, w, v]) => ({ x, w, v, masses: PG.normalised(v)[0] }),
        // few nodes tell nothing of many modes
        is_one_stage = found.x.length <= 1025 || found.x.length > FINE,
        coarse = is_one_stage ? found : nodes_of(level(1025));
      let solved = PG.fixed_point(coarse.v, PG.convolution(coarse.x, kernel), strength, coarse.masses);
      if (solved && coarse !== found) {
        const density = solved.masses.map((m, i) => m / coarse.w[i]),
          start = found.x.map((t, i) => interpolated(coarse.x, density, t) * found.w[i]);
        solved = PG.fixed_point(found.v, PG.convolution(found.x, kernel), strength, start);
      }
      if (!solved) return null;
      found = { ...found, ...solved };
    }
    return PG.curve(
      found.x,
      found.masses.map((m, i) => m / found.w[i]),
      { log_normaliser: found.log_normaliser, residual: found.bound, moments: moments(found.x, found.masses) },
    );
  };
  function interpolated(x, y, t) {
    const h = x[1] - x[0],
      i = Math.max(0, Math.min(x.length - 2, Math.floor((t - x[0]) / h))),
      a = (t - x[i]) / h;
    return (1 - a) * y[i] + a * y[i + 1];
  }
  // The density of a curve at a place, linear between its nodes.
  PG.density_at = ({ x, q, low, high }, t) => (t < low || t >= high ? 0 : interpolated(x, q, t));
  // A density on equally spaced nodes with its distribution function F and the integral G of F, to fourth order.
  PG.curve = function (x, q, facts) {
    const n = x.length,
      h = x[1] - x[0],
      F = new Float64Array(n),
      G = new Float64Array(n);
    const slope = i =>
      i === 0
        ? (-3 * q[0] + 4 * q[1] - q[2]) / (2 * h)
        : i === n - 1
          ? (3 * q[i] - 4 * q[i - 1] + q[i - 2]) / (2 * h)
          : (q[i + 1] - q[i - 1]) / (2 * h);
    for (let i = 1; i < n; i++)
      F[i] = F[i - 1] + 0.5 * h * (q[i] + q[i - 1]) + ((h * h) / 12) * (slope(i - 1) - slope(i));
    const all = F[n - 1];
    for (let i = 0; i < n; i++) {
      F[i] /= all;
      q[i] /= all;
    }
    for (let i = 1; i < n; i++) G[i] = G[i - 1] + 0.5 * h * (F[i] + F[i - 1]) + ((h * h) / 12) * (q[i - 1] - q[i]);
    const found =
      facts.moments ||
      moments(
        x,
        q.map(v => v * h),
      );
    return PG.with_functions({
      x,
      q,
      F,
      G,
      low: x[0],
      high: x[n - 1],
      tail: G[n - 1] - x[n - 1],
      mean: found[0],
      variance: found[1],
      ...facts,
    });
  };
  // A curve from its numbers, which alone travel between a page and its worker.
  PG.with_functions = function (curve) {
    const { x, q, F, G } = curve,
      n = x.length,
      h = x[1] - x[0];
    const hermite = (y, d, t) => {
      // cubic, from values and slopes
      const i = Math.max(0, Math.min(n - 2, Math.floor((t - x[0]) / h))),
        a = (t - x[i]) / h,
        b = 1 - a;
      return b * b * (1 + 2 * a) * y[i] + a * a * (1 + 2 * b) * y[i + 1] + h * a * b * (b * d[i] - a * d[i + 1]);
    };
    const cdf = t => (t <= x[0] ? 0 : t >= x[n - 1] ? 1 : hermite(F, q, t));
    const area = t => (t <= x[0] ? 0 : t >= x[n - 1] ? G[n - 1] + (t - x[n - 1]) : hermite(G, F, t));
    function quantile(u) {
      let a = 0,
        b = n - 1;
      while (b - a > 1) {
        const c = (a + b) >> 1;
        if (F[c] < u) a = c;
        else b = c;
      }
      let low = x[a],
        high = x[b];
      for (let k = 0; k < 40 && high - low > 1e-15 * (Math.abs(low) + Math.abs(high)); k++) {
        const t = 0.5 * (low + high);
        if (cdf(t) < u) low = t;
        else high = t;
      }
      return 0.5 * (low + high);
    }
    return { ...curve, cdf, area, quantile };
  };
})();
