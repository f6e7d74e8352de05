// Questions that may take long. Their answers are plain data, which a worker can send to its page.
"use strict";
(() => {
  const without_functions = table =>
    Object.fromEntries(Object.entries(table).filter(([, value]) => typeof value !== "function"));
  const each_curve = (truth, change) =>
    truth && truth.axes
      ? { ...truth, marginals: truth.marginals.map(change), slices: truth.slices.map(change) }
      : truth && truth.x
        ? change(truth)
        : truth;

  // What a verdict compares particles with: {truth, goal}, each of them null where there is none.
  PG.found = function (s) {
    const truth = PG.truth(s),
      has_goal = truth && s.loss.dim === 1 && s.kl_weight > 0;
    return { truth, goal: has_goal ? PG.target_free_energy(truth, s) : null };
  };
  PG.packed = found => ({ ...found, truth: each_curve(found.truth, without_functions) });
  PG.unpacked = found => ({ ...found, truth: each_curve(found.truth, PG.with_functions) });

  // The answers of a worker, one message after another.
  PG.answers = {
    truths: ({ settings, own, types, labels }, tell) => {
      const problem = PG.problem(settings, own, types);
      for (const label of labels) tell({ label, found: PG.packed(PG.found(PG.method(problem, label))) });
    },
  };
})();
