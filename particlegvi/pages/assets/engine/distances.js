// W1 between particles on the line and a target, exact (Vallender, 1974), and its range under exact draws.
"use strict";
(() => {
  PG.w1 = function (particles, target) {
    const x = Float64Array.from(particles).sort(), n = x.length;
    if (target.atoms) return to_atoms(x, target);
    // beyond the last particle the integral of 1 - F is x - mean up to the end of the nodes minus that of F
    const area = i => target.area(x[i]), top = Math.max(x[n - 1], target.high);
    let total = area(0) + Math.max((top - x[n - 1]) - (target.area(top) - target.area(x[n - 1])), 0);
    for (let i = 0; i + 1 < n; i++) {
      const c = (i + 1) / n, a = x[i], b = x[i + 1], whole = area(i + 1) - area(i) - c * (b - a);
      if (target.cdf(a) < c && c < target.cdf(b)) {
        const t = target.quantile(c), left = target.area(t) - area(i) - c * (t - a);
        total += Math.abs(left) + Math.abs(whole - left);
      } else total += Math.abs(whole);
    }
    return total;
  };
  function to_atoms(x, { atoms }) {
    const places = Array.from(x, t => [t, 1 / x.length]).concat(atoms.map(([t, w]) => [t, -w])).sort((a, b) => a[0] - b[0]);
    let gap = 0, total = 0;
    for (let i = 0; i + 1 < places.length; i++) { gap += places[i][1]; total += Math.abs(gap) * (places[i + 1][0] - places[i][0]); }
    return total;
  }
  PG.quantile = function (values, level) { // linear between the ordered values
    const sorted = Float64Array.from(values).sort(), at = level * (sorted.length - 1), i = Math.min(Math.floor(at), sorted.length - 2);
    return sorted.length < 2 ? sorted[0] : sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]);
  };
  // 5% and 95% quantiles of W1 between the target and n independent exact draws, simulated with a seed of its own
  PG.w1_floor = function (target, n, replicates) {
    const times = replicates || (n > 2000 ? 60 : 200), found = [], u = new Float64Array(n + 1), unused = new Float64Array(n + 1);
    const cells = 2001, xs = Float64Array.from({ length: cells }, (_, i) => target.atoms ? 0 : target.low + (target.high - target.low) * i / (cells - 1));
    const F = target.atoms ? null : xs.map(t => target.cdf(t)), h = xs[1] - xs[0];
    for (let r = 0; r < times; r++) {
      PG.uniforms([7, 0], PG.roles.draws, 0, r, u, unused);
      let total = 0;
      for (let i = 0; i <= n; i++) { total -= Math.log(u[i]); u[i] = total; } // ordered uniforms are sums of exponentials
      for (let i = 0; i <= n; i++) u[i] /= total;
      if (target.atoms) { found.push(atoms_distance(u, n, target.atoms)); continue; }
      let k = 0, sum = 0;
      for (let i = 0; i < cells; i++) { while (k < n && u[k] <= F[i]) k++; sum += (i === 0 || i === cells - 1 ? 0.5 : 1) * Math.abs(k / n - F[i]); }
      found.push(sum * h);
    }
    return [PG.quantile(found, 0.05), PG.quantile(found, 0.95)];
  };
  function atoms_distance(u, n, atoms) {
    let k = 0, level = 0, total = 0;
    for (let a = 0; a + 1 < atoms.length; a++) {
      level += atoms[a][1];
      while (k < n && u[k] <= level) k++;
      total += Math.abs(k / n - level) * (atoms[a + 1][0] - atoms[a][0]);
    }
    return total;
  }
})();
