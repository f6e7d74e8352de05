// Jumps between modes on the line, with the numbers and in the order of particlegvi/engine/jumps/{line,tabulated}.py:
// each half of the particles proposes from a piecewise linear density of the other half and from the prior, and accepts
// by the energy of all, so that exp(-E / kl_weight) stays as it is, exactly.
"use strict";
(() => {
  const SEGMENT = 512,
    FINEST = 1024,
    RUNGS = 11,
    TRIED = 32,
    ONE_CENTRE = 8,
    FEW = 32,
    NARROW = 1e-9,
    NOWHERE = 1e-300,
    TRIED_WORD = 2;

  // Four words of a particle in one jump: the coin of its half, and uniforms of 42 bits.
  function numbers_of(particle, jump, key) {
    const high = Math.floor(jump / 4294967296) >>> 0,
      words = PG.philox(particle, jump >>> 0, high, PG.roles.jumps, key[0], key[1]),
      [a, b, c, d] = [words[0], words[1], words[2], words[3]],
      uniform = bits => bits * 2 ** -42 + 2 ** -43;
    return {
      side: a >>> 31,
      pick: uniform((a & 0x7fffffff) * 2048 + (b >>> 21)),
      place: uniform(c * 1024 + (d >>> 22)),
      decides: uniform((b & 0x1fffff) * 2097152 + (d & 0x1fffff)),
    };
  }
  // The lists of both halves, in the order of the package: within a segment half 0 upwards, half 1 downwards.
  function halves(count, jump, key) {
    const found = [[], []];
    for (let begin = 0; begin < count; begin += SEGMENT) {
      const back = [];
      for (let i = begin; i < Math.min(count, begin + SEGMENT); i++) {
        const given = { i, ...numbers_of(i, jump, key) };
        (given.side ? back : found[0]).push(given);
      }
      found[1].push(...back.reverse());
    }
    return found;
  }

  // The broad part b of the density in a coordinate; without one of its own, a Student t fitted to the other half.
  PG.broad_of = function (prior, d, centres) {
    if (prior.name === "normal") return { kind: "normal", location: prior.mean[d], scale: prior.sd[d], is_ready: true };
    if (prior.name === "uniform")
      return { kind: "uniform", location: prior.low[d], scale: prior.high[d] - prior.low[d], is_ready: true };
    const m = Math.max(centres.length, 1),
      location = centres.reduce((sum, c) => sum + c, 0) / m,
      scale = Math.sqrt(centres.reduce((sum, c) => sum + (c - location) ** 2, 0) / m);
    return { kind: "student", location, scale, is_ready: centres.length >= 2 && scale > 0 && scale < Infinity };
  };
  PG.log_broad = function ({ kind, location, scale }, t) {
    const z = (t - location) / scale,
      constant = -Math.log(scale);
    if (kind === "normal") return constant - 0.5 * Math.log(2 * Math.PI) - 0.5 * z * z;
    if (kind === "student") return constant - 1.5 * Math.log(2 + z * z);
    return z >= 0 && z <= 1 ? constant : -Infinity;
  };
  // V = loss - lambda1 mu_P - kl_weight log p at places in rows; `embedding` is null without an interaction.
  PG.potential = function ({ loss, prior, kl_weight }, lambda1, embedding, places) {
    const out = new Float64Array(places[0].length);
    loss.values(places, out, PG.plain);
    return out.map((v, i) => {
      const place = places.map(row => row[i]);
      return (
        v + kl_weight * PG.minus_log_density(prior, place) - (embedding ? lambda1 * embedding.value(place) : 0)
      );
    });
  };
  function interpolated({ weights, steps }, position) {
    if (!(position >= 0 && position < steps + 2)) return [0, 0];
    const cell = Math.floor(position),
      part = position - cell;
    return [weights[cell] + part * (weights[cell + 1] - weights[cell]), part];
  }
  // The density that a half proposes from, of the particles `centres` of the other half.
  function density_of(centres, prior, share, side, jump, key) {
    const is_finite = centres.every(Number.isFinite),
      m = is_finite ? centres.length : 0,
      some = is_finite ? centres : [],
      broad = PG.broad_of(prior, 0, some),
      found = { centres: some, m, broad, share: m ? share : 1, is_ready: broad.is_ready };
    if (!m || !broad.is_ready) return found;
    let low = some.reduce((a, b) => Math.min(a, b)),
      high = some.reduce((a, b) => Math.max(a, b));
    if (!(high - low > NARROW * broad.scale)) {
      low -= 0.5 * broad.scale;
      high = low + broad.scale;
    } else if (m < FEW) {
      const margin = 1.5 * (high - low);
      low -= margin;
      high += margin;
    }
    const inverse = FINEST / (high - low),
      rungs = [{ weights: new Float64Array(FINEST + 3), steps: FINEST, inverse }];
    for (const c of some) {
      const position = Math.min((c - low) * inverse, FINEST),
        cell = Math.floor(position),
        part = position - cell;
      rungs[0].weights[cell + 1] += 1 - part;
      rungs[0].weights[cell + 2] += part;
    }
    while (rungs.length < RUNGS) {
      // a hat function of twice the width is a sum of three
      const fine = rungs[rungs.length - 1],
        steps = fine.steps / 2,
        weights = new Float64Array(steps + 3),
        w = fine.weights;
      for (let j = 0; j <= steps; j++) weights[j + 1] = w[2 * j + 1] + 0.5 * (w[2 * j] + w[2 * j + 2]);
      rungs.push({ weights, steps, inverse: 0.5 * fine.inverse });
    }
    const rung = m > 1 ? best_rung(rungs, some, broad, share, low, side, jump, key) : ONE_CENTRE;
    return { ...found, low, ...rungs[rung] };
  }
  // The rung with the largest likelihood of some particles, each left out once.
  function best_rung(rungs, centres, broad, share, low, side, jump, key) {
    const m = centres.length,
      tried = Math.min(TRIED, m),
      [even, odd] = [new Float64Array(side + 1), new Float64Array(side + 1)];
    PG.uniforms(key, PG.roles.jumps, TRIED_WORD, jump, even, odd);
    const at = Array.from(
      { length: tried },
      (_, i) => centres[Math.min(Math.floor(((i + even[side]) * m) / tried), m - 1)],
    );
    let best = 0,
      most = -Infinity;
    rungs.forEach((rung, k) => {
      const height = ((1 - share) * rung.inverse) / (m - 1);
      let score = 0;
      for (const t of at) {
        const [value, part] = interpolated(rung, Math.min((t - low) * rung.inverse, rung.steps) + 1),
          density = share * Math.exp(PG.log_broad(broad, t)) + height * (value - (1 - part) ** 2 - part ** 2);
        score += Math.log(Math.max(density, NOWHERE));
      }
      if (score > most) [best, most] = [k, score];
    });
    return best;
  }
  function density_at(g, t) {
    const height = g.m ? ((1 - g.share) * g.inverse) / g.m : 0,
      value = height ? height * interpolated(g, (t - g.low) * g.inverse + 1)[0] : 0;
    return value + g.share * Math.exp(PG.log_broad(g.broad, t));
  }
  function drawn({ centres, m, share, broad, low, inverse, steps }, { pick, place }) {
    const each = m > 0 && share < 1 ? m / (1 - share) : 0,
      among = (pick - share) * each;
    if (among > 0) {
      const side = Math.sqrt(2 * Math.min(place, 1 - place)),
        first = Math.floor(Math.min(among, m - 1)),
        position = Math.min((centres[first] - low) * inverse, steps),
        node = Math.floor(position),
        above = among - first < position - node ? 1 : 0;
      return low + (node + above + (place < 0.5 ? side - 1 : 1 - side)) / inverse;
    }
    const { kind, location, scale } = broad;
    if (kind === "normal")
      return location + scale * Math.sqrt(-2 * Math.log(pick / share)) * Math.cos(2 * Math.PI * place);
    if (kind === "student") return location + (scale * (2 * place - 1)) / Math.sqrt(2 * place * (1 - place));
    return location + scale * place;
  }
  // log(g(old) / g(new) / uniform), minus infinity where the proposal is refused
  function log_ratio(g, old, proposed, decides, [low, high]) {
    if (!(proposed >= low && proposed <= high && Math.abs(old) < Infinity && Math.abs(proposed) < Infinity))
      return -Infinity;
    const before = density_at(g, old),
      after = density_at(g, proposed);
    if (Math.min(before, after) >= NOWHERE || proposed === old) return Math.log(before / (after * decides));
    const log = (value, t) => (value >= NOWHERE ? Math.log(value) : Math.log(g.share) + PG.log_broad(g.broad, t));
    return log(before, old) - log(after, proposed) - Math.log(decides);
  }

  // The sum of kappa over pairs while particles move: its change where one goes from a place to another, with the
  // places that the others have by then. By a Fourier series of all places, or pair by pair if that has fewer terms.
  function pairs_of(x, proposed, { lengthscale: s, variance = 1 }) {
    const kappa = r => variance * Math.exp((-0.5 * r * r) / (s * s)),
      ends = [...x, ...proposed].filter(Number.isFinite),
      low = ends.reduce((a, b) => Math.min(a, b), Infinity),
      range = ends.reduce((a, b) => Math.max(a, b), -Infinity) - low,
      plan = PG.fourier_plan({ lengthscale: s, variance }, 1e-13, null),
      modes = Math.ceil((plan.band * (range + plan.reach * s)) / (2 * Math.PI * s)),
      self = (from, to) => kappa(0) - kappa(to - from);
    if (!(modes < 0.5 * x.length)) {
      const sum = t => x.reduce((total, other) => total + kappa(t - other), 0);
      return { change: (from, to) => sum(to) - sum(from) + self(from, to), move: () => {} };
    }
    const w = plan.band / (s * modes), // 2 pi over the period
      height = Float64Array.from(
        { length: modes + 1 },
        (_, m) => ((m ? 2 : 1) * variance * s * w * Math.exp(-0.5 * (s * w * m) ** 2)) / Math.sqrt(2 * Math.PI),
      ),
      A = new Float64Array(modes + 1),
      B = new Float64Array(modes + 1);
    // each(m, cos, sin) of m w (t - low), by turning
    function turned(t, each) {
      const c = Math.cos(w * (t - low)),
        d = Math.sin(w * (t - low));
      let p = 1,
        q = 0;
      for (let m = 0; m <= modes; m++) {
        each(m, p, q);
        [p, q] = [p * c - q * d, q * c + p * d];
      }
    }
    const add = (t, sign) =>
      turned(t, (m, p, q) => {
        A[m] += sign * p;
        B[m] += sign * q;
      });
    function sum(t) {
      let total = 0;
      turned(t, (m, p, q) => (total += height[m] * (A[m] * p + B[m] * q)));
      return total;
    }
    x.forEach(t => Number.isFinite(t) && add(t, 1));
    return {
      change: (from, to) => sum(to) - sum(from) + self(from, to),
      move: (from, to) => {
        add(from, -1);
        add(to, 1);
      },
    };
  }

  // One jump, number `jump` from 0, of the particles x on the line, in place; returns {proposed, accepted}.
  PG.jump_on_line = function (x, jump, settings) {
    const { prior, kl_weight, mmd_weight, kernel, jump_share, seed } = settings,
      key = PG.key(seed),
      walls = prior.name === "uniform" ? [prior.low[0], prior.high[0]] : [-Infinity, Infinity],
      lists = halves(x.length, jump, key),
      lambda1 = 2 * mmd_weight,
      embedding = lambda1 > 0 ? PG.embedding(prior, kernel, 1) : null,
      none = { change: () => 0, move: () => {} };
    let accepted = 0;
    for (const side of [0, 1]) {
      const mine = lists[side],
        g = density_of(
          lists[1 - side].map(({ i }) => x[i]),
          prior,
          jump_share,
          side,
          jump,
          key,
        );
      if (!g.is_ready || !mine.length) continue;
      const old = Float64Array.from(mine, ({ i }) => x[i]),
        proposed = Float64Array.from(mine, given => drawn(g, given)),
        ratio = mine.map(({ decides }, k) => log_ratio(g, old[k], proposed[k], decides, walls));
      ratio.forEach((value, k) => {
        if (value === -Infinity) proposed[k] = old[k];
      });
      const [before, after] = [old, proposed].map(places => PG.potential(settings, lambda1, embedding, [places])),
        factor = lambda1 / (x.length * kl_weight),
        pairs = lambda1 > 0 ? pairs_of(x, proposed, kernel) : none;
      mine.forEach(({ i }, k) => {
        const margin = ratio[k] + (before[k] - after[k]) / kl_weight;
        if (!(margin > -Infinity && margin > factor * pairs.change(old[k], proposed[k]))) return;
        pairs.move(old[k], proposed[k]);
        x[i] = proposed[k];
        accepted++;
      });
    }
    return { proposed: x.length, accepted };
  };
})();
