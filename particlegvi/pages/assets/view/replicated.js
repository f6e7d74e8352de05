// Counts of modes over replicates: a button, and a bar chart of each method. `now` gives {problem, settings, entries}.
"use strict";
VIEW.replicates = function (now, own, types) {
  const { element, say, number, data } = VIEW,
    COUNT = 500,
    grid = element("div", { class: "panels", tabindex: "0" }),
    told = element("p", { class: "soft", role: "status" }),
    box = element("section", { hidden: true }, element("h2", {}, say("replicates_title")), told, grid);
  let shown = [],
    modes = null,
    stop = null,
    waiting = null;
  // the modes that the scenario names, or the minima of the loss
  function find_modes({ problem, settings }) {
    const found = PG.limited(() => PG.rests(problem), PG.QUICK_WORK);
    if (settings.loss === "own" && data.modes) {
      const near = place =>
        data.modes.reduce((best, mode, k) => {
          const gap = at => place.reduce((sum, t, d) => sum + (t - data.modes[at][d]) ** 2, 0);
          return gap(k) < gap(best) ? k : best;
        }, 0);
      const shares = data.modes.map((_, k) =>
        (found || []).reduce((sum, [place, share]) => sum + (near(place) === k ? share : 0), 0),
      );
      return { places: data.modes, shares: found && shares };
    }
    return found && { places: found.map(([place]) => place), shares: found.map(([, share]) => share) };
  }
  function begin() {
    end();
    const given = now();
    try {
      modes = find_modes(given);
    } catch (mistake) {
      if (!(mistake instanceof PG.TooMuch)) throw mistake;
      modes = null;
    }
    box.hidden = false;
    grid.replaceChildren();
    if (!modes || modes.places.length < 2) {
      told.textContent = say("replicates_none");
      return;
    }
    shown = given.entries.map(({ label, colour, ensemble }) => {
      const canvas = element("canvas", { class: "energy", role: "img" }),
        caption = VIEW.caption(label, "", colour),
        note = caption.lastChild;
      grid.append(element("figure", {}, caption, canvas));
      // independent particles, without noise or repulsion, fall into the basins by chance
      const { kl_weight, mmd_weight, particles } = ensemble.settings,
        is_free = !(kl_weight > 0) && !(mmd_weight > 0) && modes.shares && given.problem.start.name !== "points",
        due = is_free ? PG.expected_covered(modes.shares, particles) : null;
      return { label, colour, canvas, note, due, values: [] };
    });
    grid.style.setProperty("--columns", Math.min(shown.length, 4));
    const question = { settings: given.settings, own, types, modes: modes.places };
    const hear = ({ label, covered }) => {
      shown.find(each => each.label === label).values.push(covered);
      waiting = waiting || setTimeout(draw, 100);
    };
    draw();
    stop = VIEW.ask("replicates", { ...question, count: COUNT }, hear, () => draw(true));
    if (!stop) PG.answers.replicates({ ...question, count: 10 }, hear);
  }
  function end() {
    if (stop) stop();
    clearTimeout(waiting);
    stop = waiting = null;
    box.hidden = true;
  }
  function draw() {
    waiting = null;
    if (box.hidden || !modes) return;
    const done = Math.min(...shown.map(({ values }) => values.length));
    told.textContent = say("replicates_done", { done, modes: modes.places.length });
    for (const { canvas, colour, note, due, values, label } of shown) {
      const [g, W, H] = VIEW.prepare(canvas),
        most = modes.places.length,
        counts = Array.from({ length: most + 1 }, (_, k) => values.filter(v => v === k).length / (values.length || 1)),
        tallest = 1.1 * Math.max(...counts, 0.1),
        [left, base] = [40, H - 22],
        px = k => left + ((W - left - 6) * (k - 0.5)) / most,
        py = share => base - ((base - 8) * share) / tallest,
        [mean, low, high] = values.length > 1 ? PG.mean_interval(values) : [NaN, NaN, NaN];
      g.fillStyle = VIEW.colour(colour);
      g.globalAlpha = 0.6;
      for (let k = 1; k <= most; k++)
        g.fillRect(px(k - 0.4), py(counts[k]), px(k + 0.4) - px(k - 0.4), base - py(counts[k]));
      g.globalAlpha = 1;
      g.fillStyle = VIEW.colour("--ink");
      g.fillRect(left, base, W - left, 1);
      g.textAlign = "center";
      for (const [k, text] of VIEW.fitted_ticks(g, 1, most, W - left))
        if (Number.isInteger(k)) g.fillText(text, px(k), H - 6);
      g.textAlign = "right";
      for (const [share, text] of VIEW.ticks(0, tallest, 4)) g.fillText(text, left - 5, py(share) + 5);
      if (due !== null) {
        g.strokeStyle = VIEW.colour("--ink");
        g.lineWidth = 2.5;
        g.setLineDash([6, 4]);
        g.beginPath();
        g.moveTo(px(due), base);
        g.lineTo(px(due), 8);
        g.stroke();
        g.setLineDash([]);
      }
      const found = { mean: number(mean, 2), low: number(low, 2), high: number(high, 2) };
      note.textContent = [say("replicates_mean", found), due !== null && say("replicates_due", { due: number(due, 2) })]
        .filter(Boolean)
        .join("; ");
      canvas.setAttribute("aria-label", `${label}: ${note.textContent}`);
    }
  }
  return { button: VIEW.button("replicate", begin), box, end, draw };
};
