// lambda1 / N sum_j grad kappa(x_i, x_j) for the squared exponential: on the line a truncated Fourier series with the
// plan of particlegvi/engine/pairs/fourier.py, pairs within reach where that is too wide; in the plane all pairs.
"use strict";
(() => {
  const MOST_MODES = 128;
  function reach_for(allowed) {
    let reach = 1;
    while (2.01 * reach * Math.exp(-0.5 * reach * reach) > allowed) reach += 0.01;
    return reach;
  }

  PG.fourier_plan = function ({ lengthscale, variance = 1 }, tolerance) {
    const least = Math.max(tolerance, 1e-15);
    return {
      lengthscale,
      variance,
      reach: reach_for(0.5 * least),
      band: Math.sqrt(2 * Math.log(Math.sqrt(8 / Math.PI) / least)),
    };
  };
  // origin, period and modes for particles in [low, high]
  function box_of({ lengthscale, reach, band }, low, high) {
    const least = (band * (high - low + reach * lengthscale)) / (4 * Math.PI * lengthscale),
      modes = 2 * Math.min(Math.ceil(least), MOST_MODES);
    return { origin: 0.5 * (low + high), modes, period: (4 * Math.PI * lengthscale * (modes / 2)) / band };
  }

  // drift += the repulsion
  PG.line_repulsion = function (plan, n) {
    const twice = new Float64Array(n),
      sines = new Float64Array(n),
      A = new Float64Array(MOST_MODES + 1),
      B = new Float64Array(MOST_MODES + 1);
    const sums = new Float64Array(n);
    function series(x, drift, lambda1, { origin, modes, period }) {
      const w = (2 * Math.PI) / period,
        scale = lambda1 / n,
        weight = (2 * Math.sqrt(2 * Math.PI)) / period,
        { lengthscale: s } = plan;
      A.fill(0);
      B.fill(0);
      for (let i = 0; i < n; i++) {
        const angle = w * (x[i] - origin),
          c = Math.cos(angle),
          d = Math.sin(angle),
          t = 2 * c;
        twice[i] = t;
        sines[i] = d;
        let c1 = c,
          c0 = 1,
          s1 = d,
          s0 = 0;
        for (let m = 1; m <= modes; m++) {
          A[m] += c1;
          B[m] += s1;
          const c2 = t * c1 - c0,
            s2 = t * s1 - s0;
          c0 = c1;
          c1 = c2;
          s0 = s1;
          s1 = s2;
        }
      }
      for (let m = 1; m <= modes; m++) {
        const a = s * w * m,
          factor = weight * plan.variance * a * Math.exp(-0.5 * a * a);
        A[m] *= factor;
        B[m] *= factor;
      }
      for (let i = 0; i < n; i++) {
        // sum_m B_m cos - A_m sin, by Clenshaw's recurrence
        const t = twice[i];
        let f1 = 0,
          f2 = 0,
          g1 = 0,
          g2 = 0;
        for (let m = modes; m >= 1; m--) {
          const f = t * f1 + (B[m] - f2);
          f2 = f1;
          f1 = f;
          const g = t * g1 + (A[m] - g2);
          g2 = g1;
          g1 = g;
        }
        drift[i] += scale * (0.5 * t * f1 - f2 - g1 * sines[i]);
      }
    }
    function near(x, drift, lambda1) {
      // pairs within reach, in order of position
      const order = Array.from(x.keys()).sort((a, b) => x[a] - x[b]),
        precision = 1 / (plan.lengthscale * plan.lengthscale),
        far = plan.reach * plan.lengthscale;
      sums.fill(0);
      for (let a = 0; a < n; a++)
        for (let b = a + 1; b < n; b++) {
          const gap = x[order[a]] - x[order[b]];
          if (!(-gap <= far)) break;
          const force = -precision * plan.variance * gap * Math.exp(-0.5 * precision * gap * gap);
          sums[order[a]] += force;
          sums[order[b]] -= force;
        }
      for (let i = 0; i < n; i++) drift[i] += (lambda1 / n) * sums[i];
    }
    return ([x], [drift], lambda1) => {
      let low = Infinity,
        high = -Infinity;
      for (let i = 0; i < n; i++) {
        if (x[i] < low) low = x[i];
        if (x[i] > high) high = x[i];
      }
      const box = box_of(plan, low, high);
      if (box.modes <= MOST_MODES) series(x, drift, lambda1, box);
      else near(x, drift, lambda1);
    };
  };
  PG.plane_repulsion = function ({ lengthscale, variance = 1 }, n) {
    const p = new Float64Array(n),
      q = new Float64Array(n),
      precision = 1 / (lengthscale * lengthscale);
    return ([x, y], drift, lambda1) => {
      p.fill(0);
      q.fill(0);
      for (let i = 0; i < n; i++) {
        const u = x[i],
          v = y[i];
        let a = 0,
          b = 0;
        for (let j = 0; j < i; j++) {
          const dx = u - x[j],
            dy = v - y[j],
            r = 0.5 * precision * (dx * dx + dy * dy);
          if (r > 45) continue; // below 3e-20 of the kernel
          const f = Math.exp(-r),
            fx = f * dx,
            fy = f * dy;
          a += fx;
          b += fy;
          p[j] -= fx;
          q[j] -= fy;
        }
        p[i] += a;
        q[i] += b;
      }
      const scale = (-precision * variance * lambda1) / n;
      for (let i = 0; i < n; i++) {
        drift[0][i] += scale * p[i];
        drift[1][i] += scale * q[i];
      }
    };
  };
})();
