//! Trustworthiness of results: the worst of all evidence, and each kind of warning once.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_result::{Cell, ExperimentName, ExperimentResult};
use zerohop_units::Bytes;
use zerohop_workload::Warning;

use crate::number::half_width;
use zerohop_statistics::median;

/// Evidence over many cells: the worst of each kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Trust<'a> {
    pub(crate) cells: usize,
    pub(crate) samples: usize,
    /// Samples that were disturbed.
    pub(crate) disturbed: usize,
    /// Number of disturbed samples that count.
    pub(crate) let_in: usize,
    /// Cells whose placement was read back.
    pub(crate) placement_known: usize,
    /// Smallest share of pages that were on the requested node.
    pub(crate) placed_share: Option<f64>,
    pub(crate) pages_checked: u64,
    /// Pages of all buffers, as far as known.
    pub(crate) pages: u64,
    /// Cells whose placement was the same after sampling.
    pub(crate) confirmed: usize,
    /// Cells that requested huge pages.
    pub(crate) huge_wanted: usize,
    /// Smallest share of a buffer on huge pages, if they were requested and could be counted.
    pub(crate) huge_share: Option<f64>,
    /// Smallest share of time that a worker ran.
    pub(crate) cpu_share: Option<f64>,
    /// Largest share of time stolen.
    pub(crate) steal_share: Option<f64>,
    /// The most CPUs that other programs used.
    pub(crate) other_load: Option<f64>,
    /// Number of times that workers were descheduled from their PUs.
    pub(crate) involuntary_switches: u64,
    /// Lowest and highest clock in GHz.
    pub(crate) clock_ghz: Option<(f64, f64)>,
    /// Lowest and highest counted traffic over computed traffic.
    pub(crate) bus_proof: Option<(f64, f64)>,
    /// Number of cells with such a ratio.
    pub(crate) bus_proofs: usize,
    /// Highest number of page table walks per line.
    pub(crate) walks_per_line: Option<f64>,
    /// Lowest and highest power of all packages, in W.
    pub(crate) package_w: Option<(f64, f64)>,
    /// Lowest and highest clock of the uncore, in GHz.
    pub(crate) uncore_ghz: Option<(f64, f64)>,
    /// The forms of kernels' code that ran, in words.
    pub(crate) kernel_forms: BTreeSet<(String, String)>,
    /// Relative distances of medians to the farther ends of their intervals, ascending, each with its experiment.
    pub(crate) half_widths: Vec<(f64, &'a ExperimentName)>,
}

/// Relative distances of medians to the farther ends of their intervals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Margins<'a> {
    /// The median of all.
    pub(crate) typical: f64,
    pub(crate) widest: f64,
    /// The experiment that has it.
    pub(crate) widest_in: &'a ExperimentName,
}

impl Margins<'_> {
    /// The widest as printed, with its experiment if it is wider than was asked for: it speaks of few values.
    pub(crate) fn at_most(&self, asked: f64) -> String {
        let place = if self.widest > asked { format!(" (in {})", self.widest_in) } else { String::new() };
        format!("{} at most{place}", half_width(self.widest))
    }
}

/// Between base pages (64 KiB at most) and the huge pages that engines ask for (2 MiB at least).
const SMALLEST_HUGE_PAGE: Bytes = Bytes::mib(1);

impl<'a> Trust<'a> {
    /// The evidence of these experiments' cells.
    pub(crate) fn over(experiments: impl IntoIterator<Item = &'a ExperimentResult>) -> Self {
        let mut trust = Self::default();
        for experiment in experiments {
            for cell in &experiment.cells {
                trust.take(&experiment.experiment, cell);
            }
        }
        trust.half_widths.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        trust
    }

    /// Typical and largest width of the intervals; `None` if there are none.
    pub(crate) fn margins(&self) -> Option<Margins<'_>> {
        let (widest, widest_in) = self.half_widths.last()?;
        let typical = median(self.half_widths.iter().map(|(half_width, _)| *half_width))?;
        Some(Margins { typical, widest: *widest, widest_in })
    }

    fn take(&mut self, experiment: &'a ExperimentName, cell: &Cell) {
        let evidence = &cell.evidence;
        self.cells += 1;
        self.samples += cell.samples.len();
        self.disturbed = self.disturbed.saturating_add(evidence.disturbed as usize);
        self.let_in = self.let_in.saturating_add(evidence.let_in as usize);
        self.involuntary_switches = self.involuntary_switches.saturating_add(evidence.involuntary_switches);
        self.pages_checked = self.pages_checked.saturating_add(evidence.backing.pages_checked);
        self.pages = self.pages.saturating_add(evidence.backing.pages);
        self.confirmed += usize::from(evidence.backing.confirmed);
        self.placement_known += usize::from(evidence.backing.placed_share.is_some());
        lower(&mut self.placed_share, evidence.backing.placed_share);
        // A core-to-core transfer needs one page, which need not be a huge one.
        if evidence.backing.page >= SMALLEST_HUGE_PAGE {
            self.huge_wanted += 1;
            lower(&mut self.huge_share, evidence.backing.huge_share);
        }
        lower(&mut self.cpu_share, evidence.cpu_share);
        raise(&mut self.steal_share, evidence.steal_share);
        raise(&mut self.other_load, evidence.other_load);
        widen(&mut self.clock_ghz, evidence.clock_ghz);
        let meters = &evidence.meters;
        let both = |value: Option<f64>| value.map(|value| (value, value));
        self.bus_proofs += usize::from(meters.bus_proof().is_some());
        widen(&mut self.bus_proof, both(meters.bus_proof()));
        raise(&mut self.walks_per_line, meters.walks_per_line);
        widen(&mut self.package_w, both(meters.package_w));
        widen(&mut self.uncore_ghz, both(meters.uncore_ghz));
        let forms = evidence.kernel_forms.iter();
        self.kernel_forms.extend(forms.map(|(kernel, form)| (kernel.clone(), form.clone())));
        let half_width = cell.estimate.relative_margin();
        if cell.samples.len() > 1 && half_width.is_finite() {
            self.half_widths.push((half_width, experiment));
        }
    }
}

fn widen(range: &mut Option<(f64, f64)>, more: Option<(f64, f64)>) {
    *range = (*range).into_iter().chain(more).reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
}

fn lower(worst: &mut Option<f64>, share: Option<f64>) {
    *worst = (*worst).into_iter().chain(share).reduce(f64::min);
}

fn raise(worst: &mut Option<f64>, share: Option<f64>) {
    *worst = (*worst).into_iter().chain(share).reduce(f64::max);
}

/// Warnings of one kind.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Concern<'a> {
    /// The gravest of them.
    pub(crate) gravest: &'a Warning,
    /// Number of cells that carry one; zero if it concerns more than single cells.
    pub(crate) cells: usize,
    /// Other parts that were omitted for the same reason.
    pub(crate) others: BTreeSet<String>,
    /// The experiments of these cells, in the order met; empty if it concerns the whole file.
    pub(crate) experiments: Vec<ExperimentName>,
}

/// The warnings of a file, its experiments and their cells, each kind once, gravest kinds first.
pub(crate) fn concerns<'a>(
    of_file: &'a [Warning],
    experiments: impl IntoIterator<Item = &'a ExperimentResult>,
) -> Vec<Concern<'a>> {
    let mut kinds: BTreeMap<(u8, String), Concern<'a>> = BTreeMap::new();
    let mut note = |warning: &'a Warning, experiment: Option<&ExperimentName>, cells: usize| {
        let fresh = Concern { gravest: warning, cells: 0, others: BTreeSet::new(), experiments: Vec::new() };
        let concern = kinds.entry(kind(warning)).or_insert(fresh);
        if warning.gravity() > concern.gravest.gravity() {
            concern.gravest = warning;
        }
        concern.cells += cells;
        if let (Warning::ExperimentSkipped { experiment, .. }, false) = (warning, warning == concern.gravest)
        {
            concern.others.insert(experiment.clone());
        }
        let news = experiment.filter(|name| !concern.experiments.contains(name)).cloned();
        concern.experiments.extend(news);
    };
    for warning in of_file {
        note(warning, None, 0);
    }
    for experiment in experiments {
        let name = Some(&experiment.experiment);
        for warning in &experiment.warnings {
            note(warning, name, 0);
        }
        for warning in experiment.cells.iter().flat_map(|cell| &cell.warnings) {
            note(warning, name, 1);
        }
    }
    kinds.into_values().collect()
}

/// Rank and identity of a warning's kind. What could make a value wrong comes before what makes it uncertain, and that
/// before mere omissions. A warning that names a specific subject is a kind of its own.
fn kind(warning: &Warning) -> (u8, String) {
    let rank = match warning {
        Warning::Implausible { .. } | Warning::PagesMisplaced { .. } => 0,
        Warning::PlacementNotBound { .. } => 1,
        Warning::PlacementUnproven { .. } | Warning::CpuElsewhere { .. } => 2,
        Warning::HugePagesMissing { .. } => 3,
        Warning::BufferNearCache { .. } | Warning::CachesUnknown { .. } => 4,
        Warning::DemandNotReached { .. } => 5,
        Warning::NotSteady {} | Warning::SimulatedInstead { .. } => 6,
        Warning::Throttled {} => 7,
        Warning::ClockDrift { .. } => 8,
        Warning::Stolen { .. } => 9,
        Warning::CpuTaken { .. } | Warning::RarelyTogether { .. } | Warning::QuotaShort { .. } => 10,
        Warning::CpuLost { .. } | Warning::CpusMoved { .. } => 10,
        Warning::PlacedSeveralWays { .. } | Warning::TwoPeaks { .. } => 11,
        Warning::LatencyRaised { .. } => 12,
        Warning::SamplesDisturbed { .. } => 12,
        Warning::IntervalWide { .. } => 13,
        Warning::SpreadWide { .. } => 14,
        Warning::SamplesFew { .. } => 15,
        Warning::ClockCoarse { .. } => 16,
        Warning::ExperimentSkipped { .. } | Warning::BudgetShort { .. } => 18,
        Warning::NodeSkipped { .. } => 19,
        Warning::CpusSkipped { .. } | Warning::CpusIsolated { .. } | Warning::NodesFake {} => 20,
        Warning::CacheSmaller { .. } => 17,
        Warning::CasesSkipped { .. } | Warning::Attributed { .. } | Warning::NotImported { .. } => 21,
        Warning::ToolWarned { .. } => 6,
        Warning::Unknown(_) => 22,
    };
    let names = match warning {
        // Whatever is left out for one reason is one concern.
        Warning::ExperimentSkipped { reason, .. } => reason.clone(),
        _ => warning.names(),
    };
    (rank, names)
}
