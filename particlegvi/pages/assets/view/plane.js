// One panel in the plane: contours of the loss, Q* as the regions with 50% and 90% of its mass, and the particles.
"use strict";
(() => {
  // line segments where a table of values (rows of the second coordinate) crosses a level, by marching squares
  function contour(values, columns, rows, level) {
    const found = [];
    for (let j = 0; j + 1 < rows; j++)
      for (let i = 0; i + 1 < columns; i++) {
        const corners = [
            [i, j],
            [i + 1, j],
            [i + 1, j + 1],
            [i, j + 1],
          ],
          v = corners.map(([p, q]) => values[q * columns + p] - level),
          cut = [];
        for (let k = 0; k < 4; k++) {
          const p = v[k],
            q = v[(k + 1) % 4];
          if (p < 0 !== q < 0 && Number.isFinite(p) && Number.isFinite(q)) {
            const s = p / (p - q),
              [x, y] = corners[k],
              [u, w] = corners[(k + 1) % 4];
            cut.push([x + s * (u - x), y + s * (w - y)]);
          }
        }
        for (let k = 0; k + 1 < cut.length; k += 2) found.push([cut[k], cut[k + 1]]);
      }
    return found;
  }
  // scene: {window: [[low, high], [low, high]], loss: segments in the coordinates of the loss, variables}
  VIEW.plane_scene = function (loss, truths, variables, seen) {
    const known = truths.filter(Boolean);
    let window = loss ? loss.window.map(pair => pair.slice()) : seen;
    if (known.length && loss && loss.formula !== undefined)
      window = [0, 1].map(d => {
        const low = Math.min(...known.map(truth => truth.marginals[d].quantile(0.002))),
          high = Math.max(...known.map(truth => truth.marginals[d].quantile(0.998))),
          pad = 0.15 * (high - low);
        return [low - pad, high + pad];
      });
    const n = 81,
      scene = { window, variables, loss: [] };
    const place =
      (axes, columns, rows) =>
      ([i, j]) => [
        axes[0][0] + ((axes[0][columns - 1] - axes[0][0]) * i) / (columns - 1),
        axes[1][0] + ((axes[1][rows - 1] - axes[1][0]) * j) / (rows - 1),
      ];
    if (loss) {
      const axes = window.map(([low, high]) =>
        Float64Array.from({ length: n }, (_, i) => low + ((high - low) * i) / (n - 1)),
      );
      const x = new Float64Array(n * n),
        y = new Float64Array(n * n),
        v = new Float64Array(n * n);
      for (let k = 0; k < n * n; k++) {
        x[k] = axes[0][k % n];
        y[k] = axes[1][Math.floor(k / n)];
      }
      loss.values([x, y], v);
      const sorted = Array.from(v)
          .filter(Number.isFinite)
          .sort((p, q) => p - q),
        at = place(axes, n, n);
      for (let k = 1; k <= 9; k++) {
        // levels by the share of the window below them: as many lines in the valleys as on the slopes
        const level = sorted[Math.floor((k / 10) ** 1.5 * (sorted.length - 1))];
        scene.loss.push(contour(v, n, n, level).map(segment => segment.map(at)));
      }
    }
    for (const truth of known) {
      const levels = PG.mass_levels(truth.density, [0.5, 0.9]),
        columns = truth.axes[0].length,
        rows = truth.axes[1].length,
        at = place(truth.axes, columns, rows);
      truth.lines = levels.map(level => contour(truth.density, columns, rows, level).map(segment => segment.map(at)));
    }
    return scene;
  };
  VIEW.draw_plane = function (canvas, scene, [x, y], truth, colour) {
    const [g, W, H] = VIEW.prepare(canvas),
      [[a, b], [c, d]] = scene.window,
      ink = VIEW.colour("--ink"),
      soft = VIEW.colour("--soft"),
      // one length along both axes, so that distances can be read
      length = Math.min((W - 42) / (b - a), (H - 46) / (d - c)),
      [wide, high] = [length * (b - a), length * (d - c)],
      left = 34 + (W - 42 - wide) / 2,
      base = H - 38 - (H - 46 - high) / 2;
    const px = t => left + length * (t - a),
      py = t => base - length * (t - c);
    const lines = segments => {
      g.beginPath();
      for (const [[p, q], [u, v]] of segments) {
        g.moveTo(px(p), py(q));
        g.lineTo(px(u), py(v));
      }
      g.stroke();
    };
    g.save();
    g.beginPath();
    g.rect(left, base - high, wide, high);
    g.clip();
    g.strokeStyle = VIEW.colour("--line");
    g.lineWidth = 1.2;
    scene.loss.forEach(lines);
    g.fillStyle = colour;
    g.globalAlpha = Math.max(0.25, Math.min(0.85, 120 / x.length));
    for (let i = 0; i < x.length; i++) {
      g.beginPath();
      g.arc(px(x[i]), py(y[i]), x.length < 20 ? 6 : 3.5, 0, 6.2832);
      g.fill();
    }
    g.globalAlpha = 1;
    g.strokeStyle = ink;
    g.lineWidth = 2;
    if (truth)
      truth.lines.forEach((segments, k) => {
        g.lineWidth = k ? 1.6 : 2.4;
        lines(segments);
      });
    g.restore();
    g.strokeStyle = soft;
    g.lineWidth = 1;
    g.strokeRect(left, base - high, wide, high);
    g.fillStyle = ink;
    g.textAlign = "center";
    for (const [t, text] of VIEW.fitted_ticks(g, a, b, wide)) g.fillText(text, px(t), base + 17);
    g.fillStyle = soft;
    g.fillText(scene.variables[0], left + wide / 2, base + 34);
    g.fillStyle = ink;
    g.textAlign = "right";
    for (const [t, text] of VIEW.ticks(c, d)) g.fillText(text, left - 5, py(t) + 5, left - 7);
    g.fillStyle = soft;
    g.textAlign = "left";
    g.fillText(scene.variables[1], left + 6, base - high + 16);
  };
})();
