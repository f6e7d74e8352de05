// Replicates: the same settings with other seeds, and how many modes the particles of each cover at the end, as
// `replicates` of a scenario: replicate r has the seed plus r, and a particle belongs to the nearest mode.
"use strict";
(() => {
  const ALL = 1n << 64n;
  PG.covered = function (x, modes) {
    const seen = new Set();
    for (let i = 0; i < x[0].length; i++) {
      let best = 0,
        least = Infinity;
      modes.forEach((mode, k) => {
        const gap = mode.reduce((sum, t, d) => sum + (x[d][i] - t) ** 2, 0);
        if (gap < least) [best, least] = [k, gap];
      });
      seen.add(best);
    }
    return seen.size;
  };
  // The minima of the loss where DE's particles come to rest, [[place, share], ...], or null.
  PG.rests = function (problem) {
    const { loss, prior, start } = problem,
      found =
        loss.dim === 1 ? PG.basins(loss, prior, start) : PG.ends({ loss, prior, start, kl_weight: 0, mmd_weight: 0 });
    if (!found) return null;
    return loss.dim === 1 ? found.atoms.map(([t, share]) => [[t], share]) : found;
  };
  // Of so many independent particles, the mean number of places that at least one falls into.
  PG.expected_covered = (shares, count) => shares.reduce((sum, share) => sum + 1 - (1 - share) ** count, 0);
  PG.mean_interval = function (values) {
    const n = values.length,
      mean = values.reduce((sum, v) => sum + v, 0) / n,
      error = Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (n - 1) / n);
    return [mean, mean - 1.959964 * error, mean + 1.959964 * error];
  };
  // tells {label, covered} after each end of a replicate
  PG.answers.replicates = ({ settings, own, types, modes, count }, tell) => {
    const first = PG.problem(settings, own, types);
    for (let r = 0; r < count; r++) {
      const seed = String((BigInt(first.seed) + BigInt(r)) % ALL),
        problem = PG.problem({ ...settings, seed }, own, types),
        noise = PG.noise(seed, problem.particles, problem.loss.dim, problem.math);
      for (const label of problem.methods) {
        const ensemble = PG.ensemble(PG.method(problem, label, noise));
        if (ensemble.advance(problem.steps)) tell({ label, covered: PG.covered(ensemble.x, modes) });
      }
    }
  };
})();
