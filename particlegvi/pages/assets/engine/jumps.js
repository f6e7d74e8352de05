// Jumps between modes, with the numbers and in the order of particlegvi/engine/jumps/proposals.py: a particle of one
// half proposes to move by the difference of two particles of the other half, or a draw of the prior, and accepts by
// the energy of all, one particle after the other, so that exp(-E / kl_weight) stays as it is.
"use strict";
(() => {
  const [HALF, PICK, MEMBERS, MOVE] = [0, 1, 2, 3]; // words of a particle; of coordinates from MOVE on

  // The part of the proposals that is drawn: the prior, or without one of its own a Student t fitted to the other half.
  function broad_of(prior, others) {
    if (prior.name === "normal") return { name: "normal", location: prior.mean, scale: prior.sd };
    if (prior.name === "uniform")
      return { name: "uniform", location: prior.low, scale: prior.high.map((end, d) => end - prior.low[d]) };
    const mean = row => row.reduce((sum, t) => sum + t, 0) / row.length,
      location = others.map(mean),
      scale = others.map((row, d) => Math.sqrt(mean(row.map(t => (t - location[d]) ** 2))));
    const is_known = others[0].length >= 2 && scale.every(s => s > 0 && s < Infinity);
    return is_known ? { name: "student", location, scale } : null;
  }
  function log_broad({ name, location, scale }, d, t) {
    const z = (t - location[d]) / scale[d];
    if (name === "normal") return -0.5 * z * z;
    if (name === "student") return -1.5 * Math.log(2 + z * z);
    return z >= 0 && z <= 1 ? 0 : -Infinity;
  }
  // V = loss - lambda1 mu_P - kl_weight log p at places in rows; `embedding` is null without an interaction.
  function potential({ loss, prior, kl_weight }, lambda1, embedding, places) {
    const out = new Float64Array(places[0].length);
    loss.values(places, out, PG.plain);
    return out.map((v, i) => {
      const place = places.map(row => row[i]),
        pull = embedding ? lambda1 * embedding.value(place) : 0;
      return v + kl_weight * PG.minus_log_density(prior, place) - pull;
    });
  }
  // The change of the sum of kappa over pairs where particle i goes to a place.
  function change(x, i, to, { lengthscale, variance = 1 }) {
    const scale = -0.5 / lengthscale ** 2;
    let sum = 0;
    for (let j = 0; j < x[0].length; j++) {
      if (j === i) continue;
      let before = 0,
        after = 0;
      for (let d = 0; d < x.length; d++) {
        before += (x[d][i] - x[d][j]) ** 2;
        after += (to[d] - x[d][j]) ** 2;
      }
      sum += Math.exp(scale * after) - Math.exp(scale * before);
    }
    return variance * sum;
  }

  // One jump, number `jump` from 0, of the particles x, a row for each coordinate, in place; how many were accepted.
  PG.jump = function (x, jump, settings) {
    const { prior, kl_weight, mmd_weight, kernel, jump_share, seed } = settings,
      n = x[0].length,
      key = PG.key(seed),
      pair = (make, word) => {
        const made = [new Float64Array(n), new Float64Array(n)];
        make(key, PG.roles.jumps, word, jump, ...made, PG.plain);
        return made;
      },
      [coins] = pair(PG.uniforms, HALF),
      [picks, decides] = pair(PG.uniforms, PICK),
      [firsts, seconds] = pair(PG.uniforms, MEMBERS),
      moves = x.map((_, d) => pair(prior.name === "normal" ? PG.normals : PG.uniforms, MOVE + d)[0]),
      halves = [[], []],
      lambda1 = 2 * mmd_weight,
      embedding = lambda1 > 0 ? PG.embedding(prior, kernel, x.length) : null,
      is_inside = (t, d) => prior.name !== "uniform" || (t >= prior.low[d] && t <= prior.high[d]);
    let accepted = 0;
    for (let i = 0; i < n; i++) halves[coins[i] < 0.5 ? 0 : 1].push(i);
    for (const side of [0, 1]) {
      const mine = halves[side],
        other = halves[1 - side],
        m = other.length,
        broad = broad_of(prior, x.map(row => other.map(i => row[i]))); // prettier-ignore
      if (!mine.length || !broad) continue;
      const ratio = mine.map(i => -Math.log(decides[i])),
        old = x.map(row => Float64Array.from(mine, i => row[i])),
        proposed = old.map(row => row.slice());
      mine.forEach((i, k) => {
        const a = Math.floor(firsts[i] * m),
          b = (a + 1 + Math.floor(seconds[i] * (m - 1))) % Math.max(m, 1),
          is_broad = picks[i] < jump_share || m < 2;
        for (let d = 0; d < x.length; d++) {
          const from = old[d][k];
          let z = moves[d][i],
            to;
          if (broad.name === "student") z = (2 * z - 1) / Math.sqrt(2 * z * (1 - z));
          if (is_broad) {
            to = broad.location[d] + broad.scale[d] * z;
            ratio[k] += log_broad(broad, d, from) - log_broad(broad, d, to);
          } else to = from + (x[d][other[a]] - x[d][other[b]]);
          proposed[d][k] = to;
          if (!(is_inside(to, d) && Number.isFinite(from) && Number.isFinite(to))) ratio[k] = -Infinity;
        }
        if (ratio[k] === -Infinity) proposed.forEach((row, d) => (row[k] = old[d][k]));
      });
      const [before, after] = [old, proposed].map(places => potential(settings, lambda1, embedding, places));
      mine.forEach((i, k) => {
        const margin = (before[k] - after[k]) / kl_weight + ratio[k],
          to = proposed.map(row => row[k]);
        if (!(margin > -Infinity)) return;
        if (!(margin > (lambda1 > 0 ? (lambda1 / (n * kl_weight)) * change(x, i, to, kernel) : 0))) return;
        to.forEach((t, d) => (x[d][i] = t));
        accepted++;
      });
    }
    return accepted;
  };
})();
