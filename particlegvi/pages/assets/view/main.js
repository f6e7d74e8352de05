// Puts the page together.
"use strict";
(() => {
  const main = document.getElementById("main"),
    { element, say, data } = VIEW;
  const live = () => {
    if (data.live && data.functions) VIEW.functions(section);
    else if (data.live) VIEW.live(section);
    else if (data.why) section.append(element("p", { class: "soft" }, data.why));
  };
  const section = element("section", { id: "live" });
  // For a frame on a slide: pictures, buttons and sliders alone.
  VIEW.is_embedded = new URLSearchParams(location.search).has("embed");
  document.documentElement.classList.toggle("embed", VIEW.is_embedded);
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
      const fitted = element("section", { id: "fitted" }),
        watch = data.functions.runs.some(run => run.signs) ? "watch_fitted_signs" : "watch_fitted",
        dotted = data.functions.truth.length ? ` ${say("dotted_truth")}` : "";
      main.append(element("p", { class: "watch" }, say(watch) + dotted), fitted);
      VIEW.fitted(fitted);
    }
    main.append(section);
    live();
  }
  if (data.live || !data.functions)
    main.append(element("p", { class: "soft about" }, say(data.functions ? "about_functions" : "about")));
})();
