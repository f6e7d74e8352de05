// Limits for long work. Expensive loops say how long they are before they begin, so that an action ends at the same
// place on every machine: what a page does at once may take a moment, and the rest is for its worker.
"use strict";
PG.TooMuch = class extends Error {};
PG.QUICK_WORK = 2e8; // multiplications of what a page does at once, a quarter of a second
PG.MOST_WORK = 3e9; // of one answer where there is no worker, a few seconds
PG.STEEPEST = 4e9; // of the exponents of a density: larger ones have rounding errors of a millionth

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
  // The work of a loss and its slopes at so many points: a long formula takes more than a short one.
  PG.spend_on = (loss, points) => PG.spend(points * (loss.work || 20));
})();
