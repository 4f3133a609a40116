"use strict";
// The first page, with a card for each story; and the step of the story that is being told.
const zerohopWalks = (() => {
  const { blank, change, get } = zerohopState;
  const { STORIES, ofMachine } = zerohopStories;
  const element = zerohopElement;
  const place = (name) => document.getElementById(name);
  // What is known of the machine that is shown: its nodes, and the faults that it can have.
  const NOTHING = { on: null, faults: [], machine: null };
  let ofShown = NOTHING;

  const isKnown = (study) => Boolean(STORIES[study].steps) || ofShown.on === get().on;
  const stepsOf = (study) => {
    const { faults, machine } = isKnown(study) ? ofShown : NOTHING;
    return STORIES[study].steps ?? ofMachine(get(), faults, machine);
  };
  const go = (study, step) => {
    const [, state] = stepsOf(study)[step];
    change({ ...blank, ...state, walk: { study, step } });
  };

  const cardOf = (name, { question, about, steps }, titles) => {
    const heading = element("h3", {}, question);
    const body = [heading, element("p", {}, about)];
    if (!steps) {
      return element("section", { className: "story", attributes: { "aria-label": question } }, ...body, element("div", { id: "machine-story" }));
    }
    const begin = zerohopButtons.button(`begin: ${steps.length} steps`, () => go(name, 0));
    begin.dataset.story = name;
    begin.setAttribute("aria-label", `${question} Begin: ${steps.length} steps`);
    return element(
      "section",
      { className: "story", attributes: { "aria-label": question } },
      ...body,
      element("p", { className: "remark" }, titles.get(name)),
      begin,
    );
  };

  const listed = ({ studies }) => {
    const titles = new Map(studies.map(({ name, title }) => [name, title]));
    if (!place("stories").childElementCount) {
      const all = Object.entries(STORIES).filter(([name, { steps }]) => !steps || titles.has(name));
      place("stories").append(...all.map(([name, story]) => cardOf(name, story, titles)));
    }
    show(titles);
  };

  // The same part again only where it says something else: its figures may be under way.
  let shown = "";
  const show = (titles) => {
    const { on, walk } = get();
    const part = place("walk-part");
    const steps = on && walk && STORIES[walk.study] ? stepsOf(walk.study) : null;
    part.hidden = !steps;
    const now = steps ? `${on} ${walk.study} ${walk.step} ${steps.length} ${isKnown(walk.study)}` : "";
    if (now === shown) return;
    shown = now;
    if (!steps) return;
    const step = Math.min(Math.max(walk.step, 0), steps.length - 1);
    const title = titles.get(walk.study);
    const previous = zerohopButtons.button("previous step", () => go(walk.study, step - 1));
    const next = zerohopButtons.button("next step", () => go(walk.study, step + 1));
    const leave = zerohopButtons.button("leave the story", () => change({ walk: null }));
    previous.disabled = step === 0;
    // Which steps there are depends on what the machine has, which is known a little later.
    next.disabled = step === steps.length - 1 || !isKnown(walk.study);
    const figures = part.querySelector(".figures");
    const same = figures?.dataset.study === walk.study;
    const holder = same ? figures : element("div", { className: "figures", data: { study: walk.study } });
    if (!same && title) {
      holder.append(zerohopButtons.button("the document's figures beside the model's", () => zerohopCards.reproduce(walk.study, holder)));
    }
    part.replaceChildren(
      element("h2", {}, STORIES[walk.study].question),
      ...(title ? [element("p", { className: "remark" }, title)] : []),
      element("p", {}, element("strong", {}, isKnown(walk.study) ? `Step ${step + 1} of ${steps.length}. ` : ""), steps[step][0]),
      zerohopButtons.row(previous, next, leave),
      holder,
    );
  };

  const known = (list, { faults }, machine) => {
    ofShown = { on: get().on, faults, machine };
    listed(list);
  };

  return { listed, known };
})();
