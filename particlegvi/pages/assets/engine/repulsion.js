// lambda1 / N sum_j grad kappa(x_i, x_j) for the squared exponential: on the line a truncated Fourier series with the
// plan of particlegvi/engine/pairs/fourier.py, pairs within reach where that is too wide; in the plane all pairs.
"use strict";
(() => {
  const MOST_MODES = 128,
    WORTH = 6;
  function reach_for(allowed) {
    let reach = 1;
    while (2.01 * reach * Math.exp(-0.5 * reach * reach) > allowed) reach += 0.01;
    return reach;
  }

  PG.fourier_plan = function ({ lengthscale, variance = 1 }, tolerance, attraction) {
    tolerance = Math.max(tolerance, 1e-15);
    let band = Math.sqrt(2 * Math.log(Math.sqrt(8 / Math.PI) / tolerance));
    const [mean, width, height] = attraction || [0, lengthscale, 0],
      ratio = width / lengthscale,
      share = height / variance / ratio;
    const plan = { lengthscale, variance, tolerance };
    if (!(share > 0 && share <= 1 && ratio >= 1))
      return { ...plan, reach: reach_for(0.5 * tolerance), band, height: 0 };
    while (
      Math.sqrt(2 / Math.PI) * (Math.exp(-0.5 * band * band) + share * Math.exp(-0.5 * (band * ratio) ** 2)) >
      0.5 * tolerance
    )
      band += 0.01;
    return {
      ...plan,
      reach: reach_for(0.25 * tolerance),
      band,
      mean,
      width,
      height,
      margin: reach_for((0.25 * tolerance) / share),
    };
  };
  const modes_for = (plan, period) =>
    2 * Math.min(Math.ceil((plan.band * period) / (4 * Math.PI * plan.lengthscale)), MOST_MODES);
  PG.fourier_box = function (plan, low, high) {
    // origin, period and modes for particles in [low, high]
    const alone = high - low + plan.reach * plan.lengthscale;
    let origin = 0.5 * (low + high),
      modes = modes_for(plan, alone),
      attracts = false;
    if (plan.height > 0) {
      const farthest = Math.max(high - plan.mean, plan.mean - low),
        together = Math.max(alone, farthest + Math.max(farthest, plan.margin * plan.width));
      const wanted = modes_for(plan, together);
      if (wanted <= Math.min(modes + WORTH, MOST_MODES)) {
        origin = plan.mean;
        modes = wanted;
        attracts = true;
      }
    }
    return { origin, modes, attracts, period: (4 * Math.PI * plan.lengthscale * (modes / 2)) / plan.band };
  };

  // drift += the repulsion; returns whether the attraction of the prior is in it
  PG.line_repulsion = function (plan, n) {
    const twice = new Float64Array(n),
      sines = new Float64Array(n),
      A = new Float64Array(MOST_MODES + 1),
      B = new Float64Array(MOST_MODES + 1);
    const sums = new Float64Array(n);
    function series(x, drift, lambda1, { origin, modes, attracts, period }) {
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
        if (attracts) {
          const b = plan.width * w * m;
          A[m] -= n * weight * plan.height * b * Math.exp(-0.5 * b * b);
        }
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
      return attracts;
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
      return false;
    }
    return ([x], [drift], lambda1) => {
      let low = Infinity,
        high = -Infinity;
      for (let i = 0; i < n; i++) {
        if (x[i] < low) low = x[i];
        if (x[i] > high) high = x[i];
      }
      const box = PG.fourier_box(plan, low, high);
      return box.modes <= MOST_MODES ? series(x, drift, lambda1, box) : near(x, drift, lambda1);
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
      return false;
    };
  };
})();
