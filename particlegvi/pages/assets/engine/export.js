// A state of the page as a scenario that `particlegvi run` accepts.
"use strict";
PG.scenario = function (problem, settings, own, words) {
  const text = value => JSON.stringify(value),
    decimal = x => {
      const s = String(x);
      return /[.eE]/.test(s) ? s : `${s}.0`;
    };
  const toml = value =>
    Array.isArray(value) ? `[${value.map(toml).join(", ")}]` : typeof value === "number" ? decimal(value) : text(value);
  const one = list => (list.length === 1 ? decimal(list[0]) : toml(list));
  const prior = p =>
    p.name === "flat"
      ? '"flat"'
      : p.name === "points"
        ? `{ points = ${toml(p.points)} }`
        : p.name === "normal"
          ? `{ name = "normal", mean = ${one(p.mean)}, sd = ${one(p.sd)} }`
          : `{ name = "uniform", low = ${one(p.low)}, high = ${one(p.high)} }`;
  const { loss } = problem,
    formula = (f, variables) => `{ formula = ${text(f)}, variables = ${text(variables)} }`;
  const is_typed = settings.loss !== "own" && loss.formula !== undefined,
    typed = is_typed ? formula(loss.formula, loss.variables) : text(settings.loss),
    written = settings.loss === "own" ? own.written : typed;
  const lengthscale = decimal(problem.lengthscale),
    variance = decimal(problem.variance);
  const lines = [
    `# particlegvi run from-the-page.toml --seed ${settings.seed}`,
    'kind = "particles"',
    'name = "from-the-page"',
    `title = ${text(words)}`,
    `loss = ${written}`,
    `prior = ${prior(problem.prior)}`,
  ];
  if (problem.start !== problem.prior) lines.push(`initial = ${prior(problem.start)}`);
  lines.push(
    `kernel = { name = "squared-exponential", lengthscale = ${lengthscale}, variance = ${variance} }`,
    `particles = ${problem.particles}`,
    `steps = ${problem.steps}`,
    `step_size = ${decimal(problem.step_size)}`,
    `integrator = ${text(problem.integrator)}`,
  );
  const key = label => (/^[A-Za-z0-9_-]+$/.test(label) ? label : text(label)),
    taken = new Set();
  for (const [label, { type, kl_weight, mmd_weight, kernel, jump_every, jump_share }] of problem.each) {
    const allowed = /^[A-Za-z0-9]([A-Za-z0-9 _+=-]{0,38}[A-Za-z0-9+])?$/.test(label),
      name = allowed ? label : `${type} ${taken.size + 1}`,
      [kl, mmd] = PG.METHODS[type];
    taken.add(name);
    lines.push("", `[methods.${key(name)}]`);
    if (name !== type) lines.push(`method = ${text(type)}`);
    if (kl) lines.push(`kl_weight = ${decimal(kl_weight)}`);
    if (mmd) lines.push(`mmd_weight = ${decimal(mmd_weight)}`);
    if (jump_every > 0) lines.push(`jumps = { every = ${jump_every}, share = ${decimal(jump_share)} }`);
    if (mmd && (kernel.lengthscale !== problem.lengthscale || kernel.variance !== problem.variance))
      lines.push(`kernel = { lengthscale = ${decimal(kernel.lengthscale)}, variance = ${decimal(kernel.variance)} }`);
  }
  return [...lines, "", "[[figures]]", `kind = "${loss.dim === 1 ? "histograms" : "particles"}"`, ""].join("\n");
};
