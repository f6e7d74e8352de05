// How ensembles move on: a frame at a time, or many steps in pieces between which the page stays alive.
"use strict";
// shown and kept: functions that give entries; the kept ones are brought to the time of those that are shown
VIEW.motion = function (shown, kept, noted) {
  const lagging = () => {
    const lead = shown()[0];
    return lead ? kept().filter(({ ensemble }) => PG.steps_to(ensemble, lead.ensemble.time) > 0) : [];
  };
  function move({ ensemble, records }, steps) {
    ensemble.advance(steps);
    records.note();
  }
  // Every shown ensemble takes the same number of steps, in turns, and no more than fit into the milliseconds.
  function advance(steps, milliseconds) {
    const { settings } = shown()[0].ensemble,
      is_slow = settings.jump_every > 0 || settings.particles > (settings.loss.dim === 1 ? 2000 : 400),
      turn = is_slow ? 1 : 10,
      begun = performance.now();
    let done = 0;
    for (let late = lagging(); done < steps || late.length; late = lagging()) {
      const { time } = shown()[0].ensemble;
      for (const entry of late) move(entry, Math.min(turn, PG.steps_to(entry.ensemble, time)));
      if (!late.length) {
        for (const entry of shown()) move(entry, Math.min(turn, steps - done));
        done += turn;
      }
      if (performance.now() - begun > milliseconds) break;
    }
    return Math.min(done, steps);
  }
  let busy = 0;
  // Take steps in pieces; `painted(is_over)` is called after some of them. Another jump stops this one.
  function jump(steps, is_stopped, painted) {
    const mine = ++busy,
      piece = Math.max(1, Math.ceil(steps / 50));
    const go = (left, pieces) => {
      if (mine !== busy || is_stopped()) return;
      const begun = performance.now();
      while ((left > 0 || lagging().length) && performance.now() - begun < 60) {
        left -= advance(Math.min(left, piece), 60);
        noted();
      }
      const is_over = left <= 0 && !lagging().length;
      painted(is_over || pieces % 8 === 7);
      if (!is_over) setTimeout(() => go(left, pieces + 1), 0);
    };
    go(steps, 0);
  }
  return { advance, jump };
};
