"use strict";
// The answers: a card for the machine, and one for each experiment.
const zerohopCards = (() => {
  const { base, change, get, result, subject } = zerohopState;
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

    show({ command, pictures, words, json, headlines = [] }, took) {
      const open = this.answer.querySelector("details")?.open ?? false;
      // Both are written by zerohop's own drawing code, which escapes all text.
      this.answer.innerHTML = pictures;
      const line = element("p", { className: "command" }, element("code", {}, command));
      this.answer.prepend(line);
      const details = element("details", { open }, element("summary", {}, "tables and evidence"), element("div", { innerHTML: words }));
      this.answer.append(details);
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

    // The base beside it, and how the two compare.
    compare({ commands, base: of, pictures, words, json }) {
      const isResult = get().base.result;
      const figures = element("div", { className: "base", innerHTML: of.pictures });
      figures.prepend(element("h3", {}, isResult ? `the result ${result}` : "the base"));
      const compared = element("div", { className: "compared", innerHTML: pictures + words });
      compared.prepend(...commands.map((command) => element("p", { className: "command" }, element("code", {}, command))));
      compared.prepend(element("h3", {}, isResult ? "compared with the result" : "compared with the base"));
      const both = element("div", {}, figures, compared);
      decorate(both);
      this.answer.querySelector("details").before(both);
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
      this.answer.replaceChildren(element(
        "div",
        { className: "alert refused" },
        element("p", {}, error.message),
        ...(error.hint ? [element("p", { className: "remark" }, `→ ${error.hint}`)] : []),
      ));
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
      const answer = await this.take(this.lane, { ask: "run", on: subject(get(), solver), run: this.words }, progress);
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

  // Asks everything anew: what has not begun for an earlier state is dropped.
  const update = async ({ shown, possible }) => {
    const state = get();
    const wanted = state.on ? [...new Set(state.run)].map(cardOf) : [];
    for (const [words, card] of cards) {
      card.lane?.cancel();
      if (!wanted.includes(card)) cards.delete(words);
    }
    document.getElementById("answers").replaceChildren(...(state.on ? [machineCard, ...wanted] : []).map(({ section }) => section));
    quick.forget();
    if (!state.on) {
      document.documentElement.dataset.answers = location.hash;
      return;
    }
    const began = performance.now();
    const on = subject(state, "flow");
    const machine = machineCard.take(quick, { ask: "machine", on });
    const runs = wanted.map((card) => card.answers(state));
    const described = await machine;
    if (described) shown(described);
    const answers = await Promise.all(runs);
    if (state.base && get() === state) {
      const question = { ask: "compare", on: subject(state, state.solver), with: base(state.base, state.solver) };
      const both = wanted.filter((_, rank) => answers[rank]);
      await Promise.all(both.map((card) =>
        card.takeComparison(state.solver === "flow" ? quick : card.lane, { ...question, run: card.words })));
    }
    // Another change has begun.
    if (get() !== state) return;
    document.documentElement.dataset.took = (performance.now() - began).toFixed(1);
    document.documentElement.dataset.answers = location.hash;
    // Which faults there may be takes longer than a picture, and nobody waits for it.
    if (described) quick.ask({ ask: "faults", on: { ...on, fault: [] } }).then(possible, () => {});
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
