// Where the particles of DE end on the line: the minima of the loss, each with the start's mass of its basin.
"use strict";
(() => {
  function start_cdf(start) {
    if (start.name === "normal")
      return t => {
        const z = (t - start.mean[0]) / (Math.SQRT2 * start.sd[0]);
        return z > 0 ? 1 - 0.5 * PG.erfc(z) : 0.5 * PG.erfc(-z);
      };
    if (start.name === "uniform")
      return t => Math.min(Math.max((t - start.low[0]) / (start.high[0] - start.low[0]), 0), 1);
    const sorted = start.points.map(point => point[0]).sort((a, b) => a - b);
    return t => sorted.filter(point => point <= t).length / sorted.length;
  }
  PG.basins = function (loss, prior, start) {
    // {atoms: [[place, weight], ...], tops: the places between them} or null where the minima are not isolated
    const cdf = start_cdf(start),
      one = new Float64Array(1),
      out = [new Float64Array(1)];
    const slope = t => {
      one[0] = t;
      loss.slopes([one], out);
      return out[0][0];
    };
    const spread =
      start.name === "normal"
        ? [start.mean[0] - 9 * start.sd[0], start.mean[0] + 9 * start.sd[0]]
        : start.name === "uniform"
          ? [start.low[0], start.high[0]]
          : [Math.min(...start.points.map(p => p[0])), Math.max(...start.points.map(p => p[0]))];
    let low = Math.min(spread[0], loss.window[0][0]),
      high = Math.max(spread[1], loss.window[0][1]);
    if (prior.name === "uniform") {
      low = prior.low[0];
      high = prior.high[0];
    }
    const n = 8000,
      x = Float64Array.from({ length: n + 1 }, (_, i) => low + ((high - low) * (i + 0.3819)) / (n + 1)),
      slopes = [new Float64Array(n + 1)];
    loss.slopes([x], slopes);
    const crossing = (a, b) => {
      PG.spend_on(loss, 60);
      const up = slope(a) < slope(b);
      for (let k = 0; k < 60; k++) {
        const c = 0.5 * (a + b);
        if (slope(c) < 0 === up) a = c;
        else b = c;
      }
      return 0.5 * (a + b);
    };
    const minima = [],
      edges = [],
      s = slopes[0];
    if (s.some(v => v === 0 || !Number.isFinite(v))) return null;
    if (prior.name === "uniform" && s[0] > 0) minima.push(low);
    for (let i = 0; i < n; i++) {
      if (s[i] < 0 && s[i + 1] > 0) minima.push(crossing(x[i], x[i + 1]));
      if (s[i] > 0 && s[i + 1] < 0 && (minima.length || prior.name === "uniform")) edges.push(crossing(x[i], x[i + 1]));
    }
    if (prior.name === "uniform" && s[n] < 0) minima.push(high);
    if (!minima.length || (prior.name !== "uniform" && (s[0] > 0 || s[n] < 0))) return null;
    const bounds = [-Infinity, ...edges.slice(0, minima.length - 1), Infinity];
    const atoms = minima
      .map((place, k) => [
        place,
        (bounds[k + 1] === Infinity ? 1 : cdf(bounds[k + 1])) - (bounds[k] === -Infinity ? 0 : cdf(bounds[k])),
        bounds[k + 1],
      ])
      .filter(([, weight]) => weight > 0);
    const tops = atoms.slice(0, -1).map(atom => atom[2]);
    const mean = atoms.reduce((sum, [t, w]) => sum + t * w, 0);
    const variance = atoms.reduce((sum, [t, w]) => sum + w * (t - mean) ** 2, 0);
    return { atoms: atoms.map(([t, w]) => [t, w]), tops, mean, variance };
  };
})();
