// The table under the pictures of functions with the numbers at the marked input, and the words below each picture.
"use strict";
VIEW.functions_table = function (scene) {
  const { element, say, number } = VIEW,
    { BAND } = VIEW.curves,
    FADE = 5, // units of time after which a hundredth of the start is left
    heads = ["method", "mean_at", "sd_at", "inside"],
    columns = heads.map(() => element("th", { scope: "col" })),
    rows = ["GP", "PLS"].map(kind => {
      const cells = heads.slice(1).map(() => element("td", {}));
      return { cells, row: element("tr", {}, element("th", { scope: "row" }, kind), ...cells) };
    }),
    head = element("thead", {}, element("tr", {}, ...columns)),
    body = element("tbody", {}, ...rows.map(each => each.row));
  function tell(found) {
    const { grid, truth, place } = scene,
      last = grid.length - 1,
      spot = Math.max(0, Math.min(last, ((place - grid[0]) / (grid[last] - grid[0])) * last)),
      below = Math.min(Math.floor(spot), last - 1),
      at = values => values[below] + (spot - below) * (values[below + 1] - values[below]),
      x = number(place, 2);
    columns.forEach((column, k) => {
      column.textContent = say(heads[k], { x });
      rows.forEach(({ cells }) => k && (cells[k - 1].dataset.head = column.textContent));
    });
    found.forEach(({ mean, sd }, k) => {
      const { cells } = rows[k],
        has_numbers = mean && mean.length,
        is_inside = (f, i) => Math.abs(f - mean[i]) <= BAND * sd[i],
        share = has_numbers && truth.length ? truth.filter(is_inside).length / truth.length : NaN;
      cells[0].textContent = number(has_numbers ? at(mean) : NaN);
      cells[1].textContent = number(has_numbers ? at(sd) : NaN);
      cells[2].textContent = Number.isFinite(share) ? `${Math.round(100 * share)}%` : "–";
    });
  }
  const words = (exact, pls) => [say("functions_evidence", { evidence: number(exact.evidence, 1) }), state(exact, pls)];
  // How far the functions still are from their law, and that law from the exact one.
  function state(exact, pls) {
    if (pls.time === 0) return say("verdict_start");
    if (pls.time < FADE) return say("functions_moving", { share: Math.round(100 * Math.exp(-pls.time)) });
    const law = pls.law(),
      gap = Math.max(...law.mean.map((m, i) => Math.abs(m - exact.mean[i]) / exact.sd[i])),
      wide = Math.max(...law.sd.map((s, i) => s / exact.sd[i]));
    if (gap < 0.2 && wide < 1.2) return say("functions_settled");
    return say("functions_coarse", { gap: number(gap, 1), wide: number(wide, 1) });
  }
  return { box: element("div", { class: "scroll" }, element("table", {}, head, body)), tell, words };
};
