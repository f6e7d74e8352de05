// The live part of a page: particles that are simulated here, at the settings of the controls or the address.
"use strict";
VIEW.live = function (root) {
  const { element, say, number, data } = VIEW,
    own = data.loss,
    types = data.methods || {},
    base = { ...PG.DEFAULTS, ...data.settings },
    sentence = data.watch_live || data.watch;
  base.pace = Math.max(1, Math.min(50, Math.round(Number(base.steps) / 1500)));
  VIEW.most = 10000;
  let state = { ...base },
    problem = null,
    pinned = null, // the settings that are kept for comparison
    frames = 0,
    idle = null,
    chosen = "", // the name of the preset that is shown
    waiting = null;
  const panels = VIEW.panels(),
    kept = VIEW.panels(),
    ensembles = VIEW.ensembles(own, types, told),
    shown_entries = () => panels.entries,
    kept_entries = () => (pinned ? kept.entries : []),
    all = () => [...shown_entries(), ...kept_entries()],
    motion = VIEW.motion(shown_entries, kept_entries, note_energy),
    lead = () => panels.entries[0].ensemble;

  // What is on the page.
  const watch = element("p", { class: "watch" }, sentence),
    error = element("p", { class: "error", role: "alert" }),
    clock = element("span", { id: "clock", "aria-live": "off" }),
    { row, button } = VIEW;
  const preset = (key, settings, watched, name = "") =>
    element(
      "button",
      { type: "button", id: `preset-${key}`, onclick: () => choose(settings, watched, name) },
      say(`preset_${key}`),
    );
  const presets = data.presets.map(({ key, settings }) =>
      preset(key, settings, say(`preset_${key}_watch`), say(`preset_${key}`)),
    ),
    player = VIEW.player(
      () => VIEW.frame(),
      () => problem && paint(true),
      () => jump(5000),
    ),
    { play } = player,
    buttons = [
      player.button,
      button("step", () => jump(1)),
      button("end", () => jump(Math.max(0, problem.steps - lead().step) || 1000)),
      button("reset", reset),
      button("compare", compare),
    ];
  const link = VIEW.link(() => {
      // with the step as well, to which the page then goes
      const { step } = lead();
      return [VIEW.fragment(state, base), step ? `at=${step}` : ""].filter(Boolean).join("&");
    }),
    controls = VIEW.controls(() => state, own, types, changed),
    kept_box = element("section", { hidden: true }, element("h2", {}, say("kept_title")), kept.grid),
    kept_table = element("section", { hidden: true }, element("h2", {}, say("kept_title")), kept.table),
    printed = element("p", { class: "printed" }),
    taken = row(say("link"), link.button);
  VIEW.laid(root, {
    head: [row(say("presets"), ...presets, preset("own", {}, sentence)), watch],
    stage: [printed, row(say("simulation"), ...buttons, clock), error, panels.grid, kept_box],
    settings: controls.box,
    below: [panels.table, kept_table, panels.energy, taken, link.field],
  });

  // From settings to particles.
  function changed(key, value, more) {
    state = { ...state, ...more, [key]: value };
    if (key === "loss") {
      chosen = "";
      state.step_size = usual_step();
    }
    if (key === "pace") {
      remember();
      return;
    }
    clearTimeout(waiting); // the truth in the plane takes a moment: it waits until the slider rests
    if (problem && problem.loss.dim === 2 && key !== "loss") waiting = setTimeout(restart, 150);
    else restart();
    controls.show();
  }
  // A step size for another loss: a fifth of the inverse of its largest curvature at most of the starting points.
  function usual_step() {
    let problem;
    try {
      problem = PG.problem(state, own, types);
    } catch {
      return state.step_size; // the loss cannot be read, which is said when the page restarts
    }
    const { loss, particles, seed, start } = problem,
      x = PG.draw(start, PG.key(seed), Math.min(particles, 400), loss.dim, PG.plain),
      small = 1e-3;
    const values = shift => {
      const found = new Float64Array(x[0].length);
      loss.values(x.map((row, d) => row.map(t => t + shift[d])), found, PG.plain);
      return found;
    };
    const middle = values([0, 0]),
      curvatures = x.flatMap((_, d) => {
        const ends = [small, -small].map(e => values([0, 1].map(other => (other === d ? e : 0))));
        return Array.from(middle, (v, i) => Math.abs(ends[0][i] - 2 * v + ends[1][i]) / small ** 2);
      });
    const most = PG.quantile(Float64Array.from(curvatures.filter(Number.isFinite)), 0.95);
    return Number(Math.min(0.1, Math.max(1e-5, 0.2 / most)).toPrecision(1));
  }
  function choose(given, watched, name) {
    chosen = name;
    const shared_only = Object.fromEntries(Object.entries(base).filter(([key]) => !key.includes(".")));
    play(false);
    state = { ...(given.methods ? shared_only : base), ...given };
    watch.textContent = watched;
    restart();
    controls.show();
  }
  function checked() {
    VIEW.most = VIEW.most_particles(state, own);
    state = VIEW.lowered(state);
    const found = PG.problem(state, own, types),
      start = PG.draw(found.start, PG.key(found.seed), found.particles, found.loss.dim, PG.plain),
      values = new Float64Array(found.particles);
    found.loss.values(start, values, PG.plain);
    if (!values.every(Number.isFinite)) throw new PG.Refused("finite", "");
    return found;
  }
  function described(mistake) {
    if (mistake instanceof PG.Mistake) {
      const { key, values, column } = mistake;
      return `${say(`formula_${key}`, values)} ${say("at_place", { place: column + 1 })}`;
    }
    if (!(mistake instanceof PG.Refused)) throw mistake;
    const { key, value } = mistake;
    if (key === "finite") return say("refused_finite");
    if (key === "variables" || key === "loss") return say("refused_loss");
    const own_words = key === "initial" && value !== "flat" ? "refused_start" : `refused_${key}`,
      known = own_words in data.words ? own_words : "refused";
    return say(known, { key: say(key), value, most: VIEW.most });
  }
  function restart() {
    let found;
    try {
      found = checked();
    } catch (mistake) {
      error.textContent = described(mistake);
      play(false);
      return;
    }
    problem = found;
    state = { ...state, particles: Number(state.particles) };
    ensembles.build(panels, problem, state);
    head();
    error.textContent = "";
    told();
    paint(true);
    remember();
  }
  function head() {
    // the heading of the page while its own loss is shown; of another loss it says what is shown
    const is_own = state.loss === "own" && !chosen,
      loss = state.loss === "own" ? data.loss.name || data.loss.formula : state.loss;
    VIEW.heading(is_own ? data.title : chosen || say("title_of", { loss }));
  }
  function told() {
    // of the truths of some methods, all that is known at once or from a worker
    const late = panels.entries.filter(entry => entry.is_too_much).map(entry => entry.label);
    if (late.length) error.textContent = say("too_much", { methods: late.join(", ") });
    clearTimeout(idle);
    idle = setTimeout(exact_draws, 60);
  }
  function exact_draws() {
    // W1 of exact draws takes longest, and is not needed while a slider moves
    for (const entry of [...panels.entries, ...kept.entries])
      if (entry.truth && !entry.floor)
        entry.floor = PG.floor_of(entry.truth, entry.ensemble.settings.particles);
    panels.draw();
    kept.draw();
    tell();
  }

  // From particles to what is shown.
  function note_energy() {
    for (const entry of all()) {
      const { time, is_finite, x, settings } = entry.ensemble;
      entry.history.push([time, is_finite ? PG.free_energy(x, settings).total : NaN]);
      if (entry.history.length > 400) entry.history = entry.history.filter((_, k) => k % 2 === 0);
    }
  }
  function tell() {
    panels.tell();
    if (pinned) kept.tell();
    panels.draw_energy();
  }
  function paint(everything) {
    panels.draw();
    if (pinned) kept.draw();
    const { time, step } = lead();
    clock.textContent = say("clock", { time: number(time, 2), step });
    if (!everything) return;
    if (player.is_playing() || step === 0) note_energy();
    tell();
  }
  VIEW.frame = () => {
    motion.advance(state.pace, 11);
    paint(++frames % (problem.loss.dim === 1 && problem.particles <= 1000 ? 12 : 40) === 0);
  };
  function jump(steps) {
    play(false);
    motion.jump(steps, player.is_playing, paint);
  }
  function reset() {
    play(false);
    restart();
  }
  function compare() {
    // keep what is shown, beside what comes; both begin again from the same start and noise
    if (pinned) pinned = null;
    else {
      pinned = { ...state };
      ensembles.build(kept, PG.problem(pinned, own, types), pinned);
    }
    document.getElementById("compare").textContent = say(pinned ? "stop_comparing" : "compare");
    kept_box.hidden = kept_table.hidden = !pinned;
    kept_box.parentNode.classList.toggle("two", Boolean(pinned));
    reset();
    if (!pinned) return;
    kept.draw();
    kept.tell();
  }

  // The address.
  const remember = () => VIEW.remember(VIEW.fragment(state, base));
  function from_address() {
    let at = 0;
    try {
      ({ state, at } = VIEW.state_of(location.hash, base, types));
      restart();
    } catch (mistake) {
      error.textContent = described(mistake);
    }
    controls.show();
    if (!problem) {
      state = { ...base };
      const said = error.textContent;
      restart();
      controls.show();
      error.textContent = said;
    }
    if (at) jump(at);
  }
  function again() {
    if (!problem) return;
    paint(false);
    if (pinned) kept.draw();
    panels.draw_energy();
    controls.show();
  }
  VIEW.keys(player.button, () => jump(1), reset);
  VIEW.redrawn(again, () => {
    if (!problem) return;
    const { loss, prior, step_size, seed, particles, integrator } = state,
      { time, step } = lead(),
      shown_loss = loss === "own" ? data.loss.name || data.loss.formula : loss,
      shown_prior = typeof prior === "string" ? prior : PG.write_prior(prior),
      values = { time: number(time), step, step_size: VIEW.shown(step_size), seed, particles, integrator };
    printed.textContent = say("printed", { ...values, loss: shown_loss, prior: shown_prior });
  });
  addEventListener("hashchange", from_address);
  from_address();
};
