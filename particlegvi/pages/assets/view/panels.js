// The panels of some runs: pictures, a table with the numbers, and the free energy over time.
"use strict";
// A set of panels under one heading; entries are {label, note, truth, floor, verdict(), particles(), colour}, and
// numbers() and count where not all particles are drawn.
VIEW.panels = function () {
  const { element, say, number } = VIEW,
    grid = element("div", { class: "panels", tabindex: "0" }),
    body = element("tbody");
  const heads = ["method", "mean", "sd", "w1", "exact_draws", "verdict"],
    head = key => say(key === "w1" && dim === 2 ? "sliced_w1" : key);
  const columns = heads.map(() => element("th", { scope: "col" })),
    table = element("table", {}, element("thead", {}, element("tr", {}, ...columns)), body);
  const energy = element("canvas", { class: "energy", role: "img" }),
    energy_words = element("small"),
    energy_box = element("figure", {}, element("figcaption", {}, say("energy_title"), energy_words), energy);
  let entries = [],
    scene = null,
    dim = 1;

  function build(given, the_scene, the_dim) {
    entries = given;
    scene = the_scene;
    dim = the_dim;
    grid.replaceChildren();
    body.replaceChildren();
    const rows = Math.ceil(entries.length / 4);
    grid.style.setProperty("--columns", Math.ceil(entries.length / rows));
    grid.classList.toggle("two", rows > 1);
    columns.forEach((column, k) => {
      column.textContent = head(heads[k]);
    });
    entries.forEach(entry => {
      entry.canvas = element("canvas", { role: "img", class: dim === 2 ? "plane" : "line" });
      grid.append(element("figure", {}, VIEW.caption(entry.label, entry.note, entry.colour), entry.canvas));
      entry.row = element(
        "tr",
        {},
        element("th", { scope: "row" }, entry.label),
        ...heads.slice(1).map(key => element("td", { "data-head": head(key) })),
      );
      body.append(entry.row);
      entry.history = entry.history || [];
    });
  }
  const per_coordinate = list => (dim === 1 ? list[0] : list.join("; "));
  function numbers(entry) {
    // mean and sd of each coordinate, and W1; given for all particles where some of them alone are drawn
    if (entry.numbers) return entry.numbers();
    const x = entry.particles(),
      mean = x.map(row => row.reduce((sum, t) => sum + t, 0) / row.length);
    const sd = x.map((row, d) => Math.sqrt(row.reduce((sum, t) => sum + (t - mean[d]) ** 2, 0) / row.length));
    return { mean, sd, w1: entry.truth && mean.every(Number.isFinite) ? PG.distance(x, entry.truth) : null };
  }
  function draw() {
    for (const entry of entries) {
      const x = entry.particles(),
        colour = VIEW.colour(entry.colour);
      if (dim === 1) VIEW.draw_line(entry.canvas, scene, x[0], entry.truth, colour);
      else VIEW.draw_plane(entry.canvas, scene, x, entry.truth, colour);
    }
  }
  function tell() {
    // the table, and what the pictures say in words
    for (const entry of entries) {
      const facts = numbers(entry),
        cells = entry.row.children,
        x = entry.particles();
      const write = (k, text) => {
        cells[k].textContent = text;
      };
      write(1, per_coordinate(facts.mean.map(t => number(t))));
      write(2, per_coordinate(facts.sd.map(t => number(t))));
      write(3, facts.w1 ? number(facts.w1[0]) : "–");
      write(4, entry.floor ? `${number(entry.floor[0][0])} ${say("to")} ${number(entry.floor[0][1])}` : "–");
      const verdict = entry.verdict(facts);
      write(5, verdict);
      const left = x[0].filter(t => t < 0).length / x[0].length;
      entry.canvas.setAttribute(
        "aria-label",
        say("picture", {
          label: entry.label,
          count: entry.count || x[0].length,
          mean: per_coordinate(facts.mean.map(t => number(t, 2))),
          sd: per_coordinate(facts.sd.map(t => number(t, 2))),
          left: Math.round(100 * left),
          verdict,
        }),
      );
    }
  }
  function draw_energy() {
    const all = entries
      .flatMap(entry => entry.history.map(([, v]) => v).concat(entry.goal == null ? [] : [entry.goal]))
      .filter(Number.isFinite);
    energy_box.hidden = entries.every(entry => entry.history.length < 3);
    if (energy_box.hidden) return;
    const has_goal = entries.some(entry => entry.goal != null),
      is_few = entries.some(
        ({ ensemble }) => ensemble && ensemble.settings.mmd_weight > 0 && ensemble.x[0].length < 100,
      ),
      notes = [say("energy_note"), has_goal && say("energy_note_dashed"), is_few && say("energy_note_few")];
    energy_words.textContent = notes.filter(Boolean).join("; ");
    const [g, W, H] = VIEW.prepare(energy),
      times = entries.flatMap(entry => entry.history.map(([t]) => t)),
      last = Math.max(...times) || 1;
    const sorted = all.slice().sort((p, q) => p - q),
      low = sorted[0],
      high = Math.max(sorted[Math.floor(0.97 * (sorted.length - 1))], low + 1e-6),
      pad = 0.08 * (high - low);
    const px = t => 46 + ((W - 60) * t) / last,
      py = v => H - 26 - ((H - 36) * (v - low + pad)) / (high - low + 2 * pad);
    g.fillStyle = VIEW.colour("--ink");
    g.textAlign = "right";
    for (const [v, text] of VIEW.ticks(low, high, 4)) g.fillText(text, 42, py(v) + 5);
    g.textAlign = "center";
    for (const [t, text] of VIEW.ticks(0, last)) g.fillText(text, px(t), H - 8);
    g.save();
    g.beginPath();
    g.rect(46, 0, W - 56, H - 24);
    g.clip();
    g.lineWidth = 2.5;
    entries.forEach(entry => {
      g.strokeStyle = VIEW.colour(entry.colour);
      if (entry.goal != null) {
        g.setLineDash([8, 5]);
        g.beginPath();
        g.moveTo(46, py(entry.goal));
        g.lineTo(W, py(entry.goal));
        g.stroke();
        g.setLineDash([]);
      }
      g.beginPath();
      for (const [t, v] of entry.history) if (Number.isFinite(v)) g.lineTo(px(t), py(v));
      g.stroke();
    });
    g.restore();
    entries.forEach((entry, k) => {
      const at = entry.history[entry.history.length - 1];
      if (at && Number.isFinite(at[1])) {
        g.fillStyle = VIEW.colour(`${entry.colour}-words`);
        g.strokeStyle = VIEW.colour("--ground");
        g.lineWidth = 5;
        g.textAlign = "right";
        g.strokeText(entry.label, W - 4, 14 + 17 * k);
        g.fillText(entry.label, W - 4, 14 + 17 * k);
      }
    });
    energy.setAttribute(
      "aria-label",
      say("energy_picture", {
        values: entries
          .map(entry => `${entry.label} ${number((entry.history[entry.history.length - 1] || [0, NaN])[1], 2)}`)
          .join(", "),
      }),
    );
  }
  return {
    grid,
    table: element("div", { class: "scroll" }, table),
    energy: energy_box,
    build,
    show_scene: given => {
      scene = given;
    },
    draw,
    tell,
    draw_energy,
    get entries() {
      return entries;
    },
  };
};
