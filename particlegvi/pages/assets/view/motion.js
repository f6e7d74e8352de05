// How ensembles move on: a frame at a time, or many steps in pieces between which the page stays alive.
"use strict";
// entries: a function that gives the entries that are shown
VIEW.motion = function (entries) {
  // Every ensemble takes the same number of steps, in turns, and no more than fit into the milliseconds.
  function advance(steps, milliseconds) {
    const { settings } = entries()[0].ensemble,
      is_slow = settings.jump_every > 0 || settings.particles > (settings.loss.dim === 1 ? 2000 : 400),
      turn = is_slow ? 1 : 10,
      begun = performance.now();
    let done = 0;
    while (done < steps && performance.now() - begun < milliseconds) {
      for (const { ensemble, records } of entries()) {
        ensemble.advance(Math.min(turn, steps - done));
        records.note();
      }
      done += turn;
    }
    return Math.min(done, steps);
  }
  let busy = 0;
  // Take steps in pieces; `painted(is_over)` is called after some of them. Another jump stops this one.
  function jump(steps, is_stopped, painted) {
    const mine = ++busy;
    const go = (left, pieces) => {
      if (mine !== busy || is_stopped()) return;
      left -= advance(left, 60);
      painted(left <= 0 || pieces % 8 === 7);
      if (left > 0) setTimeout(() => go(left, pieces + 1), 0);
    };
    go(steps, 0);
  }
  return { advance, jump };
};
