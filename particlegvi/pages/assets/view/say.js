// Words, numbers and elements. Everything a user typed or named becomes text, never markup.
"use strict";
const VIEW = { data: JSON.parse(document.getElementById("data").textContent) };
PG.losses = VIEW.data.losses || {};

VIEW.say = (key, values) =>
  (VIEW.data.words[key] || key).replace(/\{([a-z0-9_]+)\}/g, (whole, name) =>
    values && name in values ? String(values[name]) : whole,
  );
VIEW.number = function (x, digits = 3) {
  // a few digits, with the decimal mark of the language
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x) < 1e-9 ? 0 : Math.abs(x),
    text =
      size === 0
        ? "0"
        : size < 1e-3 || size >= 1e5
          ? x.toExponential(1)
          : x.toFixed(size >= 100 ? 0 : digits);
  return text.replaceAll("-", "−").replace(".", VIEW.data.words.decimal);
};
// A setting: a whole number has all its digits, any other number has four, or six from 100 on, so that it stays in one
// line.
VIEW.shown = function (value) {
  const x = Number(value),
    whole = value === "" || !Number.isFinite(x) || Number.isInteger(x),
    digits = Math.abs(x) < 100 ? 4 : 6;
  return VIEW.shown_text(whole ? value : Number(x.toPrecision(digits)));
};
VIEW.shown_text = value => String(value).replace(".", VIEW.data.words.decimal);
VIEW.element = function (tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
};
VIEW.colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
// The name of the colour of a label, which the style sheet has for the light and for the dark; with -words that of its
// words.
VIEW.method_colour = label => VIEW.data.colours[label];
VIEW.caption = function (label, note, colour) {
  const found = VIEW.element("figcaption", {}, label, VIEW.element("small", { class: "soft" }, note));
  found.style.color = `var(${colour}-words)`;
  return found;
};
// Calls `drawn` where pictures must be drawn anew: in another size, or in other colours.
VIEW.redrawn = function (drawn) {
  addEventListener("resize", drawn);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawn);
};
VIEW.still = matchMedia("(prefers-reduced-motion: reduce)").matches; // nothing moves by itself

// CSS pixels of a unit of length in pictures: they grow with the letters of the page.
VIEW.unit = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
// A canvas with sharp pixels; returns its context and size in units.
VIEW.prepare = function (canvas) {
  const scale = window.devicePixelRatio || 1,
    unit = VIEW.unit(),
    W = canvas.clientWidth,
    H = canvas.clientHeight;
  if (canvas.width !== Math.round(W * scale) || canvas.height !== Math.round(H * scale)) {
    canvas.width = Math.round(W * scale);
    canvas.height = Math.round(H * scale);
  }
  const g = canvas.getContext("2d");
  g.setTransform(scale * unit, 0, 0, scale * unit, 0, 0);
  g.clearRect(0, 0, W / unit, H / unit);
  g.font = "14px system-ui, sans-serif";
  return [g, W / unit, H / unit];
};
VIEW.ticks = function (low, high, most = 7) {
  const rough = (high - low) / most,
    base = 10 ** Math.floor(Math.log10(rough)),
    step = [1, 2, 5, 10].map(k => k * base).find(s => s >= rough),
    found = [];
  // where neighbours cannot be told apart in doubles, there is none
  if (!(step > 1e-12 * Math.max(Math.abs(low), Math.abs(high)))) return [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(k * step);
  const text = t =>
    t !== 0 && high - low < 4e-3 ? Number(t.toPrecision(3)).toExponential() : Number(t.toPrecision(6));
  return found.map(t => [t, VIEW.shown_text(text(t)).replaceAll("-", "−")]);
};
// as many ticks as have room for their numbers in so many pixels
VIEW.fitted_ticks = function (g, low, high, pixels) {
  for (let most = 7; ; most--) {
    const found = VIEW.ticks(low, high, most),
      widest = Math.max(0, ...found.map(([, text]) => g.measureText(text).width));
    if (most <= 2 || found.length * (widest + 10) < pixels) return found;
  }
};
