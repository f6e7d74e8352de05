// Jumps between modes, with the numbers and in the order of particlegvi/engine/jumps/proposals.py: each half of the
// particles proposes from a kernel density of at most 32 particles of the other half and from a broad part, and accepts
// by the energy of all, one particle after the other, so that exp(-E / kl_weight) stays as it is.
"use strict";
(() => {
  const CENTRES = 32,
    NEGLIGIBLE = 1e-20,
    RUNGS = 16,
    ONE_CENTRE = 3,
    ROOT = Math.sqrt(2 * Math.PI),
    [HALF, PICK, ACCEPT, CENTRE, MOVE] = [0, 2, 3, 4, 5]; // words of a particle; of coordinates from MOVE on

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
  function log_broad({ name, location, scale }, place) {
    return place.reduce((sum, t, d) => {
      const z = (t - location[d]) / scale[d],
        constant = -Math.log(scale[d]);
      if (name === "normal") return sum + constant - Math.log(ROOT) - 0.5 * z * z;
      if (name === "student") return sum + constant - 1.5 * Math.log(2 + z * z);
      return z >= 0 && z <= 1 ? sum + constant : -Infinity;
    }, 0);
  }
  const squared = (a, b, scale) => scale.reduce((sum, s, d) => sum + ((a[d] - b[d]) / s) ** 2, 0),
    volume = scale => scale.reduce((product, s) => product * s * ROOT, 1);
  // The rung with the largest likelihood of the centres, each under the others, among widths of scale / 2^rung.
  function best_rung(centres, broad, share) {
    const sums = centres.map(() => new Float64Array(RUNGS));
    centres.forEach((a, i) =>
      centres.slice(0, i).forEach((b, j) => {
        let term = Math.exp(-0.5 * squared(a, b, broad.scale));
        for (let rung = 0; rung < RUNGS && term >= NEGLIGIBLE; rung++) {
          sums[i][rung] += term;
          sums[j][rung] += term;
          term = (term * term) ** 2; // of half the width
        }
      }),
    );
    let best = 0,
      most = -Infinity;
    for (let rung = 0; rung < RUNGS; rung++) {
      const height = ((1 - share) * 2 ** (rung * broad.scale.length)) / (centres.length - 1) / volume(broad.scale),
        score = centres.reduce((sum, place, i) => {
          const density = height * sums[i][rung] + share * Math.exp(log_broad(broad, place));
          return sum + Math.log(Math.max(density, 1e-300));
        }, 0);
      if (score > most) [best, most] = [rung, score];
    }
    return best;
  }
  // The density g from the places of the other half.
  function density_of(others, broad, jump_share, start) {
    const m = Math.min(CENTRES, others.length),
      at = c => Math.min(Math.floor(((c + start) * others.length) / m), others.length - 1),
      centres = Array.from({ length: m }, (_, c) => others[at(c)]),
      some = m > CENTRES / 2 ? centres.filter((_, c) => c % 2 === 0) : centres,
      rung = m > 1 ? best_rung(some, broad, jump_share) : ONE_CENTRE;
    return { broad, centres, share: m ? jump_share : 1, width: broad.scale.map(s => s * 0.5 ** rung) };
  }
  function log_density({ broad, centres, share, width }, place) {
    const far = log_broad(broad, place) + Math.log(share),
      near = centres.reduce((sum, centre) => sum + Math.exp(-0.5 * squared(place, centre, width)), 0),
      density = (centres.length ? ((1 - share) * near) / centres.length / volume(width) : 0) + Math.exp(far);
    return density > 0 ? Math.log(density) : far;
  }
  // A place from g, by the uniform that picks, and the normals and uniforms of the coordinates.
  function drawn({ broad, centres, share, width }, pick, normals, uniforms) {
    const m = centres.length;
    if (pick > share && m) {
      const centre = centres[Math.min(Math.floor(((pick - share) / (1 - share)) * m), m - 1)];
      return centre.map((t, d) => t + width[d] * normals[d]);
    }
    return broad.location.map((t, d) => {
      const u = uniforms[d];
      if (broad.name === "normal") return t + broad.scale[d] * normals[d];
      return t + broad.scale[d] * (broad.name === "student" ? (2 * u - 1) / Math.sqrt(2 * u * (1 - u)) : u);
    });
  }
  // V = loss - lambda1 mu_P - kl_weight log p at places in rows; `embedding` is null without an interaction.
  function potential({ loss, prior, kl_weight }, lambda1, embedding, places) {
    const out = new Float64Array(places[0].length);
    loss.values(places, out);
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
      // a row of numbers, one for each particle, of one word
      row_of = (make, word, count = n) => {
        const pair = [new Float64Array(count), new Float64Array(count)];
        make(key, PG.roles.jumps, word, Math.floor(jump / 2), ...pair);
        return pair[jump % 2];
      },
      [coins, picks, decides] = [HALF, PICK, ACCEPT].map(word => row_of(PG.uniforms, word)),
      starts = row_of(PG.uniforms, CENTRE, 2),
      normals = x.map((_, d) => row_of(PG.normals, MOVE + 2 * d)),
      uniforms = x.map((_, d) => row_of(PG.uniforms, MOVE + 2 * d + 1)),
      place_of = i => x.map(row => row[i]),
      halves = [[], []],
      lambda1 = 2 * mmd_weight,
      embedding = lambda1 > 0 ? PG.embedding(prior, kernel, x.length) : null,
      is_inside = (t, d) => prior.name !== "uniform" || (t >= prior.low[d] && t <= prior.high[d]);
    let accepted = 0;
    for (let i = 0; i < n; i++) halves[coins[i] < 0.5 ? 0 : 1].push(i);
    for (const side of [0, 1]) {
      const mine = halves[side],
        others = halves[1 - side].map(place_of),
        broad = broad_of(prior, x.map((_, d) => others.map(place => place[d]))); // prettier-ignore
      if (!mine.length || !broad) continue;
      const g = density_of(others, broad, jump_share, starts[side]),
        old = x.map(row => Float64Array.from(mine, i => row[i])),
        proposed = old.map(row => row.slice()),
        ratio = mine.map((i, k) => {
          const from = place_of(i),
            to = drawn(g, picks[i], normals.map(row => row[i]), uniforms.map(row => row[i])); // prettier-ignore
          if (!(to.every(is_inside) && [...from, ...to].every(Number.isFinite))) return -Infinity;
          to.forEach((t, d) => (proposed[d][k] = t));
          return log_density(g, from) - log_density(g, to) - Math.log(decides[i]);
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
