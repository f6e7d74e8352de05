// The state of the live page as the part of its address behind #.
"use strict";
// The settings that differ from those of the page, as the text behind #.
VIEW.fragment = function (state, base) {
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(state)) {
    const is_known = key in base && String(base[key]) === String(value);
    if (value === undefined || typeof value === "object" || is_known) continue;
    given.set(key, value);
  }
  // an empty weight of one method is the shared one again
  for (const key in base) if (key.includes(".") && !(key in state)) given.set(key, "");
  return given.toString();
};
// The settings of an address: those of the page, and in their place those that it names; and the step to go to.
VIEW.state_of = function (hash, base, types) {
  const given = Object.fromEntries(new URLSearchParams(hash.slice(1))),
    state = { ...base };
  for (const [key, value] of Object.entries(given))
    if (key in PG.DEFAULTS || ["heights", "low", "high"].includes(key)) state[key] = value;
  for (const [key, value] of Object.entries(given)) {
    // LABEL.kl_weight is the weight of one method
    const at = key.lastIndexOf(".");
    if (at < 0 || !PG.OWN.includes(key.slice(at + 1)) || PG.type_of(key.slice(0, at), types) === null) continue;
    if (value) state[key] = value;
    else delete state[key];
  }
  if (Number(given.pace) >= 1 && Number(given.pace) <= 1000) state.pace = Math.round(Number(given.pace));
  if (given.loss && given.loss !== "own" && !given.variables) state.variables = PG.variables_of(given.loss);
  if (given.prior === "flat" && !given.initial) state.initial = "normal:0:1";
  return { state, at: given.at ? Math.min(Number(given.at) || 0, 1e6) : 0 };
};
