// The settings: sliders and selections. Each change is told to `changed(key, value)`.
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
  const losses = Object.keys(PG.losses);
  const kinds = [
    ...(own ? [["own", say("own_loss", { name: own.name || own.formula })]] : []),
    ["formula", say("formula_line")],
    ["formula2", say("formula_plane")],
    ...losses.map(name => [name, name]),
  ];
  const kind = () => {
    const { loss, variables } = state();
    return loss === "own" || losses.includes(loss)
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
  const formula_row = element("label", { class: "wide" }, say("formula"), formula);
  update.push(() => {
    formula_row.hidden = !kind().startsWith("formula");
    if (!formula_row.hidden && document.activeElement !== formula) formula.value = state().loss;
  });
  const picked = value =>
    value === "formula"
      ? changed("loss", "t^2/2 + cos(3*t)", { variables: "t" })
      : value === "formula2"
        ? changed("loss", "(x^2 - 1)^2 + y^2/2", { variables: "x,y" })
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
        row.hidden = users.every(label => has_own(label, given[0]));
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
  // a law as text, normal:0:1; it is empty where there is none, and points cannot be written
  const law = (key, help, more = () => ({})) => {
    const input = element("input", { type: "text", id: key, spellcheck: "false", autocomplete: "off" }),
      words = element("span", {}, input, element("small", { class: "soft" }, help)),
      label = element("label", { class: "wide" }, say(key), words);
    input.addEventListener("change", () => changed(key, input.value.trim(), more(input.value.trim())));
    update.push(() => {
      const now = state()[key];
      label.hidden = now.name === "points";
      input.value = typeof now === "string" ? now : PG.write_prior(now);
    });
    return label;
  };
  const rest = rows.splice(6, 2); // the seed and the pace, after what a lecture changes
  box.append(
    select("kind", kinds, kind, picked),
    formula_row,
    ...rows,
    methods,
    law("prior", say("prior_help"), prior => (prior === "flat" ? { initial: state().initial || "normal:0:1" } : {})),
    law("initial", say("initial_help")),
    ...rest,
    select("integrator", [
      ["euler-maruyama", "Euler-Maruyama"],
      ["leimkuhler-matthews", "Leimkuhler-Matthews"],
    ]),
  );
  return { box, show: () => update.forEach(each => each()) };
};
