// Work that takes long is done by a worker: the engine of this page, without a request, while the page stays alive.
"use strict";
VIEW.PATIENCE = 20; // seconds
VIEW.worker_source = (() => {
  const all = document.currentScript.textContent,
    answering = `onmessage = ({ data: { question, given, losses } }) => {
  PG.losses = losses;
  PG.answers[question](given, answer => postMessage({ answer }));
  postMessage({ is_over: true });
};`;
  return all.slice(0, all.indexOf("const VIEW = ")) + answering;
})();
// Asks `PG.answers` a question: each answer is told to `told`; `ended(is_late)` is called at the end, or when the time
// is up. Returns a function that stops the work, or null where a page can have no worker.
VIEW.ask = function (question, given, told, ended, seconds = VIEW.PATIENCE) {
  let worker;
  const place = URL.createObjectURL(new Blob([VIEW.worker_source], { type: "text/javascript" }));
  try {
    worker = new Worker(place);
  } catch {
    return null;
  } finally {
    URL.revokeObjectURL(place);
  }
  const stop = () => {
      clearTimeout(waiting);
      worker.terminate();
    },
    end = is_late => {
      stop();
      ended(is_late);
    },
    waiting = setTimeout(() => end(true), 1000 * seconds);
  worker.onmessage = ({ data }) => (data.is_over ? end(false) : told(data.answer));
  worker.onerror = () => end(true);
  worker.postMessage({ question, given, losses: PG.losses });
  return stop;
};
