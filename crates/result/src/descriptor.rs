//! What is known of an experiment beside its plan: all that help, pages, pictures and summaries need, as data.

use serde::Serialize;

use crate::{Choice, ExperimentName, ExperimentResult, Glance, Headline, Layout};

/// An experiment as readers of its results and of the help see it.
///
/// The values stand beside the plans; whoever shows results is handed the [`Catalogue`] and needs no plan.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Descriptor {
    /// Its name on the command line and in results.
    pub name: &'static str,
    /// What it measures, in a few words.
    pub summary: &'static str,
    /// What it measures and what for, in a sentence or two.
    pub about: &'static str,
    /// The choices that it heeds; others are refused.
    pub heeds: &'static [Choice],
    /// Which surveys run it.
    pub survey: Survey,
    /// Its place among the panels of a survey's picture, so that panels of a height stand beside each other.
    pub panel: u8,
    /// What a survey's page says of it at its top.
    pub glance: Option<Glance>,
    /// The values that a sweep reports of it unless others are asked for.
    pub headlines: &'static [Headline],
    /// How its cells are laid out. A cell goes to the first layout that takes it.
    pub layouts: &'static [Layout],
    /// What a page says of its result in words, if it has something to say.
    pub remark: Option<Remark>,
    /// What Intel's Memory Latency Checker prints of the same.
    pub mlc: Option<MlcBlock>,
}

/// What a page says of a result in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Remark {
    /// What is lost where one thread touches first what all threads use.
    FirstTouch,
}

/// A block of the output of Intel's Memory Latency Checker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MlcBlock {
    /// `--latency_matrix`.
    LatencyMatrix,
    /// `--bandwidth_matrix`.
    BandwidthMatrix,
    /// `--max_bandwidth` and its kin: bandwidths by read:write mix.
    PeakBandwidth,
    /// `--loaded_latency`.
    LoadedLatency,
    /// `--c2c_latency`.
    CacheToCache,
}

/// Which surveys run an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Survey {
    /// Every survey.
    Every,
    /// Full surveys only.
    Full,
    /// None: it is run by name.
    None,
}

impl Descriptor {
    /// Its name, as results have it.
    pub const fn name(&self) -> ExperimentName {
        ExperimentName::known(self.name)
    }

    /// The layouts of this result, in order.
    pub fn layouts_of(&self, result: &ExperimentResult) -> impl Iterator<Item = &'static Layout> {
        self.layouts.iter().filter(|layout| layout.when.holds(result))
    }
}

/// The experiments that a reader of results knows. A result may have others.
#[derive(Debug, Clone, Copy, Default)]
pub struct Catalogue(&'static [Descriptor]);

impl Catalogue {
    /// Of these, in the order in which they are listed.
    pub const fn new(descriptors: &'static [Descriptor]) -> Self {
        Self(descriptors)
    }

    /// Every one, in the order in which they are listed.
    pub fn all(self) -> impl DoubleEndedIterator<Item = &'static Descriptor> {
        self.0.iter()
    }

    /// The experiment of that name, if it is known.
    pub fn get(self, name: &ExperimentName) -> Option<&'static Descriptor> {
        self.0.iter().find(|descriptor| *name == *descriptor.name)
    }

    /// What an experiment measures, in a few words.
    pub fn summary(self, name: &ExperimentName) -> &'static str {
        self.get(name).map_or("an experiment that this version does not know", |known| known.summary)
    }
}
