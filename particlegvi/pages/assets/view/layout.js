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
// The button that lets time pass: one `frame` after another, and `rested` after the last. Where nothing may move by
// itself, the button calls `leap` instead.
VIEW.player = function (frame, rested, leap, id = "play") {
  let is_playing = false;
  const button = VIEW.button("play", () => (VIEW.still && !is_playing ? leap() : play(!is_playing)), {
    id,
    "aria-pressed": "false",
  });
  function loop(now) {
    if (!is_playing) return;
    frame(now);
    requestAnimationFrame(loop);
  }
  function play(on) {
    is_playing = on;
    button.textContent = VIEW.say(on ? "pause" : "play");
    button.setAttribute("aria-pressed", String(on));
    if (on) requestAnimationFrame(loop);
    else rested();
  }
  return { button, play, is_playing: () => is_playing };
};
// Space, full stop and r outside of the controls.
VIEW.keys = (play_button, step, reset) =>
  addEventListener("keydown", event => {
    const has_modifier = event.ctrlKey || event.metaKey || event.altKey;
    if (has_modifier || event.target.closest("input, select, button, summary, canvas")) return;
    if (event.key === " ") {
      event.preventDefault();
      play_button.click();
    }
    if (event.key === "r") reset();
    if (event.key === ".") step();
  });
// The settings that differ from those of the page, as the text behind #.
VIEW.fragment = function (state, base) {
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(state)) {
    const is_known = key in base && String(base[key]) === String(value),
      is_own_step = key === "step_size" && state.loss !== base.loss; // without it the step would be chosen anew
    if (value === undefined || typeof value === "object" || (is_known && !is_own_step)) continue;
    given.set(key, value);
  }
  // an empty weight of one method is the shared one again
  for (const key in base) if (key.includes(".") && !(key in state)) given.set(key, "");
  return given.toString();
};
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
// A row with a slider; `update` gets the function that shows the state. Given are the key, low, high and step of the
// slider, and the functions from the slider to the value and back.
VIEW.slider = function ([key, low, high, step, value, place], state, changed, update) {
  const { element, say, shown } = VIEW,
    out = element("output", {}),
    input = element("input", { type: "range", id: key, min: low, max: high, step });
  const show = () => {
    const text = shown(state()[key]);
    out.textContent = text.length > 9 ? `${text.slice(0, 3)}…${text.slice(-2)}` : text; // a seed of 64 bits
    out.title = text;
    input.setAttribute("aria-valuetext", text);
  };
  input.addEventListener("input", () => {
    changed(key, value(Number(input.value)));
    show();
  });
  update.push(() => {
    if (state()[key] !== undefined) {
      input.value = place(Number(state()[key]));
      show();
    }
  });
  const [, whose, name] = /^(?:(.*)\.)?([^.]*)$/.exec(key); // LABEL.kl_weight is that of one method
  return element("label", {}, whose ? `${whose}: ${name}` : say(name), input, out);
};
