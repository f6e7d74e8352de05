// Checks of settings, which come as texts from an address.
"use strict";
PG.Refused = class extends Error {
  constructor(key, value) {
    super(`${key}: ${value}`);
    Object.assign(this, { key, value: String(value) });
  }
};
PG.number = function (key, value, low, high) {
  const x =
    typeof value === "number"
      ? value
      : /^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$/.test(value)
        ? Number(value)
        : NaN;
  if (!(x >= low && x <= high)) throw new PG.Refused(key, value);
  return x;
};
PG.whole = function (key, value, low, high) {
  const x = PG.number(key, value, low, high);
  if (!Number.isInteger(x)) throw new PG.Refused(key, value);
  return x;
};
