// Jumps between modes in the plane, with the numbers and in the order of particlegvi/engine/jumps/proposals.py: each
// half of the particles proposes from a kernel density of at most 64 particles of the other half and from a broad part,
// and accepts by the energy of all, one particle after the other.
"use strict";
(() => {
  const CENTRES = 64,
    NEGLIGIBLE = 1e-20,
    RUNGS = 16,
    ONE_CENTRE = 3,
    ROOT = Math.sqrt(2 * Math.PI),
    [HALF, PICK, ACCEPT, CENTRE, MOVE] = [0, 2, 3, 4, 5]; // words of a particle; of coordinates from MOVE on

  const log_broad = (broad, place) => broad.reduce((sum, each, d) => sum + PG.log_broad(each, place[d]), 0);
  // The rung with the largest likelihood of the centres, each under the others, among widths of scale / 2^rung.
  function best_rung(centres, broad, share) {
    const sums = centres.map(() => new Float64Array(RUNGS)),
      area = broad.reduce((product, { scale }) => product * scale * ROOT, 1);
    centres.forEach((a, i) =>
      centres.slice(0, i).forEach((b, j) => {
        let term = Math.exp(-0.5 * broad.reduce((sum, { scale }, d) => sum + ((a[d] - b[d]) / scale) ** 2, 0));
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
      const height = ((1 - share) * 4 ** rung) / (centres.length - 1) / area,
        score = centres.reduce((sum, place, i) => {
          const density = height * sums[i][rung] + share * Math.exp(log_broad(broad, place));
          return sum + Math.log(Math.max(density, 1e-300));
        }, 0);
      if (score > most) [best, most] = [rung, score];
    }
    return best;
  }
  // The density from the places of the other half; null where there is nothing to propose from.
  function density_of(others, { prior, jump_share }, start) {
    const broad = [0, 1].map(d => PG.broad_of(prior, d, others.map(place => place[d])));
    if (!broad.every(({ is_ready }) => is_ready)) return null;
    const m = Math.min(CENTRES, others.length),
      at = c => Math.min(Math.floor(((c + start) * others.length) / m), others.length - 1),
      centres = Array.from({ length: m }, (_, c) => others[at(c)]),
      some = m > CENTRES / 2 ? centres.filter((_, c) => c % 2 === 0) : centres,
      rung = m > 1 ? best_rung(some, broad, jump_share) : ONE_CENTRE;
    return { broad, centres, share: m ? jump_share : 1, width: broad.map(({ scale }) => scale * 0.5 ** rung) };
  }
  function log_density({ broad, centres, share, width }, place) {
    const far = log_broad(broad, place) + Math.log(share),
      area = width.reduce((product, w) => product * w * ROOT, 1),
      near = centres.reduce(
        (sum, centre) => sum + Math.exp(-0.5 * width.reduce((s, w, d) => s + ((place[d] - centre[d]) / w) ** 2, 0)),
        0,
      ),
      density = (centres.length ? ((1 - share) * near) / centres.length / area : 0) + Math.exp(far);
    return density > 0 ? Math.log(density) : far;
  }
  // A place from the density, by the uniform that picks, and the normals and uniforms of both coordinates.
  function drawn({ broad, centres, share, width }, pick, normals, uniforms) {
    const m = centres.length,
      centre = pick > share && m ? centres[Math.min(Math.floor(((pick - share) / (1 - share)) * m), m - 1)] : null;
    return broad.map(({ kind, location, scale }, d) => {
      if (centre) return centre[d] + width[d] * normals[d];
      const u = uniforms[d];
      if (kind === "normal") return location + scale * normals[d];
      return location + scale * (kind === "student" ? (2 * u - 1) / Math.sqrt(2 * u * (1 - u)) : u);
    });
  }

  // One jump, number `jump` from 0, of the particles x in the plane, in place; returns {proposed, accepted}.
  PG.jump_in_plane = function (x, jump, settings) {
    const { prior, kl_weight, mmd_weight, kernel, seed } = settings,
      n = x[0].length,
      key = PG.key(seed),
      half = Math.floor(jump / 2),
      // a row of numbers, one for each particle, of one word
      row = (make, word, count = n) => {
        const pair = [new Float64Array(count), new Float64Array(count)];
        make(key, PG.roles.jumps, word, half, ...pair, PG.plain);
        return pair[jump % 2];
      },
      sides = row(PG.uniforms, HALF),
      picks = row(PG.uniforms, PICK),
      decides = row(PG.uniforms, ACCEPT),
      starts = row(PG.uniforms, CENTRE, 2),
      normals = [0, 1].map(d => row(PG.normals, MOVE + 2 * d)),
      uniforms = [0, 1].map(d => row(PG.uniforms, MOVE + 2 * d + 1)),
      place_of = i => x.map(each => each[i]),
      members = [[], []],
      lambda1 = 2 * mmd_weight,
      factor = lambda1 / (n * kl_weight),
      embedding = lambda1 > 0 ? PG.embedding(prior, kernel, 2) : null,
      rows = places => [0, 1].map(d => Float64Array.from(places, place => place[d])),
      inside = place => place.every((t, d) => prior.name !== "uniform" || (t >= prior.low[d] && t <= prior.high[d]));
    let accepted = 0;
    for (let i = 0; i < n; i++) members[sides[i] < 0.5 ? 0 : 1].push(i);
    // the change of the sum of kappa over pairs where particle i goes to a place
    function change(i, to) {
      let sum = 0;
      const scale = -0.5 / kernel.lengthscale ** 2;
      for (let j = 0; j < n; j++) {
        if (j === i) continue;
        const after = (to[0] - x[0][j]) ** 2 + (to[1] - x[1][j]) ** 2,
          before = (x[0][i] - x[0][j]) ** 2 + (x[1][i] - x[1][j]) ** 2;
        sum += Math.exp(scale * after) - Math.exp(scale * before);
      }
      return (kernel.variance || 1) * sum;
    }
    for (const side of [0, 1]) {
      const mine = members[side],
        g = mine.length && density_of(members[1 - side].map(place_of), settings, starts[side]);
      if (!g) continue;
      const old = mine.map(place_of),
        proposed = mine.map((i, k) => {
          const to = drawn(g, picks[i], normals.map(each => each[i]), uniforms.map(each => each[i]));
          return [...to, ...old[k]].every(Number.isFinite) && inside(to) ? to : null;
        }),
        reached = proposed.map((to, k) => to || old[k]),
        [before, after] = [old, reached].map(places => PG.potential(settings, lambda1, embedding, rows(places)));
      mine.forEach((i, k) => {
        const to = proposed[k];
        if (!to) return;
        const ratio = log_density(g, old[k]) - log_density(g, to) - Math.log(decides[i]),
          margin = (before[k] - after[k]) / kl_weight + ratio;
        if (!(margin > -Infinity && margin > (lambda1 > 0 ? factor * change(i, to) : 0))) return;
        to.forEach((t, d) => (x[d][i] = t));
        accepted++;
      });
    }
    return { proposed: n, accepted };
  };
})();
