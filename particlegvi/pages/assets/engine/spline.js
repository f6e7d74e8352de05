// A drawn loss, as particlegvi/losses/spline.py: a cubic spline through equally spaced heights, clamped to end slopes
// that point up and out, and a parabola beyond, so that what lies outside the drawing keeps the particles inside.
"use strict";
PG.losses.spline = function ({ low = -3, high = 3, heights }) {
  const EDGE = 8,
    WALL = 20,
    n = heights.length,
    h = (high - low) / (n - 1);
  const diagonal = new Float64Array(n),
    m = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    // Thomas's algorithm for the second derivatives
    const left = i === 0 ? -EDGE : (heights[i] - heights[i - 1]) / h,
      right = i === n - 1 ? EDGE : (heights[i + 1] - heights[i]) / h;
    const is_end = i === 0 || i === n - 1,
      factor = i === 0 ? 0 : 1 / diagonal[i - 1];
    diagonal[i] = (is_end ? 2 : 4) - factor;
    m[i] = (6 * (right - left)) / h - (i === 0 ? 0 : factor * m[i - 1]);
  }
  m[n - 1] = m[n - 1] / diagonal[n - 1];
  for (let i = n - 2; i >= 0; i--) m[i] = (m[i] - m[i + 1]) / diagonal[i];
  const place = x => {
    const t = x > low ? x : low;
    return t < high ? t : high;
  };
  return {
    dim: 1,
    window: [[low, high]],
    heights,
    low,
    high,
    values([x], out) {
      for (let k = 0; k < x.length; k++) {
        const t = place(x[k]),
          beyond = x[k] - t,
          at = (t - low) / h,
          i = Math.min(Math.trunc(at), n - 2),
          a = at - i,
          b = 1 - a;
        const inside =
          b * heights[i] + a * heights[i + 1] + (h * h * ((b * b * b - b) * m[i] + (a * a * a - a) * m[i + 1])) / 6;
        out[k] = inside + EDGE * Math.abs(beyond) + WALL * beyond * beyond;
      }
    },
    slopes([x], [out]) {
      for (let k = 0; k < x.length; k++) {
        const t = place(x[k]),
          beyond = x[k] - t,
          at = (t - low) / h,
          i = Math.min(Math.trunc(at), n - 2),
          a = at - i,
          b = 1 - a;
        const inside =
          (heights[i + 1] - heights[i]) / h + (h * ((3 * a * a - 1) * m[i + 1] - (3 * b * b - 1) * m[i])) / 6;
        out[k] = inside + 2 * WALL * beyond;
      }
    },
  };
};
