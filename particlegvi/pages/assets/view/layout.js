// Parts that live pages share: where things stand, buttons, keys, and the address.
"use strict";
VIEW.row = (label, ...children) =>
  VIEW.element("div", { class: "row", role: "group", "aria-label": label }, ...children);
VIEW.button = (key, action, more) =>
  VIEW.element("button", { type: "button", id: key, onclick: action, ...more }, VIEW.say(key));
// The head over all; beside or under it the stage with the pictures, and the settings; then what may be scrolled to.
VIEW.laid = function (root, { head, stage, settings, below }) {
  const { element, say } = VIEW,
    side = element(
      "details",
      { open: true, id: "settings", class: "side" },
      element("summary", {}, say("settings")),
      settings,
    );
  root.append(
    element("div", { class: "head" }, ...head),
    element("div", { class: "work" }, element("div", { class: "stage" }, ...stage), side),
    element("div", { class: "below" }, ...below),
  );
};
// Space, full stop and r outside of the controls.
VIEW.keys = (play_button, step, reset) =>
  addEventListener("keydown", event => {
    const has_modifier = event.ctrlKey || event.metaKey || event.altKey;
    if (has_modifier || event.target.closest("input, select, textarea, button, summary, canvas")) return;
    if (event.key === " ") {
      event.preventDefault();
      play_button.click();
    }
    if (event.key === "r") reset();
    if (event.key === ".") step();
  });
// Keeps the address at the state, where a page has an address.
VIEW.remember = function (fragment) {
  if (window.parent !== window) return; // nobody sees a frame's address, and browsers scroll the page around it
  try {
    history.replaceState(null, "", `#${fragment}`);
  } catch {
    // a frame without an address
  }
};
// A button that shows the whole address, and its field; `fragment` gives the part behind #.
VIEW.link = function (fragment) {
  const words = { type: "text", class: "address", id: "address", "aria-label": VIEW.say("link") },
    field = VIEW.element("input", { ...words, readonly: true, spellcheck: "false", hidden: true });
  function show() {
    const here = location.href.startsWith("about:") ? "" : location.href.split("#")[0];
    field.hidden = false;
    field.value = `${here}#${fragment()}`;
    field.focus();
    field.select();
  }
  return { button: VIEW.button("link", show), field };
};
// A field with a text to be copied, and the buttons that show it and save it as a file.
VIEW.to_be_saved = function (name, written) {
  const { element, say } = VIEW,
    text = element("textarea", {
      readonly: true,
      spellcheck: "false",
      id: "scenario",
      "aria-label": say("scenario_text"),
    }),
    box = element("div", { hidden: true }, element("p", {}, say("scenario_help")), text);
  function show() {
    box.hidden = false;
    text.value = written();
    text.focus();
    text.select();
  }
  function save() {
    show();
    const place = URL.createObjectURL(new Blob([written()], { type: "application/toml" })),
      link = element("a", { download: name });
    link.href = place;
    link.click();
    setTimeout(() => URL.revokeObjectURL(place), 1000);
  }
  return { buttons: [VIEW.button("save", save), VIEW.button("copy", show)], box };
};
