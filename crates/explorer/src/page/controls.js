"use strict";
// The machine, its options, its values and its faults.
const zerohopControls = (() => {
  const { blank, change, get, result, valid } = zerohopState;
  const element = zerohopElement;
  const place = (name) => document.getElementById(name);
  const refill = (name, ...children) => {
    const holder = place(name);
    // Who works by keyboard keeps the place.
    const focused = holder.contains(document.activeElement) ? document.activeElement.id : null;
    holder.replaceChildren(...children);
    if (focused) place(focused)?.focus();
  };

  const named = (setting) => setting.split("=")[0];
  const valueOf = (setting) => setting.slice(setting.indexOf("=") + 1);
  const without = (name) => get().set.filter((setting) => named(setting) !== name);
  // A setting at its default is no setting.
  const choose = (name, value, usual) => change({ set: value === usual ? without(name) : [...without(name), `${name}=${value}`] });

  const labelled = (words, control, aside = "") => element(
    "div",
    { className: "control" },
    element("label", { htmlFor: control.id }, words),
    control,
    ...(aside ? [element("small", { id: `${control.id}-aside` }, aside)] : []),
  );
  const select = (id, values, chosen, act) => {
    const made = element("select", { id }, ...values.map((value) => element("option", { value }, value)));
    made.value = chosen;
    made.addEventListener("change", () => act(made.value));
    return made;
  };
  const typed = (id, value, act, properties = {}) => {
    const made = element("input", { id, value, autocomplete: "off", spellcheck: false, ...properties });
    made.addEventListener("change", () => act(made.value.trim()));
    return made;
  };

  const machines = ({ machines: built, templates }) => {
    const group = (label, of) => element(
      "optgroup",
      { label },
      ...of.map(({ name, title }) => element("option", { value: name }, `${name}: ${title}`)),
    );
    const { on } = get();
    const known = [...built, ...templates].some(({ name }) => name === on);
    const own = on && !known ? [element("option", { value: on }, on)] : [];
    const holder = place("machine");
    holder.replaceChildren(
      ...(on ? own : [element("option", { value: "" }, "choose a machine")]),
      group("machines", built),
      group("templates: what a buyer knows of a machine", templates),
    );
    holder.value = on;
    // From the first page, the choice of a machine begins its story.
    holder.onchange = () => change({
      on: holder.value,
      set: [],
      fault: [],
      base: null,
      run: get().run.filter((words) => !words.startsWith("crossfire --case ")),
      walk: on && get().walk?.study !== "your-machine" ? null : { study: "your-machine", step: 0 },
    });
  };

  const options = ({ options: of, known }) => {
    const settings = new Map(get().set.map((setting) => [named(setting), valueOf(setting)]));
    const asOption = ({ name, meaning, values, chosen, default: usual }) =>
      labelled(name, select(`set-${name}`, values, chosen, (value) => choose(name, value, usual)), meaning);
    const asNumber = ({ name, meaning, unit, value, bounds }) => {
      const aside = [meaning?.replace(/\.$/, ""), unit === "count" ? "" : unit, bounds && `${bounds[0]} to ${bounds[1]}`].filter(Boolean).join(", ");
      const control = typed(`set-${name}`, settings.get(name) ?? value ?? "", (text) => choose(name, text, text === "" ? "" : value));
      return labelled(name, control, aside);
    };
    const names = new Set(of.map(({ name }) => name));
    const rest = known.filter(({ name }) => !names.has(name));
    refill("options", ...of.map(asOption), ...rest.map(asNumber));
    place("options-part").hidden = !of.length && !rest.length;
  };

  const removable = (words, what, remove) => {
    const button = zerohopButtons.button("remove", remove);
    button.setAttribute("aria-label", `remove ${what} ${words}`);
    return element("li", {}, element("code", {}, words), " ", button);
  };

  // What the machine cannot have: it stays here with the reason, and all the rest goes on without it.
  const refused = (all) => {
    const item = ({ kind, word, error, hint }) => {
      const made = removable(word, kind === "set" ? "value" : "fault", () => change({ [kind]: get()[kind].filter((other) => other !== word) }));
      // The word stands above it.
      made.append(zerohopRefusal({ error: error.replace(`--fault ${word}: `, ""), hint }));
      return made;
    };
    refill("refused", ...all.map(item));
    left = new Set(all.map(({ word }) => word));
  };
  let left = new Set();

  const values = ({ parameters, options: of, known }) => {
    const controlled = new Set([...of, ...known].map(({ name }) => name));
    const own = get().set.filter((setting) => !controlled.has(named(setting)) && !left.has(setting));
    refill("values", ...own.map((setting) => removable(setting, "value", () => choose(named(setting), "", ""))));
    place("paths").replaceChildren(...parameters.map(({ path, value }) => element("option", { value: `${path}=${value}` })));
    place("values-count").textContent = `${parameters.length} values`;
  };

  const faults = () => {
    const all = get().fault;
    const own = all.filter((fault) => !left.has(fault));
    refill("faults", ...own.map((fault) => removable(fault, "fault", () => change({ fault: all.filter((other) => other !== fault) }))));
  };
  const possible = ({ faults: all }) => {
    place("possible").replaceChildren(...all.map((value) => element("option", { value })));
  };

  // An input and a button that take one more.
  const adding = (input, button, take) => {
    const act = () => {
      const text = place(input).value.trim();
      if (!text) return;
      place(input).value = "";
      take(text);
    };
    place(button).addEventListener("click", act);
    place(input).addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      act();
    });
  };

  const ready = () => {
    const once = (all, text) => [...all.filter((other) => other !== text), text];
    adding("value", "add-value", (text) =>
      (text.includes("=") ? choose(named(text), valueOf(text), null) : change({ set: once(get().set, text) })));
    adding("fault", "add-fault", (fault) => change({ fault: once(get().fault, fault) }));
    adding("run", "add-run", (run) => change({ run: once(get().run, run) }));
    place("home").addEventListener("click", () => change({ ...blank, on: "", walk: null }));
    place("reset").addEventListener("click", () => change({ set: [], fault: [] }));
    place("hold").addEventListener("click", () => {
      const { base } = get();
      const { on, set, fault } = valid();
      change({ base: base ? null : { on, set, fault } });
    });
    place("hold-result").addEventListener("click", () => change({ base: { result: true } }));
    if (result) place("beside").textContent = `, beside the result ${result}`;
  };

  // A machine to compare with: the one that is shown now, while another is tried; or the result that the page carries.
  const base = () => {
    const { base: held } = get();
    place("hold").textContent = held ? "compare no longer" : "compare with this one";
    const words = (of) => (of.result ? `the result ${result}` : [of.on, ...of.set, ...of.fault].join(" "));
    place("hold-result").hidden = !result || Boolean(held);
    place("base").textContent = held ? `Compared with ${words(held)}.` : "Keep the machine as it is now, then change it: each card says what differs.";
  };

  // Without a machine, the page is the choice of a story; the list of machines is in one of them.
  const parts = () => {
    const { on } = get();
    place("welcome").hidden = Boolean(on);
    place("workbench").hidden = !on;
    place("home").hidden = !on;
    const holder = on ? place("machine-place") : place("machine-story");
    if (holder && place("machine-control").parentElement !== holder) holder.append(place("machine-control"));
  };

  const solver = () => {
    const holder = place("solver");
    holder.value = get().solver;
    holder.onchange = () => change({ solver: holder.value });
  };

  const experiments = (list) => {
    place("experiments").replaceChildren(...list.map(({ name, summary }) => element("option", { value: name }, summary)));
  };

  return {
    ready,
    listed: (list) => {
      machines(list);
      parts();
      experiments(list.experiments);
      base();
      solver();
    },
    shown: (machine) => {
      options(machine);
      values(machine);
      faults();
      zerohopThreads.shown(machine);
    },
    possible,
    refused,
  };
})();
