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
    frames = 0,
    idle = null,
    chosen = "", // the name of the preset that is shown
    waiting = null;
  const panels = VIEW.panels(),
    ensembles = VIEW.ensembles(own, types, told),
    motion = VIEW.motion(() => panels.entries),
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
    ];
  const link = VIEW.link(() => {
      // with the step as well, to which the page then goes
      const { step } = lead();
      return [VIEW.fragment(state, base), step ? `at=${step}` : ""].filter(Boolean).join("&");
    }),
    controls = VIEW.controls(() => state, own, types, changed),
    taken = row(say("link"), link.button);
  VIEW.laid(root, {
    head: [row(say("presets"), ...presets, preset("own", {}, sentence)), watch],
    stage: [row(say("simulation"), ...buttons, clock), error, panels.grid],
    settings: controls.box,
    below: [panels.table, taken, link.field],
  });

  // From settings to particles.
  function changed(key, value, more) {
    state = { ...state, ...more, [key]: value };
    if (key === "loss") {
      chosen = "";
      state.step_size = value === base.loss ? base.step_size : usual_step();
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
  // A step size for another loss: a tenth of the inverse of the largest curvature of loss - kl_weight log p at most
  // starting points, as the program chooses.
  function usual_step() {
    let problem;
    try {
      problem = PG.problem({ ...state, particles: 400 }, own, types); // the plane allows fewer than the line
    } catch {
      return state.step_size; // the loss cannot be read, which is said when the page restarts
    }
    const { loss, particles, prior, seed, start } = problem,
      x = PG.draw(start, PG.key(seed), particles, loss.dim),
      hottest = Math.max(...Array.from(problem.each.values(), method => method.kl_weight)),
      small = 1e-3;
    const values = shift => {
      const found = new Float64Array(x[0].length);
      loss.values(x.map((row, d) => row.map(t => t + shift[d])), found);
      return found;
    };
    const middle = values([0, 0]),
      curvatures = x.flatMap((_, d) => {
        const ends = [small, -small].map(e => values([0, 1].map(other => (other === d ? e : 0))));
        return Array.from(middle, (v, i) => Math.abs(ends[0][i] - 2 * v + ends[1][i]) / small ** 2);
      });
    const of_prior = prior.name === "normal" ? hottest / Math.min(...prior.sd) ** 2 : 0,
      most = of_prior + PG.quantile(Float64Array.from(curvatures.filter(Number.isFinite)), 0.95);
    return Number(Math.min(0.1, Math.max(1e-5, 0.1 / most)).toPrecision(1));
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
      start = PG.draw(found.start, PG.key(found.seed), found.particles, found.loss.dim),
      values = new Float64Array(found.particles);
    found.loss.values(start, values);
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
    for (const entry of panels.entries)
      if (entry.truth && !entry.floor)
        entry.floor = PG.floor_of(entry.truth, entry.ensemble.settings.particles);
    panels.tell();
    panels.draw();
  }

  // From particles to what is shown; a picture has the shares that are told.
  function paint(everything) {
    if (everything) panels.tell();
    panels.draw();
    const { time, step } = lead();
    clock.textContent = say("clock", { time: number(time, 2), step });
  }
  VIEW.frame = () => {
    const is_first = lead().step === 0;
    motion.advance(state.pace, 11);
    paint(is_first || ++frames % (problem.loss.dim === 1 && problem.particles <= 1000 ? 12 : 40) === 0);
  };
  function jump(steps) {
    play(false);
    motion.jump(steps, player.is_playing, paint);
  }
  function reset() {
    play(false);
    restart();
  }

  // The address.
  const remember = () => VIEW.remember(VIEW.fragment(state, base));
  function from_address() {
    let at = 0;
    try {
      ({ state, at } = VIEW.state_of(location.hash, base, types));
      if (state.loss !== base.loss && state.step_size === base.step_size) state.step_size = usual_step();
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
    controls.show();
  }
  VIEW.keys(player.button, () => jump(1), reset);
  VIEW.redrawn(again);
  addEventListener("hashchange", from_address);
  from_address();
};
