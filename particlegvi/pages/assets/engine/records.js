// Particles at some moments of the past, to which a verdict looks back: whether averages still drift, which minimum a
// descent goes to, and how many particles have changed their well.
"use strict";
(() => {
  const LEVEL = 1e-3, // probability of a false alarm for particles at equilibrium
    RELEVANT = 0.02, // smallest drift that counts, in standard deviations
    IN_A_QUARTER = 24;

  // Records of an ensemble, evenly in time, at most so many; `all` ends with the present.
  PG.records = function (ensemble, most = 64) {
    const now = () => ({ step: ensemble.step, time: ensemble.time, x: ensemble.x.map(row => row.slice()) });
    let kept = [now()],
      stride = 1;
    function note() {
      if (ensemble.step < kept[kept.length - 1].step + stride) return;
      kept.push(now());
      if (kept.length <= most) return;
      kept = kept.filter((_, k) => k % 2 === 0);
      stride *= 2;
    }
    const all = () => (kept[kept.length - 1].step === ensemble.step ? kept : [...kept, now()]);
    return { note, all };
  };
  PG.earlier = function (records, share = 0.5) {
    // as particlegvi/scenario/kinds/particles/evidence.py
    const end = records[records.length - 1].time,
      at = records.findIndex(each => each.time >= share * end);
    return records[at < records.length - 1 ? at : 0];
  };

  function spread(records) {
    if (records.length <= IN_A_QUARTER) return records;
    const chosen = Array.from({ length: IN_A_QUARTER }, (_, k) =>
      Math.round((k * (records.length - 1)) / (IN_A_QUARTER - 1)),
    );
    return [...new Set(chosen)].map(k => records[k]);
  }
  function centre_of(part) {
    return part[0].x.map((row, d) => {
      let sum = 0;
      for (const each of part) for (const t of each.x[d]) sum += t;
      return sum / (part.length * row.length);
    });
  }
  // The mean of each quantity over some records for each particle, and its standard deviation over all.
  function quantities(part, centre, loss) {
    const n = part[0].x[0].length,
      values = new Float64Array(n),
      number = 1 + 2 * part[0].x.length,
      means = Array.from({ length: number }, () => new Float64Array(n)),
      sums = new Float64Array(number),
      squares = new Float64Array(number);
    const shifts = new Float64Array(number);
    PG.spend_on(loss, n * part.length);
    part.forEach(({ x }, k) => {
      loss.values(x, values);
      const rows = [values, ...x.flatMap((row, d) => [row, row.map(t => (t - centre[d]) ** 2)])];
      rows.forEach((row, q) => {
        if (k === 0) shifts[q] = row[0];
        for (let i = 0; i < n; i++) {
          means[q][i] += row[i] / part.length;
          sums[q] += row[i] - shifts[q];
          squares[q] += (row[i] - shifts[q]) ** 2;
        }
      });
    });
    const count = n * part.length,
      sds = Array.from(squares, (s, q) => Math.sqrt(Math.max(s / count - (sums[q] / count) ** 2, 0)));
    return { means, sds };
  }
  // Whether the loss, a mean or a spread changes from the third to the last quarter of the time, by a paired t-test
  // over particles (particlegvi/diagnostics/equilibrium.py); null where a quarter has no record.
  PG.drifts = function (records, loss) {
    const end = records[records.length - 1].time,
      within = (low, high) => spread(records.filter(({ time }) => time > low * end && time <= high * end)),
      parts = [within(0.5, 0.75), within(0.75, 1)],
      n = records[0].x[0].length;
    if (n < 2 || parts.some(part => !part.length)) return null;
    const centres = parts.map(centre_of),
      centre = centres[0].map((c, d) => 0.5 * (c + centres[1][d])),
      [before, after] = parts.map(part => quantities(part, centre, loss));
    return before.means.some((row, q) => {
      const gap = row.map((v, i) => after.means[q][i] - v),
        change = gap.reduce((sum, v) => sum + v, 0) / n,
        error = Math.sqrt(gap.reduce((sum, v) => sum + (v - change) ** 2, 0) / (n - 1) / n),
        relative = before.sds[q] > 0 ? change / before.sds[q] : 0;
      if (!(Math.abs(relative) > RELEVANT)) return false;
      return error > 0 ? PG.student_tails(change / error, n - 1) < LEVEL / before.means.length : change !== 0;
    });
  };
})();
