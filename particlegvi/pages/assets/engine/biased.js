// The law to which Euler-Maruyama's particles of DLE go on the line: that of its steps, and not Q*, from which it
// differs by a bias of the order of the step size.
"use strict";
(() => {
  const REACH = 8, // standard deviations of a step's noise
    FINE = 3, // nodes in one of them
    LEAST = 401,
    MOST = 8001,
    OUTSIDE = 1e-7, // mass beside the ends: then the nodes do not hold the law
    SEEN = 0.01; // of the peak: a smaller difference cannot be seen

  // The stationary distribution of a chain from its rows [first, probabilities], by the elimination of Grassmann,
  // Taksar and Heyman (1985), which subtracts nothing, so that a barrier costs no digits. States are taken out from
  // both ends towards the state `last`, which is visited often: the ends may be visited never. Null where one cannot
  // be left.
  PG.stationary = function (rows, last) {
    const n = rows.length,
      wide = rows.reduce((most, [first, p], i) => Math.max(most, i - first, first + p.length - 1 - i), 1),
      P = Array.from({ length: n }, () => new Float64Array(2 * wide + 1)), // P[i][j - i + wide]
      q = new Float64Array(n);
    PG.spend(n * wide * wide);
    rows.forEach(([first, p], i) => p.forEach((v, k) => (P[i][first + k - i + wide] = v)));
    // the states from a to b alone are left beside k
    function take_out(k, a, b) {
      let out = 0;
      for (let j = a; j <= b; j++) out += P[k][j - k + wide];
      if (!(out > 0)) return false;
      for (let i = a; i <= b; i++) {
        const to = (P[i][k - i + wide] /= out);
        if (to !== 0)
          for (let j = a; j <= b; j++) if (Math.abs(j - i) <= wide) P[i][j - i + wide] += to * P[k][j - k + wide];
      }
      return true;
    }
    for (let k = n - 1; k > last; k--) if (!take_out(k, Math.max(0, k - wide), k - 1)) return null;
    for (let k = 0; k < last; k++) if (!take_out(k, k + 1, Math.min(last, k + wide))) return null;
    q[last] = 1;
    for (let k = last - 1; k >= 0; k--)
      for (let i = k + 1; i <= Math.min(last, k + wide); i++) q[k] += q[i] * P[i][k - i + wide];
    for (let k = last + 1; k < n; k++)
      for (let i = Math.max(0, k - wide); i < k; i++) q[k] += q[i] * P[i][k - i + wide];
    const total = q.reduce((sum, v) => sum + v, 0);
    return q.map(v => v / total);
  };

  // A curve as PG.curve makes it, or null: where there is no such law, where it cannot be told from the truth in a
  // picture, and for other integrators, repulsion and walls, whose law this is not.
  PG.biased = function ({ loss, prior, kl_weight, mmd_weight, step_size: h, integrator }, truth) {
    if (loss.dim > 1 || !(kl_weight > 0) || mmd_weight > 0 || prior.name === "uniform") return null;
    if (!truth || !truth.q || integrator !== "euler-maruyama") return null;
    const width = truth.high - truth.low,
      [low, high] = [truth.low - 0.5 * width, truth.high + 0.5 * width],
      sd = Math.sqrt(2 * h * kl_weight),
      n = Math.max(LEAST, Math.ceil((FINE * (high - low)) / sd) + 1);
    if (n > MOST) return null; // a step so small that its bias cannot be seen
    const gap = (high - low) / (n - 1),
      x = Float64Array.from({ length: n }, (_, i) => low + gap * i),
      slope = [new Float64Array(n)];
    loss.slopes([x], slope, PG.plain);
    const pull = t => (prior.name === "normal" ? (kl_weight * (t - prior.mean[0])) / prior.sd[0] ** 2 : 0),
      end = t => Math.min(Math.max(Math.round(t), 0), n - 1);
    const rows = Array.from(x, (t, i) => {
      const mean = t - h * (slope[0][i] + pull(t)),
        at = Math.min(Math.max(mean, low), high),
        first = end((at - REACH * sd - low) / gap),
        last = end((at + REACH * sd - low) / gap),
        p = Float64Array.from({ length: last - first + 1 }, (_, k) => Math.exp(-0.5 * ((x[first + k] - at) / sd) ** 2)),
        sum = p.reduce((a, b) => a + b, 0);
      return [first, p.map(v => v / sum)];
    });
    if (!rows.every(([, p]) => p.every(Number.isFinite))) return null;
    const likely = x.reduce((best, t, i) => (PG.density_at(truth, t) > PG.density_at(truth, x[best]) ? i : best), 0),
      q = PG.stationary(rows, likely);
    if (!q || q[0] + q[1] + q[n - 2] + q[n - 1] > OUTSIDE) return null;
    const density = q.map(v => v / gap),
      peak = density.reduce((a, b) => Math.max(a, b)),
      far = x.reduce((most, t, i) => Math.max(most, Math.abs(density[i] - PG.density_at(truth, t))), 0);
    return far > SEEN * peak ? PG.curve(x, density, {}) : null;
  };
})();
