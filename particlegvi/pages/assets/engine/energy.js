// The free energy of the particles, E loss + mmd_weight MMD^2 + kl_weight KL, as in
// particlegvi/diagnostics/free_energy.py.
"use strict";
(() => {
  PG.digamma = function (x) {
    let result = 0;
    for (; x < 12; x++) result -= 1 / x;
    const f = 1 / (x * x);
    return result + Math.log(x) - 0.5 / x - f * (1 / 12 - f * (1 / 120 - f * (1 / 252 - f * (1 / 240 - f / 132))));
  };
  function entropy_line(particles) {
    // from gaps between ordered particles
    const x = Float64Array.from(particles).sort(),
      n = x.length,
      psi = Array.from({ length: 7 }, (_, k) => (k ? PG.digamma(k) : 0));
    let sum = 0;
    for (let i = 0; i < n; i++) {
      const a = Math.max(i - 3, 0),
        b = Math.min(i + 3, n - 1);
      sum += Math.log(x[b] - x[a]) - psi[b - a];
    }
    return sum / n + PG.digamma(n + 1);
  }
  function entropy_plane([x, y]) {
    // from the distance to the third neighbour
    const n = x.length,
      k = Math.min(3, n - 1);
    let sum = 0;
    for (let i = 0; i < n; i++) {
      const nearest = [Infinity, Infinity, Infinity].slice(0, k);
      for (let j = 0; j < n; j++) {
        if (j === i) continue;
        const a = x[i] - x[j],
          b = y[i] - y[j],
          r = a * a + b * b;
        if (r < nearest[k - 1]) {
          nearest[k - 1] = r;
          for (let m = k - 1; m > 0 && nearest[m] < nearest[m - 1]; m--)
            [nearest[m], nearest[m - 1]] = [nearest[m - 1], nearest[m]];
        }
      }
      sum += 0.5 * Math.log(nearest[k - 1]);
    }
    return PG.digamma(n) - PG.digamma(k) + Math.log(Math.PI) + (2 * sum) / n;
  }
  PG.pair_energy = function (x, { lengthscale, variance = 1 }) {
    // 1/n^2 sum of kappa, self pairs included
    const n = x[0].length,
      precision = 0.5 / (lengthscale * lengthscale);
    let total = 0;
    for (let i = 0; i < n; i++) {
      let row = 0;
      for (let j = 0; j < i; j++) {
        let r = 0;
        for (const c of x) r += (c[i] - c[j]) ** 2;
        row += Math.exp(-precision * r);
      }
      total += variance * (2 * row + 1);
    }
    return total / n / n;
  };
  // total, and its parts; the pairs of at most 1,000 particles, evenly spaced in their order
  PG.free_energy = function (x, { loss, prior, kl_weight, mmd_weight, kernel }) {
    const n = x[0].length,
      values = new Float64Array(n),
      point = i => x.map(row => row[i]);
    loss.values(x, values, PG.plain);
    let mean_loss = 0,
      mmd = 0,
      kl = 0;
    for (const v of values) mean_loss += v / n;
    if (n > 1 && mmd_weight > 0) {
      const embedding = PG.embedding(prior, kernel, x.length),
        m = Math.min(n, 1000),
        some = x.map(row => Float64Array.from({ length: m }, (_, i) => row[Math.floor((i * n) / m)]));
      let attraction = 0;
      for (let i = 0; i < n; i++) attraction += embedding.value(point(i)) / n;
      mmd =
        mmd_weight *
        ((m * PG.pair_energy(some, kernel) - (kernel.variance || 1)) / (m - 1) - 2 * attraction + embedding.self);
    }
    if (n > 1 && kl_weight > 0) {
      let log_prior = 0;
      for (let i = 0; i < n; i++) log_prior -= PG.minus_log_density(prior, point(i)) / n;
      kl = kl_weight * (-(x.length === 1 ? entropy_line(x[0]) : entropy_plane(x)) - log_prior);
    }
    return { total: mean_loss + mmd + kl, mean_loss, mmd, kl };
  };
  // the same of Q*, from its density on nodes
  PG.target_free_energy = function (target, { loss, prior, kl_weight, mmd_weight, kernel }) {
    const { x, q } = target,
      h = x[1] - x[0],
      values = new Float64Array(x.length),
      masses = q.map(v => v * h);
    loss.values([x], values, PG.plain);
    const embedding = mmd_weight > 0 ? PG.embedding(prior, kernel, 1) : null,
      field = embedding ? PG.convolution(x, kernel)(masses) : null;
    let total = embedding ? mmd_weight * embedding.self : 0;
    for (let i = 0; i < x.length; i++) {
      if (!(masses[i] > 1e-18)) continue;
      total += masses[i] * (values[i] + kl_weight * (Math.log(q[i]) + PG.minus_log_density(prior, [x[i]])));
      if (embedding) total += mmd_weight * masses[i] * (field[i] - 2 * embedding.value([x[i]]));
    }
    return total;
  };
})();
