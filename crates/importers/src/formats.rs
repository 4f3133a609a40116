//! The formats, one per file.
//!
//! To add one: write its file with a `FORMAT`, and add its module and its `FORMAT` here.

mod asct;
mod babelstream;
mod bandwidth_test;
mod clpeak;
mod core_to_core;
mod likwid;
mod lmbench;
mod lstopo;
mod mess;
mod metrics;
mod mlc;
mod multichase;
mod numactl;
mod numademo;
mod nvbandwidth;
mod pairs;
mod perf_bench;
mod perfspect;
mod placements;
mod stream;
mod traffic;

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use crate::format::Declaration;
pub(crate) use crate::format::Sign;
use crate::harvest::Harvest;
use crate::lines::Text;
use crate::marks::Marks;
use crate::problem::Problem;
use crate::sample::Sample;
pub use metrics::metrics_schema;
pub(crate) use metrics::parts as parts_of_metrics;
pub(crate) use numactl::read_nodes;
pub(crate) use stream::has_rates;

const FORMATS: [&Declaration; 21] = [
    // Before MLC, whose mixes have the same names: what it has read, others leave alone.
    &asct::FORMAT,
    &mlc::FORMAT,
    &stream::FORMAT,
    &babelstream::FORMAT,
    &numactl::FORMAT,
    &clpeak::FORMAT,
    &multichase::FORMAT,
    &mess::FORMAT,
    &lmbench::FORMAT,
    &likwid::FORMAT,
    &core_to_core::FORMAT,
    &pairs::FORMAT,
    &placements::FORMAT,
    &perfspect::FORMAT,
    &lstopo::FORMAT,
    &nvbandwidth::FORMAT,
    &bandwidth_test::FORMAT,
    &numademo::FORMAT,
    &perf_bench::FORMAT,
    &traffic::FORMAT,
    &metrics::FORMAT,
];

/// The words that stand in what any of them prints.
static MARKS: LazyLock<Marks> = LazyLock::new(|| {
    let words = FORMATS.into_iter().flat_map(|format| format.marks);
    Marks::of(&words.copied().collect::<Vec<_>>())
});

/// A format that can be imported.
#[derive(Clone, Copy)]
pub struct Format(&'static Declaration);

impl Format {
    /// That of a machine's nodes.
    pub(crate) const NODES: Self = Self(&numactl::FORMAT);

    /// That of matrices between nodes.
    pub(crate) const MATRICES: Self = Self(&mlc::FORMAT);

    pub fn all() -> impl Iterator<Item = Self> {
        FORMATS.into_iter().map(Self)
    }

    /// Its name, as a value of `--as`.
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// What it is, in a few words.
    pub const fn words(self) -> &'static str {
        self.0.words
    }

    pub(crate) const fn reads_cells(self) -> bool {
        self.0.cells
    }

    /// The formats of which a text bears signs, with these.
    pub(crate) fn signs(text: &Text) -> Vec<(Self, Sign)> {
        let sample = Sample::of(text, &MARKS);
        let signs = Self::all().map(|format| (format, (format.0.sign)(&sample)));
        signs.filter(|(_, sign)| *sign > Sign::None).collect()
    }

    pub(crate) fn read(self, file: &str, text: &mut Text) -> Result<Harvest, Problem> {
        (self.0.read)(file, text)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Format {}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::all().find(|format| format.name() == name).ok_or_else(|| format!("no format `{name}`"))
    }
}
