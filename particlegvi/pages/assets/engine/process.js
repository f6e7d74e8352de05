// Gaussian processes on the line: the exact posterior under Gaussian noise, and projected Langevin sampling of it.
"use strict";
(() => {
  // Correlations as functions of the scaled squared distance, as particlegvi/functionspace/covariances/stationary.py.
  PG.covariances = {
    "squared-exponential": s => Math.exp(-0.5 * s),
    "matern-12": s => Math.exp(-Math.sqrt(s)),
    "matern-32": s => (1 + Math.sqrt(3 * s)) * Math.exp(-Math.sqrt(3 * s)),
    "matern-52": s => (1 + Math.sqrt(5 * s) + (5 / 3) * s) * Math.exp(-Math.sqrt(5 * s)),
  };
  const JITTER = 1e-9, // of the variance, on a diagonal that noise does not lift
    UNSEEN = 1e-7; // the same for functions that are drawn

  // k(a, b) as rows, (a.length, b.length)
  function between({ name, lengthscale, variance }, a, b) {
    const profile = PG.covariances[name];
    return Array.from(a, s => {
      const row = new Float64Array(b.length);
      for (let j = 0; j < row.length; j++) row[j] = variance * profile(((s - b[j]) / lengthscale) ** 2);
      return row;
    });
  }
  // The lower root L of a symmetric matrix of rows, L L' = A; null where rounding makes it indefinite.
  PG.cholesky = function (A) {
    const L = A.map(row => Float64Array.from(row));
    PG.spend(L.length ** 3 / 6);
    for (let i = 0; i < L.length; i++) {
      const mine = L[i];
      for (let j = 0; j <= i; j++) {
        const other = L[j];
        let sum = mine[j];
        for (let k = 0; k < j; k++) sum -= mine[k] * other[k];
        if (i === j && !(sum > 0)) return null;
        mine[j] = i === j ? Math.sqrt(sum) : sum / other[j];
      }
      mine.fill(0, i + 1);
    }
    return L;
  };
  // the same with as much on the diagonal as it needs, for matrices that are singular but for rounding
  function root(A, scale, least = JITTER) {
    const lifted = A.map(row => row.slice());
    for (let jitter = least; jitter < 1; jitter *= 10) {
      for (let i = 0; i < A.length; i++) lifted[i][i] = A[i][i] + jitter * scale;
      const L = PG.cholesky(lifted);
      if (L) return L;
    }
    return PG.cholesky(A.map((row, i) => row.map((v, j) => (i === j ? scale : 0))));
  }
  // L^-1 b, and L'^-1 b, for a column b
  PG.forward = function (L, b) {
    const x = Float64Array.from(b);
    for (let i = 0; i < x.length; i++) {
      for (let k = 0; k < i; k++) x[i] -= L[i][k] * x[k];
      x[i] /= L[i][i];
    }
    return x;
  };
  PG.backward = function (L, b) {
    const x = Float64Array.from(b);
    for (let i = x.length - 1; i >= 0; i--) {
      x[i] /= L[i][i];
      for (let k = 0; k < i; k++) x[k] -= L[i][k] * x[i];
    }
    return x;
  };
  function dot(a, b) {
    let sum = 0;
    for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
    return sum;
  }
  // A - H H' for the rows H of some coordinates
  function less(A, H) {
    return A.map((row, i) => {
      const found = new Float64Array(row.length);
      for (let j = 0; j <= i; j++) found[j] = row[j] - dot(H[i], H[j]);
      return found;
    });
  }
  function draws(L, normals, mean) {
    return normals.map(z => {
      const values = new Float64Array(mean.length);
      for (let i = 0; i < values.length; i++) {
        const row = L[i];
        let sum = mean[i];
        for (let k = 0; k <= i; k++) sum += row[k] * z[k];
        values[i] = sum;
      }
      return values;
    });
  }
  // Standard normals (draws, size); those of a role, and of a draw, do not depend on how many there are.
  PG.normal_rows = function (seed, role, count, size, step = 0) {
    const rows = Array.from({ length: count }, () => new Float64Array(size)),
      even = new Float64Array(count),
      odd = new Float64Array(count);
    for (let k = 0; k < size; k++) {
      PG.normals(PG.key(seed), role, k, Math.floor(step / 2), even, odd);
      const given = step % 2 ? odd : even;
      for (let j = 0; j < count; j++) rows[j][k] = given[j];
    }
    return rows;
  };

  // The exact process at the places of a grid: {mean, sd, evidence, sample(normals)}, after Rasmussen and Williams
  // (2006), algorithm 2.1. Null where the noise is too small for data so close to each other.
  PG.exact_process = function ({ kernel, noise_variance }, points, grid) {
    const x = points.map(point => point[0]),
      y = points.map(point => point[1]),
      gram = between(kernel, x, x);
    gram.forEach((row, i) => (row[i] += noise_variance));
    const L = PG.cholesky(gram);
    if (!L) return null;
    const half = PG.forward(L, y),
      weights = PG.backward(L, half),
      cross = between(kernel, grid, x),
      mean = Float64Array.from(cross, row => dot(row, weights)),
      H = cross.map(row => PG.forward(L, row)),
      sd = Float64Array.from(H, h => Math.sqrt(Math.max(kernel.variance - dot(h, h), 0)));
    const evidence =
      -0.5 * dot(half, half) -
      L.reduce((sum, row, i) => sum + Math.log(row[i]), 0) -
      0.5 * x.length * Math.log(2 * Math.PI);
    let factor = null; // of the covariance at the grid, made where functions are drawn
    return {
      mean,
      sd,
      evidence,
      sample: normals => {
        factor = factor || root(less(between(kernel, grid, grid), H), kernel.variance, UNSEEN);
        return draws(factor, normals, mean);
      },
    };
  };

  // Projected Langevin sampling with the prior "gp": F(x) = phi(x)' u + G(x) with phi = L^-1 k(Z, x), u ~ N(0, I), and
  // G an independent process of covariance k(x, x') - phi(x)' phi(x'), which the data do not see. The particles are the
  // u. Their Langevin dynamics with the inverse curvature as mobility,
  //     du = -(u - m) dt + sqrt(2) A^-1/2 dB,   A = I + Phi' Phi / noise_variance,   m = A^-1 Phi' y / noise_variance,
  // is integrated exactly, as the plan `quadratic` of particlegvi/functionspace/sampling/plans.py: every direction
  // forgets its start at rate 1, and a step of any size has no bias. Functions move on when data change.
  PG.projected = function ({ kernel, noise_variance, inducing, particles, seed }, points, grid) {
    const L = root(between(kernel, inducing, inducing), kernel.variance),
      features = places => between(kernel, places, inducing).map(row => PG.forward(L, row)),
      at_grid = features(grid),
      size = inducing.length,
      u = PG.normal_rows(seed, PG.roles.start, particles, size);
    let residual = null,
      step = 0,
      time = 0,
      A = null,
      m = null;
    function observe(seen) {
      const phi = features(seen.map(point => point[0])),
        gram = Array.from({ length: size }, (_, a) =>
          Float64Array.from(
            { length: size },
            (__, b) => (a === b ? 1 : 0) + phi.reduce((sum, row) => sum + row[a] * row[b], 0) / noise_variance,
          ),
        ),
        pull = Float64Array.from(
          { length: size },
          (_, a) => phi.reduce((sum, row, n) => sum + row[a] * seen[n][1], 0) / noise_variance,
        );
      A = PG.cholesky(gram);
      m = PG.backward(A, PG.forward(A, pull));
    }
    observe(points);
    // Steps of one length are taken; the noise of a step is that of its number.
    function advance(steps, h) {
      const kept = Math.exp(-h),
        spread = Math.sqrt(-Math.expm1(-2 * h));
      for (let k = 0; k < steps; k++, step++) {
        PG.normal_rows(seed, PG.roles.noise, particles, size, step).forEach((z, j) => {
          const noise = PG.backward(A, z);
          for (let a = 0; a < size; a++) u[j][a] = m[a] + kept * (u[j][a] - m[a]) + spread * noise[a];
        });
        time += h;
      }
    }
    function functions() {
      if (!residual) {
        const factor = root(less(between(kernel, grid, grid), at_grid), kernel.variance, UNSEEN);
        residual = draws(
          factor,
          PG.normal_rows(seed, PG.roles.draws, particles, grid.length),
          new Float64Array(grid.length),
        );
      }
      return u.map((row, j) => Float64Array.from(at_grid, (phi, i) => residual[j][i] + dot(phi, row)));
    }
    // mean and sd of the law to which the functions go
    function law() {
      const mean = Float64Array.from(at_grid, phi => dot(phi, m));
      const sd = Float64Array.from(at_grid, phi => {
        const half = PG.forward(A, phi);
        return Math.sqrt(Math.max(kernel.variance - dot(phi, phi), 0) + dot(half, half));
      });
      return { mean, sd };
    }
    return {
      u,
      observe,
      advance,
      functions,
      law,
      restart_clock: () => (time = 0),
      get step() {
        return step;
      },
      get time() {
        return time;
      },
    };
  };

  // Settings of the page of functions, checked; PG.Refused where one cannot be used.
  const NUMBERS = {
    lengthscale: [1e-3, 1e4],
    variance: [1e-6, 1e8],
    noise: [1e-3, 1e4],
    step_size: [1e-6, 100],
    place: [-1e6, 1e6],
  };
  PG.MOST_DATA = 700;
  PG.function_problem = function (settings, window) {
    const found = {};
    for (const [key, [low, high]] of Object.entries(NUMBERS)) found[key] = PG.number(key, settings[key], low, high);
    found.particles = PG.whole("particles", settings.particles, 1, 300);
    const count = PG.whole("inducing_points", settings.inducing_points, 1, 60),
      [low, high] = window;
    found.inducing = Float64Array.from({ length: count }, (_, k) => low + ((high - low) * (k + 0.5)) / count);
    if (!/^\d{1,20}$/.test(settings.seed) || BigInt(settings.seed) >= 1n << 64n)
      throw new PG.Refused("seed", settings.seed);
    found.seed = settings.seed;
    if (!Object.prototype.hasOwnProperty.call(PG.covariances, settings.kernel))
      throw new PG.Refused("kernel", settings.kernel);
    found.kernel = { name: settings.kernel, lengthscale: found.lengthscale, variance: found.variance };
    found.noise_variance = found.noise ** 2;
    const pairs = String(settings.points).split(";").filter(Boolean);
    if (pairs.length > PG.MOST_DATA) throw new PG.Refused("points", pairs.length);
    found.points = pairs.map(pair => {
      const numbers = pair.split(",");
      if (numbers.length !== 2) throw new PG.Refused("points", pair);
      return numbers.map(each => PG.number("points", each, -1e6, 1e6));
    });
    return found;
  };
})();
