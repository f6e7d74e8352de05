// The sum of masses times kappa(x - x_j) at the nodes themselves, which are equally spaced: a Fourier series, whose
// number of modes grows with the range.
"use strict";
PG.convolution = function (x, { lengthscale: s, variance = 1 }) {
  const plan = PG.fourier_plan({ lengthscale: s, variance }, 1e-13),
    band = plan.band,
    modes = Math.ceil((band * (x[x.length - 1] - x[0] + plan.reach * s)) / (2 * Math.PI * s));
  if (modes > 1000) throw new PG.TooMuch("a lengthscale too small for the range");
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
};
