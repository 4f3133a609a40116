"use strict";
// Threads and their data, placed by hand: one run of crossfire, with the load of links and channels drawn.
const zerohopThreads = (() => {
  const { change, get } = zerohopState;
  const element = zerohopElement;
  const place = (name) => document.getElementById(name);
  const PLACED = /^crossfire --case '([^']*)'(?: --background (\S+))?(?: --subscription (\S+))? --detail$/;
  const LEVELS = ["none", "low", "medium", "high", "very-high"];
  const SUBSCRIPTIONS = ["none", "high", "full"];

  // The threads of a run that was placed here; without one, none.
  const read = () => {
    const run = get().run.find((words) => PLACED.test(words));
    const [, threads = "", background = "none", subscription = "none"] = run?.match(PLACED) ?? [];
    const placed = threads.split(" ").filter(Boolean).map((thread) => {
      const [node, core, mode, memory] = thread.split(".");
      return { node, core, mode, memory };
    });
    return { run, placed, background, subscription };
  };
  const write = ({ placed, background, subscription }) => {
    const { run } = read();
    const others = get().run.filter((words) => words !== run);
    if (!placed.length) {
      change({ run: others });
      return;
    }
    const threads = placed.map(({ node, core, mode, memory }) => `${node}.${core}.${mode}.${memory}`).join(" ");
    const loaded = background !== "none" && subscription !== "none";
    const load = loaded ? ` --background ${background} --subscription ${subscription}` : "";
    change({ run: [`crossfire --case '${threads}'${load} --detail`, ...others] });
  };

  const select = (id, label, values, chosen, act) => {
    const made = element("select", { id, attributes: label ? { "aria-label": label } : {} }, ...values.map(([value, words]) => element("option", { value }, words)));
    made.value = chosen;
    made.addEventListener("change", () => act(made.value));
    return made;
  };

  const shown = ({ nodes }) => {
    const state = read();
    const asking = nodes.filter(({ cores }) => cores > 0).map(({ number }) => [`${number}`, `node ${number}`]);
    const answering = nodes.filter(({ has_memory }) => has_memory).map(({ number }) => [`${number}`, `of node ${number}`]);
    const coresOf = (node) => nodes.find(({ number }) => `${number}` === node)?.cores ?? 1;
    const free = (node, placed) => {
      const taken = new Set(placed.filter((thread) => thread.node === node).map(({ core }) => core));
      return Array.from({ length: coresOf(node) }, (_, core) => `${core}`).filter((core) => !taken.has(core));
    };
    const item = (thread, rank) => {
      const others = state.placed.filter((_, other) => other !== rank);
      const put = (part) => write({ ...state, placed: state.placed.map((old, other) => (other === rank ? { ...old, ...part } : old)) });
      const which = `thread ${rank + 1}`;
      const cores = free(thread.node, others).map((core) => [core, `core ${core}`]);
      const remove = zerohopButtons.button("remove", () => write({ ...state, placed: others }));
      remove.setAttribute("aria-label", `remove ${which}`);
      return element(
        "li",
        { className: "thread" },
        select(`thread-${rank}-node`, `node of ${which}`, asking, thread.node, (node) => put({ node, core: free(node, others)[0] ?? "0" })),
        select(`thread-${rank}-core`, `core of ${which}`, cores, thread.core, (core) => put({ core })),
        select(`thread-${rank}-mode`, `mode of ${which}`, [["r", "reads"], ["w", "writes"]], thread.mode, (mode) => put({ mode })),
        select(`thread-${rank}-memory`, `memory of ${which}`, answering, thread.memory, (memory) => put({ memory })),
        remove,
      );
    };
    const focused = place("threads-part").contains(document.activeElement) ? document.activeElement.id : null;
    place("threads").replaceChildren(...state.placed.map(item));
    const same = (values) => values.map((value) => [value, value]);
    const replace = (id, values, chosen, act) => {
      const made = select(id, "", same(values), chosen, act);
      made.disabled = !state.placed.length;
      place(id).replaceWith(made);
    };
    // One without the other would be no load.
    const or = (value, usual) => (value === "none" ? usual : value);
    replace("background", LEVELS, state.background, (background) =>
      write({ ...state, background, subscription: background === "none" ? "none" : or(state.subscription, "full") }));
    replace("subscription", SUBSCRIPTIONS, state.subscription, (subscription) =>
      write({ ...state, subscription, background: subscription === "none" ? "none" : or(state.background, "low") }));
    add = (node, memory, mode) => {
      const [core] = asking.some(([number]) => number === node) ? free(node, state.placed) : [];
      if (core === undefined || !answering.some(([number]) => number === memory)) return;
      write({ ...state, placed: [...state.placed, { node, core, mode, memory }] });
    };
    place("add-thread").onclick = () => {
      const [node] = asking.map(([number]) => number).filter((number) => free(number, state.placed).length);
      if (node !== undefined && answering.length) add(node, answering.at(-1)[0], "r");
    };
    place("threads-part").hidden = !asking.length || !answering.length;
    if (focused) place(focused)?.focus();
  };

  // What adds a thread to the machine that is shown.
  let add = () => {};
  zerohopDrag.ready((...thread) => add(...thread));

  return { shown };
})();
