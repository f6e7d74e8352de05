// Data by pointer and by keyboard: a datum is dragged, and added where there is none; a second press on it, or a drag
// out of the picture, removes it. `put` takes the new data, and `paint` shows another choice.
"use strict";
VIEW.data_by_hand = function (panels, scene, { put, paint }) {
  const GRAB = 16, // pixels
    low = scene.grid[0],
    high = scene.grid[scene.grid.length - 1],
    span = high - low;
  function nearest(canvas, event) {
    const box = canvas.getBoundingClientRect(),
      { px, py, x, y } = scene.places.get(canvas),
      [p, q] = [(event.clientX - box.left) / VIEW.unit(), (event.clientY - box.top) / VIEW.unit()],
      gaps = scene.points.map(([s, t]) => Math.hypot(px(s) - p, py(t) - q)),
      best = gaps.indexOf(Math.min(...gaps));
    const inside = (v, [first, last]) => Math.max(first, Math.min(last, v));
    return {
      found: gaps[best] < GRAB ? best : -1,
      datum: [inside(x(p), [low, high]), inside(y(q), scene.range)],
      is_outside: p < 0 || q < 0 || p * VIEW.unit() > box.width || q * VIEW.unit() > box.height,
    };
  }
  const without = k => scene.points.filter((_, i) => i !== k);
  panels.forEach(({ canvas }) => {
    let last = { k: -1, time: 0 };
    canvas.addEventListener("pointerdown", event => {
      canvas.setPointerCapture(event.pointerId);
      const { found, datum } = nearest(canvas, event),
        is_second = found >= 0 && found === last.k && event.timeStamp - last.time < 400;
      if (is_second) {
        scene.chosen = -1;
        put(without(found));
      } else if (found >= 0) scene.chosen = found;
      else if (scene.points.length < PG.MOST_DATA) {
        scene.chosen = scene.points.length;
        put([...scene.points, datum]);
      }
      last = { k: scene.chosen, time: event.timeStamp };
      paint();
    });
    canvas.addEventListener("pointermove", event => {
      if (!event.buttons || scene.chosen < 0) return;
      const { datum } = nearest(canvas, event),
        [x, y] = scene.points[scene.chosen];
      if (Math.hypot(datum[0] - x, datum[1] - y) > 0)
        put(scene.points.map((point, k) => (k === scene.chosen ? datum : point)));
    });
    canvas.addEventListener("pointerup", event => {
      if (scene.chosen >= 0 && nearest(canvas, event).is_outside) put(without(scene.chosen));
    });
    canvas.addEventListener("keydown", event => {
      const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] },
        count = scene.points.length,
        { chosen } = scene;
      if (event.key === "Escape") canvas.blur();
      else if (event.key === "Enter" && count < PG.MOST_DATA) {
        scene.chosen = count;
        put([...scene.points, [scene.place, 0]]);
      } else if ((event.key === "PageUp" || event.key === "PageDown") && count) {
        scene.chosen = (Math.max(chosen, 0) + (event.key === "PageDown" ? 1 : count - 1)) % count;
        paint();
      } else if (event.key === "Delete" && chosen >= 0) put(without(chosen));
      else if (moves[event.key] && chosen >= 0) {
        const [right, up] = moves[event.key],
          tall = scene.range[1] - scene.range[0];
        put(
          scene.points.map(([x, y], k) => (k === chosen ? [x + (right * span) / 100, y + (up * tall) / 100] : [x, y])),
        );
      } else return;
      event.preventDefault();
    });
  });
};
