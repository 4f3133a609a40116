//! Conditions of rules, as files write them: a small closed set of tests.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use zerohop_expectation::Fact;
use zerohop_result::{ParseQueryError, Query};

/// A condition.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "test", rename_all = "kebab-case", deny_unknown_fields, expecting = "expected a condition")]
pub enum Condition {
    /// All of these hold. What the first of them shows is what the rule shows; of the others' places, those of the same node count.
    All {
        /// The conditions. Not empty.
        of: Vec<Self>,
    },
    /// At least one of these holds; the first that does shows what the rule shows.
    Any {
        /// The conditions. Not empty.
        of: Vec<Self>,
    },
    /// This does not hold.
    Not {
        /// The condition.
        of: Box<Self>,
    },
    /// A node does worse with its own memory than comparable nodes with theirs.
    NodeBelowSisters {
        /// The experiment.
        experiment: String,
        /// Its cells.
        query: QueryText,
        /// By this share at least.
        least: f64,
    },
    /// A node does worse with other nodes' memory than comparable nodes do.
    NodeBelowSistersAbroad {
        /// The experiment.
        experiment: String,
        /// Its cells.
        query: QueryText,
        /// By this share at least.
        least: f64,
    },
    /// The CPUs of a node read all memory worse than the others do, their own as well, by about the same share.
    ReaderBelowSisters {
        /// The experiment.
        experiment: String,
        /// Its cells.
        query: QueryText,
        /// By this share at least.
        least: f64,
        /// The shares differ by this at most.
        within: f64,
    },
    /// A pair of nodes does worse than comparable pairs.
    PairBelowSisters {
        /// The experiment.
        experiment: String,
        /// Its cells.
        query: QueryText,
        /// By this share at least.
        least: f64,
        /// In both directions or in one alone.
        ways: Ways,
    },
    /// Between the farthest nodes, a measure is out of proportion to that of a node and its own memory.
    FarRatio {
        /// The experiment.
        experiment: String,
        /// Its cells.
        query: QueryText,
        /// The ratio is below this.
        below: Option<f64>,
        /// The same for processors whose name contains a key: some are out of proportion as they are made.
        #[serde(default)]
        below_of: BTreeMap<String, f64>,
        /// The ratio is above this.
        above: Option<f64>,
        /// Only for processors whose name contains one of these.
        #[serde(default)]
        processors: Vec<String>,
        /// Only for machines with at most this many packages, or nodes where packages are unknown.
        #[serde(default)]
        at_most_packages: Option<usize>,
    },
    /// One value over another of the same result.
    Ratio {
        /// The experiment of both.
        experiment: String,
        /// The first value.
        of: QueryText,
        /// The second value.
        to: QueryText,
        /// The ratio is below this.
        below: Option<f64>,
        /// The ratio is above this.
        above: Option<f64>,
    },
    /// A bandwidth is below this.
    BandwidthBelow {
        /// The experiment.
        experiment: String,
        /// The value.
        query: QueryText,
        /// The bound, in GB/s.
        gigabytes_per_second: f64,
    },
    /// Every node reaches every other node's memory as well as its own.
    Flat {
        /// Values differ by at most this share.
        within: f64,
    },
    /// Every node reads other packages' memory about as fast as its own, and waits longer for it: its own memory is what limits both.
    OwnMemoryLimits {
        /// Another package's memory gives at least this share of its own.
        share: f64,
        /// Its latency is longer by at least this share.
        late: f64,
    },
    /// The memory of a machine answers some cores sooner than others.
    TwoDistances {
        /// By this share at least.
        least: f64,
    },
    /// Copies between the host's memory and devices reach less in one direction, on all devices alike.
    OneDirection {
        /// Less than this share of the other direction.
        below: f64,
    },
    /// It matters which node asks, and not whose memory it asks for.
    RowsAlike {
        /// The values of a row differ by at most this share.
        within: f64,
        /// Rows differ by at least this share.
        least: f64,
    },
    /// Nodes reach each other's memory better than their own.
    Exchanged {
        /// By this share at least.
        least: f64,
    },
    /// All nodes together do hardly better than one of them alone.
    WholeLikeOneNode {
        /// The whole is at most this many times one node's bandwidth.
        most: f64,
    },
    /// A curve falls after its peak.
    Falls {
        /// The experiment.
        experiment: String,
        /// Its cells.
        query: QueryText,
        /// Along this axis.
        along: String,
        /// Whether the load rises as the axis falls.
        #[serde(default)]
        descending: bool,
        /// From the peak to the end, it loses at least this share.
        least: f64,
        /// It loses less than this share.
        most: Option<f64>,
    },
    /// The firmware's distances say that a node is nearer than another one, and its latency says the opposite.
    DistancesContradict {
        /// Latencies differ by at least this share.
        least: f64,
    },
    /// The firmware's latencies or bandwidths (HMAT) say that one memory is better than another one, and its own nodes measure the
    /// opposite.
    AttributesContradict {
        /// Values differ by at least this share.
        least: f64,
    },
    /// All nodes together read more than the sum of what each of them reads alone.
    WholeExceedsNodes {
        /// By this share at least.
        least: f64,
    },
    /// Most values of a kind are worse than the machine should reach.
    WorseThanExpected {
        /// Which values.
        values: ExpectedValues,
        /// Whether the user stated the machine, or the result shows it.
        stated: bool,
    },
    /// Latencies and bandwidths of own and of other nodes' memory, or the kinds of value that are named, are all worse than expected, and
    /// by about the same share.
    WorseAlike {
        /// Which kinds of value; without them, all four.
        values: Option<Vec<ExpectedValues>>,
        /// The least of them by this share at least.
        least: f64,
        /// The shares differ by at most this.
        within: f64,
    },
    /// Own memory gives as much as is expected of any other node's memory: slow channels cannot be why that is read slowly.
    OwnFeedsLinks {},
    /// A node's own memory and other nodes' answer later than expected by the same time: what delays them is on no way between nodes.
    LateAlike {
        /// The two times differ by at most this share of the longer one.
        within: f64,
    },
    /// The middle of the values of a kind is worse than that of other machines of the same kind, which agree with each other.
    BelowFleet {
        /// Which values.
        values: ExpectedValues,
        /// By this share at least.
        least: f64,
    },
    /// The machine shows another number of nodes than most other machines of its kind.
    NodesUnlikeFleet {},
    /// Its DIMMs fall short of those of most other machines of its kind.
    DimmsBelowFleet {
        /// In what.
        what: DimmsBelow,
    },
    /// Values fit fewer links or channels than were taken for granted.
    FitsFewer {
        /// What is counted.
        fact: Fact,
        /// How its number was known.
        known: Standpoint,
    },
    /// A fact about the machine.
    Machine {
        /// The fact.
        fact: MachineFact,
        /// The share of what it compares, where it compares something.
        least: Option<f64>,
    },
    /// Cells carry one of these warnings.
    Warned {
        /// The warnings' names in files.
        warnings: Vec<String>,
        /// At least this share of cells; any if absent.
        share: Option<f64>,
        /// The text of the warning contains this.
        says: Option<String>,
    },
    /// Programs other than zerohop used this many CPUs or more beside the typical cell.
    OtherLoad {
        /// The bound, in CPUs.
        cpus: f64,
    },
    /// Workers lost their CPUs, and what most of their cells counted of other programs and of stolen time is too little to be why.
    LostToNobody {},
    /// Cells say how much of the time their workers ran, and that of the typical one is all of it; nothing was stolen.
    CpusKept {},
    /// An idle latency of a node and its own memory is above this, in ns.
    LocalLatencyAbove {
        /// The bound, in ns.
        nanoseconds: f64,
    },
    /// An idle latency of a node and its own memory is below this, in ns.
    LocalLatencyBelow {
        /// The bound, in ns.
        nanoseconds: f64,
    },
    /// Figures of the result contradict each other.
    ContradictsItself {
        /// The idle latency is above that at the lightest load by this share at least.
        late: f64,
        /// A mix of reads and writes is above reads alone by this share at least: links that carry both ways at once give up to half as much more.
        slow: f64,
    },
    /// Of STREAM's kernels, copy alone uses streaming stores: with the lines that the others fetch, all move as much.
    StreamsInCopy {
        /// They differ by at most this share.
        within: f64,
    },
    /// Threads of a socket reach another socket's memory as well as their own.
    FarLikeNear {
        /// They differ by at most this share.
        within: f64,
        /// As many threads at least: the links can carry what few ask for.
        threads: f64,
    },
    /// A command line that the text shows holds all of these.
    Command {
        /// Parts of it.
        holds: Vec<String>,
    },
    /// A line that the kernel logged about nodes holds this.
    KernelSays {
        /// A part of it.
        says: String,
    },
    /// The processor's name contains one of these.
    Processor {
        /// Parts of names.
        names: Vec<String>,
    },
    /// The measurement is not good enough to judge the machine.
    Unfit {},
}

/// Whether a pair is bad in both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ways {
    /// Both directions are worse than comparable ones.
    Both,
    /// One direction is, and the other is not.
    One,
    /// One direction between two nodes is, and other nodes of the same packages reach each other over the same links as fast as ever.
    OneOfShared,
}

/// In what the DIMMs of a machine fall short of those of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", expecting = "expected `number` or `rate`")]
pub enum DimmsBelow {
    /// How many there are.
    Number,
    /// The rate at which the slowest runs.
    Rate,
}

/// Values that are held against what a machine should reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", expecting = "expected the name of a kind of value")]
pub enum ExpectedValues {
    /// Idle latencies of nodes' own memory.
    OwnLatency,
    /// Idle latencies of other nodes' memory.
    FarLatency,
    /// Bandwidths of nodes' own memory.
    OwnBandwidth,
    /// Bandwidths of other nodes' memory.
    FarBandwidth,
    /// Bandwidths of nodes without CPUs, read by the node that reads each best.
    DeviceBandwidth,
}

/// How the number of parts of a machine was known that no operating system shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", expecting = "expected how the number is known")]
pub enum Standpoint {
    /// It was stated, or the machine lists it.
    Known,
    /// The user stated the machine, and this number is its default.
    Usual,
    /// The result shows the processor, and this number is the default of its generation.
    Guessed,
}

/// A fact about a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", expecting = "expected the name of a fact about a machine")]
pub enum MachineFact {
    /// It has fewer nodes with CPUs than packages.
    FewerNodesThanPackages,
    /// A package has fewer nodes than `least`, the number of its dies with memory controllers.
    FewerNodesThanDies,
    /// It has another number of nodes per package than was asked for.
    NodesNotTaken,
    /// It has other numbers of nodes, packages or cores than the stated machine.
    UnlikeStated,
    /// A CPU belongs to several nodes.
    SharedCpus,
    /// Several nodes are as far from each other as each from itself.
    EqualDistances,
    /// Neighboring CPU numbers belong to different nodes.
    AlternatingCpus,
    /// CPUs of nodes without any are listed at other nodes.
    MisplacedCpus,
    /// Nodes have sizes that no DIMMs add up to.
    SizesUnlikeDimms,
    /// Nearly all memory of a process, or all that was taken between two listings, is on one node.
    MemoryOnOneNode,
    /// Its packages have different numbers of nodes.
    UnevenNodes,
    /// It has one node, and more CPUs than `least`.
    OneNode,
    /// It has several nodes with CPUs.
    SeveralNodes,
    /// The nodes of two packages have CPUs: no other pair of packages shows what links between these two should carry.
    OnePair,
    /// A node has CPUs and no memory.
    NodeWithoutMemory,
    /// Each node has `least` memory channels, or more: one of them is worth little.
    ManyChannels,
    /// Comparable nodes differ in their memory, by `least` at least.
    UnevenMemory,
    /// A package has fewer populated channels than another.
    UnevenChannels,
    /// DIMMs run below their rated speed, by `least` at least.
    DimmsBelowRated,
    /// DIMMs of different speeds are configured.
    UnequalDimms,
    /// A node has memory and no CPUs, and is slower than the others.
    SlowMemoryNode,
    /// It is virtual.
    Virtual,
    /// The kernel moves pages between nodes by itself.
    NumaBalancing,
    /// The kernel reclaims a node's memory before it uses another's.
    ZoneReclaim,
    /// A cpuset lets this process use a part of it only.
    PartialCpuset,
    /// The frequency governor saves power.
    SavingGovernor,
}

/// A query, as text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct QueryText(pub Query);

impl TryFrom<String> for QueryText {
    type Error = ParseQueryError;

    fn try_from(text: String) -> Result<Self, ParseQueryError> {
        text.parse().map(Self)
    }
}
