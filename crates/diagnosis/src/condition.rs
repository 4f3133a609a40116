//! Conditions of rules, as files write them: a small closed set of tests.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use zerohop_expectation::Fact;
use zerohop_result::{ParseQueryError, Query};

/// A condition of a rule.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "test", rename_all = "kebab-case", deny_unknown_fields, expecting = "expected a condition")]
pub enum Condition {
    /// All of these conditions hold. The rule reports the matches of the first one; matches of the others count only at the same nodes.
    All {
        /// The conditions. Not empty.
        of: Vec<Self>,
    },
    /// At least one of these conditions holds. The rule reports the matches of the first one that does.
    Any {
        /// The conditions. Not empty.
        of: Vec<Self>,
    },
    /// This condition does not hold.
    Not {
        /// The condition.
        of: Box<Self>,
    },
    /// A node's values with its own memory are worse than those of comparable nodes.
    NodeBelowSisters {
        /// The experiment.
        experiment: String,
        /// Query for the cells.
        query: QueryText,
        /// Minimum difference, as a share.
        least: f64,
    },
    /// A node's values with other nodes' memory are worse than those of comparable nodes.
    NodeBelowSistersAbroad {
        /// The experiment.
        experiment: String,
        /// Query for the cells.
        query: QueryText,
        /// Minimum difference, as a share.
        least: f64,
    },
    /// The CPUs of a node read all memory, including their own, more slowly than other CPUs do, by about the same share.
    ReaderBelowSisters {
        /// The experiment.
        experiment: String,
        /// Query for the cells.
        query: QueryText,
        /// Minimum difference, as a share.
        least: f64,
        /// Maximum deviation between the shares.
        within: f64,
    },
    /// The values of a pair of nodes are worse than those of comparable pairs.
    PairBelowSisters {
        /// The experiment.
        experiment: String,
        /// Query for the cells.
        query: QueryText,
        /// Minimum difference, as a share.
        least: f64,
        /// Whether both directions are worse, or only one.
        ways: Ways,
    },
    /// The ratio between the values of the farthest nodes and those of nodes with their own memory is out of proportion.
    FarRatio {
        /// The experiment.
        experiment: String,
        /// Query for the cells.
        query: QueryText,
        /// The ratio is below this bound.
        below: Option<f64>,
        /// Lower bound for processors whose name contains a key, for designs with a different ratio. Replaces `below`.
        #[serde(default)]
        below_of: BTreeMap<String, f64>,
        /// The ratio is above this bound.
        above: Option<f64>,
        /// Applies only to processors whose name contains one of these strings.
        #[serde(default)]
        processors: Vec<String>,
        /// Applies only to machines with at most this many packages, or nodes if packages are unknown.
        #[serde(default)]
        at_most_packages: Option<usize>,
    },
    /// The ratio of two values of the same result is out of bounds.
    Ratio {
        /// The experiment of both values.
        experiment: String,
        /// Query for the numerator.
        of: QueryText,
        /// Query for the denominator.
        to: QueryText,
        /// The ratio is below this bound.
        below: Option<f64>,
        /// The ratio is above this bound.
        above: Option<f64>,
    },
    /// A bandwidth is below a bound.
    BandwidthBelow {
        /// The experiment.
        experiment: String,
        /// Query for the value.
        query: QueryText,
        /// The bound, in GB/s.
        gigabytes_per_second: f64,
    },
    /// Every node accesses every other node's memory as well as its own.
    Flat {
        /// Maximum difference between local and remote latencies, as a share; twice this between bandwidths.
        within: f64,
    },
    /// Every node reads the memory of other packages about as fast as its own, at a higher latency: its own memory limits both bandwidths.
    OwnMemoryLimits {
        /// Minimum bandwidth of another package's memory, as a share of the own one.
        share: f64,
        /// Minimum increase in latency, as a share.
        late: f64,
    },
    /// The memory of a machine has a lower latency for some cores than for others.
    TwoDistances {
        /// Minimum difference, as a share.
        least: f64,
    },
    /// Copies between host memory and devices are slower in one direction, on all devices alike.
    OneDirection {
        /// Upper bound of the slower direction, as a share of the other one.
        below: f64,
    },
    /// Values depend on the initiator node but not on the target node.
    RowsAlike {
        /// Maximum difference between the values of a row, as a share.
        within: f64,
        /// Minimum difference between rows, as a share.
        least: f64,
    },
    /// Nodes access each other's memory better than their own.
    Exchanged {
        /// Minimum difference, as a share.
        least: f64,
    },
    /// All nodes together are hardly better than one of them alone.
    WholeLikeOneNode {
        /// Maximum bandwidth of the whole machine, as a multiple of one node's.
        most: f64,
    },
    /// A curve falls after its peak.
    Falls {
        /// The experiment.
        experiment: String,
        /// Query for the cells.
        query: QueryText,
        /// Axis of the curve.
        along: String,
        /// Whether the load increases as the axis decreases.
        #[serde(default)]
        descending: bool,
        /// Minimum loss from the peak to the end, as a share.
        least: f64,
        /// Upper bound of the loss, as a share.
        most: Option<f64>,
    },
    /// The firmware's distances rank a node as nearer than another one, but its latency is higher.
    DistancesContradict {
        /// Minimum difference between the latencies, as a share.
        least: f64,
    },
    /// The firmware's latencies or bandwidths (HMAT) rank one memory as better than another one, but the measurements of its own nodes show the
    /// opposite.
    AttributesContradict {
        /// Minimum difference between the values, as a share.
        least: f64,
    },
    /// The read bandwidth of all nodes together exceeds the sum of the nodes' separate read bandwidths.
    WholeExceedsNodes {
        /// Minimum difference, as a share.
        least: f64,
    },
    /// Most values of a kind are worse than expected of the machine.
    WorseThanExpected {
        /// Kind of values.
        values: ExpectedValues,
        /// Whether the user stated the machine (true) or it was identified from the result (false).
        stated: bool,
    },
    /// Latencies and bandwidths of own and of other nodes' memory, or the listed kinds of value, are all worse than expected, by about the same
    /// share.
    WorseAlike {
        /// Kinds of value; all four if absent.
        values: Option<Vec<ExpectedValues>>,
        /// Minimum of the smallest difference, as a share.
        least: f64,
        /// Maximum deviation between the shares.
        within: f64,
    },
    /// The bandwidth of own memory is at least as high as the one expected of any other node's memory, so slow channels cannot limit remote reads.
    OwnFeedsLinks {},
    /// The latencies of a node's own memory and of other nodes' memory exceed the expected ones by the same time: the delay is not on a path between
    /// nodes.
    LateAlike {
        /// Maximum difference between the two delays, as a share of the longer one.
        within: f64,
    },
    /// The median of the values of a kind is worse than on other machines of the same kind, which agree with each other.
    BelowFleet {
        /// Kind of values.
        values: ExpectedValues,
        /// Minimum difference, as a share.
        least: f64,
    },
    /// The number of nodes differs from most other machines of the same kind.
    NodesUnlikeFleet {},
    /// The DIMMs fall short of those of most other machines of the same kind.
    DimmsBelowFleet {
        /// The property that falls short.
        what: DimmsBelow,
    },
    /// Values fit fewer links or channels than assumed.
    FitsFewer {
        /// The part that is counted.
        fact: Fact,
        /// Source of the assumed number.
        known: Standpoint,
    },
    /// A fact about the machine holds.
    Machine {
        /// The fact.
        fact: MachineFact,
        /// Threshold of the fact, if it compares a quantity.
        least: Option<f64>,
    },
    /// Cells have at least one of these warnings.
    Warned {
        /// Names of the warnings in result files.
        warnings: Vec<String>,
        /// Minimum share of cells, 0 to 1; any number of cells if absent.
        share: Option<f64>,
        /// Text that the warning must contain.
        says: Option<String>,
    },
    /// Programs other than zerohop used at least this many CPUs during the typical cell.
    OtherLoad {
        /// Bound, in CPUs.
        cpus: f64,
    },
    /// Workers lost their CPUs, but the load of other programs and the stolen time counted in most of their cells are too small to explain it.
    LostToNobody {},
    /// Cells record the share of time that their workers ran; in the typical cell it is all of the time, and no time was stolen.
    CpusKept {},
    /// An idle latency of a node with its own memory is above a bound.
    LocalLatencyAbove {
        /// Bound, in ns.
        nanoseconds: f64,
    },
    /// An idle latency of a node with its own memory is below a bound.
    LocalLatencyBelow {
        /// Bound, in ns.
        nanoseconds: f64,
    },
    /// Values of the result contradict each other.
    ContradictsItself {
        /// Minimum excess of the idle latency over the latency at the lightest load, as a share.
        late: f64,
        /// Minimum excess of the bandwidth of a read-write mix over that of reads alone, as a share: links that carry both directions at once can
        /// give up to half as much more.
        slow: f64,
    },
    /// Of STREAM's kernels, only copy uses streaming stores: if the lines fetched by the other kernels are included, all kernels move equal traffic.
    StreamsInCopy {
        /// Maximum difference between the kernels, as a share.
        within: f64,
    },
    /// Threads of a socket access another socket's memory as well as their own.
    FarLikeNear {
        /// Maximum difference, as a share.
        within: f64,
        /// Minimum number of threads: links can carry the traffic of a few threads.
        threads: f64,
    },
    /// A command line in the text contains all of these strings.
    Command {
        /// Strings in the command line.
        holds: Vec<String>,
    },
    /// A kernel message about nodes contains a string.
    KernelSays {
        /// String in the message.
        says: String,
    },
    /// The processor name contains one of these strings.
    Processor {
        /// Parts of processor names.
        names: Vec<String>,
    },
    /// The measurement is not good enough to judge the machine.
    Unfit {},
}

/// Directions in which a pair of nodes is worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ways {
    /// Both directions are worse than comparable ones.
    Both,
    /// Only one direction is worse.
    One,
    /// Only one direction between two nodes is worse, although other nodes of the same packages use the same links without a loss.
    OneOfShared,
}

/// Property in which the DIMMs of a machine fall short of those of other machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", expecting = "expected `number` or `rate`")]
pub enum DimmsBelow {
    /// Number of DIMMs.
    Number,
    /// Transfer rate of the slowest DIMM.
    Rate,
}

/// Kinds of values that are compared with the expectation for the machine.
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
    /// Bandwidths of nodes without CPUs, each read by the node with the best bandwidth to it.
    DeviceBandwidth,
}

/// Source of a part count that no operating system shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", expecting = "expected how the number is known")]
pub enum Standpoint {
    /// The user stated the number, or the machine lists it.
    Known,
    /// The user stated the machine, and the number is its default.
    Usual,
    /// The result shows the processor, and the number is the default of its generation.
    Guessed,
}

/// A fact about a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", expecting = "expected the name of a fact about a machine")]
pub enum MachineFact {
    /// There are fewer nodes with CPUs than packages.
    FewerNodesThanPackages,
    /// A package has fewer nodes than `least`, the number of its dies with memory controllers.
    FewerNodesThanDies,
    /// The number of nodes per package differs from the requested one.
    NodesNotTaken,
    /// The number of nodes, packages or cores differs from the stated machine.
    UnlikeStated,
    /// A CPU belongs to several nodes.
    SharedCpus,
    /// Several nodes have the same distance from each other as from themselves.
    EqualDistances,
    /// Neighboring CPU numbers belong to different nodes.
    AlternatingCpus,
    /// CPUs that belong to nodes without CPUs are listed at other nodes.
    MisplacedCpus,
    /// Memory sizes of nodes do not match any set of DIMMs.
    SizesUnlikeDimms,
    /// Nearly all memory of a process, or all memory allocated between two listings, is on one node.
    MemoryOnOneNode,
    /// Packages have different numbers of nodes.
    UnevenNodes,
    /// There is one node, and more CPUs than `least`.
    OneNode,
    /// There are several nodes with CPUs.
    SeveralNodes,
    /// Exactly two packages (two nodes, if packages are unknown) have nodes with CPUs: no other pair can show the bandwidth that links between them
    /// should have.
    OnePair,
    /// A node has CPUs and no memory.
    NodeWithoutMemory,
    /// Each node has `least` memory channels or more, so a single channel matters little.
    ManyChannels,
    /// Comparable nodes differ in memory size by at least `least`.
    UnevenMemory,
    /// A package has fewer populated channels than another.
    UnevenChannels,
    /// DIMMs run below their rated speed by at least `least`.
    DimmsBelowRated,
    /// DIMMs of different speeds are configured.
    UnequalDimms,
    /// A node with memory and no CPUs is slower than the others.
    SlowMemoryNode,
    /// The machine is virtual.
    Virtual,
    /// A simulated machine was generated with a stated number of links (`links=3`).
    LinksStated,
    /// The kernel gives transparent huge pages, to all programs or to those that ask (`madvise`).
    TransparentHugePages,
    /// The kernel migrates pages between nodes automatically.
    NumaBalancing,
    /// The kernel reclaims a node's memory before it uses another node's.
    ZoneReclaim,
    /// A cpuset limits this process to a part of the machine.
    PartialCpuset,
    /// The frequency governor saves power.
    SavingGovernor,
}

/// A query in its text form.
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
