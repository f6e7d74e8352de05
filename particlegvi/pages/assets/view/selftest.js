// With #selftest in the address a page computes the final particles and shows them as JSON.
"use strict";
VIEW.selftest = function (main) {
  const { element, say } = VIEW,
    place = document.getElementById("selftest"),
    text = location.hash.slice("#selftest".length).replace(/^&/, ""),
    given = Object.fromEntries(new URLSearchParams(text)),
    wait = element("p", {}, say("computing_selftest"));
  const show = report => {
    wait.remove();
    place.hidden = false;
    place.textContent = JSON.stringify(report);
  };
  const late = is_late => (is_late ? show({ error: say("late_selftest", { seconds: VIEW.PATIENCE }) }) : null);
  function is_long() {
    try {
      const { particles, steps } = PG.selftest_problem(given, "plain");
      return particles * steps > PG.QUICK_SELFTEST;
    } catch {
      return false; // and the answer at once says why
    }
  }
  if (is_long() && VIEW.ask("selftest", given, show, late)) main.append(wait);
  else PG.answers.selftest(given, show);
};
