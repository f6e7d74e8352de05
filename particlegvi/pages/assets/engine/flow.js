// The particles: x <- x - h drift + noise, with the order of operations of particlegvi/engine/steps/flow.py.
"use strict";
(() => {
  // Normals of each pair of steps, shared by all ensembles with one seed, so that the methods have the same noise.
  PG.noise = function (seed, n, dim) {
    const key = PG.key(seed),
      held = new Map(),
      most = Math.max(2, Math.min(64, Math.floor(400000 / (n * dim))));
    return half => {
      let found = held.get(half);
      if (found)
        held.delete(half); // and set again below: the least recently used pair is given up first
      else {
        const oldest = held.keys().next().value;
        if (held.size >= most) {
          found = held.get(oldest);
          held.delete(oldest);
        } else found = Array.from({ length: dim }, () => [new Float64Array(n), new Float64Array(n)]);
        found.forEach(([even, odd], d) => PG.normals(key, PG.roles.noise, d, half, even, odd));
      }
      held.set(half, found);
      return found;
    };
  };
  PG.fold = function (x, low, high) {
    // reflected at the walls until it is inside
    if (!(x < low || x > high)) return x;
    const width = high - low,
      turns = Math.floor((x - low) / width),
      inside = x - low - turns * width;
    return Math.min(Math.max(turns % 2 === 0 ? low + inside : high - inside, low), high);
  };

  // settings: loss, prior, start (a prior or points; absent: the prior), kl_weight, mmd_weight, kernel {lengthscale,
  // variance}, jump_every, jump_share, step_size, particles, seed, integrator, tolerance, noise (to
  // share it)
  PG.ensemble = function (settings) {
    const s = {
      kl_weight: 0,
      mmd_weight: 0,
      jump_every: 0, // steps between jumps; 0 for none
      jump_share: 0.1,
      kernel: { lengthscale: 1 },
      seed: 0,
      integrator: "euler-maruyama",
      tolerance: 1e-12,
      ...settings,
    };
    const { loss, prior, particles: n, step_size: h } = s,
      dim = loss.dim,
      rows = () => Array.from({ length: dim }, () => new Float64Array(n));
    const x = PG.draw(s.start || prior, PG.key(s.seed), n, dim),
      drift = rows();
    const noise = s.noise || PG.noise(s.seed, n, dim),
      lambda1 = 2 * s.mmd_weight,
      both = s.integrator === "leimkuhler-matthews";
    const spread = both ? Math.sqrt(0.5 * h * s.kl_weight) : Math.sqrt(2 * h * s.kl_weight);
    const root = prior.name === "normal" ? prior.sd.map(sd => 1 / sd) : null;
    const embedding = lambda1 > 0 ? PG.embedding(prior, s.kernel, dim) : null;
    const repel =
      lambda1 > 0
        ? dim === 1
          ? PG.line_repulsion(PG.fourier_plan(s.kernel, s.tolerance), n)
          : PG.plane_repulsion(s.kernel, n)
        : null;
    const force = repel ? rows() : null;
    let step = 0,
      is_finite = true;

    function slopes() {
      loss.slopes(x, drift);
      if (s.kl_weight !== 0 && root)
        for (let d = 0; d < dim; d++) {
          const a = drift[d],
            at = x[d],
            r = root[d],
            mean = prior.mean[d];
          for (let i = 0; i < n; i++) a[i] += s.kl_weight * ((at[i] - mean) * r * r);
        }
      if (!repel) return;
      force.forEach(row => row.fill(0));
      repel(x, force, lambda1);
      embedding.add(x, drift, lambda1);
      for (let d = 0; d < dim; d++) {
        const a = drift[d],
          f = force[d];
        for (let i = 0; i < n; i++) a[i] += f[i];
      }
    }
    function move() {
      const now = s.kl_weight !== 0 ? noise(Math.floor(step / 2)) : null;
      const next = now && both ? noise(Math.floor((step + 1) / 2)) : null,
        odd = step % 2;
      for (let d = 0; d < dim; d++) {
        const at = x[d],
          a = drift[d];
        if (next) {
          const z = now[d][odd],
            y = next[d][1 - odd];
          for (let i = 0; i < n; i++) at[i] -= h * a[i] - (spread * z[i] + spread * y[i]);
        } else if (now) {
          const z = now[d][odd];
          for (let i = 0; i < n; i++) at[i] -= h * a[i] - spread * z[i];
        } else for (let i = 0; i < n; i++) at[i] -= h * a[i];
        if (prior.name === "uniform") for (let i = 0; i < n; i++) at[i] = PG.fold(at[i], prior.low[d], prior.high[d]);
      }
    }
    function advance(steps) {
      for (let k = 0; k < steps && is_finite; k++) {
        slopes();
        move();
        step++;
        if (s.jump_every > 0 && step % s.jump_every === 0) PG.jump(x, step / s.jump_every - 1, s);
      }
      is_finite = x.every(row => row.every(Number.isFinite));
      return is_finite;
    }
    return {
      x,
      advance,
      settings: s,
      get step() {
        return step;
      },
      get time() {
        return step * h;
      },
      get is_finite() {
        return is_finite;
      },
    };
  };
})();
