"use strict";
// Stories: a question each, and a few states of the page that answer it, with what to look at. Five follow documents whose figures zerohop
// reproduces; the sixth is about any machine.
const zerohopStories = (() => {
  const collapse = "ramp --initiators 0,1,2 --targets 3 --kernel triad --interval 20%";
  const STORIES = {
    "lenovo-lp1852": {
      question: "What do the links between two sockets carry?",
      about: "Two EPYC sockets with three or four xGMI links, narrow or wide, slow or fast; after Lenovo's LP1852.",
      steps: [
        ["Two sockets and four xGMI links. Local memory does not see them; remote bandwidth is what they carry.", { on: "sr665-v3", run: ["bandwidth-matrix", "latency-matrix"] }],
        ["Three links, compared with four: remote bandwidth falls, remote latency hardly changes.", { on: "sr665-v3", set: ["links=3"], run: ["bandwidth-matrix", "latency-matrix"], base: { on: "sr665-v3", set: [], fault: [] } }],
        ["Four narrow links at the lowest rate, compared with the same links at their full width and rate.", { on: "sr665-v3", set: ["width=x4", "speed=16"], run: ["bandwidth-matrix", "latency-matrix"], base: { on: "sr665-v3", set: [], fault: [] } }],
        ["NPS0 interleaves all memory over both sockets: STREAM then runs over the links, and three of them cost bandwidth.", { on: "sr665-v3", set: ["nps=0", "links=3"], run: ["stream --kernel triad"], base: { on: "sr665-v3", set: ["nps=0"], fault: [] } }],
      ],
    },
    "amd-40555": {
      question: "When do two threads get in each other's way?",
      about: "Four Opterons on a ring of links: threads whose data cross, under light and heavy load; after AMD's application note 40555.",
      steps: [
        ["One thread, and memory at every distance: on its own node (0 hops), one hop away, two hops away. See how the time grows with each hop, for reads and for writes.", { on: "quartet", run: ["hops"] }],
        ["Two threads, each on its own node, each with memory of its own or of the other. Where both use the other's memory (crossfire), their lines cross on the link between them.", { on: "quartet", run: ["crossfire"] }],
        ["The same while every free core reads its own memory at a low rate. Which cases suffer?", { on: "quartet", run: ["crossfire --background low --subscription full"] }],
        ["And at a very high rate: memory controllers that are busy anyway hide what the links cost.", { on: "quartet", run: ["crossfire --background very-high --subscription full"] }],
        ["Both threads write to the other's memory. The drawing shows the load of links and channels; add threads, or move their data, on the left.", { on: "quartet", run: ["crossfire --case '0.0.w.1 1.0.w.0' --detail"] }],
      ],
    },
    "clpeak-opteron-6274": {
      question: "Why does a whole machine wait for one node?",
      about: "A single thread filled the buffer that all cores read. Who fills it matters, until the BIOS interleaves; after figures of clpeak on four Opterons.",
      steps: [
        ["All cores read one buffer. A single thread filled it: all of it lies on that thread's node, whose memory the whole machine waits for. The other columns say what the machine reaches when the threads fill it, and when it is interleaved.", { on: "opteron-6274-4s", run: ["global-bandwidth"] }],
        ["The BIOS interleaves all memory over all nodes. Compare with node interleaving off: who fills the buffer no longer matters.", { on: "opteron-6274-4s", set: ["node_interleaving=on"], run: ["global-bandwidth"], base: { on: "opteron-6274-4s", set: [], fault: [] } }],
        ["What it costs a program that places its memory well: latency is that of the whole machine, wherever a thread runs.", { on: "opteron-6274-4s", set: ["node_interleaving=on"], run: ["latency-matrix"], base: { on: "opteron-6274-4s", set: [], fault: [] } }],
      ],
    },
    "ibm-cloud-collapse": {
      question: "Why is more sometimes less?",
      about: "Ever more cores use the memory of one socket of four, and bandwidth collapses; after a report from IBM Cloud. Each step simulates events, which takes some seconds.",
      steps: [
        ["More and more cores of three sockets run STREAM Triad on the memory of the fourth. Bandwidth rises to a peak and then collapses. It takes the event simulation: averages do not show a collapse. Why it collapses was never published; the model's reason is a hypothesis.", { on: "cascade-lake-4s", solver: "event", run: [collapse] }],
        ["The menu of the BIOS has a threshold for remote requests. It changes nothing.", { on: "cascade-lake-4s", solver: "event", set: ["threshold_menu=low"], run: [collapse], base: { on: "cascade-lake-4s", set: [], fault: [] } }],
        ["Another value of a register behind that threshold: the collapse is gone.", { on: "cascade-lake-4s", solver: "event", set: ["register_r=y"], run: [collapse], base: { on: "cascade-lake-4s", set: [], fault: [] } }],
      ],
    },
    "mccalpin-knl": {
      question: "How far is memory on a mesh?",
      about: "A Xeon Phi with two kinds of memory, divided in several ways; after John McCalpin's measurements. Each step simulates events, which takes some seconds.",
      steps: [
        ["The latency of every core to both memories, MCDRAM and DDR4. A mesh of tiles: cores near a controller wait less. The mesh takes the event simulation.", { on: "xeon-phi-7250", solver: "event", run: ["core-latency"] }],
        ["All-to-all: a line's home may be anywhere on the mesh. Compare with quadrant mode.", { on: "xeon-phi-7250", solver: "event", set: ["cluster=all-to-all"], run: ["core-latency"], base: { on: "xeon-phi-7250", set: [], fault: [] } }],
        ["SNC4 makes four nodes of the mesh, each with its own MCDRAM: near memory is nearer, far memory is farther.", { on: "xeon-phi-7250", solver: "event", set: ["cluster=snc4"], run: ["core-latency"] }],
      ],
    },
    "your-machine": {
      question: "And your machine?",
      about: "A machine of the list, or a template for yours: what a lost channel, a lost link and a far thread cost.",
    },
  };

  // What is asked of any machine. A step that it cannot have is left out: one socket has no link to lose.
  const ofMachine = ({ on, set }, faults, machine) => {
    const matrices = ["latency-matrix", "bandwidth-matrix"];
    const sound = { on, set, fault: [] };
    const first = (kind) => faults.find((fault) => fault.startsWith(kind));
    const faulty = (fault, words) => (fault ? [[words, { ...sound, fault: [fault], run: matrices, base: sound }]] : []);
    const far = machine?.nodes.filter(({ has_memory }) => has_memory).at(-1)?.number;
    const near = machine?.nodes.find(({ cores }) => cores > 0)?.number;
    const isFar = far !== undefined && near !== undefined && far !== near;
    const place = `crossfire --case '${near}.0.r.${far}' --detail`;
    return [
      ["How far is each node's memory, and how much of it can a node read? Local values are on the diagonals, remote ones beside them.", { ...sound, run: matrices }],
      ...faulty(first("channels:"), "A node has a single memory channel left, compared with the sound machine. See whose bandwidth falls, and whether latency changes."),
      ...faulty(first("link:"), "A link between two nodes has lost a wire or some lanes, or is down, compared with the sound machine. See which pairs of nodes pay for it, in bandwidth and in latency."),
      ...(isFar ? [[`A thread on node ${near} reads the memory of node ${far}. The drawing has its way: the load of each link and of the channels. Drag from node to node for more threads.`, { ...sound, run: [place] }]] : []),
    ];
  };

  return { STORIES, ofMachine };
})();
