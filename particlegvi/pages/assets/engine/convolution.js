// The sum of masses times kappa(x - x_j) at the nodes themselves, which are equally spaced.
"use strict";
(() => {
  const MOST_MODES = 1000;

  // By a Fourier series, whose number of modes grows with the range; of a long range by a mesh.
  PG.convolution = function (x, kernel) {
    const { lengthscale: s, variance = 1 } = kernel,
      plan = PG.fourier_plan({ lengthscale: s, variance }, 1e-13, null),
      modes = Math.ceil((plan.band * (x[x.length - 1] - x[0] + plan.reach * s)) / (2 * Math.PI * s));
    return modes > MOST_MODES ? by_mesh(x, s, variance) : by_series(x, s, variance, modes, plan.band);
  };
  // Masses go to a mesh, and the sum is read from it, both by Lagrange's polynomials through eight points: a value of
  // kappa has an error of at most 3e-9 of the variance.
  function by_mesh(x, s, variance) {
    const POINTS = 8,
      n = x.length,
      step = s / 10,
      reach = 75,
      count = Math.ceil((x[n - 1] - x[0]) / step) + POINTS + 1,
      kappa = Float64Array.from({ length: reach + 1 }, (_, k) => variance * Math.exp(-0.5 * ((k * step) / s) ** 2)),
      first = new Int32Array(n),
      weights = new Float64Array(POINTS * n);
    for (let i = 0; i < n; i++) {
      const position = (x[i] - x[0]) / step,
        cell = Math.floor(position),
        part = position - cell + 3;
      first[i] = cell;
      for (let k = 0; k < POINTS; k++) {
        let weight = 1;
        for (let m = 0; m < POINTS; m++) if (m !== k) weight *= (part - m) / (k - m);
        weights[POINTS * i + k] = weight;
      }
    }
    return masses => {
      PG.spend(4 * POINTS * n + 2 * reach * count);
      const mesh = new Float64Array(count + 2 * reach),
        sums = new Float64Array(count),
        out = new Float64Array(n);
      for (let i = 0; i < n; i++)
        if (masses[i] !== 0)
          for (let k = 0; k < POINTS; k++) mesh[reach + first[i] + k] += weights[POINTS * i + k] * masses[i];
      for (let j = 0; j < count; j++) {
        let sum = kappa[0] * mesh[reach + j];
        for (let k = 1; k <= reach; k++) sum += kappa[k] * (mesh[reach + j - k] + mesh[reach + j + k]);
        sums[j] = sum;
      }
      for (let i = 0; i < n; i++)
        for (let k = 0; k < POINTS; k++) out[i] += weights[POINTS * i + k] * sums[first[i] + k];
      return out;
    };
  }
  function by_series (x, s, variance, modes, band) {
    const n = x.length,
      period = (2 * Math.PI * s * modes) / band,
      w = (2 * Math.PI) / period;
    PG.spend(2 * n * modes);
    const c = Float64Array.from(x, t => Math.cos(w * (t - x[0]))),
      d = Float64Array.from(x, t => Math.sin(w * (t - x[0])));
    const factor = Float64Array.from(
      { length: modes + 1 },
      (_, m) => (((m ? 2 : 1) * variance * s * Math.sqrt(2 * Math.PI)) / period) * Math.exp(-0.5 * (s * w * m) ** 2),
    );
    return masses => {
      PG.spend(4 * n * modes);
      const A = new Float64Array(modes + 1),
        B = new Float64Array(modes + 1),
        out = new Float64Array(n);
      for (let i = 0; i < n; i++) {
        let p = masses[i],
          q = 0;
        const a = c[i],
          b = d[i];
        if (p !== 0)
          for (let m = 0; m <= modes; m++) {
            A[m] += p;
            B[m] += q;
            const t = p * a - q * b;
            q = q * a + p * b;
            p = t;
          }
      }
      for (let m = 0; m <= modes; m++) {
        A[m] *= factor[m];
        B[m] *= factor[m];
      }
      for (let i = 0; i < n; i++) {
        const t = 2 * c[i];
        let f1 = 0,
          f2 = 0,
          g1 = 0,
          g2 = 0;
        for (let m = modes; m >= 1; m--) {
          const f = A[m] + t * f1 - f2;
          f2 = f1;
          f1 = f;
          const g = B[m] + t * g1 - g2;
          g2 = g1;
          g1 = g;
        }
        out[i] = A[0] + c[i] * f1 - f2 + d[i] * g1;
      }
      return out;
    };
  }
})();
