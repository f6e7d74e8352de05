// Limits of chance: counts of independent particles, and Student's t, as particlegvi/diagnostics has them.
"use strict";
(() => {
  PG.log_gamma = function (x) {
    // Stirling's series from 12 on, and the recurrence below
    let shift = 0;
    for (; x < 12; x++) shift -= Math.log(x);
    const f = 1 / (x * x),
      series = (1 / 12 - f * (1 / 360 - f * (1 / 1260 - f / 1680))) / x;
    return shift + (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series;
  };
  // I_x(a, b), the regularised incomplete beta function, by its continued fraction (Lentz's algorithm)
  PG.beta = function (x, a, b) {
    if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
    if (x > (a + 1) / (a + b + 2)) return 1 - PG.beta(1 - x, b, a);
    const front = a * Math.log(x) + b * Math.log1p(-x) + PG.log_gamma(a + b) - PG.log_gamma(a) - PG.log_gamma(b);
    let c = 1,
      d = 1 / (1 - ((a + b) * x) / (a + 1)),
      f = d;
    for (let m = 1; m < 1000; m++) {
      const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
        odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
      d = 1 / (1 + even * d);
      c = 1 + even / c;
      f *= c * d;
      d = 1 / (1 + odd * d);
      c = 1 + odd / c;
      f *= c * d;
      if (Math.abs(c * d - 1) < 1e-14) break;
    }
    return (Math.exp(front) * f) / a;
  };
  // the probability that |T| of Student's distribution is larger
  PG.student_tails = (t, degrees) => PG.beta(degrees / (degrees + t * t), 0.5 * degrees, 0.5);

  // The tightest limits of a Binomial(n, p) count with at most (1 - level) / 2 of the probability on either side.
  PG.binomial_limits = function (n, p, level) {
    if (!(p > 0)) return [0, 0];
    if (p >= 1) return [n, n];
    const tail = 0.5 * (1 - level);
    let mass = n * Math.log1p(-p),
      below = 0,
      low = null;
    for (let k = 0; k <= n; k++) {
      below += Math.exp(mass);
      if (low === null && below > tail) low = k;
      if (below >= 1 - tail) return [low, k];
      mass += Math.log(((n - k) / (k + 1)) * (p / (1 - p)));
    }
    return [low === null ? n : low, n];
  };
})();
