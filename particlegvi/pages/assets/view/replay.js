// The replay of a finished run: what was recorded, with a time line.
"use strict";
VIEW.replay = function (root, ready) {
  const { element, say, number, data } = VIEW,
    run = data.replay,
    frames = run.times.length,
    panels = VIEW.panels();
  let at = 0,
    decoded = null,
    last = 0;
  const clock = element("span", { id: "replay-clock" }),
    line = element("input", {
      type: "range",
      class: "time",
      id: "timeline",
      min: 0,
      max: frames - 1,
      step: 1,
      value: 0,
      "aria-label": say("timeline"),
    });
  const button = (key, action) => VIEW.button(key, action, { id: `replay-${key}` }),
    player = VIEW.player(
      frame,
      () => {},
      () => show(at + Math.ceil(frames / 10)),
      "replay-play",
    ),
    { play } = player;
  root.append(
    VIEW.row(
      say("replay"),
      player.button,
      button("step", () => {
        play(false);
        show(at + 1);
      }),
      button("end", () => {
        play(false);
        show(frames - 1);
      }),
      line,
      clock,
    ),
    panels.grid,
    panels.table,
  );
  if (run.shown < run.particles)
    root.append(element("p", { class: "soft" }, say("thinned", { shown: run.shown, particles: run.particles })));

  async function unpack() {
    // 16 bits a number: the high bytes of all, then the low bytes, deflated
    const bytes = Uint8Array.from(atob(run.frames), c => c.charCodeAt(0)),
      stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const planes = new Uint8Array(await new Response(stream).arrayBuffer()),
      half = planes.length / 2;
    decoded = Float64Array.from({ length: half }, (_, k) => {
      const code = planes[k] * 256 + planes[half + k],
        d = Math.floor(k / run.shown) % run.dim,
        [low, high] = run.window[d];
      return code === 65535 ? NaN : low + ((high - low) * code) / 65534;
    });
  }
  const particles = method =>
    Array.from({ length: run.dim }, (_, d) => {
      const begin = ((at * run.methods.length + method) * run.dim + d) * run.shown;
      return decoded.subarray(begin, begin + run.shown);
    });
  function truth_of({ truth }) {
    if (!truth) return null;
    if (truth.atoms) return truth;
    const axes = truth.axes.map(([low, high, n]) =>
      Float64Array.from({ length: n }, (_, i) => low + ((high - low) * i) / (n - 1)),
    );
    if (run.dim === 1) return PG.curve(axes[0], Float64Array.from(truth.density), {});
    const [columns, rows] = axes.map(axis => axis.length),
      edge = (i, count) => (i === 0 || i === count - 1 ? 0.5 : 1),
      cell = axes.reduce((area, axis) => area * (axis[1] - axis[0]), 1),
      mass = (v, k) => cell * v * edge(k % columns, columns) * edge(Math.floor(k / columns), rows);
    return PG.plane_law(axes, Float64Array.from(truth.density, mass));
  }
  // Before the end a replay says how far the particles are now, and nothing of their equilibrium.
  function now(floor, facts, truth) {
    if (!floor || !facts.w1 || truth.atoms) return "";
    const times = facts.w1[0] / (floor[0][2] ?? floor[0][1]);
    return say(times <= 1 ? "verdict_now_within" : "verdict_now_far", { times: number(times, 1) });
  }
  const numbers_of = ({ mean, sd, w1 }) => ({ mean: mean[at], sd: sd[at], w1: w1[at] === null ? null : [w1[at]] });
  function show(frame) {
    at = Math.max(0, Math.min(frames - 1, frame));
    line.value = at;
    line.setAttribute("aria-valuetext", say("time", { time: number(run.times[at], 2) }));
    clock.textContent = say("clock", { time: number(run.times[at], 2), step: run.steps[at] });
    panels.draw();
    panels.tell();
  }
  function frame(now) {
    if (now - last <= 60) return;
    last = now;
    show(at === frames - 1 ? 0 : at + 1);
    if (at === frames - 1) play(false);
  }
  line.addEventListener("input", () => {
    play(false);
    show(Number(line.value));
  });
  VIEW.redrawn(() => decoded && panels.draw());
  unpack().then(() => {
    const loss = data.loss ? PG.read_loss({ loss: "own" }, data.loss) : null,
      truths = run.methods.map(truth_of);
    const entries = run.methods.map((method, k) => {
      const is_at_end = () => at === frames - 1 && method.verdict,
        floor = method.floor && [method.floor];
      return {
        label: method.label,
        note: method.note || say("no_weights"),
        colour: VIEW.method_colour(method.label),
        truth: truths[k],
        floor,
        count: run.particles,
        is_share: ["DE", "DRE"].includes(method.type),
        particles: () => particles(k),
        numbers: () => numbers_of(method.numbers),
        verdict: facts => (is_at_end() ? method.verdict : now(floor, facts, truths[k])),
      };
    });
    panels.build(
      entries,
      run.dim === 1
        ? VIEW.line_scene(loss, truths, run.variables[0], run.window[0])
        : VIEW.plane_scene(loss, truths, run.variables, run.window),
      run.dim,
    );
    show(frames - 1);
    ready();
  });
};
