// The masses of DRLE's Q* at fixed nodes: Newton's method on the convex dual of the free energy, with conjugate
// gradients and a line search, as particlegvi/targets/fixed_point.py.
"use strict";
(() => {
  const dot = (a, b) => {
    let sum = 0;
    for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
    return sum;
  };
  const combine = (a, t, b) => a.map((v, i) => v + t * b[i]);

  // masses proportional to exp(level), and the logarithm of their sum before
  PG.normalised = function (level) {
    let top = -Infinity,
      total = 0;
    for (const v of level) if (v > top) top = v;
    const masses = level.map(v => Math.exp(v - top));
    for (const m of masses) total += m;
    return [masses.map(m => m / total), top + Math.log(total)];
  };

  // level: log volume + psi of each node; apply: masses to their potential; strength: lambda1 / kl_weight
  PG.fixed_point = function (level, apply, strength, start, tolerance = 1e-10) {
    let b = start,
      potential = apply(b),
      best = Infinity,
      stalled = 0;
    const image = at => PG.normalised(level.map((v, i) => v - strength * at[i]));
    for (let step = 0; step < 60; step++) {
      PG.spend(60 * b.length);
      const [masses, log_normaliser] = image(potential),
        gap = combine(masses, -1, b),
        pull = apply(gap);
      const bound = Math.sqrt(Math.max(strength * dot(gap, pull), 0));
      stalled = bound > 0.9 * best ? stalled + 1 : 0;
      best = Math.min(best, bound);
      if (bound <= tolerance || (stalled >= 4 && bound < 1e-5)) return { masses, log_normaliser, bound };
      const direction = newton(masses, gap, pull, apply, strength),
        along = apply(direction);
      const t = search(image, potential, along, b, direction);
      b = combine(b, t, direction);
      potential = step % 8 === 7 ? apply(b) : combine(potential, t, along);
    }
    return null;
  };
  function newton(a, gap, pull, apply, strength) {
    // (1 + strength C K) d = gap, with C = diag(a) - a a^T
    const root = a.map(Math.sqrt),
      project = y => combine(y, -dot(root, y), root);
    let residual = project(pull.map((v, i) => -strength * root[i] * v)),
      y = new Float64Array(a.length),
      direction = residual;
    let size = dot(residual, residual);
    const enough = size * 1e-10;
    for (let k = 0; k < 300 && size > enough && size > 0; k++) {
      PG.spend(20 * a.length);
      const product = combine(
        direction,
        strength,
        project(apply(root.map((v, i) => v * direction[i])).map((v, i) => v * root[i])),
      );
      const rate = size / dot(direction, product);
      y = combine(y, rate, direction);
      residual = combine(residual, -rate, product);
      const next = dot(residual, residual);
      direction = combine(residual, next / size, direction);
      size = next;
    }
    return combine(
      gap,
      1,
      project(y).map((v, i) => v * root[i]),
    );
  }
  function search(image, potential, along, b, direction) {
    // where the derivative along the direction is a tenth of the first
    const linear = dot(b, along),
      quadratic = dot(direction, along);
    const slope = t => linear + t * quadratic - dot(image(combine(potential, t, along))[0], along);
    const first = slope(0);
    if (first >= 0) return 1;
    let low = 0,
      high = 1,
      t = 1;
    for (let k = 0; k < 40; k++) {
      const here = slope(t);
      if (Math.abs(here) <= 0.1 * Math.abs(first)) break;
      if (here > 0) high = t;
      else if (t === 1) break;
      else low = t;
      t = 0.5 * (low + high);
    }
    return t;
  }
})();
