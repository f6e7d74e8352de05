// A limit for work that a page does at once. Expensive loops say how long they are before they begin, so that settings
// which would take minutes are refused after seconds, on every machine at the same place.
"use strict";
PG.TooMuch = class extends Error {};
PG.MOST_WORK = 3e9; // multiplications of one answer, a few seconds
PG.STEEPEST = 4e9; // of the exponents of a density: larger ones have rounding errors of a millionth
PG.MOST_SELFTEST = 3e7; // steps of a particle

(() => {
  let left = Infinity;
  // The answer of an action, or PG.TooMuch. Actions inside another one share its limit.
  PG.limited = function (action, most = PG.MOST_WORK) {
    const before = left,
      mine = Math.min(before, most);
    left = mine;
    try {
      return action();
    } finally {
      left = before - (left >= 0 ? mine - left : mine);
    }
  };
  PG.spend = function (work) {
    if (!(left - work >= 0)) throw new PG.TooMuch("too much work");
    left -= work;
  };
})();
