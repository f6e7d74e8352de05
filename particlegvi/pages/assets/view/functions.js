// The live page about functions of one input: the exact process and projected Langevin sampling, which follow the data
// and the settings.
"use strict";
VIEW.functions = function (root) {
  const { element, say, number, data } = VIEW,
    { draw, scene_of, panel } = VIEW.curves,
    MOST_DRAWN = 40, // functions in a picture: more show nothing more
    in_words = points => points.map(point => point.map(v => Number(v.toPrecision(6))).join(",")).join(";"),
    base = { ...data.functions.settings, points: in_words(data.functions.data), pace: 1 },
    [low, high] = data.functions.grid,
    scene = scene_of(data.functions, 2.2 * Math.sqrt(base.variance));
  let state = { ...base },
    problem = null,
    exact = null,
    exact_draws = [],
    pls = null,
    normals = null,
    frames = 0;
  const kinds = ["GP", "PLS"],
    panels = kinds.map(kind => panel(kind, "", VIEW.method_colour(kind))),
    grid = element("div", { class: "panels", tabindex: "0" }, ...panels.map(each => each.figure)),
    watch = element("p", { class: "watch" }, data.watch),
    error = element("p", { class: "error", role: "alert" }),
    clock = element("span", { id: "clock", "aria-live": "off" }),
    table = VIEW.functions_table(scene),
    { row, button } = VIEW;
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
    return element(
      "button",
      { type: "button", id: `preset-${key}`, onclick: () => choose({ ...base, ...change }, sentence) },
      say(name),
    );
  });
  const player = VIEW.player(
      () => VIEW.frame(),
      () => problem && paint(true),
      () => jump(500),
    ),
    { play } = player,
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
  const list = element(
    "select",
    { id: "kernel" },
    ...Object.keys(PG.covariances).map(name => element("option", { value: name }, name)),
  );
  list.addEventListener("change", () => changed("kernel", list.value));
  update.push(() => (list.value = state.kernel));
  box.append(element("label", { class: "wide" }, say("covariance"), list));
  const link = VIEW.link(() => VIEW.fragment(state, base)),
    buttons = [
      player.button,
      button("step", () => jump(1)),
      button("end", () => jump(500)),
      button("reset", reset),
      button("clear", () => put([])),
    ];
  VIEW.laid(root, {
    head: [row(say("presets"), ...presets), watch],
    stage: [row(say("simulation"), ...buttons, clock), error, grid],
    settings: box,
    below: [
      table.box,
      element("p", { class: "soft" }, say("functions_help")),
      row(say("link"), link.button),
      link.field,
    ],
  });

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
    normals = PG.normal_rows(problem.seed, PG.roles.draws, Math.min(problem.particles, MOST_DRAWN), scene.grid.length);
    observe();
    remember();
    return true;
  }
  function observe() {
    exact = PG.exact_process(problem, scene.points, scene.grid);
    exact_draws = exact ? exact.sample(normals) : [];
    error.textContent = exact ? "" : say("functions_close");
    pls.observe(scene.points);
    pls.restart_clock();
    paint(true);
  }
  function put(points) {
    scene.points = points;
    scene.chosen = Math.min(scene.chosen, points.length - 1);
    state.points = in_words(points);
    observe();
    remember();
  }

  // From functions to what is shown.
  const entries = () => {
    const draws = pls.functions(),
      m = new Float64Array(scene.grid.length),
      s = new Float64Array(scene.grid.length);
    for (const f of draws) for (let i = 0; i < m.length; i++) m[i] += f[i] / draws.length;
    for (const f of draws) for (let i = 0; i < m.length; i++) s[i] += (f[i] - m[i]) ** 2 / draws.length;
    for (let i = 0; i < s.length; i++) s[i] = Math.sqrt(s[i]);
    return [
      { draws: exact_draws, ...exact, colour: VIEW.method_colour("GP") },
      { draws, mean: draws.length > 1 ? m : null, sd: s, exact, colour: VIEW.method_colour("PLS"), is_moving: true },
    ];
  };
  function paint(everything, only_moving = false) {
    const found = entries();
    found.forEach((entry, k) => {
      if (only_moving && !entry.is_moving) return;
      const draws = entry.draws.slice(0, MOST_DRAWN);
      draw(panels[k].canvas, scene, entry.is_moving ? { ...entry, draws, sd: null } : entry);
    });
    clock.textContent = say("clock", { time: number(pls.time, 2), step: pls.step });
    if (everything) tell(found);
  }
  function tell(found) {
    table.tell(found);
    const verdicts = exact ? table.words(exact, pls) : ["", ""];
    const words = [
      say("functions_exact"),
      say("functions_projected", { count: problem.particles, inducing: problem.inducing.length }),
    ];
    panels.forEach(({ canvas, caption, verdict }, k) => {
      caption.lastChild.textContent = words[k];
      verdict.textContent = verdicts[k];
      canvas.setAttribute(
        "aria-label",
        `${kinds[k]}: ${words[k]}; ${say("functions_keys", { count: scene.points.length })}`,
      );
    });
  }
  VIEW.frame = () => {
    pls.advance(1, problem.step_size);
    paint(++frames % 12 === 0, true);
  };
  function jump(steps) {
    play(false);
    pls.advance(steps, problem.step_size);
    paint(true);
  }
  function reset() {
    play(false);
    restart();
  }

  VIEW.data_by_hand(panels, scene, { put, paint: () => paint(false) });

  const remember = () => VIEW.remember(VIEW.fragment(state, base));
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
  VIEW.keys(player.button, () => jump(1), reset);
  VIEW.redrawn(() => problem && paint(true));
  addEventListener("hashchange", from_address);
  from_address();
};
