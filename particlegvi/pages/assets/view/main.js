// Puts the page together; with #selftest in the address it computes the final particles and shows them as JSON.
"use strict";
(() => {
  const main = document.getElementById("main"),
    { element, say, data } = VIEW;
  if (location.hash.startsWith("#selftest")) {
    const place = document.getElementById("selftest"),
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
    return;
  }
  const live = () => {
    if (data.live && data.functions) VIEW.functions(section);
    else if (data.live) VIEW.live(section);
    else if (data.why) section.append(element("p", { class: "soft" }, data.why));
  };
  const section = element("section", { id: "live" });
  // For a frame on a slide: pictures, buttons and sliders alone.
  if (new URLSearchParams(location.search).has("embed")) document.documentElement.classList.add("embed");
  const title = main.querySelector("h1"),
    source = element("p", { class: "soft source" }, data.source || "");
  main.append(element("header", {}, title, source));
  // The title of what is shown: its source stands beside the page's own title alone.
  VIEW.heading = text => {
    if (title.textContent === text) return;
    title.textContent = document.title = text;
    source.hidden = text !== data.title;
  };
  if (data.replay) {
    const replay = element("section", { id: "replay" });
    main.append(
      element("p", { class: "watch" }, data.watch),
      element("h2", {}, say("replay")),
      replay,
      ...(data.live ? [element("h2", {}, say("go_on_live"))] : []),
      section,
    );
    VIEW.replay(replay, live);
  } else {
    if (data.functions && data.functions.runs) {
      const fitted = element("section", { id: "fitted" });
      main.append(element("p", { class: "watch" }, say("watch_fitted")), fitted);
      VIEW.fitted(fitted);
    }
    main.append(section);
    live();
  }
  main.append(element("p", { class: "soft about" }, say(data.functions ? "about_functions" : "about")));
})();
