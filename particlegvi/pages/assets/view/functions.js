// Pages about functions of one input: the exact process and projected Langevin sampling live, with data that can be
// dragged, added and removed; and the fitted functions of a run.
"use strict";
(() => {
  const GRAB = 16, // pixels
    FADE = 5, // units of time after which a hundredth of the start is left
    BAND = 1.959964;
  // scene: {grid, range, truth, points, place, chosen}; entry: {draws, mean, sd, exact, colour}. The exact process is
  // dashed where an entry has one beside it.
  function draw(canvas, scene, { draws, mean, sd, exact, colour }) {
    const [g, W, H] = VIEW.prepare(canvas),
      { grid, range, truth, points } = scene,
      [a, b] = [grid[0], grid[grid.length - 1]],
      left = 42,
      base = H - 36,
      ink = VIEW.colour("--ink"),
      shade = VIEW.colour(colour);
    const px = x => left + ((W - left - 8) * (x - a)) / (b - a),
      py = y => base - ((base - 8) * (y - range[0])) / (range[1] - range[0]);
    scene.places.set(canvas, { px, py, x: p => a + ((p - left) * (b - a)) / (W - left - 8), y: q => range[0] + ((base - q) * (range[1] - range[0])) / (base - 8) });
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
      band({ mean, sd }, -1).forEach((_, k, all) => g.lineTo(px(grid[all.length - 1 - k]), py(all[all.length - 1 - k])));
      g.fill();
    }
    g.globalAlpha = Math.max(0.12, Math.min(0.6, 12 / draws.length));
    for (const values of draws) line(values, 1.2, shade);
    g.globalAlpha = 1;
    if (mean && mean.length) line(mean, 2.6, shade);
    if (sd && sd.length) for (const sign of [-1, 1]) line(band({ mean, sd }, sign), 1.2, shade);
    if (exact) for (const values of [exact.mean, band(exact, 1), band(exact, -1)]) line(values, 1.6, ink, [7, 5]);
    if (truth.length) line(truth, 2, ink, [2, 4]);
    if (Number.isFinite(scene.place)) {
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
    for (const [t, text] of VIEW.ticks(range[0], range[1], (base - 8) / 40)) g.fillText(text, left - 5, py(t) + 5);
  }
  const colour_of = type => ({ PLS: "--dle", SVGP: "--drle", GP: "--dre", GWI: "--de" })[type] || "--other";
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
      caption = element("figcaption", {}, label, element("small", { class: "soft" }, note));
    caption.style.color = `var(${colour})`;
    return { canvas, caption, figure: element("figure", {}, caption, canvas) };
  };

  // What was fitted in a run: mean, band and functions of each method.
  VIEW.fitted = function (root) {
    const { element, data } = VIEW,
      { runs } = data.functions,
      scene = scene_of(data.functions, 0),
      grid = element("div", { class: "panels" }),
      columns = Math.ceil(runs.length / Math.ceil(runs.length / 3)),
      shown = runs.map(run => ({ ...run, colour: colour_of(run.type), ...panel(run.label, run.note, colour_of(run.type)) }));
    grid.style.setProperty("--columns", columns);
    grid.classList.toggle("two", runs.length > columns);
    grid.append(...shown.map(each => each.figure));
    root.append(grid);
    const all = () => shown.forEach(each => draw(each.canvas, scene, each));
    VIEW.redrawn(all, () => {});
    all();
  };

  VIEW.functions = function (root) {
    const { element, say, number, data } = VIEW,
      base = { ...data.functions.settings, pace: 1 },
      [low, high] = data.functions.grid,
      scene = scene_of(data.functions, 2.2 * Math.sqrt(base.variance));
    let state = { ...base },
      problem = null,
      exact = null,
      pls = null,
      normals = null,
      playing = false,
      frames = 0;
    const kinds = ["GP", "PLS"],
      panels = kinds.map(kind => panel(kind, "", colour_of(kind))),
      grid = element("div", { class: "panels" }, ...panels.map(each => each.figure)),
      watch = element("p", { class: "watch" }, data.live_watch || data.watch),
      error = element("p", { class: "error", role: "alert" }),
      clock = element("span", { id: "clock", "aria-live": "off" }),
      printed = element("p", { class: "printed" }),
      button = (key, action, more) => element("button", { type: "button", id: key, onclick: action, ...more }, say(key)),
      row = (label, ...children) => element("div", { class: "row", role: "group", "aria-label": label }, ...children);
    grid.style.setProperty("--columns", 2);
    panels.forEach(({ canvas }) => {
      canvas.tabIndex = 0;
      canvas.setAttribute("role", "application");
    });
    const presets = [
      ["prior", { points: "" }],
      ["one", { points: base.points.split(";")[Math.floor(base.points.split(";").length / 2)] }],
      ["noise_low", { noise: Number((base.noise / 6).toPrecision(2)) }],
      ["short", { lengthscale: Number((base.lengthscale / 5).toPrecision(2)) }],
      ["few_inducing", { inducing_points: 4 }],
      ["own", {}],
    ].map(([key, change]) => {
      const name = key === "own" ? "preset_own" : `functions_${key}`,
        sentence = key === "own" ? data.watch : say(`functions_${key}_watch`);
      return element("button", { type: "button", id: `preset-${key}`, onclick: () => choose({ ...base, ...change }, sentence) }, say(name));
    });
    const play_button = button("play", () => play(!playing), { "aria-pressed": "false" }),
      heads = ["method", "mean_at", "sd_at", "inside", "verdict"],
      columns = heads.map(() => element("th", { scope: "col" })),
      rows = kinds.map(kind => {
        const cells = heads.slice(1).map(() => element("td", {}));
        return { cells, row: element("tr", {}, element("th", { scope: "row" }, kind), ...cells) };
      }),
      table = element("table", {}, element("thead", {}, element("tr", {}, ...columns)), element("tbody", {}, ...rows.map(each => each.row))),
      update = [],
      box = element("form", { class: "settings", onsubmit: event => event.preventDefault() });
    const power = digits => v => Number((10 ** v).toPrecision(digits)),
      plain = v => v,
      span = high - low;
    for (const given of [
      ["noise", -2.5, 0.7, 0.05, power(2), Math.log10],
      ["lengthscale", Math.log10(span / 100), Math.log10(span), 0.05, power(2), Math.log10],
      ["variance", -2, 2, 0.05, power(2), Math.log10],
      ["inducing_points", 1, 60, 1, plain, plain],
      ["particles", 0, 2.45, 0.05, v => Math.round(10 ** v), Math.log10],
      ["step_size", -3, 0, 0.05, power(2), Math.log10],
      ["place", low, high, span / 100, v => Number(v.toPrecision(3)), plain],
      ["seed", 0, 99, 1, String, v => Math.min(v, 99)],
    ])
      box.append(VIEW.slider(given, () => state, changed, update));
    const list = element("select", { id: "kernel" }, ...Object.keys(PG.covariances).map(name => element("option", { value: name }, name)));
    list.addEventListener("change", () => changed("kernel", list.value));
    update.push(() => (list.value = state.kernel));
    box.append(element("label", { class: "wide" }, say("covariance"), list));
    const address = element("input", { type: "text", class: "address", id: "address", readonly: true, hidden: true, "aria-label": say("link") });
    root.append(
      element("div", { class: "head" }, row(say("presets"), ...presets), watch),
      element(
        "div",
        { class: "work" },
        element(
          "div",
          { class: "stage" },
          printed,
          row(say("simulation"), play_button, button("step", () => jump(1)), button("end", () => jump(500)), button("reset", reset), button("clear", () => put([])), clock),
          error,
          grid,
        ),
        element("details", { open: true, id: "settings", class: "side" }, element("summary", {}, say("settings")), box),
      ),
      element("div", { class: "below" }, element("p", { class: "soft" }, say("functions_help")), element("div", { class: "scroll" }, table), row(say("link"), button("link", show_address)), address),
    );

    // From settings to functions. The data alone leave the functions where they are: they move on from there.
    function changed(key, value) {
      state = { ...state, [key]: value };
      if (key === "place") {
        problem.place = scene.place = Number(value);
        remember();
        paint(true);
      } else restart();
    }
    function choose(settings, sentence) {
      play(false);
      state = { ...settings };
      watch.textContent = sentence;
      scene.chosen = -1;
      restart();
      show();
    }
    const show = () => update.forEach(each => each());
    function checked(settings) {
      try {
        return PG.function_problem(settings, [low, high]);
      } catch (mistake) {
        if (!(mistake instanceof PG.Refused)) throw mistake;
        error.textContent = say("refused", { key: say(mistake.key), value: mistake.value });
        return null;
      }
    }
    function restart() {
      const found = checked(state);
      if (!found) {
        play(false);
        return false;
      }
      problem = found;
      scene.points = problem.points;
      scene.place = problem.place;
      pls = PG.projected(problem, problem.points, scene.grid);
      normals = PG.normal_rows(problem.seed, PG.roles.draws, Math.min(problem.particles, 100), scene.grid.length);
      observe();
      remember();
      return true;
    }
    function observe() {
      exact = PG.exact_process(problem, scene.points, scene.grid);
      error.textContent = exact ? "" : say("functions_close");
      pls.observe(scene.points);
      pls.restart_clock();
      paint(true);
    }
    function put(points) {
      scene.points = points;
      scene.chosen = Math.min(scene.chosen, points.length - 1);
      state.points = points.map(point => point.map(v => Number(v.toPrecision(6))).join(",")).join(";");
      observe();
      remember();
    }

    // From functions to what is shown.
    const entries = () => {
      const draws = pls.functions(),
        m = scene.grid.map((_, i) => draws.reduce((sum, f) => sum + f[i], 0) / draws.length),
        s = scene.grid.map((_, i) => Math.sqrt(draws.reduce((sum, f) => sum + (f[i] - m[i]) ** 2, 0) / draws.length));
      return [
        { draws: exact ? exact.sample(normals) : [], ...exact, colour: colour_of("GP") },
        { draws, mean: draws.length > 1 ? m : null, sd: s, exact, colour: colour_of("PLS"), is_moving: true },
      ];
    };
    function paint(everything) {
      const found = entries();
      found.forEach((entry, k) => draw(panels[k].canvas, scene, entry.is_moving ? { ...entry, sd: null } : entry));
      clock.textContent = say("clock", { time: number(pls.time, 2), step: pls.step });
      if (everything) tell(found);
    }
    function tell(found) {
      const at = Math.max(0, Math.min(scene.grid.length - 1, Math.round(((scene.place - low) / (high - low)) * (scene.grid.length - 1)))),
        x = number(scene.grid[at], 2);
      columns.forEach((column, k) => {
        column.textContent = say(heads[k], { x });
        rows.forEach(({ cells }) => k && (cells[k - 1].dataset.head = column.textContent));
      });
      found.forEach(({ mean, sd }, k) => {
        const { cells } = rows[k],
          has_numbers = mean && mean.length,
          inside = has_numbers && scene.truth.length ? scene.truth.filter((f, i) => Math.abs(f - mean[i]) <= BAND * sd[i]).length / scene.truth.length : NaN;
        cells[0].textContent = number(has_numbers ? mean[at] : NaN);
        cells[1].textContent = number(has_numbers ? sd[at] : NaN);
        cells[2].textContent = Number.isFinite(inside) ? `${Math.round(100 * inside)}%` : "–";
      });
      rows[0].cells[3].textContent = exact ? say("functions_evidence", { evidence: number(exact.evidence, 1) }) : "–";
      rows[1].cells[3].textContent = in_words();
      const words = [say("functions_exact"), say("functions_projected", { count: problem.particles, inducing: problem.inducing.length })];
      panels.forEach(({ canvas, caption }, k) => {
        caption.lastChild.textContent = words[k];
        canvas.setAttribute("aria-label", `${kinds[k]}: ${words[k]}; ${say("functions_keys", { count: scene.points.length })}`);
      });
    }
    // How far the functions still are from their law, and that law from the exact one.
    function in_words() {
      if (!exact) return "–";
      if (pls.time < FADE) return say("functions_moving", { share: Math.round(100 * Math.exp(-pls.time)) });
      const law = pls.law(),
        gap = Math.max(...law.mean.map((m, i) => Math.abs(m - exact.mean[i]) / exact.sd[i])),
        wide = Math.max(...law.sd.map((s, i) => s / exact.sd[i]));
      return gap < 0.2 && wide < 1.2 ? say("functions_settled") : say("functions_coarse", { gap: number(gap, 1), wide: number(wide, 1) });
    }
    VIEW.frame = () => {
      pls.advance(1, problem.step_size);
      paint(++frames % 12 === 0);
    };
    function loop() {
      if (!playing) return;
      VIEW.frame();
      requestAnimationFrame(loop);
    }
    function play(on) {
      if (on && VIEW.still) {
        jump(500);
        return;
      }
      playing = on;
      play_button.textContent = say(on ? "pause" : "play");
      play_button.setAttribute("aria-pressed", String(on));
      if (on) requestAnimationFrame(loop);
      else if (problem) paint(true);
    }
    function jump(steps) {
      play(false);
      pls.advance(steps, problem.step_size);
      paint(true);
    }
    function reset() {
      play(false);
      restart();
    }

    // Data by pointer and by keyboard.
    function nearest(canvas, event) {
      const box = canvas.getBoundingClientRect(),
        { px, py, x, y } = scene.places.get(canvas),
        [p, q] = [event.clientX - box.left, event.clientY - box.top],
        gaps = scene.points.map(([s, t]) => Math.hypot(px(s) - p, py(t) - q)),
        best = gaps.indexOf(Math.min(...gaps));
      const inside = (v, [first, last]) => Math.max(first, Math.min(last, v));
      return {
        found: gaps[best] < GRAB ? best : -1,
        datum: [inside(x(p), [low, high]), inside(y(q), scene.range)],
        is_outside: p < 0 || q < 0 || p > box.width || q > box.height,
      };
    }
    const without = k => scene.points.filter((_, i) => i !== k);
    panels.forEach(({ canvas }) => {
      let last = { k: -1, time: 0 };
      canvas.addEventListener("pointerdown", event => {
        canvas.setPointerCapture(event.pointerId);
        const { found, datum } = nearest(canvas, event),
          is_second = found >= 0 && found === last.k && event.timeStamp - last.time < 400;
        if (is_second) {
          scene.chosen = -1;
          put(without(found));
        } else if (found >= 0) scene.chosen = found;
        else if (scene.points.length < PG.MOST_DATA) {
          scene.chosen = scene.points.length;
          put([...scene.points, datum]);
        }
        last = { k: scene.chosen, time: event.timeStamp };
        paint(false);
      });
      canvas.addEventListener("pointermove", event => {
        if (!event.buttons || scene.chosen < 0) return;
        const { datum } = nearest(canvas, event),
          [x, y] = scene.points[scene.chosen];
        if (Math.hypot(datum[0] - x, datum[1] - y) > 0) put(scene.points.map((point, k) => (k === scene.chosen ? datum : point)));
      });
      canvas.addEventListener("pointerup", event => {
        if (scene.chosen >= 0 && nearest(canvas, event).is_outside) put(without(scene.chosen));
      });
      canvas.addEventListener("keydown", event => {
        const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] },
          count = scene.points.length,
          { chosen } = scene;
        if (event.key === "Escape") canvas.blur();
        else if (event.key === "Enter" && count < PG.MOST_DATA) {
          scene.chosen = count;
          put([...scene.points, [scene.place, 0]]);
        } else if ((event.key === "PageUp" || event.key === "PageDown") && count) {
          scene.chosen = (Math.max(chosen, 0) + (event.key === "PageDown" ? 1 : count - 1)) % count;
          paint(false);
        } else if (event.key === "Delete" && chosen >= 0) put(without(chosen));
        else if (moves[event.key] && chosen >= 0) {
          const [right, up] = moves[event.key],
            tall = scene.range[1] - scene.range[0];
          put(scene.points.map(([x, y], k) => (k === chosen ? [x + (right * span) / 100, y + (up * tall) / 100] : [x, y])));
        } else return;
        event.preventDefault();
      });
    });

    function remember() {
      try {
        history.replaceState(null, "", `#${VIEW.fragment(state, base)}`);
      } catch {
        // a frame without an address
      }
    }
    function show_address() {
      address.hidden = false;
      address.value = `${location.href.startsWith("about:") ? "" : location.href.split("#")[0]}#${VIEW.fragment(state, base)}`;
      address.focus();
      address.select();
    }
    function from_address() {
      const given = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
      state = { ...base };
      for (const key of Object.keys(base)) if (key in given) state[key] = given[key];
      if (!restart()) {
        const said = error.textContent;
        state = { ...base };
        restart();
        error.textContent = said;
      }
      show();
    }
    addEventListener("keydown", event => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, button, summary, canvas")) return;
      if (event.key === " ") {
        event.preventDefault();
        play_button.click();
      }
      if (event.key === "r") reset();
      if (event.key === ".") jump(1);
    });
    VIEW.redrawn(
      () => problem && paint(true),
      () => {
        const { kernel, lengthscale, variance, noise, inducing_points, particles, seed } = state,
          numbers = { kernel, noise: VIEW.shown(noise), lengthscale: VIEW.shown(lengthscale), variance: VIEW.shown(variance) };
        printed.textContent = say("printed_functions", { ...numbers, inducing_points, particles, seed, data: scene.points.length, time: number(pls.time, 2), step: pls.step, step_size: VIEW.shown(state.step_size) });
      },
    );
    addEventListener("hashchange", from_address);
    from_address();
  };
})();
