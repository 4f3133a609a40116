"use strict";
// Walks through the documents whose figures zerohop reproduces: a few states of the page each, and what to look at. The documents' own
// figures come with their studies.
const zerohopWalks = (() => {
  const { blank, change, get } = zerohopState;
  const element = zerohopElement;
  const place = (name) => document.getElementById(name);

  const collapse = "ramp --initiators 0,1,2 --targets 3 --kernel triad --interval 20%";
  const WALKS = {
    "amd-40555": [
      ["One thread, and memory at every distance: on its own node (0 hops), one hop away, two hops away. See how the time grows with each hop, for reads and for writes.", { on: "quartet", run: ["hops"] }],
      ["Two threads, each on its own node, each with memory of its own or of the other. Where both use the other's memory (crossfire), their lines cross on the link between them.", { on: "quartet", run: ["crossfire"] }],
      ["The same while every free core reads its own memory at a low rate. Which cases suffer?", { on: "quartet", run: ["crossfire --background low --subscription full"] }],
      ["And at a very high rate: memory controllers that are busy anyway hide what the links cost.", { on: "quartet", run: ["crossfire --background very-high --subscription full"] }],
      ["Both threads write to the other's memory. The drawing shows the load of links and channels; add threads, or move their data, on the left.", { on: "quartet", run: ["crossfire --case '0.0.w.1 1.0.w.0' --detail"] }],
    ],
    "clpeak-opteron-6274": [
      ["All cores read one buffer. A single thread filled it: all of it lies on that thread's node, whose memory the whole machine waits for. The other columns say what the machine reaches when the threads fill it, and when it is interleaved.", { on: "opteron-6274-4s", run: ["global-bandwidth"] }],
      ["The BIOS interleaves all memory over all nodes. Compare with node interleaving off: who fills the buffer no longer matters.", { on: "opteron-6274-4s", set: ["node_interleaving=on"], run: ["global-bandwidth"], base: { on: "opteron-6274-4s", set: [], fault: [] } }],
      ["What it costs a program that places its memory well: latency is that of the whole machine, wherever a thread runs.", { on: "opteron-6274-4s", set: ["node_interleaving=on"], run: ["latency-matrix"], base: { on: "opteron-6274-4s", set: [], fault: [] } }],
    ],
    "lenovo-lp1852": [
      ["Two sockets and four xGMI links. Local memory does not see them; remote bandwidth is what they carry.", { on: "sr665-v3", run: ["bandwidth-matrix", "latency-matrix"] }],
      ["Three links, compared with four: remote bandwidth falls, remote latency hardly changes.", { on: "sr665-v3", set: ["links=3"], run: ["bandwidth-matrix", "latency-matrix"], base: { on: "sr665-v3", set: [], fault: [] } }],
      ["Four narrow links at the lowest rate, compared with the same links at their full width and rate.", { on: "sr665-v3", set: ["width=x4", "speed=16"], run: ["bandwidth-matrix", "latency-matrix"], base: { on: "sr665-v3", set: [], fault: [] } }],
      ["NPS0 interleaves all memory over both sockets: STREAM then runs over the links, and three of them cost bandwidth.", { on: "sr665-v3", set: ["nps=0", "links=3"], run: ["stream --kernel triad"], base: { on: "sr665-v3", set: ["nps=0"], fault: [] } }],
    ],
    "ibm-cloud-collapse": [
      ["More and more cores of three sockets run STREAM Triad on the memory of the fourth. Bandwidth rises to a peak and then collapses. It takes the event simulation: averages do not show a collapse. Why it collapses was never published; the model's reason is a hypothesis.", { on: "cascade-lake-4s", solver: "event", run: [collapse] }],
      ["The menu of the BIOS has a threshold for remote requests. It changes nothing.", { on: "cascade-lake-4s", solver: "event", set: ["threshold_menu=low"], run: [collapse], base: { on: "cascade-lake-4s", set: [], fault: [] } }],
      ["Another value of a register behind that threshold: the collapse is gone.", { on: "cascade-lake-4s", solver: "event", set: ["register_r=y"], run: [collapse], base: { on: "cascade-lake-4s", set: [], fault: [] } }],
    ],
    "mccalpin-knl": [
      ["The latency of every core to both memories, MCDRAM and DDR4. A mesh of tiles: cores near a controller wait less. The mesh takes the event simulation.", { on: "xeon-phi-7250", solver: "event", run: ["core-latency"] }],
      ["All-to-all: a line's home may be anywhere on the mesh. Compare with quadrant mode.", { on: "xeon-phi-7250", solver: "event", set: ["cluster=all-to-all"], run: ["core-latency"], base: { on: "xeon-phi-7250", set: [], fault: [] } }],
      ["SNC4 makes four nodes of the mesh, each with its own MCDRAM: near memory is nearer, far memory is farther.", { on: "xeon-phi-7250", solver: "event", set: ["cluster=snc4"], run: ["core-latency"] }],
    ],
  };

  const go = (study, step) => {
    const [, state] = WALKS[study][step];
    change({ ...blank, ...state, walk: { study, step } });
  };

  const listed = ({ studies }) => {
    const holder = place("walk");
    const known = studies.filter(({ name }) => WALKS[name]);
    holder.replaceChildren(
      element("option", { value: "" }, "none: change what you like"),
      ...known.map(({ name, title }) => element("option", { value: name }, title)),
    );
    holder.value = get().walk?.study ?? "";
    holder.onchange = () => (holder.value ? go(holder.value, 0) : change({ walk: null }));
    show(known);
  };

  let shown = "";
  const show = (studies) => {
    const { walk } = get();
    const part = place("walk-part");
    const steps = walk && WALKS[walk.study];
    part.hidden = !steps;
    const now = steps ? `${walk.study} ${walk.step}` : "";
    if (now === shown) return;
    shown = now;
    if (!steps) return;
    const step = Math.min(Math.max(walk.step, 0), steps.length - 1);
    const { title } = studies.find(({ name }) => name === walk.study);
    const previous = zerohopButtons.button("previous step", () => go(walk.study, step - 1));
    const next = zerohopButtons.button("next step", () => go(walk.study, step + 1));
    previous.disabled = step === 0;
    next.disabled = step === steps.length - 1;
    const figures = part.querySelector(".figures");
    const same = figures?.dataset.study === walk.study;
    const holder = same ? figures : element("div", { className: "figures", data: { study: walk.study } });
    if (!same) {
      holder.append(zerohopButtons.button("the document's figures beside the model's", () => zerohopCards.reproduce(walk.study, holder)));
    }
    part.replaceChildren(
      element("h2", {}, title),
      element("p", {}, element("strong", {}, `Step ${step + 1} of ${steps.length}. `), steps[step][0]),
      zerohopButtons.row(previous, next),
      holder,
    );
  };

  return { listed };
})();
