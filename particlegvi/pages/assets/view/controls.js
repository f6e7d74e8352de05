// The settings: sliders, selections and the drawn loss. Each change is told to `changed(key, value)`.
"use strict";
VIEW.controls = function (state, own, types, changed) {
  const { element, say } = VIEW,
    box = element("form", { class: "settings", onsubmit: event => event.preventDefault() }),
    update = [];
  const rounded = v => Number((10 ** v).toPrecision(2));
  const sliders = [
    ["kl_weight", -2, 1, 0.05, rounded, Math.log10],
    ["mmd_weight", -2, 2, 0.05, rounded, Math.log10],
    ["lengthscale", -1.5, 1, 0.05, rounded, Math.log10],
    ["jump_every", -0.1, 3, 0.1, v => (v < 0 ? 0 : Math.round(10 ** v)), v => (v > 0 ? Math.log10(v) : -0.1)],
    ["step_size", -5, 0, 0.05, rounded, Math.log10],
    ["particles", 0, 4, 0.05, v => Math.min(Math.round(10 ** v), VIEW.most), Math.log10],
    ["seed", 0, 99, 1, v => String(v), v => Math.min(Number(v), 99)],
    ["pace", 0, 3, 0.1, v => Math.round(10 ** v), Math.log10],
  ];
  const slider = given => VIEW.slider(given, state, changed, update);
  function select(key, options, read = () => state()[key], write = value => changed(key, value)) {
    const list = element("select", { id: key }, ...options.map(([value, text]) => element("option", { value }, text)));
    list.addEventListener("change", () => write(list.value));
    update.push(() => {
      list.value = read();
    });
    return element("label", { class: "wide" }, say(key), list);
  }
  const losses = Object.keys(PG.losses).filter(name => !["spline", "quadratic", "gaussian-mixture"].includes(name));
  const kinds = [
    ...(own ? [["own", say("own_loss", { name: own.name || own.formula })]] : []),
    ["formula", say("formula_line")],
    ["formula2", say("formula_plane")],
    ["spline", say("drawn")],
    ...losses.map(name => [name, name]),
  ];
  const kind = () => {
    const { loss, variables } = state();
    return loss === "own" || loss === "spline" || losses.includes(loss)
      ? loss
      : String(variables).includes(",")
        ? "formula2"
        : "formula";
  };
  const formula = element("input", {
    type: "text",
    id: "formula",
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "off",
    maxlength: 10000,
  });
  formula.addEventListener("change", () => changed("loss", formula.value));
  const formula_row = element("label", { class: "wide" }, say("formula"), formula),
    drawing = VIEW.drawing(state, changed),
    drawing_row = element("label", { class: "wide" }, say("drawing_help"), drawing.canvas);
  update.push(() => {
    formula_row.hidden = !kind().startsWith("formula");
    drawing_row.hidden = kind() !== "spline";
    if (!formula_row.hidden && document.activeElement !== formula) formula.value = state().loss;
    if (!drawing_row.hidden) drawing.draw();
  });
  const picked = value =>
    value === "formula"
      ? changed("loss", "t^2/2 + cos(3*t)", { variables: "t" })
      : value === "formula2"
        ? changed("loss", "(x^2 - 1)^2 + y^2/2", { variables: "x,y" })
        : value === "spline"
          ? changed("loss", "spline", drawing.start())
          : changed("loss", value);
  const place = label => Object.keys(PG.METHODS).indexOf(PG.type_of(label, types)),
    labels = [...new Set([...Object.keys(types), ...Object.keys(PG.METHODS)])].sort(
      (one, other) => place(one) - place(other),
    );
  const picks = () => String(state().methods).split(","),
    chosen = label => picks().includes(label);
  const methods = element(
    "fieldset",
    {},
    element("legend", {}, say("methods")),
    ...labels.map(label => {
      const tick = element("input", { type: "checkbox", id: `method-${label}` }),
        type = PG.type_of(label, types);
      tick.addEventListener("change", () => {
        const found = labels.filter(each => (each === label ? tick.checked : chosen(each)));
        if (found.length) changed("methods", found.join(","));
        else tick.checked = true;
      });
      update.push(() => {
        tick.checked = chosen(label);
      });
      return element(
        "label",
        {},
        tick,
        element("span", {}, `${label === type ? label : `${label}: ${type}`} ${say(`about_${type}`)}`),
      );
    }),
  );
  const uses = (label, key) => PG.METHODS[PG.type_of(label, types)][["kl_weight", "jump_every"].includes(key) ? 0 : 1],
    has_own = (label, key) => state()[`${label}.${key}`] !== undefined;
  const rows = sliders.map(given => {
    // a weight that no method shares is not asked for
    const row = slider(given);
    if (PG.OWN.includes(given[0]))
      update.push(() => {
        const users = labels.filter(label => chosen(label) && uses(label, given[0]));
        row.hidden = users.length > 0 && users.every(label => has_own(label, given[0]));
      });
    return row;
  });
  for (const label of labels)
    for (const given of sliders.slice(0, 4))
      if (uses(label, given[0])) {
        const row = slider([`${label}.${given[0]}`, ...given.slice(1)]);
        update.push(() => {
          row.hidden = !chosen(label) || !has_own(label, given[0]);
        });
        rows.push(row);
      }
  const exact = element("input", { type: "checkbox", id: "exact" });
  exact.addEventListener("change", () => changed("exact", String(exact.checked)));
  update.push(() => {
    exact.checked = String(state().exact) === "true";
  });
  const prior_text = element("input", { type: "text", id: "prior", spellcheck: "false", autocomplete: "off" });
  prior_text.addEventListener("change", () =>
    changed("prior", prior_text.value.trim(), { initial: prior_text.value.trim() === "flat" ? "normal:0:1" : "" }),
  );
  update.push(() => {
    prior_text.value = typeof state().prior === "string" ? state().prior : PG.write_prior(state().prior);
  });
  box.append(
    select("kind", kinds, kind, picked),
    formula_row,
    drawing_row,
    ...rows,
    methods,
    element(
      "label",
      { class: "wide" },
      say("prior"),
      element("span", {}, prior_text, element("small", { class: "soft" }, say("prior_help"))),
    ),
    select("integrator", [
      ["euler-maruyama", "Euler-Maruyama"],
      ["leimkuhler-matthews", "Leimkuhler-Matthews"],
    ]),
    element("fieldset", {}, element("label", {}, exact, element("span", {}, say("exact")))),
  );
  return { box, show: () => update.forEach(each => each()) };
};

// The canvas on which a loss is drawn: 25 heights, by pointer or by arrow keys.
VIEW.drawing = function (state, changed) {
  const KNOTS = 25,
    SPAN = [-5, 5],
    canvas = VIEW.element("canvas", {
      id: "drawing",
      class: "drawing",
      tabindex: "0",
      role: "application",
      "aria-label": VIEW.say("drawing_label"),
    });
  let knot = 12;
  const heights = () => String(state().heights).split(",").map(Number),
    set = list => changed("heights", list.map(h => Number(h.toFixed(3))).join(","));
  function draw() {
    if (!canvas.clientWidth || state().loss !== "spline") return;
    const [g, W, H] = VIEW.prepare(canvas),
      list = heights(),
      { low, high } = state(),
      py = v => (H * (SPAN[1] - v)) / (SPAN[1] - SPAN[0]);
    const loss = PG.losses.spline({ low: Number(low), high: Number(high), heights: list }),
      x = Float64Array.from({ length: 301 }, (_, i) => Number(low) + ((high - low) * i) / 300),
      v = new Float64Array(301);
    loss.values([x], v);
    g.strokeStyle = VIEW.colour("--ink");
    g.lineWidth = 2.5;
    g.beginPath();
    for (let i = 0; i <= 300; i++) g.lineTo(8 + ((W - 16) * i) / 300, py(v[i]));
    g.stroke();
    list.forEach((h, i) => {
      g.fillStyle = VIEW.colour(i === knot ? "--mark" : "--soft");
      g.beginPath();
      g.arc(8 + ((W - 16) * i) / (list.length - 1), py(h), i === knot ? 8 : 4, 0, 6.2832);
      g.fill();
    });
  }
  function at(event) {
    const box = canvas.getBoundingClientRect(),
      list = heights(),
      to = Math.round(((event.clientX - box.left - 8) / (box.width - 16)) * (list.length - 1));
    const place = Math.max(0, Math.min(list.length - 1, to)),
      height = Math.max(
        SPAN[0],
        Math.min(SPAN[1], SPAN[1] - ((SPAN[1] - SPAN[0]) * (event.clientY - box.top)) / box.height),
      );
    const from = at.last === null ? place : at.last,
      before = list[from]; // a fast pointer jumps over knots
    for (let k = Math.min(from, place); k <= Math.max(from, place); k++)
      list[k] = from === place ? height : before + ((height - before) * Math.abs(k - from)) / Math.abs(place - from);
    at.last = knot = place;
    set(list);
  }
  at.last = null;
  canvas.addEventListener("pointerdown", event => {
    canvas.setPointerCapture(event.pointerId);
    at.last = null;
    at(event);
  });
  canvas.addEventListener("pointermove", event => {
    if (event.buttons) at(event);
  });
  canvas.addEventListener("keydown", event => {
    const list = heights(),
      step = event.shiftKey ? 0.5 : 0.1;
    if (event.key === "Escape") {
      canvas.blur();
      return;
    }
    if (event.key === "ArrowLeft") knot = Math.max(0, knot - 1);
    else if (event.key === "ArrowRight") knot = Math.min(list.length - 1, knot + 1);
    else if (event.key === "ArrowUp") list[knot] = Math.min(SPAN[1], list[knot] + step);
    else if (event.key === "ArrowDown") list[knot] = Math.max(SPAN[0], list[knot] - step);
    else return;
    event.preventDefault();
    set(list);
    draw();
  });
  function start() {
    // from the loss that is shown, or a double well
    const loss = PG.losses["tilted-double-well"]({}),
      low = -3,
      high = 2.28,
      x = Float64Array.from({ length: KNOTS }, (_, i) => low + ((high - low) * i) / (KNOTS - 1)),
      v = new Float64Array(KNOTS);
    loss.values([x], v);
    return {
      low: String(low),
      high: String(high),
      heights: Array.from(v, h => Number(Math.max(SPAN[0], Math.min(SPAN[1], h)).toFixed(3))).join(","),
    };
  }
  return { canvas, draw, start };
};
