// The panels of some runs: pictures, and a table with the numbers.
"use strict";
// A set of panels under one heading; entries are {label, note, truth, floor, verdict(), particles(), colour}, and in a
// replay numbers() and count, since not all particles may be drawn.
VIEW.panels = function () {
  const { element, say, number } = VIEW,
    grid = element("div", { class: "panels", tabindex: "0" }),
    body = element("tbody");
  const heads = ["method", "mean", "sd", "w1", "exact_draws", "covered"],
    head = key => say(key === "w1" && dim === 2 ? "sliced_w1" : key);
  const columns = heads.map(() => element("th", { scope: "col" })),
    table = element("table", {}, element("thead", {}, element("tr", {}, ...columns)), body);
  let entries = [],
    scene = null,
    dim = 1;

  function build(given, the_scene, the_dim) {
    entries = given;
    scene = the_scene;
    dim = the_dim;
    grid.replaceChildren();
    body.replaceChildren();
    columns[5].hidden = entries.some(entry => entry.count); // a replay does not draw all particles
    const rows = Math.ceil(entries.length / 4);
    grid.style.setProperty("--columns", Math.ceil(entries.length / rows));
    grid.classList.toggle("two", rows > 1);
    columns.forEach((column, k) => {
      column.textContent = head(heads[k]);
    });
    entries.forEach(entry => {
      entry.canvas = element("canvas", { role: "img", class: dim === 2 ? "plane" : "line" });
      entry.words = element("p", { class: "verdict" });
      const caption = VIEW.caption(entry.label, entry.note, entry.colour);
      grid.append(element("figure", {}, caption, entry.canvas, entry.words));
      entry.row = element(
        "tr",
        {},
        element("th", { scope: "row" }, entry.label),
        ...heads.slice(1).map(key => element("td", { "data-head": head(key) })),
      );
      entry.row.children[5].hidden = columns[5].hidden;
      body.append(entry.row);
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
  // "8 / 8" modes with particles; of two and three modes also their shares. The picture has them too. Where the truth
  // has one mode, or is not known (DRE), the modes are those of another method's truth, or the wells of the loss.
  function in_modes(x, entry) {
    const truths = [entry, ...entries].map(each => each.truth),
      counts = [...truths, scene.wells].filter(Boolean).map(truth => PG.in_modes(x, truth)).find(Boolean);
    entry.inside = "";
    if (!counts) return "–";
    const percent = counts.map(count => Math.round((100 * count) / x[0].length));
    percent[0] += 100 - percent.reduce((sum, share) => sum + share, 0);
    const shares = counts.length <= 3 ? percent.map(share => `${share}%`).join(", ") : "",
      covered = `${counts.filter(Boolean).length}\u202f/\u202f${counts.length}`;
    entry.inside = shares ? say("in_wells", { shares }) : `${covered} ${say("covered")}`;
    return shares ? `${covered}: ${shares}` : covered;
  }
  function draw() {
    for (const entry of entries) {
      const x = entry.particles(),
        colour = VIEW.colour(entry.colour);
      if (dim === 1) VIEW.draw_line(entry.canvas, scene, x[0], entry, colour);
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
      write(5, facts.mean.every(Number.isFinite) && !entry.count ? in_modes(x, entry) : "–");
      const verdict = entry.verdict(facts);
      entry.words.textContent = verdict;
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
  return {
    grid,
    table: element("div", { class: "scroll" }, table),
    build,
    show_scene: given => {
      scene = given;
    },
    draw,
    tell,
    get entries() {
      return entries;
    },
  };
};
