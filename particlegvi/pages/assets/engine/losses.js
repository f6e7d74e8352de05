// The losses of the package, with its order of operations. A loss has dim, window, and values(x, out, math) and
// slopes(x, out, math) for many points; x and the slopes are lists of one array a coordinate.
"use strict";
PG.losses = {};

(() => {
  const each = (x, f) => {
    for (let i = 0; i < x[0].length; i++) f(i);
  };
  const line = (window, value, slope) => ({
    dim: 1,
    window: [window],
    values: (x, out, math) =>
      each(x, i => {
        out[i] = value(x[0][i], math);
      }),
    slopes: (x, out, math) =>
      each(x, i => {
        out[0][i] = slope(x[0][i], math);
      }),
  });
  const filled = (given, n) => (Array.isArray(given) ? given : new Array(n).fill(given));

  PG.losses["tilted-double-well"] = ({ scale = 1 }) =>
    line(
      [-3.5, 2.5],
      t => scale * (1.5 * t * t * (0.25 * t * t + t / 3 - 1) - 0.375),
      t => scale * 1.5 * t * (t + 2) * (t - 1),
    );
  PG.losses["double-well"] = ({ height = 3 }) =>
    line(
      [-2, 2],
      t => {
        const well = (t + 1) * (t - 1);
        return height * well * well;
      },
      t => 4 * height * t * (t + 1) * (t - 1),
    );
  PG.losses["abs-sine"] = ({ depth = 1 }) =>
    line(
      [-4 * Math.PI, 4 * Math.PI],
      (t, math) => -depth * Math.abs(math.sin(t)),
      (t, math) => {
        const height = math.sin(t);
        return -depth * (height > 0 ? 1 : height < 0 ? -1 : 0) * math.cos(t);
      },
    );

  PG.losses.quadratic = function ({ curvature = 1, centre = 0, dim = null }) {
    const n = dim || Math.max(...[curvature, centre].map(given => (Array.isArray(given) ? given.length : 1)));
    const wide = given => {
      const list = filled(given, n);
      return list.length === n ? list : new Array(n).fill(list[0]);
    };
    const a = wide(curvature),
      c = wide(centre),
      reach = a.map(k => 3.5 / Math.sqrt(k));
    return {
      dim: n,
      window: c.map((m, i) => [m - reach[i], m + reach[i]]),
      values(x, out) {
        out.fill(0);
        a.forEach((k, d) =>
          each(x, i => {
            const gap = x[d][i] - c[d];
            out[i] += 0.5 * k * gap * gap;
          }),
        );
      },
      slopes(x, out) {
        a.forEach((k, d) =>
          each(x, i => {
            out[d][i] = k * (x[d][i] - c[d]);
          }),
        );
      },
    };
  };
  PG.losses["four-gaussians"] = function ({ offset = 3, sd = 1 }) {
    const precision = 1 / (sd * sd),
      rate = offset * precision,
      reach = offset + 3 * sd,
      level = 2 * Math.log(2 * sd * Math.sqrt(2 * Math.PI));
    const part = x => {
      const a = Math.abs(x),
        gap = a - offset;
      return 0.5 * precision * gap * gap - Math.log1p(Math.exp(-2 * rate * a));
    };
    return {
      dim: 2,
      window: [
        [-reach, reach],
        [-reach, reach],
      ],
      values: (x, out) =>
        each(x, i => {
          out[i] = level + part(x[0][i]) + part(x[1][i]);
        }),
      slopes: (x, out, math) =>
        x.forEach((row, d) =>
          each(x, i => {
            out[d][i] = precision * (row[i] - offset * math.tanh(rate * row[i]));
          }),
        ),
    };
  };
  PG.losses.banana = ({ scale = 0.05, steepness = 100, minimum = 1 }) => ({
    dim: 2,
    window: [
      [-3, 4],
      [-1, 9],
    ],
    values: ([x, y], out) => {
      for (let i = 0; i < x.length; i++) {
        const across = y[i] - x[i] * x[i],
          along = minimum - x[i];
        out[i] = scale * (steepness * across * across + along * along);
      }
    },
    slopes: ([x, y], [p, q]) => {
      for (let i = 0; i < x.length; i++) {
        const across = y[i] - x[i] * x[i],
          along = minimum - x[i];
        p[i] = -2 * scale * (2 * steepness * across * x[i] + along);
        q[i] = 2 * scale * steepness * across;
      }
    },
  });
  PG.losses.ring = function ({ radius = 2, width = 0.4 }) {
    const u = (x, y) => (x * x + y * y - radius * radius) / (2 * radius * width);
    return {
      dim: 2,
      window: [
        [-3.5, 3.5],
        [-3.5, 3.5],
      ],
      values: ([x, y], out) => {
        for (let i = 0; i < x.length; i++) {
          const v = u(x[i], y[i]);
          out[i] = 0.5 * v * v;
        }
      },
      slopes: ([x, y], [p, q]) => {
        for (let i = 0; i < x.length; i++) {
          const slope = u(x[i], y[i]) / (radius * width);
          p[i] = slope * x[i];
          q[i] = slope * y[i];
        }
      },
    };
  };
  PG.losses.funnel = function ({ sd = 3, dim = 2 }) {
    if (dim !== 2) return null; // the page shows the line and the plane
    const constant = Math.log(2 * Math.PI) + Math.log(sd);
    return {
      dim: 2,
      window: [
        [-2.5 * sd, 2.5 * sd],
        [-12, 12],
      ],
      values: ([v, y], out) => {
        for (let i = 0; i < v.length; i++)
          out[i] = (0.5 * v[i] * v[i]) / (sd * sd) + 0.5 * Math.exp(-v[i]) * (y[i] * y[i]) + 0.5 * v[i] + constant;
      },
      slopes: ([v, y], [p, q], math) => {
        for (let i = 0; i < v.length; i++) {
          const precision = math.exp(-v[i]);
          q[i] = precision * y[i];
          p[i] = v[i] / (sd * sd) - 0.5 * precision * (y[i] * y[i]) + 0.5;
        }
      },
    };
  };
  PG.losses["gaussian-mixture"] = function ({ means = [-2, 2], sds = 1, weights = null }) {
    const centres = means.map(mean => filled(mean, 1)),
      n = centres.length,
      dim = centres[0].length;
    const spread = centres.map((_, k) => filled(Array.isArray(sds) ? sds[k] : sds, dim)),
      shares = weights || new Array(n).fill(1);
    const total = shares.reduce((a, b) => a + b, 0);
    const peaks = shares.map(
      (share, k) =>
        Math.log(share / total) - spread[k].reduce((a, s) => a + Math.log(s), 0) - 0.5 * dim * Math.log(2 * Math.PI),
    );
    let rows = [];
    const exponents = (x, largest) => {
      if (!rows.length || rows[0].length !== x[0].length) rows = centres.map(() => new Float64Array(x[0].length));
      largest.fill(-Infinity);
      rows.forEach((row, k) => {
        row.fill(peaks[k]);
        x.forEach((points, d) =>
          each(x, i => {
            const gap = (points[i] - centres[k][d]) / spread[k][d];
            row[i] -= 0.5 * gap * gap;
          }),
        );
        each(x, i => {
          largest[i] = Math.max(largest[i], row[i]);
        });
      });
    };
    let largest = new Float64Array(0),
      sums = largest;
    const room = x => {
      if (largest.length !== x[0].length) {
        largest = new Float64Array(x[0].length);
        sums = new Float64Array(x[0].length);
      }
      sums.fill(0);
    };
    return {
      dim,
      window: centres[0].map((_, d) => [
        Math.min(...centres.map((m, k) => m[d] - 3.5 * spread[k][d])),
        Math.max(...centres.map((m, k) => m[d] + 3.5 * spread[k][d])),
      ]),
      values(x, out) {
        room(x);
        exponents(x, largest);
        rows.forEach(row =>
          each(x, i => {
            sums[i] += Math.exp(row[i] - largest[i]);
          }),
        );
        each(x, i => {
          out[i] = -largest[i] - Math.log(sums[i]);
        });
      },
      slopes(x, out, math) {
        room(x);
        exponents(x, largest);
        out.forEach(row => row.fill(0));
        rows.forEach((row, k) => {
          each(x, i => {
            row[i] = math.exp(row[i] - largest[i]);
            sums[i] += row[i];
          });
          x.forEach((points, d) => {
            const precision = 1 / (spread[k][d] * spread[k][d]),
              m = centres[k][d];
            each(x, i => {
              out[d][i] += row[i] * precision * (points[i] - m);
            });
          });
        });
        out.forEach(row =>
          each(x, i => {
            row[i] /= sums[i];
          }),
        );
      },
    };
  };
})();
