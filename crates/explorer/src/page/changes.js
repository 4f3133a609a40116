"use strict";
// One line that says what the last change did, always in sight: what was changed, and what that did to the values in a few words.
const zerohopChanges = (() => {
  const element = zerohopElement;
  const line = () => document.getElementById("change");
  // What the page showed before: its machine, and the documents of its cards.
  let last = null;
  // The control that was used last: on a narrow screen, the line stands below it, too.
  let used = null;

  const remembers = (event) => {
    used = event.target.closest?.(".control, li, .buttons")?.querySelector("select, input, button")?.id || null;
  };
  const listen = () => {
    for (const name of ["change", "click"]) document.getElementById("controls").addEventListener(name, remembers, true);
  };

  const without = (all, others) => all.filter((one) => !others.includes(one));
  const named = (setting) => setting.split("=")[0];
  // What a state has that the other has not, in words.
  const differences = (before, after) => {
    const [gone, come] = [without(before.set, after.set), without(after.set, before.set)];
    const undone = gone.filter((setting) => !come.some((other) => named(other) === named(setting)));
    return [
      ...come,
      ...undone.map((setting) => `${named(setting)} back to its default`),
      ...without(after.fault, before.fault).map((fault) => `${fault} injected`),
      ...without(before.fault, after.fault).map((fault) => `${fault} removed`),
      ...(before.solver === after.solver ? [] : [`solver ${after.solver}`]),
    ];
  };

  // `remote 183.9 → 137.9 GB/s, −25 %`
  const delta = ({ what, before, after, unit, change, better }) => element(
    "span",
    { className: `delta ${better === null ? "same" : better ? "better" : "worse"}` },
    better === null ? `${what} ${after} ${unit}, no change` : `${what} ${before} → ${after} ${unit}, ${change}`,
  );

  const put = (...content) => {
    line().replaceChildren(...content);
    line().hidden = false;
    document.getElementById("change-here")?.remove();
    const control = used && document.getElementById(used)?.closest(".control, li, .buttons");
    if (!control) return;
    const copy = line().cloneNode(true);
    Object.assign(copy, { id: "change-here" });
    // The line itself is read aloud.
    copy.removeAttribute("role");
    copy.setAttribute("aria-hidden", "true");
    control.after(copy);
  };

  // `json` has the document of each card, by its words; `ask` asks the model what changed between two of them.
  const say = async (state, json, ask) => {
    const before = last;
    last = { state, json };
    if (!before || before.state.on !== state.on || before.state === state) {
      put(element("span", { className: "remark" }, "Change something: this line says what it did."));
      return;
    }
    const words = differences(before.state, state);
    const added = without([...json.keys()], [...before.json.keys()]);
    const asked = [...json].filter(([run, text]) => before.json.has(run) && before.json.get(run) !== text);
    const answers = await Promise.all(asked.map(async ([run, text]) => {
      const { changes } = await ask({ ask: "change", before: before.json.get(run), after: text });
      return [run, changes];
    }));
    const changed = answers.filter(([, changes]) => changes.some(({ better }) => better !== null));
    const items = changed.map(([run, changes]) => element(
      "span",
      { className: "of-run" },
      element("b", {}, `${run.split(" ")[0]}: `),
      ...changes.filter(({ better }) => better !== null).slice(0, 3).map(delta),
    ));
    const news = added.map((run) => element("span", { className: "of-run" }, `${run.split(" ")[0]} is new`));
    if (!words.length && !items.length && !news.length) return;
    const nothing = words.length && !items.length && !news.length ? [element("span", { className: "remark" }, "changes none of the values shown")] : [];
    put(...(words.length ? [element("strong", {}, words.join(", "))] : []), ...items, ...news, ...nothing);
  };

  return { say, delta, listen, forget: () => { last = null; line().hidden = true; } };
})();
