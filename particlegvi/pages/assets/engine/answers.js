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

  PG.unpacked = truth => each_curve(truth, PG.with_functions);

  // The answers of a worker, one message after another.
  PG.answers = {
    truths: ({ settings, own, types, labels }, tell) => {
      const problem = PG.problem(settings, own, types);
      for (const label of labels)
        tell({ label, truth: each_curve(PG.truth(PG.method(problem, label)), without_functions) });
    },
  };
})();
