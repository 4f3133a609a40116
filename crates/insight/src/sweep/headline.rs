//! What matters most of each experiment: the numbers that a sweep tells where nothing else is said.

use zerohop_machine::Machine;
use zerohop_result::{Axis, Cell, ExperimentResult, Measure, Over, Relation};

use super::selection::Told;

/// More cases that belong to no scenario than this are summed up.
const MOST_CASES: usize = 16;

/// The numbers of a result that are told of it.
pub(super) fn numbers(result: &ExperimentResult, machine: &Machine) -> Vec<Told> {
    let of = |measure| Cells::of(result, measure);
    match result.experiment.as_str() {
        "latency-matrix" | "core-latency" => of(Measure::Latency).by_distance(machine),
        "bandwidth-matrix" => of(Measure::Bandwidth).by_distance(machine),
        "stream" => of(Measure::Bandwidth).of_machine().by(Axis::Kernel, Over::Median),
        "mixes" => of(Measure::Bandwidth).of_machine().by(Axis::Mix, Over::Median),
        "loaded-latency" => loaded_latency(result),
        "cache-latency" => of(Measure::Latency).by(Axis::Level, Over::Median),
        "core-to-core" => {
            Cells::at(result, Measure::Latency, Axis::Statistic, "mean").by(Axis::Level, Over::Median)
        }
        "global-bandwidth" => of(Measure::Bandwidth).by(Axis::Placement, Over::Highest),
        "hops" => hops(result, machine),
        "crossfire" => of(Measure::TimePerLine).by_scenario(),
        "ramp" => {
            let peak = Cells::at(result, Measure::Bandwidth, Axis::Statistic, "peak");
            let fall = Cells::at(result, Measure::RelativeBandwidth, Axis::Statistic, "fall");
            [peak.named("peak"), fall.named("end")].concat()
        }
        "memory-suite" => {
            // With all cores, over the kernels.
            of(Measure::Bandwidth).with_most(Axis::CoresPerNode).by(Axis::Scenario, Over::Median)
        }
        _ => Vec::new(),
    }
}

/// Latency without and under full load, and the most bandwidth.
fn loaded_latency(result: &ExperimentResult) -> Vec<Told> {
    let latency = || Cells::of(result, Measure::Latency);
    let mut told = latency().with_most(Axis::Delay).named("idle");
    told.extend(latency().with_least(Axis::Delay).named("loaded"));
    told.extend(Told::of("peak".to_owned(), &Cells::of(result, Measure::Bandwidth).0, Over::Highest));
    told
}

/// Time per line of each kernel, by how far the memory is.
fn hops(result: &ExperimentResult, machine: &Machine) -> Vec<Told> {
    Cells::of(result, Measure::TimePerLine).grouped(Over::Median, |cell| {
        let kernel = cell.at.get(Axis::Kernel)?;
        Some(format!("{kernel}.{}", Relation::of(&cell.at, machine)?.name()))
    })
}

/// Cells of one measure.
struct Cells<'a>(Vec<&'a Cell>);

impl<'a> Cells<'a> {
    /// Those of all that was measured at their place.
    fn of(result: &'a ExperimentResult, measure: Measure) -> Self {
        let cells = result.cells.iter().filter(|cell| cell.measure == measure && cell.at.is_whole());
        Self(cells.collect())
    }

    /// Those that stand there.
    fn at(result: &'a ExperimentResult, measure: Measure, axis: Axis, word: &str) -> Self {
        let cells = result.cells.iter().filter(|cell| cell.measure == measure && cell.at.is(axis, word));
        Self(cells.collect())
    }

    /// Those of the whole machine: of all nodes, or of the only one.
    fn of_machine(mut self) -> Self {
        let of_all = |cell: &&Cell| cell.at.is(Axis::Initiator, "all");
        if self.0.iter().any(of_all) {
            self.0.retain(of_all);
        }
        self
    }

    /// Those that stand highest along an axis of numbers.
    fn with_most(mut self, axis: Axis) -> Self {
        let most = self.0.iter().filter_map(|cell| cell.at.number(axis)).max();
        self.0.retain(|cell| cell.at.number(axis) == most);
        self
    }

    /// Those that stand lowest along an axis of numbers.
    fn with_least(mut self, axis: Axis) -> Self {
        let least = self.0.iter().filter_map(|cell| cell.at.number(axis)).min();
        self.0.retain(|cell| cell.at.number(axis) == least);
        self
    }

    /// One number.
    fn named(&self, what: &str) -> Vec<Told> {
        Told::of(what.to_owned(), &self.0, Over::Median).into_iter().collect()
    }

    /// A number for each place along an axis.
    fn by(&self, axis: Axis, over: Over) -> Vec<Told> {
        self.grouped(over, |cell| cell.at.get(axis).map(ToString::to_string))
    }

    /// A number for each scenario, over its cases; and one for each case that belongs to none, or of all those if they are many.
    fn by_scenario(&self) -> Vec<Told> {
        let in_scenario = |cell: &&Cell| cell.at.get(Axis::Scenario).is_some();
        let (scenarios, cases): (Vec<&Cell>, Vec<&Cell>) = self.0.iter().copied().partition(in_scenario);
        let mut told = Cells(scenarios).by(Axis::Scenario, Over::Median);
        if cases.len() <= MOST_CASES {
            told.extend(Cells(cases).by(Axis::Case, Over::Median));
        } else {
            let over = [Over::Lowest, Over::Median, Over::Highest].into_iter();
            told.extend(over.filter_map(|over| Told::of(over.name().to_owned(), &cases, over)));
        }
        told
    }

    /// A number for each distance of the memory, the nearest first.
    fn by_distance(&self, machine: &Machine) -> Vec<Told> {
        let told = Relation::ALL.into_iter().filter_map(|relation| {
            let cells: Vec<&Cell> = self
                .0
                .iter()
                .copied()
                .filter(|cell| Relation::of(&cell.at, machine) == Some(relation))
                .collect();
            Told::of(relation.name().to_owned(), &cells, Over::Median)
        });
        told.collect()
    }

    /// A number for each name that cells are given, in the order in which names first appear.
    fn grouped(&self, over: Over, name: impl Fn(&Cell) -> Option<String>) -> Vec<Told> {
        let mut groups: Vec<(String, Vec<&Cell>)> = Vec::new();
        for cell in &self.0 {
            let Some(name) = name(cell) else { continue };
            match groups.iter_mut().find(|(known, _)| *known == name) {
                Some((_, cells)) => cells.push(cell),
                None => groups.push((name, vec![cell])),
            }
        }
        groups.into_iter().filter_map(|(name, cells)| Told::of(name, &cells, over)).collect()
    }
}
