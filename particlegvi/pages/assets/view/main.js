// Puts the page together; with #selftest in the address it computes the final particles and shows them as JSON.
"use strict";
(() => {
  const main = document.getElementById("main"),
    { element, say, data } = VIEW;
  if (location.hash.startsWith("#selftest")) {
    const place = document.getElementById("selftest");
    let report;
    try {
      report = PG.selftest(
        Object.fromEntries(new URLSearchParams(location.hash.slice("#selftest".length).replace(/^&/, ""))),
      );
    } catch (error) {
      report = { error: error.message };
    }
    place.hidden = false;
    place.textContent = JSON.stringify(report);
    return;
  }
  const live = () => {
    if (data.live) VIEW.live(section);
    else if (data.why) section.append(element("p", { class: "soft" }, data.why));
  };
  const section = element("section", { id: "live" });
  if (data.source) main.append(element("p", { class: "soft" }, data.source));
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
    main.append(section);
    live();
  }
  main.append(element("p", { class: "soft" }, say("about")));
})();
