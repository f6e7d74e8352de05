// From settings, as the address and the controls have them, to the ensembles of a page.
"use strict";
PG.METHODS = { DE: [0, 0], DLE: [1, 0], DRE: [0, 1], DRLE: [1, 1] }; // which of the two weights a method has
PG.MOST = { 1: 10000, 2: 1000 };
PG.MOST_STEPS = 1e9;
// Settings that a method may have of its own, as LABEL.kl_weight.
PG.OWN = ["kl_weight", "mmd_weight", "lengthscale", "variance", "jump_every", "jump_share"];
PG.MOST_PAIRED = 2000; // particles with repulsion that jump: each proposal asks all others

(() => {
  const NUMBERS = {
    kl_weight: [0, 1e6],
    mmd_weight: [0, 1e6],
    lengthscale: [1e-6, 1e6],
    variance: [1e-12, 1e12],
    step_size: [1e-12, 1e3],
    jump_every: [0, 1e9],
    jump_share: [1e-9, 1],
  };
  // "normal:0:1", "uniform:-2,-2:3,3" or "flat"; one number stands for every coordinate
  PG.read_prior = function (key, text, dim) {
    if (typeof text !== "string") {
      // already read, maybe for another dimension: the first number then stands for all
      const wide = list => (list.length === dim ? list : new Array(dim).fill(list[0]));
      if (text.name === "points" && text.points[0].length !== dim) throw new PG.Refused(key, "points");
      return text.name === "normal"
        ? { name: text.name, mean: wide(text.mean), sd: wide(text.sd) }
        : text.name === "uniform"
          ? { name: text.name, low: wide(text.low), high: wide(text.high) }
          : text;
    }
    const [name, ...lists] = text.split(":"),
      read = (list, low) => {
        const all = list.split(",").map(each => PG.number(key, each, low, 1e12));
        if (all.length !== 1 && all.length !== dim) throw new PG.Refused(key, text);
        return all.length === dim ? all : new Array(dim).fill(all[0]);
      };
    if (name === "flat" && !lists.length) return { name };
    if (name === "normal" && lists.length === 2) return { name, mean: read(lists[0], -1e12), sd: read(lists[1], 1e-9) };
    if (name === "uniform" && lists.length === 2) {
      const [low, high] = lists.map(list => read(list, -1e12));
      if (low.every((a, d) => a < high[d])) return { name, low, high };
    }
    throw new PG.Refused(key, text);
  };
  PG.write_prior = prior =>
    prior.name === "flat"
      ? "flat"
      : prior.name === "normal"
        ? `normal:${prior.mean}:${prior.sd}`
        : `uniform:${prior.low}:${prior.high}`;

  // loss: "own" (the page's), the name of one of PG.losses, or a formula
  PG.read_loss = function (settings, own) {
    const text = String(settings.loss);
    if (text === "own" && own) return PG.loss(own);
    if (has(PG.losses, text)) return PG.loss(PG.losses[text]);
    const variables = String(settings.variables || PG.variables_of(text)).split(",");
    if (
      variables.length > 2 ||
      !variables.every(name => /^[\p{L}_][\p{L}\d_]{0,39}$/u.test(name) && name !== "pi" && !has(PG.functions, name)) ||
      new Set(variables).size < variables.length
    )
      throw new PG.Refused("variables", settings.variables);
    return PG.formula(text, variables);
  };

  // x and y for a formula that has one of them and no t, otherwise t
  PG.variables_of = text =>
    /(^|[^\p{L}\d_])[xy](?![\p{L}\d_])/u.test(text) && !/(^|[^\p{L}\d_])t(?![\p{L}\d_])/u.test(text) ? "x,y" : "t";

  const has = (table, key) => Object.prototype.hasOwnProperty.call(table, key);
  // DE, DLE, DRE or DRLE of a label, which is one of these four or, on a page with methods of its own, in their table
  PG.type_of = (label, types) => (types && has(types, label) ? types[label] : has(PG.METHODS, label) ? label : null);

  // Settings checked, with the loss, prior and start as objects, and for each label what its method has.
  PG.problem = function (settings, own, types) {
    const loss = PG.read_loss(settings, own),
      found = { ...settings, loss };
    for (const [key, [low, high]] of Object.entries(NUMBERS)) found[key] = PG.number(key, settings[key], low, high);
    found.particles = PG.whole("particles", settings.particles, 1, PG.MOST[loss.dim]);
    found.steps = PG.whole("steps", settings.steps, 0, PG.MOST_STEPS);
    if (!/^\d{1,20}$/.test(settings.seed) || BigInt(settings.seed) >= 1n << 64n)
      throw new PG.Refused("seed", settings.seed);
    if (!["euler-maruyama", "leimkuhler-matthews"].includes(settings.integrator))
      throw new PG.Refused("integrator", settings.integrator);
    found.methods = String(settings.methods).split(",");
    if (new Set(found.methods).size < found.methods.length) throw new PG.Refused("methods", settings.methods);
    found.each = new Map(
      found.methods.map(label => {
        const type = PG.type_of(label, types),
          [kl, mmd] = PG.METHODS[type] || [];
        if (type === null) throw new PG.Refused("methods", settings.methods);
        const [kl_weight, mmd_weight, lengthscale, variance, every, jump_share] = PG.OWN.map(key =>
          has(settings, `${label}.${key}`)
            ? PG.number(`${label}.${key}`, settings[`${label}.${key}`], ...NUMBERS[key])
            : found[key],
        );
        const jump_every = kl * kl_weight > 0 ? PG.whole("jump_every", every, 0, 1e9) : 0,
          is_crowded = mmd * mmd_weight > 0 && found.particles > PG.MOST_PAIRED;
        if (jump_every > 0 && is_crowded) throw new PG.Refused("jump_every", jump_every);
        const weights = { kl_weight: kl * kl_weight, mmd_weight: mmd * mmd_weight, kernel: { lengthscale, variance } };
        return [label, { type, ...weights, jump_every, jump_share }];
      }),
    );
    found.prior = PG.read_prior("prior", settings.prior, loss.dim);
    found.start = settings.initial ? PG.read_prior("initial", settings.initial, loss.dim) : found.prior;
    if (found.start.name === "flat") throw new PG.Refused("initial", "flat");
    if (found.start.name === "points") found.particles = found.start.points.length;
    return found;
  };
  // The settings of one method of a problem; methods share their noise.
  PG.method = function (problem, name, noise) {
    const { loss, prior, start, step_size, particles, seed, integrator } = problem;
    return { loss, prior, start, step_size, particles, seed, integrator, noise, name, ...problem.each.get(name) };
  };
  PG.truth = function (s) {
    // Q* of a method, or null
    if (s.kl_weight > 0) return s.loss.dim === 1 ? PG.line_target(s) : PG.plane_target(s);
    return s.mmd_weight > 0 || s.loss.dim === 2 ? null : PG.basins(s.loss, s.prior, s.start);
  };
  PG.DEFAULTS = {
    loss: "tilted-double-well",
    variables: "t",
    prior: "normal:0:1",
    initial: "",
    kl_weight: 1,
    mmd_weight: 0.5,
    lengthscale: 1,
    variance: 1,
    jump_every: 0,
    jump_share: 0.1,
    step_size: 0.001,
    particles: 300,
    steps: 1000,
    seed: "0",
    integrator: "euler-maruyama",
    methods: "DE,DLE,DRLE",
  };
})();
