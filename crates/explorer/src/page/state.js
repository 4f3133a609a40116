"use strict";
// What the page shows, as words of a command line. The fragment of the address holds it, so that a link restores it.
const zerohopState = (() => {
  const start = JSON.parse(new TextDecoder().decode(
    Uint8Array.from(atob(document.getElementById("zerohop-start").textContent), (character) => character.charCodeAt(0)),
  ));
  const RUNS = ["latency-matrix", "bandwidth-matrix"];
  // A result is the base of a page that carries it, and the experiments that it has are shown.
  const { result } = start;
  const inBoth = result?.experiments.filter((name) => RUNS.includes(name)) ?? [];
  const runs = inBoth.length ? inBoth : result?.experiments.slice(0, 2) ?? RUNS;
  const base = result ? { result: true } : null;
  const initial = () => ({ on: start.machine, set: start.set, fault: start.fault, run: runs, solver: "flow", base, walk: null });

  // `#on=sr665-v3&set=links%3D3&run=hops`; a machine to compare with has its words behind `base-`, and `base=result` is the page's result.
  const machine = (words, before) => ({
    on: words.get(`${before}on`),
    set: words.getAll(`${before}set`),
    fault: words.getAll(`${before}fault`),
  });
  const readBase = (words) => {
    if (result && words.get("base") === "result") return { result: true };
    return words.has("base-on") ? machine(words, "base-") : null;
  };
  const read = (fragment) => {
    const words = new URLSearchParams(fragment.replace(/^#/, ""));
    if (!words.has("on")) return initial();
    return {
      ...machine(words, ""),
      run: words.getAll("run"),
      solver: words.get("solver") ?? "flow",
      base: readBase(words),
      walk: words.has("walk") ? { study: words.get("walk"), step: Number(words.get("step")) || 0 } : null,
    };
  };
  const write = ({ base, run, solver, walk, ...shown }) => {
    const words = new URLSearchParams();
    const add = ({ on, set, fault }, before) => {
      words.append(`${before}on`, on);
      for (const value of set) words.append(`${before}set`, value);
      for (const value of fault) words.append(`${before}fault`, value);
    };
    add(shown, "");
    for (const value of run) words.append("run", value);
    if (solver !== "flow") words.append("solver", solver);
    if (base?.result) words.append("base", "result");
    else if (base) add(base, "base-");
    if (walk) {
      words.append("walk", walk.study);
      words.append("step", walk.step);
    }
    return `#${words}`;
  };

  // What is shown of it: an invalid setting stays in the address and in its list, and the machine does without it.
  let valid = null;

  const subject = ({ on, set, fault }, solver) => ({ machine: on, set, fault, solver, files: start.files });

  let state = read(location.hash);
  const listeners = [];
  const tell = () => listeners.forEach((listener) => listener(state));
  addEventListener("hashchange", () => {
    if (location.hash === write(state)) return;
    state = read(location.hash);
    tell();
  });

  return {
    get: () => state,
    change: (part) => {
      state = { ...state, ...part };
      location.hash = write(state);
      tell();
    },
    listen: (listener) => listeners.push(listener),
    accept: (accepted) => { valid = accepted; },
    valid: () => valid ?? state,
    blank: { set: [], fault: [], run: RUNS, solver: "flow", base: null },
    result: result?.path,
    subject,
    // What a question calls a base.
    base: (of, solver) => {
      if (!of.result) return { machine: subject(of, solver) };
      // The page's own data: that of a report begins with the result.
      return { result: { path: result.path, json: document.querySelector("script.zerohop-data").textContent } };
    },
  };
})();
