// One panel on the line: the loss with the particles on it, and below it their histogram with Q* over it.
"use strict";
// scene: {window, loss: [[t, value], ...], floor, top (of the loss), tallest (of the histogram), own}. With `own` each
// panel has its own height, which is needed where one truth would flatten the others. The truth may be null.
VIEW.draw_line = function (canvas, scene, x, truth, colour) {
  const [g, W, H] = VIEW.prepare(canvas),
    [a, b] = scene.window,
    middle = H * 0.42,
    base = H - 38,
    ink = VIEW.colour("--ink"),
    soft = VIEW.colour("--soft");
  const px = t => 10 + ((W - 20) * (t - a)) / (b - a),
    py = v => middle - 8 - ((middle - 22) * (v - scene.floor)) / (scene.top - scene.floor || 1);
  const label = (text, x, y, align = "left") => {
    // readable on top of a curve
    g.textAlign = align;
    g.lineWidth = 5;
    g.lineJoin = "round";
    g.strokeStyle = VIEW.colour("--ground");
    g.strokeText(text, x, y);
    g.fillStyle = soft;
    g.fillText(text, x, y);
  };
  const clip = (from, to) => {
    g.save();
    g.beginPath();
    g.rect(0, from, W, to - from);
    g.clip();
  };
  if (scene.loss.length) {
    clip(0, middle);
    g.strokeStyle = soft;
    g.lineWidth = 2;
    g.beginPath();
    for (const [t, v] of scene.loss) g.lineTo(px(t), Math.max(py(v), -50));
    g.stroke();
    const values = new Float64Array(x.length);
    scene.values(x, values);
    g.fillStyle = colour;
    g.globalAlpha = Math.max(0.1, Math.min(0.85, 90 / x.length));
    for (let i = 0; i < Math.min(x.length, 2000); i++) {
      // more dots than that show nothing more
      g.beginPath();
      g.arc(px(x[i]), Math.max(py(values[i]), 5) - 4, x.length < 20 ? 6 : 4, 0, 6.2832);
      g.fill();
    }
    g.restore();
    g.globalAlpha = 1;
    label(VIEW.say("loss"), 4, 16);
  }
  const bins = 48,
    counts = new Float64Array(bins),
    width = (b - a) / bins,
    is_share = truth && truth.atoms;
  let outside = 0;
  for (const t of x) {
    const k = Math.floor((t - a) / width);
    if (k >= 0 && k < bins) counts[k]++;
    else outside++;
  }
  const unit = is_share ? x.length : x.length * width,
    most = Math.max(...counts) / unit;
  const tallest = is_share
      ? Math.min(1.05, Math.max(1.2 * most, 1.5 * Math.max(...truth.atoms.map(([, w]) => w))))
      : (scene.own && truth && truth.peak ? 1.35 * truth.peak : scene.tallest) || 1.3 * most || 1,
    hy = d => base - (base - middle - 16) * Math.min(d / tallest, 1.04);
  g.fillStyle = colour;
  g.globalAlpha = 0.55;
  for (let k = 0; k < bins; k++)
    if (counts[k])
      g.fillRect(px(a + k * width), hy(counts[k] / unit), (W - 20) / bins - 1, base - hy(counts[k] / unit));
  g.globalAlpha = 1;
  g.strokeStyle = ink;
  g.lineWidth = 2.5;
  if (truth && truth.atoms)
    for (const [t, w] of truth.atoms) {
      // a dashed stem and a ring for each atom
      if (truth.atoms.length > 60) {
        g.fillStyle = ink;
        g.fillRect(px(t), hy(w), 1, 2);
        continue;
      }
      g.setLineDash([6, 4]);
      g.beginPath();
      g.moveTo(px(t), base);
      g.lineTo(px(t), hy(w));
      g.stroke();
      g.setLineDash([]);
      g.beginPath();
      g.arc(px(t), hy(w), 6, 0, 6.2832);
      g.stroke();
    }
  else if (truth) {
    clip(middle, base + 1);
    g.setLineDash([8, 5]);
    g.beginPath();
    for (let i = 0; i <= 300; i++) {
      const t = a + ((b - a) * i) / 300;
      g.lineTo(px(t), hy(truth.pdf(t)));
    }
    g.stroke();
    g.restore();
    g.setLineDash([]);
  }
  g.lineWidth = 1;
  g.beginPath();
  g.moveTo(6, base);
  g.lineTo(W - 6, base);
  g.stroke();
  g.fillStyle = ink;
  g.textAlign = "center";
  for (const [t, text] of VIEW.ticks(a, b)) {
    g.fillText(text, px(t), base + 17);
    g.fillRect(px(t), base, 1, 4);
  }
  g.fillStyle = soft;
  g.fillText(scene.variable, W / 2, base + 34);
  label(VIEW.say(is_share ? "share" : scene.own ? "density_own" : "density"), 4, middle + 12);
  if (outside) label(VIEW.say("outside", { count: outside }), W - 4, middle + 12, "right");
};
// The scene of several runs on the line: one window and one height for all panels.
VIEW.line_scene = function (loss, truths, variable, seen) {
  let [low, high] = loss && seen[1] - seen[0] < 4 * (loss.window[0][1] - loss.window[0][0]) ? loss.window[0] : seen;
  const known = truths.filter(Boolean),
    ends = known.flatMap(truth =>
      truth.atoms ? truth.atoms.map(([t]) => t) : [truth.quantile(0.0005), truth.quantile(0.9995)],
    );
  if (ends.length && loss && loss.formula !== undefined) {
    low = Math.min(...ends);
    high = Math.max(...ends);
    const pad = 0.22 * (high - low) || 1;
    low -= pad;
    high += pad;
  } else if (ends.length) {
    low = Math.min(low, ...ends);
    high = Math.max(high, ...ends);
  }
  const scene = { window: [low, high], variable, loss: [], floor: 0, top: 1, tallest: 0, values: () => {} };
  if (loss) {
    const n = 301,
      x = Float64Array.from({ length: n }, (_, i) => low + ((high - low) * i) / (n - 1)),
      v = new Float64Array(n);
    loss.values([x], v, PG.plain);
    const finite = Array.from(v)
        .filter(Number.isFinite)
        .sort((p, q) => p - q),
      at = share => finite[Math.floor(share * (finite.length - 1))];
    let turns = 0;
    for (let i = 2; i < n; i++) if ((v[i] - v[i - 1]) * (v[i - 1] - v[i - 2]) < 0) turns++;
    if (turns < n / 4) scene.loss = Array.from(x, (t, i) => [t, v[i]]).filter(([, value]) => Number.isFinite(value));
    scene.floor = at(0);
    scene.top = Math.min(at(1), at(0) + 1.7 * (at(0.7) - at(0))) || at(0) + 1;
    scene.values = (points, out) => loss.values([points], out, PG.plain);
  }
  for (const truth of known)
    if (!truth.atoms) {
      const h = truth.x[1] - truth.x[0];
      truth.pdf = t => {
        const i = Math.floor((t - truth.x[0]) / h);
        return t < truth.low || t >= truth.high
          ? 0
          : truth.q[i] + (truth.q[i + 1] - truth.q[i]) * ((t - truth.x[i]) / h);
      };
    }
  const peaks = known
    .filter(truth => !truth.atoms)
    .map(
      truth =>
        (truth.peak = Math.max(...Array.from({ length: 301 }, (_, i) => truth.pdf(low + ((high - low) * i) / 300)))),
    );
  if (peaks.length) scene.tallest = 1.35 * Math.max(...peaks);
  scene.own = Math.max(...peaks) > 3 * Math.min(...peaks);
  return scene;
};
