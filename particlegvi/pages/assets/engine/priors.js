// Priors: their draws, the slope of minus their log density, and their mean embeddings under the squared exponential.
// A prior is {name: "normal", mean, sd}, {name: "uniform", low, high} or {name: "flat"}. Its lists have one entry for
// each coordinate.
"use strict";
(() => {
  PG.erf = function (x) {
    const a = Math.abs(x);
    if (a > 2.5) return Math.sign(x) * (1 - PG.erfc(a));
    let term = x,
      sum = x;
    for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
      term *= (-x * x) / n;
      sum += term / (2 * n + 1);
      if (n > 200) break;
    }
    return (2 / Math.sqrt(Math.PI)) * sum;
  };
  PG.erfc = function (x) {
    if (x < 2.5) return 1 - PG.erf(x);
    let fraction = x;
    for (let k = 80; k >= 1; k--) fraction = x + (0.5 * k) / fraction;
    return Math.exp(-x * x) / (fraction * Math.sqrt(Math.PI));
  };

  PG.draw = function (prior, key, n, dim) {
    // the start of all particles, a list of arrays
    const x = [];
    for (let d = 0; d < dim; d++) {
      const even = new Float64Array(n),
        odd = new Float64Array(n);
      if (prior.name === "points") for (let i = 0; i < n; i++) even[i] = prior.points[i][d];
      else if (prior.name === "uniform") {
        PG.uniforms(key, PG.roles.start, d, 0, even, odd);
        for (let i = 0; i < n; i++)
          even[i] = Math.min(prior.low[d] + (prior.high[d] - prior.low[d]) * even[i], prior.high[d]);
      } else {
        PG.normals(key, PG.roles.start, d, 0, even, odd);
        for (let i = 0; i < n; i++) even[i] = prior.mean[d] + prior.sd[d] * even[i];
      }
      x.push(even);
    }
    return x;
  };
  PG.minus_log_density = function (prior, x) {
    // at one point, infinite outside a box
    let total = 0;
    for (let d = 0; d < x.length; d++) {
      if (prior.name === "normal") {
        const z = (x[d] - prior.mean[d]) / prior.sd[d];
        total += 0.5 * z * z + Math.log(prior.sd[d]) + 0.5 * Math.log(2 * Math.PI);
      }
      if (prior.name === "uniform")
        total += x[d] < prior.low[d] || x[d] > prior.high[d] ? Infinity : Math.log(prior.high[d] - prior.low[d]);
    }
    return total;
  };

  // mu_P(x) = E kappa(x, T): `value` at one point, `add` adds -lambda1 times its gradient to the drift of many points.
  PG.embedding = function (prior, { lengthscale, variance = 1 }, dim) {
    if (prior.name === "normal") {
      const precision = prior.sd.map(sd => 1 / (lengthscale * lengthscale + sd * sd));
      const height =
        variance *
        Math.exp(-0.5 * prior.sd.reduce((sum, sd) => sum + Math.log1p((sd / lengthscale) * (sd / lengthscale)), 0));
      const exponent = x =>
        x.reduce((sum, at, d) => sum + 0.5 * precision[d] * (at - prior.mean[d]) * (at - prior.mean[d]), 0);
      return {
        value: x => height * Math.exp(-exponent(x)),
        add(x, drift, lambda1) {
          for (let i = 0; i < x[0].length; i++) {
            let sum = 0;
            for (let d = 0; d < dim; d++) {
              const gap = x[d][i] - prior.mean[d];
              sum += 0.5 * precision[d] * gap * gap;
            }
            const level = height * Math.exp(-sum);
            for (let d = 0; d < dim; d++) drift[d][i] += lambda1 * (precision[d] * (x[d][i] - prior.mean[d]) * level);
          }
        },
      };
    }
    if (prior.name !== "uniform") return { value: () => 0, add() {} };
    const unit = Math.SQRT2 * lengthscale,
      half = 0.5 * Math.sqrt(Math.PI) * unit;
    const ends = (x, d) => [(x - prior.low[d]) / unit, (prior.high[d] - x) / unit];
    const sides = (x, d) => {
      const [a, b] = ends(x, d),
        near = Math.min(a, b),
        far = Math.max(a, b);
      return near > -0.5 ? PG.erf(far) + PG.erf(near) : PG.erfc(-near) - PG.erfc(far);
    };
    const share = (x, d) => (half / (prior.high[d] - prior.low[d])) * sides(x, d);
    const slope = (x, d) => {
      const [a, b] = ends(x, d);
      return (Math.exp(-a * a) - Math.exp(-b * b)) / (prior.high[d] - prior.low[d]);
    };
    return {
      value: x => x.reduce((product, at, d) => product * share(at, d), variance),
      add(x, drift, lambda1) {
        for (let i = 0; i < x[0].length; i++)
          for (let d = 0; d < dim; d++) {
            const other = dim === 1 ? 1 : share(x[1 - d][i], 1 - d);
            drift[d][i] -= lambda1 * (variance * other * slope(x[d][i], d));
          }
      },
    };
  };
})();
