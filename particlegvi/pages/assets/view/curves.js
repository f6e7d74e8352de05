// The picture of functions of one input: draws, mean and band, the data and the true function; and the fitted functions
// of a run, which are such pictures alone.
"use strict";
(() => {
  const BAND = 1.959964; // sd on both sides: 95%
  // scene: {grid, range, truth, points, place, chosen}; entry: {draws, mean, sd, exact, colour, signs}. The exact
  // process is dashed where an entry has one beside it.
  function draw(canvas, scene, { draws, mean, sd, exact, colour, signs }) {
    const [g, W, H] = VIEW.prepare(canvas),
      { grid, range, truth, points } = scene,
      [a, b] = [grid[0], grid[grid.length - 1]],
      left = 42,
      base = H - 36,
      ink = VIEW.colour("--ink"),
      shade = VIEW.colour(colour);
    const px = x => left + ((W - left - 8) * (x - a)) / (b - a),
      py = y => base - ((base - 8) * (y - range[0])) / (range[1] - range[0]);
    scene.places.set(canvas, {
      px,
      py,
      x: p => a + ((p - left) * (b - a)) / (W - left - 8),
      y: q => range[0] + ((base - q) * (range[1] - range[0])) / (base - 8),
    });
    const line = (values, width, style, dash = []) => {
      g.setLineDash(dash);
      g.lineWidth = width;
      g.strokeStyle = style;
      g.beginPath();
      values.forEach((v, i) => g.lineTo(px(grid[i]), py(v)));
      g.stroke();
      g.setLineDash([]);
    };
    const band = ({ mean: m, sd: s }, sign) => Array.from(m, (v, i) => v + sign * BAND * s[i]);
    g.save();
    g.beginPath();
    g.rect(left, 8, W - left - 8, base - 8);
    g.clip();
    if (sd && sd.length) {
      g.globalAlpha = 0.16;
      g.fillStyle = shade;
      g.beginPath();
      band({ mean, sd }, 1).forEach((v, i) => g.lineTo(px(grid[i]), py(v)));
      band({ mean, sd }, -1).forEach((_, k, all) =>
        g.lineTo(px(grid[all.length - 1 - k]), py(all[all.length - 1 - k])),
      );
      g.fill();
    }
    g.globalAlpha = Math.max(0.12, Math.min(0.6, 12 / draws.length));
    // where f and -f explain the data as well, functions of the two signs have two colours
    draws.forEach((values, k) => line(values, 1.2, signs ? VIEW.colour(signs[k] ? "--mark" : "--other") : shade));
    g.globalAlpha = 1;
    if (mean && mean.length) line(mean, 2.6, shade);
    if (sd && sd.length) for (const sign of [-1, 1]) line(band({ mean, sd }, sign), 1.2, shade);
    if (exact) for (const values of [exact.mean, band(exact, 1), band(exact, -1)]) line(values, 1.6, ink, [7, 5]);
    if (truth.length) line(truth, 2, ink, [2, 4]);
    if (Number.isFinite(scene.place) && !VIEW.is_embedded) {
      // the input of the table
      g.fillStyle = VIEW.colour("--mark");
      g.fillRect(px(scene.place) - 0.5, 8, 1, base - 8);
    }
    points.forEach(([x, y], k) => {
      g.fillStyle = k === scene.chosen ? VIEW.colour("--mark") : ink;
      g.globalAlpha = points.length > 150 ? 0.4 : 1;
      g.beginPath();
      g.arc(px(x), py(y), k === scene.chosen ? 7 : points.length > 100 ? 2.5 : 4, 0, 6.2832);
      g.fill();
    });
    g.restore();
    g.strokeStyle = VIEW.colour("--soft");
    g.lineWidth = 1;
    g.strokeRect(left, 8, W - left - 8, base - 8);
    g.fillStyle = ink;
    g.textAlign = "center";
    for (const [t, text] of VIEW.fitted_ticks(g, a, b, W - left)) g.fillText(text, px(t), base + 17);
    g.fillText("x", (left + W) / 2, H - 3);
    g.textAlign = "right";
    for (const [t, text] of VIEW.ticks(range[0], range[1], (base - 8) / 40))
      g.fillText(text, left - 5, py(t) + 5, left - 7);
  }
  function scene_of({ grid: [low, high, count], range, truth, data }, reach) {
    const pad = 0.2 * (range[1] - range[0] || 1);
    return {
      grid: Float64Array.from({ length: count }, (_, i) => low + ((high - low) * i) / (count - 1)),
      range: [Math.min(range[0] - pad, -reach), Math.max(range[1] + pad, reach)],
      truth: truth || [],
      points: data,
      place: NaN,
      chosen: -1,
      places: new Map(), // of a canvas, from values to pixels and back
    };
  }
  const panel = (label, note, colour) => {
    const { element } = VIEW,
      canvas = element("canvas", { role: "img", class: "functions", "aria-label": label }),
      caption = VIEW.caption(label, note, colour),
      verdict = element("p", { class: "verdict" });
    return { canvas, caption, verdict, figure: element("figure", {}, caption, canvas, verdict) };
  };

  // What was fitted in a run: mean, band and functions of each method.
  VIEW.fitted = function (root) {
    const { element, data } = VIEW,
      { runs } = data.functions,
      scene = scene_of(data.functions, 0),
      grid = element("div", { class: "panels", tabindex: "0" }),
      columns = Math.ceil(runs.length / Math.ceil(runs.length / 3)),
      shown = runs.map(run => ({
        ...run,
        colour: VIEW.method_colour(run.label),
        ...panel(run.label, run.note, VIEW.method_colour(run.label)),
      }));
    grid.style.setProperty("--columns", columns);
    grid.classList.toggle("two", runs.length > columns);
    grid.append(...shown.map(each => each.figure));
    root.append(grid);
    const all = () => shown.forEach(each => draw(each.canvas, scene, each));
    VIEW.redrawn(all);
    all();
  };
  VIEW.curves = { BAND, draw, scene_of, panel };
})();
