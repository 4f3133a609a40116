//! Data about an experiment besides its plan, for help, pages, charts and summaries.

use serde::Serialize;

use crate::{Choice, ExperimentName, ExperimentResult, Glance, Headline, Layout};

/// An experiment, as readers of its results and of the help see it.
///
/// The values are declared next to the plans. Code that shows results gets the [`Catalogue`] and needs no plan.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Descriptor {
    /// Name of the experiment on the command line and in results.
    pub name: &'static str,
    /// Quantity that the experiment measures, in a few words.
    pub summary: &'static str,
    /// Quantity that the experiment measures and its purpose, in a sentence or two.
    pub about: &'static str,
    /// The choices that it accepts; others are rejected.
    pub accepts: &'static [Choice],
    /// Surveys that run the experiment.
    pub survey: Survey,
    /// Rank of the experiment among the panels of a survey's picture, so that panels of equal height are next to each other.
    pub panel: u8,
    /// Section of a report that shows the experiment.
    pub topic: Topic,
    /// Summary of the experiment at the top of a survey's page.
    pub glance: Option<Glance>,
    /// The values that a sweep reports by default.
    pub headlines: &'static [Headline],
    /// Layouts of the cells. A cell belongs to the first layout that accepts it.
    pub layouts: &'static [Layout],
    /// Remark on the result in words on its page, if there is one.
    pub remark: Option<Remark>,
    /// The block of Intel Memory Latency Checker output that measures the same.
    pub mlc: Option<MlcBlock>,
}

/// Section of a report, by the question that it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// How fast is each node's memory, from each node?
    Nodes,
    /// How fast are the caches?
    Caches,
    /// What do all cores reach, by kernel and by mix?
    Bandwidth,
    /// What does latency become under load?
    Load,
    /// How long does a line take from core to core?
    Cores,
    /// What is left when several nodes use one memory?
    Sharing,
}

impl Topic {
    /// All topics, in the order of a report.
    pub const ALL: [Self; 6] =
        [Self::Nodes, Self::Caches, Self::Bandwidth, Self::Load, Self::Cores, Self::Sharing];
}

/// Remark on a result, in words, on its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Remark {
    /// The bandwidth lost when one thread first-touches what all threads use.
    FirstTouch,
    /// A load hardly raised the latency.
    LightLoad,
}

/// A block of the output of Intel's Memory Latency Checker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MlcBlock {
    /// `--latency_matrix`.
    LatencyMatrix,
    /// `--bandwidth_matrix`.
    BandwidthMatrix,
    /// `--peak_injection_bandwidth` and `--max_bandwidth`: bandwidths by read:write mix.
    PeakBandwidth,
    /// `--loaded_latency`.
    LoadedLatency,
    /// `--c2c_latency`.
    CacheToCache,
}

/// Surveys that run an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Survey {
    Every,
    /// Every survey of several nodes: on one node, other experiments measure the same.
    SeveralNodes,
    Full,
    /// Full surveys of real machines only: a model cannot.
    FullOfHost,
    /// None: it runs only by name.
    None,
}

impl Descriptor {
    /// Name of the experiment, as in results.
    pub const fn name(&self) -> ExperimentName {
        ExperimentName::known(self.name)
    }

    /// The layouts of this result, in order.
    pub fn layouts_of(&self, result: &ExperimentResult) -> impl Iterator<Item = &'static Layout> {
        self.layouts.iter().filter(|layout| layout.when.holds(result))
    }
}

/// The experiments that a reader of results knows. A result may contain others.
#[derive(Debug, Clone, Copy, Default)]
pub struct Catalogue {
    experiments: &'static [Descriptor],
    imported: &'static [Descriptor],
}

impl Catalogue {
    /// A catalogue of these experiments, in the order listed.
    pub const fn new(descriptors: &'static [Descriptor]) -> Self {
        Self { experiments: descriptors, imported: &[] }
    }

    /// Catalogue extended by kinds that only imported results have. They are found by name, and not listed.
    #[must_use]
    pub const fn with_imported(self, kinds: &'static [Descriptor]) -> Self {
        Self { imported: kinds, ..self }
    }

    /// All experiments, in the order listed.
    pub fn all(self) -> impl DoubleEndedIterator<Item = &'static Descriptor> {
        self.experiments.iter()
    }

    /// The experiment with that name, if it is known.
    pub fn get(self, name: &ExperimentName) -> Option<&'static Descriptor> {
        self.experiments.iter().chain(self.imported).find(|descriptor| *name == *descriptor.name)
    }

    /// The experiment whose values are printed in this block of Intel Memory Latency Checker output.
    pub fn of_block(self, block: MlcBlock) -> Option<&'static Descriptor> {
        self.all().find(|descriptor| descriptor.mlc == Some(block))
    }

    /// Quantity that an experiment measures, in a few words.
    pub fn summary(self, name: &ExperimentName) -> &'static str {
        self.get(name).map_or("an experiment that this version does not know", |known| known.summary)
    }
}
