// The ensembles of a live page with their truths, as entries of `VIEW.panels`.
"use strict";
VIEW.verdict = function ({ key, values }) {
  const { number } = VIEW,
    shown = {};
  for (const [name, value] of Object.entries(values)) {
    if (name === "place") shown[name] = `(${value.map(t => number(t, 2)).join("; ")})`;
    else shown[name] = Number.isInteger(value) ? String(value) : number(value, 1);
  }
  return VIEW.say(`verdict_${key}`, shown);
};
VIEW.ensembles = function (own) {
  const known = new Map(); // truths by all that they depend on

  // the truth of a method, or null; `is_too_much` where the page would take too long to find it
  function truth_of(s, loss_setting) {
    const { name, parameters, formula, heights, low } = s.loss,
      start = s.kl_weight > 0 ? null : s.start,
      parts = [loss_setting, name, parameters, formula, heights, low, s.prior, start, s.kl_weight, s.mmd_weight],
      key = JSON.stringify([...parts, s.kernel]);
    if (!known.has(key)) {
      if (known.size > 30) known.clear();
      known.set(key, found(s));
    }
    return known.get(key);
  }
  function found(s) {
    try {
      return PG.limited(() => {
        const truth = PG.truth(s),
          has_goal = truth && s.loss.dim === 1 && s.kl_weight > 0;
        return { truth, goal: has_goal ? PG.target_free_energy(truth, s) : null, is_too_much: false };
      });
    } catch (error) {
      if (!(error instanceof PG.TooMuch)) throw error;
      return { truth: null, goal: null, is_too_much: true };
    }
  }
  function note(s) {
    const weights = ["kl_weight", "mmd_weight"].filter(key => s[key]);
    return weights.map(key => `${key} ${VIEW.shown(s[key])}`).join(", ") || VIEW.say("no_weights");
  }
  function entry_of(problem, place, settings, loss_setting) {
    const { type } = settings,
      ensemble = PG.ensemble(settings),
      same_type = problem.methods.slice(0, place).filter(other => problem.each.get(other).type === type),
      records = PG.records(ensemble),
      { truth, goal, is_too_much } = truth_of(settings, loss_setting);
    const entry = {
      label: settings.name,
      ensemble,
      records,
      truth,
      goal,
      is_too_much,
      history: [],
      note: note(settings),
    };
    entry.colour = VIEW.method_colour(type, same_type.length);
    entry.particles = () => ensemble.x;
    entry.verdict = ({ w1 }) => {
      if (is_too_much && ensemble.is_finite) return VIEW.say("verdict_too_much");
      if (truth && settings.kl_weight > 0 && ensemble.is_finite && !(entry.floor && w1)) return "…";
      const floor = entry.floor ? entry.floor[0] : null,
        given = { x: ensemble.x, settings, truth, w1: w1 ? w1[0] : NaN, floor, records: records.all() };
      return VIEW.verdict(PG.verdict(given));
    };
    return entry;
  }
  // Put the ensembles of a problem, whose settings `given` are, into panels.
  function build(panels, problem, given) {
    const { loss } = problem,
      noise = PG.noise(problem.seed, problem.particles, loss.dim, problem.math),
      entries = problem.methods.map((name, k) => entry_of(problem, k, PG.method(problem, name, noise), given.loss)),
      truths = entries.map(entry => entry.truth),
      own_names = given.loss === "own" && own.variables,
      variables = loss.variables || own_names || (loss.dim === 1 ? ["t"] : ["x", "y"]),
      start = entries[0].ensemble.x[0],
      seen = [PG.quantile(start, 0.01), PG.quantile(start, 0.99)],
      is_line = loss.dim === 1,
      scene = is_line ? VIEW.line_scene(loss, truths, variables[0], seen) : VIEW.plane_scene(loss, truths, variables);
    panels.build(entries, scene, loss.dim);
  }
  return { build };
};
