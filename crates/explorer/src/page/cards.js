"use strict";
// The answers: a card for the machine, and one for each experiment.
const zerohopCards = (() => {
  const { accept, base, change, get, result, subject } = zerohopState;
  const { Lane, Cancelled } = zerohopModel;
  const { button, decorate, row, saveJson } = zerohopButtons;
  const element = zerohopElement;
  const cards = new Map();
  // One worker answers at once; the other simulates events, which may take minutes.
  const quick = new Lane();
  // Pictures of a page are named apart by their ranks.
  // Those of a report that this is a tab of come first.
  let rank = 1000;

  class Card {
    constructor(words, remove) {
      this.words = words;
      this.rank = (rank += 10);
      this.lane = null;
      this.status = element("p", { className: "remark", attributes: { role: "status" } });
      this.answer = element("div", { className: "answer" });
      this.tools = row();
      this.section = element(
        "section",
        { className: "card", attributes: { "aria-label": words }, data: { run: words, command: remove ? "run" : "machine" } },
        element("h2", {}, words),
        this.tools,
        this.status,
        this.answer,
      );
      if (remove) this.tools.append(this.events(), this.cancel(), this.removes(remove));
    }

    removes(remove) {
      const made = button("remove", remove);
      made.setAttribute("aria-label", `remove ${this.words}`);
      return made;
    }

    // Simulates every line: exact, and slow.
    events() {
      const made = button("simulate events", () => this.simulate());
      made.setAttribute("aria-label", `simulate events of ${this.words}`);
      return made;
    }

    cancel() {
      this.cancels = button("cancel", () => this.lane?.cancel());
      this.cancels.hidden = true;
      return this.cancels;
    }

    // Pictures and words are written by zerohop's own drawing code, which escapes all text.
    show({ command, map, pictures, words, loads, json, headlines = [] }, took) {
      const open = this.answer.querySelector("details")?.open ?? false;
      const line = element("p", { className: "command" }, element("code", {}, command));
      const all = map === undefined ? (loads ?? "") : pictures;
      const full = all ? [element("div", { className: "full", innerHTML: all })] : [];
      const summary = map === undefined ? "tables and evidence" : "every router and link, and all values";
      const details = element("details", { open }, element("summary", {}, summary), ...full, element("div", { innerHTML: words }));
      const shown = element("div", map === undefined ? { innerHTML: pictures } : { className: "map", innerHTML: map });
      this.answer.replaceChildren(...(map === undefined ? [line, shown] : [shown, line]), details);
      if (headlines.length) {
        line.after(element("dl", { className: "headlines" }, ...headlines.map(([name, text]) =>
          element("div", {}, element("dt", {}, name), element("dd", {}, text)))));
      }
      if (json !== undefined) {
        // For tests, and for those who look closer.
        this.section.zerohopJson = json;
        this.answer.append(row(saveJson("save as JSON", this.words.replace(/[^\w-]+/g, "-"), () => json)));
      }
      decorate(this.answer);
      this.section.dataset.took = took.toFixed(1);
      this.status.textContent = "";
    }

    // How it differs from the base: the values in a few words, the largest differences, and all the rest for those who look for it.
    compare({ commands, names: [from, to], headlines, largest, base: of, pictures, words, json }) {
      const isResult = get().base.result;
      const what = isResult ? `the result ${result}` : from;
      const sentence = headlines.length
        ? element("p", { className: "deltas" }, ...headlines.map(zerohopChanges.delta))
        : element("p", { className: "remark" }, largest.length ? "" : "No value differs.");
      const cells = ({ what: place, before, after, unit, change, better }) => element(
        "tr",
        {},
        element("th", { scope: "row" }, place),
        ...[`${before} ${unit}`, `${after} ${unit}`].map((text) => element("td", { className: "number" }, text)),
        element("td", { className: `number ${better ? "best" : "worst"}` }, change),
      );
      // A name breaks between its settings, not in them.
      const parts = (name) => name.replaceAll("-", "\u2011").replaceAll("+", " + ");
      const heads = ["value", parts(from), parts(to), "difference"].map((text) => element("th", { scope: "col" }, text));
      const table = element(
        "div",
        { className: "scroll", tabIndex: 0, attributes: { role: "region", "aria-label": "largest differences" } },
        element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...largest.map(cells))),
      );
      const figures = element("div", { className: "base", innerHTML: of.pictures });
      figures.prepend(element("h4", {}, isResult ? what : `the base: ${from}`));
      const rest = element(
        "details",
        {},
        element("summary", {}, "all differences, and the commands that print them"),
        ...commands.map((command) => element("p", { className: "command" }, element("code", {}, command))),
        figures,
        element("div", { innerHTML: pictures + words }),
      );
      const compared = element(
        "div",
        { className: "compared" },
        element("h3", {}, `compared with ${what}`),
        sentence,
        ...(largest.length ? [element("h4", {}, largest.length === 1 ? "the only difference" : `the ${largest.length} largest differences`), table] : []),
        rest,
      );
      decorate(rest);
      (this.answer.querySelector(".headlines") ?? this.answer.querySelector("p.command")).after(compared);
      this.section.zerohopComparison = json;
    }

    async takeComparison(lane, question) {
      try {
        this.compare(await lane.ask({ ...question, first: this.rank + 5 }));
      } catch (error) {
        if (!(error instanceof Cancelled)) this.status.textContent = `not compared: ${error.message}`;
      }
    }

    refuse(error) {
      const refusal = zerohopRefusal({ error: error.message, hint: error.hint });
      this.answer.replaceChildren(element("div", { className: "alert refused" }, refusal));
      delete this.section.zerohopJson;
      this.status.textContent = "";
    }

    async take(lane, question, progress) {
      const began = performance.now();
      this.section.setAttribute("aria-busy", "true");
      try {
        const answer = await lane.ask({ ...question, first: this.rank }, progress);
        this.show(answer, performance.now() - began);
        this.section.setAttribute("aria-busy", "false");
        return answer;
      } catch (error) {
        if (error instanceof Cancelled) return null;
        this.refuse(error);
        this.section.setAttribute("aria-busy", "false");
        return null;
      }
    }

    // In a worker of its own, so that nothing waits for it, and that it can be ended.
    async simulate(solver = "event") {
      this.lane ??= new Lane();
      this.lane.cancel();
      this.cancels.hidden = false;
      this.status.textContent = "simulating events";
      const progress = (done, of) => {
        this.status.textContent = `simulating events: ${done} of ${of} measurements`;
      };
      const answer = await this.take(this.lane, { ask: "run", on: subject(zerohopState.valid(), solver), run: this.words }, progress);
      this.cancels.hidden = true;
      this.status.textContent = "";
      this.section.setAttribute("aria-busy", "false");
      return answer;
    }

    answers(state) {
      const { solver } = state;
      return solver === "flow" ? this.take(quick, { ask: "run", on: subject(state, solver), run: this.words }) : this.simulate(solver);
    }
  }

  const machineCard = new Card("machine");

  const cardOf = (words) => {
    if (!cards.has(words)) {
      cards.set(words, new Card(words, () => change({ run: get().run.filter((run) => run !== words) })));
    }
    return cards.get(words);
  };

  // A run of threads that were placed by hand: the drawing has them, and their load.
  const PLACED = /^crossfire --case '[^']*'.* --detail$/;

  // Asks everything anew: what has not begun for an earlier state is dropped.
  const update = async ({ shown, possible, refused }) => {
    const state = get();
    const wanted = state.on ? [...new Set(state.run)].map(cardOf) : [];
    for (const [words, card] of cards) {
      card.lane?.cancel();
      if (!wanted.includes(card)) cards.delete(words);
    }
    document.getElementById("drawing").replaceChildren(...(state.on ? [machineCard.section] : []));
    document.getElementById("answers").replaceChildren(...wanted.map(({ section }) => section));
    quick.forget();
    if (!state.on) {
      zerohopChanges.forget();
      document.documentElement.dataset.answers = location.hash;
      return;
    }
    const began = performance.now();
    const described = await describe(state, refused).catch((error) => {
      if (error instanceof Cancelled) return null;
      // There is no such machine.
      machineCard.refuse(error);
      document.getElementById("answers").replaceChildren();
      document.documentElement.dataset.answers = location.hash;
      return null;
    });
    if (!described || get() !== state) return;
    const { valid, machine } = described;
    const runs = wanted.map((card) => card.answers(valid));
    const found = await machine;
    if (found) shown(found);
    const answers = await Promise.all(runs);
    if (state.base && get() === state) {
      const question = { ask: "compare", on: subject(valid, state.solver), with: base(state.base, state.solver) };
      const both = wanted.filter((_, rank) => answers[rank]);
      await Promise.all(both.map((card) =>
        card.takeComparison(state.solver === "flow" ? quick : card.lane, { ...question, run: card.words })));
    }
    // Another change has begun.
    if (get() !== state) return;
    document.documentElement.dataset.took = (performance.now() - began).toFixed(1);
    const json = new Map(wanted.flatMap(({ words }, rank) => (answers[rank]?.json ? [[words, answers[rank].json]] : [])));
    await zerohopChanges.say(valid, json, (question) => quick.ask(question)).catch(() => {});
    if (get() !== state) return;
    document.documentElement.dataset.answers = location.hash;
    // Which faults there may be takes longer than a picture, and nobody waits for it.
    if (found) quick.ask({ ask: "faults", on: { ...subject(valid, "flow"), fault: [] } }).then((all) => possible(all, found), () => {});
  };

  // What is valid of a state, and the machine with it, which is asked for at once.
  const describe = async (state, refused) => {
    const { set, fault, refused: left } = await quick.ask({ ask: "check", on: subject(state, "flow") });
    const valid = { ...state, set, fault };
    if (get() !== state) throw new Cancelled();
    accept(valid);
    refused(left);
    const placed = state.run.find((words) => PLACED.test(words));
    return { valid, machine: machineCard.take(quick, { ask: "machine", on: subject(valid, "flow"), placed }) };
  };

  // A study's figures beside the model's: simulations that take seconds.
  const figures = new Lane();
  const reproduce = (study, holder) => {
    figures.cancel();
    const status = element("p", { className: "remark", attributes: { role: "status" } }, "simulating");
    const cancel = button("cancel", () => figures.cancel());
    holder.replaceChildren(status, cancel);
    const progress = (done, of) => {
      status.textContent = `simulating: ${done} of ${of} runs`;
    };
    figures.ask({ ask: "reproduce", study }, progress).then(({ command, words, json }) => {
      const line = element("p", { className: "command" }, element("code", {}, command));
      holder.replaceChildren(line, element("div", { innerHTML: words }), row(saveJson("save as JSON", study, () => json)));
      decorate(holder);
      holder.zerohopJson = json;
    }, (error) => {
      status.textContent = error instanceof Cancelled ? "cancelled" : error.message;
      cancel.remove();
    });
  };

  return { update, reproduce, list: () => quick.ask({ ask: "list" }) };
})();
