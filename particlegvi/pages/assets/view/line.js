// One panel on the line: the loss with the particles on it, and below it their histogram with Q* over it.
"use strict";
// scene: {window, loss: [[t, value], ...], floor, top (of the loss), tallest, heaviest (density and share), own}. With
// `own` each panel has its own height, which is needed where one truth would flatten the others.
VIEW.draw_line = function (canvas, scene, x, { truth, is_share, inside }, colour) {
  const [g, W, H] = VIEW.prepare(canvas),
    [a, b] = scene.window,
    left = 46,
    right = W - 10,
    has_loss = scene.loss.length || scene.band.length,
    middle = has_loss ? H * 0.42 : 4,
    base = H - (H < 210 ? 32 : 38),
    ink = VIEW.colour("--ink"),
    soft = VIEW.colour("--soft");
  const px = t => left + ((right - left) * (t - a)) / (b - a),
    py = v => middle - 8 - ((middle - 22) * (v - scene.floor)) / (scene.top - scene.floor || 1);
  const label = (text, x, y, align = "left") => {
    // readable on top of a curve, and narrower where a phone has no room for it
    g.textAlign = align;
    g.lineWidth = 5;
    g.lineJoin = "round";
    g.strokeStyle = VIEW.colour("--ground");
    g.strokeText(text, x, y, W - x);
    g.fillStyle = soft;
    g.fillText(text, x, y, W - x);
  };
  const clip = (from, to) => {
    g.save();
    g.beginPath();
    g.rect(left, from, right - left, to - from);
    g.clip();
  };
  // numbers at a vertical axis; the highest would touch the label above the axis
  const axis = (low, high, place, from, to) => {
    g.fillStyle = soft;
    g.textAlign = "right";
    for (const [v, text] of VIEW.ticks(low, high, (to - from) / 32))
      if (place(v) > from + 16) {
        g.fillText(text, left - 6, place(v) + 5, left - 8);
        g.fillRect(left - 4, place(v), 4, 1);
      }
    g.fillRect(left, from, 1, to - from);
  };
  if (has_loss) {
    axis(scene.floor, scene.top, py, 4, middle - 4);
    clip(0, middle);
    g.strokeStyle = soft;
    g.fillStyle = VIEW.colour("--line");
    g.lineWidth = 2;
    g.beginPath();
    for (const [t, v] of scene.loss) g.lineTo(px(t), Math.max(py(v), -50));
    g.stroke();
    for (const [t, low, high] of scene.band)
      g.fillRect(px(t) - 0.5, py(high), (right - left) / 300 + 1, py(low) - py(high));
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
    label(VIEW.say(scene.band.length ? "loss_range" : "loss"), left + 5, 15);
  }
  const atoms = (truth && truth.atoms) || [],
    places = atoms.map(([t]) => t),
    { bins, from, width } = VIEW.bins(a, b, places),
    counts = new Float64Array(bins);
  let outside = 0;
  for (const t of x) {
    const k = Math.floor((t - from) / width);
    if (k >= 0 && k < bins && t >= a && t <= b) counts[k]++;
    else outside++;
  }
  const unit = is_share ? x.length : x.length * width,
    most = Math.max(...counts) / unit;
  const tallest = is_share
      ? Math.min(1.05, Math.max(1.2 * most, 1.5 * scene.heaviest))
      : Math.max((scene.own && truth && truth.peak ? 1.35 * truth.peak : scene.tallest) || 1, 1.2 * most),
    hy = d => base - (base - middle - 16) * Math.min(d / tallest, 1.04);
  axis(0, tallest, hy, middle + 2, base);
  clip(middle, base + 1);
  g.fillStyle = colour;
  g.globalAlpha = 0.55;
  for (let k = 0; k < bins; k++)
    if (counts[k])
      g.fillRect(px(from + k * width), hy(counts[k] / unit), px(width) - px(0) - 1, base - hy(counts[k] / unit));
  g.restore();
  g.globalAlpha = 1;
  g.strokeStyle = ink;
  g.lineWidth = 2.5;
  for (const [t, w] of atoms) {
    // a dashed stem and a ring for each atom
    if (atoms.length > 60) {
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
  if (truth && !truth.atoms) {
    clip(middle, base + 1);
    g.setLineDash([8, 5]);
    g.beginPath();
    for (const [t, density] of truth.curve) g.lineTo(px(t), hy(density));
    g.stroke();
    g.restore();
    g.setLineDash([]);
  }
  g.lineWidth = 1;
  g.strokeStyle = ink;
  g.beginPath();
  g.moveTo(left, base + 0.5);
  g.lineTo(right, base + 0.5);
  g.stroke();
  g.fillStyle = ink;
  g.textAlign = "center";
  for (const [t, text] of VIEW.fitted_ticks(g, a, b, right - left)) {
    g.fillText(text, px(t), base + 17);
    g.fillRect(px(t), base, 1, 4);
  }
  g.fillStyle = soft;
  const words = [scene.variable, inside].filter(Boolean);
  if (outside) words.push(VIEW.say("outside", { count: outside }));
  const long = () => g.measureText(words.join(", ")).width;
  while (words.length > 1 && long() > W) words.pop();
  g.fillText(words.join(", "), long() > right - left ? W / 2 : (left + right) / 2, H - 3);
  label(VIEW.say(is_share ? "share" : scene.own ? "density_own" : "density"), left + 5, middle + 12);
};
// Equal bins over a window, {bins, from, width}. Places where all particles gather, if there are any, lie as far
// from the edges of the bins as they can, so that rounding does not split one of them.
VIEW.bins = function (a, b, places) {
  const bins = 48,
    width = (b - a) / bins;
  let best = { bins, from: a, width, gap: -1 };
  if (places.length && places.length <= 60)
    for (let k = 0; k < 16; k++) {
      const from = a - (k * width) / 16,
        gap = Math.min(...places.map(t => Math.abs((((t - from) / width + 0.5) % 1) - 0.5)));
      if (gap > best.gap) best = { bins: bins + 1, from, width, gap };
    }
  return best;
};
// The scene of several runs on the line: one window and one height for all panels.
VIEW.line_scene = function (loss, truths, variable, seen, prior = {}) {
  // of a loss with more wells than pixels: its lowest and highest value between neighbouring places
  function bands({ values }, x) {
    const many = 200;
    return Array.from(x.subarray(1), (t, i) => {
      const some = Float64Array.from({ length: many }, (_, k) => x[i] + ((t - x[i]) * k) / many),
        v = new Float64Array(many);
      values([some], v);
      return [x[i], Math.min(...v), Math.max(...v)];
    }).filter(([, low, high]) => Number.isFinite(low) && Number.isFinite(high));
  }
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
  if (prior.name === "uniform") {
    const pad = 0.03 * (prior.high[0] - prior.low[0]);
    low = Math.max(low, prior.low[0] - pad);
    high = Math.min(high, prior.high[0] + pad);
  }
  const scene = { window: [low, high], variable, loss: [], band: [], floor: 0, top: 1, tallest: 0, values: () => {} };
  if (loss) {
    const n = 301,
      x = Float64Array.from({ length: n }, (_, i) => low + ((high - low) * i) / (n - 1)),
      v = new Float64Array(n);
    loss.values([x], v);
    const finite = Array.from(v)
        .filter(Number.isFinite)
        .sort((p, q) => p - q),
      at = share => finite[Math.floor(share * (finite.length - 1))];
    scene.floor = at(0);
    const top = Math.min(at(1), at(0) + 1.7 * (at(0.7) - at(0)));
    scene.top = top > scene.floor ? top : scene.floor + 1;
    let turns = 0;
    for (let i = 2; i < n; i++) if ((v[i] - v[i - 1]) * (v[i - 1] - v[i - 2]) < 0) turns++;
    if (turns >= n / 4) {
      scene.band = bands(loss, x);
      scene.floor = Math.min(...scene.band.map(([, lowest]) => lowest));
      scene.top = Math.max(...scene.band.map(([, , highest]) => highest));
    } else scene.loss = Array.from(x, (t, i) => [t, v[i]]).filter(([, value]) => Number.isFinite(value));
    scene.values = (points, out) => loss.values([points], out);
  }
  // of more modes than pixels the mean over a few pixels is drawn, as the bars are
  const half = (high - low) / 300,
    mean_at = (truth, t) => (truth.cdf(t + half) - truth.cdf(t - half)) / (2 * half);
  const places = Array.from({ length: 1501 }, (_, i) => low + ((high - low) * i) / 1500), // equal peaks look equal
    densities = known.filter(truth => !truth.atoms);
  for (const truth of densities)
    truth.curve = places.map(t => [t, scene.band.length ? mean_at(truth, t) : PG.density_at(truth, t)]);
  const peaks = densities.map(truth => (truth.peak = Math.max(...truth.curve.map(([, density]) => density))));
  scene.heaviest = Math.max(0, ...known.flatMap(truth => (truth.atoms || []).map(([, w]) => w)));
  if (peaks.length) scene.tallest = 1.35 * Math.max(...peaks);
  scene.own = Math.max(...peaks) > 3 * Math.min(...peaks);
  return scene;
};
