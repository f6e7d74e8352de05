// The state of the live page as the part of its address behind #.
"use strict";
// The settings of an address: those of the page, and in their place those that it names; and the step to go to. The
// values are texts, which PG.problem checks; PG.Refused for a pace or a step that is no whole number in its range.
VIEW.state_of = function (hash, base, types) {
  const given = Object.fromEntries(new URLSearchParams(hash.slice(1))),
    state = { ...base };
  for (const [key, value] of Object.entries(given))
    if (key in PG.DEFAULTS) state[key] = value;
  for (const [key, value] of Object.entries(given)) {
    // LABEL.kl_weight is the weight of one method
    const at = key.lastIndexOf(".");
    if (at < 0 || !PG.OWN.includes(key.slice(at + 1)) || PG.type_of(key.slice(0, at), types) === null) continue;
    if (value) state[key] = value;
    else delete state[key];
  }
  if ("pace" in given) state.pace = PG.whole("pace", given.pace, 1, 1000);
  if (given.loss && given.loss !== "own" && !given.variables) state.variables = PG.variables_of(given.loss);
  if (given.prior === "flat" && !given.initial) state.initial = "normal:0:1";
  return { state, at: "at" in given ? PG.whole("at", given.at, 0, PG.MOST_STEPS) : 0 };
};
// The largest number of particles on a page, on the line or in the plane, for settings that may still be wrong.
VIEW.most_particles = function ({ loss, variables }, own) {
  const name = String(loss),
    is_known = Object.prototype.hasOwnProperty.call(PG.losses, name);
  let is_plane = String(variables).includes(",");
  if (name === "own") is_plane = own && (own.dim || 1) === 2;
  else if (is_known) is_plane = PG.losses[name].dim === 2;
  return PG.MOST[is_plane ? 2 : 1];
};
// Settings with as many particles as a page can have: the plane has fewer than the line. The number of an address is a
// text until PG.problem has checked it.
VIEW.lowered = state =>
  typeof state.particles === "number" ? { ...state, particles: Math.min(state.particles, VIEW.most) } : state;
