// The ensembles of a live page with their truths, as entries of `VIEW.panels`.
"use strict";
VIEW.verdict = function ({ key, values }) {
  const { number } = VIEW,
    shown = {};
  for (const [name, value] of Object.entries(values)) {
    if (name === "place" && value.length > 1) shown[name] = `(${value.map(t => number(t, 2)).join("; ")})`;
    else if (name === "place") shown[name] = number(value[0], 2);
    else shown[name] = Number.isInteger(value) && value < 1e15 ? String(value) : number(value, 1);
  }
  return VIEW.say(`verdict_${key}`, shown);
};
// told(panels): after a worker has found a truth of these panels, or has given up
VIEW.ensembles = function (own, types, told) {
  const known = new Map(), // what is found, by all that it depends on
    EARLY = 100, // steps, before which particles that sample are not judged
    LATE = { truth: null, is_too_much: true },
    COMPUTING = { ...LATE, is_too_much: false, is_computing: true };
  let has_worker = true;

  function key_of(s, loss_setting) {
    const start = s.kl_weight > 0 ? null : s.start,
      parts = [loss_setting, s.loss.variables, s.prior, start, s.kl_weight, s.mmd_weight, s.kernel];
    return JSON.stringify(parts);
  }
  function keep(key, found) {
    if (known.size > 30) known.clear();
    known.set(key, found);
    return found;
  }
  // at once where that is quick; otherwise a worker goes on, and without a worker the page up to a longer limit
  function found_now(s, key) {
    if (known.has(key)) return known.get(key);
    try {
      return keep(key, { truth: has_worker ? PG.truth(s) : PG.limited(() => PG.truth(s)) });
    } catch (error) {
      if (!(error instanceof PG.TooMuch)) throw error;
      return has_worker ? COMPUTING : keep(key, LATE);
    }
  }
  // Ask a worker for what is not found yet.
  function find_rest(panels, problem, given) {
    if (panels.stop) panels.stop();
    const rest = panels.entries.filter(entry => entry.is_computing);
    if (!rest.length) return;
    const set = (entry, found) => {
      Object.assign(entry, { is_computing: false }, keep(entry.key, found));
      panels.show_scene(scene_of(panels.entries, problem, given));
      told(panels);
    };
    panels.stop = VIEW.ask(
      "truths",
      { settings: given, own, types, labels: rest.map(entry => entry.label) },
      ({ label, truth }) =>
        set(
          rest.find(entry => entry.label === label),
          { truth: PG.unpacked(truth) },
        ),
      () => rest.filter(entry => entry.is_computing).forEach(entry => set(entry, LATE)),
    );
    if (panels.stop) return;
    has_worker = false;
    for (const entry of rest) set(entry, found_now(entry.ensemble.settings, entry.key));
  }
  function note(s, found) {
    const weights = ["kl_weight", "mmd_weight"].filter(key => s[key]);
    const told = weights.map(key => `${key}\u00a0${VIEW.shown(s[key])}`);
    if (s.jump_every > 0) told.push(VIEW.say("jumping", { every: s.jump_every }));
    const of_de = s.loss.dim === 2 ? "no_truth_of_de_in_plane" : "no_truth_of_de",
      why = s.kl_weight > 0 ? "no_truth" : s.mmd_weight > 0 ? "no_truth_of_dre" : of_de;
    if (!found.truth && !found.is_computing && !found.is_too_much) told.push(VIEW.say(why));
    return told.join(", ") || VIEW.say("no_weights");
  }
  function entry_of(settings, loss_setting) {
    const ensemble = PG.ensemble(settings),
      records = PG.records(ensemble),
      key = key_of(settings, loss_setting),
      found = found_now(settings, key),
      entry = { label: settings.name, ensemble, records, key, ...found, note: note(settings, found) };
    entry.colour = VIEW.method_colour(settings.name);
    entry.is_share = !(settings.kl_weight > 0); // without noise particles gather, and bars are shares of them
    entry.particles = () => ensemble.x;
    entry.verdict = ({ w1 }) => {
      const { truth, is_too_much, is_computing, floor } = entry;
      if (ensemble.step === 0) return VIEW.say("verdict_start"); // there is nothing to judge yet
      if (is_too_much && ensemble.is_finite) return VIEW.say("verdict_too_much");
      if (is_computing && ensemble.is_finite) return VIEW.say("verdict_computing");
      if (ensemble.step < EARLY && settings.kl_weight > 0 && ensemble.is_finite) return VIEW.say("verdict_unknown");
      if (truth && settings.kl_weight > 0 && ensemble.is_finite && !(floor && w1)) return "…";
      const given = { x: ensemble.x, settings, truth, records: records.all() };
      try {
        return PG.limited(
          () => VIEW.verdict(PG.verdict({ ...given, w1: w1 ? w1[0] : NaN, floor: floor ? floor[0] : null })),
          PG.QUICK_WORK,
        );
      } catch (error) {
        if (!(error instanceof PG.TooMuch)) throw error;
        return VIEW.say("verdict_too_long");
      }
    };
    return entry;
  }
  function scene_of(entries, { loss, prior, start }, given) {
    const truths = entries.map(entry => entry.truth),
      own_names = given.loss === "own" && own.variables,
      variables = loss.variables || own_names || (loss.dim === 1 ? ["t"] : ["x", "y"]),
      x = entries[0].ensemble.x[0],
      seen = [PG.quantile(x, 0.01), PG.quantile(x, 0.99)];
    if (loss.dim === 2) return VIEW.plane_scene(loss, truths, variables);
    const scene = VIEW.line_scene(loss, truths, variables[0], seen, prior);
    return (loss.work || 20) < 1e4 ? { ...scene, wells: PG.basins(loss, prior, start) } : scene;
  }
  // Put the ensembles of a problem, whose settings `given` are, into panels.
  function build(panels, problem, given) {
    const noise = PG.noise(problem.seed, problem.particles, problem.loss.dim),
      entry = name => entry_of(PG.method(problem, name, noise), given.loss),
      entries = PG.limited(() => problem.methods.map(entry), has_worker ? PG.QUICK_WORK : Infinity);
    panels.build(entries, scene_of(entries, problem, given), problem.loss.dim);
    find_rest(panels, problem, given);
  }
  return { build };
};
