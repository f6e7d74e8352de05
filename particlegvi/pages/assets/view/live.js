// The live part of a page: particles that are simulated here, at the settings of the controls or the address.
"use strict";
VIEW.live = function (root) {
  const { element, say, number, data } = VIEW, own = data.loss, types = data.methods || {}, base = { ...PG.DEFAULTS, ...data.settings };
  let state = { ...base }, problem = null, playing = false, busy = 0, idle = null, pinned = null;
  VIEW.most = 10000;
  const panels = VIEW.panels(), kept = VIEW.panels(), sentence = data.watch_live || data.watch, watch = element("p", { class: "watch" }, sentence), error = element("p", { class: "error", role: "alert" });
  const clock = element("span", { id: "clock", "aria-live": "off" }), button = (key, action, more) => element("button", { type: "button", id: key, onclick: action, ...more }, say(key));
  const play_button = button("play", () => VIEW.still && !playing ? jump(5000) : play(!playing), { "aria-pressed": "false" });
  const presets = element("div", { class: "row", role: "group", "aria-label": say("presets") },
    ...data.presets.map(({ key, settings }) => element("button", { type: "button", id: `preset-${key}`, onclick: () => choose(settings, say(`preset_${key}_watch`)) }, say(`preset_${key}`))),
    element("button", { type: "button", id: "preset-own", onclick: () => choose({}, sentence) }, say("preset_own")));
  const address = element("input", { type: "text", class: "address", id: "address", readonly: true, "aria-label": say("link") });
  const text = element("textarea", { id: "scenario", readonly: true, spellcheck: "false", "aria-label": say("scenario_text") }), out = element("div", { hidden: true }, element("p", {}, say("scenario_help")), text);
  const controls = VIEW.controls(() => state, own, types, changed), settings = element("details", { open: true, id: "settings" }, element("summary", {}, say("settings")), controls.box);
  const kept_box = element("section", { hidden: true }, element("h2", {}, say("kept_title")), kept.grid, kept.table);
  root.append(presets, watch,
    element("div", { class: "row", role: "group", "aria-label": say("simulation") }, play_button, button("step", () => jump(1)), button("end", () => jump(Math.max(0, problem.steps - panels.entries[0].ensemble.step) || 1000)), button("reset", () => { play(false); restart(); }), button("compare", compare), clock),
    error, panels.grid, panels.table, kept_box, panels.energy, settings,
    element("div", { class: "row" }, button("save", save), button("copy", show_scenario), button("link", show_address)), element("p", {}, address), out);
  address.hidden = true;
  let waiting = null;
  function changed(key, value, more) {
    state = { ...state, ...more, [key]: value };
    if (key === "loss" && value !== "spline") state = { ...state, heights: undefined, low: undefined, high: undefined };
    if (key === "pace") { remember(); return; }
    clearTimeout(waiting); // the truth in the plane takes a moment: it waits until the slider rests
    if (problem && problem.loss.dim === 2 && key !== "loss") waiting = setTimeout(restart, 150); else restart();
    controls.show();
  }
  const shared_only = settings => Object.fromEntries(Object.entries(settings).filter(([key]) => !key.includes("."))); // no weights of single methods
  function choose(given, sentence) { play(false); state = { ...(given.methods ? shared_only(base) : base), ...given }; watch.textContent = sentence; restart(); controls.show(); }
  const describe = (key, value) => key === "variables" || key === "loss" ? say("refused_loss") : say(`refused_${key}` in data.words ? `refused_${key}` : "refused", { key: say(key), value, most: VIEW.most });

  function restart() {
    let found;
    try {
      found = PG.problem(clamped(), own, types);
      const start = PG.draw(found.start, PG.key(found.seed), found.particles, found.loss.dim, PG.plain), values = new Float64Array(found.particles);
      found.loss.values(start, values, PG.plain);
      if (!values.every(Number.isFinite)) throw new PG.Refused("finite", "");
    } catch (problem_found) {
      if (problem_found instanceof PG.Mistake) error.textContent = `${say(`formula_${problem_found.key}`, problem_found.values)} ${say("at_place", { place: problem_found.column + 1 })}`;
      else if (problem_found instanceof PG.Refused) error.textContent = problem_found.key === "finite" ? say("refused_finite") : describe(problem_found.key, problem_found.value);
      else throw problem_found;
      play(false);
      return;
    }
    error.textContent = "";
    problem = found;
    build(panels, problem, state);
    clearTimeout(idle);
    idle = setTimeout(floors, 60);
    paint(true); remember();
  }
  function clamped() { // the plane has fewer particles than the line
    const plane = state.loss === "own" ? own && (own.dim || 1) === 2 : Object.prototype.hasOwnProperty.call(PG.losses, String(state.loss)) ? state.loss !== "spline" && PG.losses[state.loss]({}).dim === 2 : String(state.variables).includes(",");
    VIEW.most = PG.MOST[plane ? 2 : 1];
    if (Number(state.particles) > VIEW.most) state = { ...state, particles: VIEW.most };
    return state;
  }
  const known = new Map(); // truths by all that they depend on
  function truth_of(s) {
    const { name, parameters, formula, heights } = s.loss, start = s.kl_weight > 0 ? null : s.start;
    const key = JSON.stringify([state.loss, name, parameters, formula, heights, s.loss.low, s.prior, start, s.kl_weight, s.mmd_weight, s.kernel]);
    if (!known.has(key)) { if (known.size > 30) known.clear(); known.set(key, PG.truth(s)); }
    return known.get(key);
  }
  function build(where, found, given) {
    const noise = PG.noise(found.seed, found.particles, found.loss.dim, found.math);
    const entries = found.methods.map((name, k) => {
      const s = PG.method(found, name, noise), ensemble = PG.ensemble(s), truth = truth_of(s);
      const slopes = ensemble.x.map(row => new Float64Array(row.length)); found.loss.slopes(ensemble.x, slopes, PG.plain);
      const steepest = slopes.reduce((most, row) => row.reduce((m, v) => Math.max(m, Math.abs(v)), most), 0), entry = { label: name, colour: VIEW.method_colour(s.type, found.methods.slice(0, k).filter(other => found.each.get(other).type === s.type).length), truth, ensemble, history: [], particles: () => ensemble.x };
      entry.note = [s.kl_weight ? `kl_weight ${VIEW.shown(s.kl_weight)}` : "", s.mmd_weight ? `mmd_weight ${VIEW.shown(s.mmd_weight)}` : ""].filter(Boolean).join(", ") || say("no_weights");
      entry.goal = truth && found.loss.dim === 1 && s.kl_weight > 0 ? PG.target_free_energy(truth, s) : null;
      entry.verdict = facts => {
        if (!entry.floor && truth && s.kl_weight > 0) return "…";
        const key = PG.verdict(ensemble, truth, { w1: facts.w1 || [], floor: entry.floor || [] }, steepest);
        return say(`verdict_${key}`, { times: facts.w1 && entry.floor ? number(Math.max(...facts.w1.map((w, d) => w / entry.floor[d][1])), 1) : "" });
      };
      return entry;
    });
    const truths = entries.map(entry => entry.truth), { loss } = found, variables = loss.variables || (given.loss === "own" && own.variables) || (loss.dim === 1 ? ["t"] : ["x", "y"]);
    const start = entries[0].ensemble.x[0], seen = [PG.quantile(start, 0.01), PG.quantile(start, 0.99)];
    where.build(entries, loss.dim === 1 ? VIEW.line_scene(loss, truths, variables[0], seen) : VIEW.plane_scene(loss, truths, variables), loss.dim);
  }
  function floors() { // W1 of exact draws takes longest, and is not needed while a slider moves
    for (const where of [panels, kept]) for (const entry of where.entries) if (!entry.floor && entry.truth) entry.floor = PG.floor_of(entry.truth, entry.ensemble.settings.particles);
    outside();
    tell();
  }
  function outside() { // a drawn loss should keep Q* inside the drawing
    const loss = problem.loss;
    if (!loss.heights) return;
    const share = Math.max(0, ...panels.entries.filter(entry => entry.truth && entry.truth.cdf).map(({ truth }) => truth.cdf(loss.low) + 1 - truth.cdf(loss.high)));
    error.textContent = share > 0.01 ? say("outside_drawing", { share: Math.round(100 * share) }) : "";
  }
  const all = () => [...panels.entries, ...(pinned ? kept.entries : [])];
  function note_energy() {
    for (const entry of all()) { const e = entry.ensemble; entry.history.push([e.time, e.is_finite ? PG.free_energy(e.x, e.settings).total : NaN]); if (entry.history.length > 400) entry.history = entry.history.filter((_, k) => k % 2 === 0); }
  }
  function tell() { panels.tell(); if (pinned) kept.tell(); panels.draw_energy(); }
  function paint(everything) {
    panels.draw();
    if (pinned) kept.draw();
    const first = panels.entries[0].ensemble;
    clock.textContent = say("clock", { time: number(first.time, 2), step: first.step });
    if (everything) { if (playing || first.step === 0) note_energy(); tell(); }
  }
  // Every ensemble takes the same number of steps, in turns, and no more than fit into the milliseconds.
  function advance(steps, milliseconds) {
    const begun = performance.now();
    const turn = problem.particles > (problem.loss.dim === 1 ? 2000 : 400) ? 1 : 10;
    for (let done = 0; done < steps; done += turn) {
      for (const entry of all()) entry.ensemble.advance(Math.min(turn, steps - done));
      if (performance.now() - begun > milliseconds) return Math.min(done + turn, steps);
    }
    return steps;
  }
  let frames = 0;
  VIEW.frame = () => { advance(state.pace, 11); paint(++frames % (problem.loss.dim === 1 && problem.particles <= 1000 ? 12 : 40) === 0); };
  function loop() { if (!playing) return; VIEW.frame(); requestAnimationFrame(loop); }
  function play(on) {
    playing = on;
    play_button.textContent = say(on ? "pause" : "play"); play_button.setAttribute("aria-pressed", String(on));
    if (on) requestAnimationFrame(loop); else if (problem) paint(true);
  }
  function jump(steps) { // in pieces, so that the page stays alive and the free energy has a curve; another jump stops it
    play(false);
    const mine = ++busy, piece = Math.max(1, Math.ceil(steps / 50));
    const go = (left, pieces) => {
      if (mine !== busy || playing) return;
      const begun = performance.now();
      while (left > 0 && performance.now() - begun < 60) { left -= advance(Math.min(left, piece), 60); note_energy(); }
      paint(left <= 0 || pieces % 8 === 7); // numbers now and then
      if (left > 0) setTimeout(() => go(left, pieces + 1), 0);
    };
    go(steps, 0);
  }
  function compare() { // keep what is shown, beside what comes; both begin again from the same start and noise
    if (pinned) pinned = null;
    else { pinned = { ...state }; build(kept, PG.problem(pinned, own, types), pinned); }
    document.getElementById("compare").textContent = say(pinned ? "stop_comparing" : "compare");
    kept_box.hidden = !pinned;
    play(false); restart();
    if (pinned) { kept.draw(); kept.tell(); }
  }
  function fragment() { // what differs from the defaults of the page
    const given = new URLSearchParams();
    for (const [key, value] of Object.entries(state)) {
      if (value === undefined || typeof value === "object" || (key in base && String(base[key]) === String(value))) continue;
      given.set(key, value);
    }
    for (const key in base) if (key.includes(".") && !(key in state)) given.set(key, ""); // a weight that is shared again
    return given.toString();
  }
  function remember() { try { history.replaceState(null, "", `#${fragment()}`); } catch (refused) { /* a frame without an address */ } }
  function show_address() { // with the step as well, to which the page then goes
    const step = panels.entries[0].ensemble.step, here = location.href.startsWith("about:") ? "" : location.href.split("#")[0];
    address.hidden = false; address.value = `${here}#${[fragment(), step ? `at=${step}` : ""].filter(Boolean).join("&")}`;
    address.focus(); address.select();
  }
  const scenario = () => PG.scenario({ ...problem, steps: Math.max(panels.entries[0].ensemble.step, 1) }, state, own, say("from_the_page"));
  function show_scenario() { out.hidden = false; text.value = scenario(); text.focus(); text.select(); }
  function save() {
    show_scenario();
    const place = URL.createObjectURL(new Blob([scenario()], { type: "application/toml" })), link = element("a", { download: "from-the-page.toml" });
    link.href = place; link.click();
    setTimeout(() => URL.revokeObjectURL(place), 1000);
  }
  function from_address() {
    const given = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    state = { ...base };
    for (const [key, value] of Object.entries(given)) if (key in PG.DEFAULTS || ["heights", "low", "high"].includes(key)) state[key] = value;
    for (const [key, value] of Object.entries(given)) { // LABEL.kl_weight: of one method; empty: shared
      const at = key.lastIndexOf(".");
      if (at < 0 || !PG.OWN.includes(key.slice(at + 1)) || PG.type_of(key.slice(0, at), types) === null) continue;
      if (value) state[key] = value; else delete state[key];
    }
    if (Number(given.pace) >= 1 && Number(given.pace) <= 1000) state.pace = Math.round(Number(given.pace));
    if (given.loss && given.loss !== "own" && !given.variables) state.variables = PG.variables_of(given.loss);
    if (given.prior === "flat" && !given.initial) state.initial = "normal:0:1";
    restart(); controls.show();
    if (!problem) { state = { ...base }; const said = error.textContent; restart(); controls.show(); error.textContent = said; }
    if (given.at) jump(Math.min(Number(given.at) || 0, 1e6));
  }
  addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, button, summary, canvas")) return;
    if (event.key === " ") { event.preventDefault(); play_button.click(); }
    if (event.key === "r") document.getElementById("reset").click();
    if (event.key === ".") jump(1);
  });
  addEventListener("resize", () => { if (problem) { paint(false); panels.draw_energy(); controls.show(); } });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (problem) { paint(false); panels.draw_energy(); controls.show(); } });
  addEventListener("hashchange", from_address);
  base.pace = Math.max(1, Math.min(50, Math.round(Number(base.steps) / 1500)));
  from_address();
};
