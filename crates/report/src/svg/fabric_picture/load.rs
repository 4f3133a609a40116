//! The load of links and channels in one workload of a result.

use std::collections::HashSet;

use zerohop_machine_file::{DirectedLink, Hardware};
use zerohop_result::{
    Axis, Catalogue, Cell, Coordinates, ExperimentResult, Measure, Over, Query, ResultFile, Value, Wanted,
};
use zerohop_units::GigabytesPerSecond;

use crate::fabric::direction_name;
use crate::measure::{shown, shown_unit};
use crate::number::{counted, significant};
use crate::origin::name_and_settings;
use crate::place::caption;

/// Reason why a result cannot be drawn on a machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoLoad {
    /// The result is from another machine.
    #[error("it is a result of {result}, not {machine}")]
    OtherMachine {
        result: String,
        /// The one to be drawn.
        machine: String,
    },
    /// It has no data on links and channels.
    #[error("it does not have machine internals")]
    NoDetail,
    /// It has the data, but not at the requested place.
    #[error("it has no workload at {asked} (it has {})", known.join("; "))]
    NoSuchWorkload {
        asked: String,
        /// The workloads of the result, up to a readable number.
        known: Vec<String>,
    },
}

impl NoLoad {
    /// Hint for the user.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::OtherMachine { .. } => "give the machine of the result, or omit the name",
            Self::NoDetail => "simulate it again with --detail",
            Self::NoSuchWorkload { .. } => {
                "omit --at for the first, or copy one of these, such as --at 'case=0.0.w.1 1.0.w.0'"
            }
        }
    }
}

/// Traffic, and its share of the capacity.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Carried {
    pub(super) traffic: GigabytesPerSecond,
    /// Share of the capacity.
    pub(super) share: f64,
    pub(super) queue: f64,
}

impl Carried {
    /// `3.48 GB/s · 87 %`.
    pub(super) fn in_short(&self) -> String {
        let Self { traffic, share, .. } = self;
        format!("{} {} · {:.0} %", significant(traffic.get()), GigabytesPerSecond::UNIT, share * 100.0)
    }

    pub(super) fn in_full(&self) -> String {
        format!("{}, {} waiting", self.in_short(), significant(self.queue))
    }
}

/// Machine internals in one workload.
#[derive(Debug, Clone)]
pub(super) struct Load {
    links: Vec<Carried>,
    channels: Vec<Carried>,
    /// Name and summary of the experiment.
    pub(super) experiment: String,
    pub(super) workload: String,
    /// Results of the workload, in a few values.
    pub(super) outcome: String,
    /// Number of other workloads.
    pub(super) others: String,
}

impl Load {
    /// The load of the first workload of `file` that `at` selects.
    pub(super) fn of(
        hardware: &Hardware,
        file: &ResultFile,
        at: &Query,
        experiments: Catalogue,
    ) -> Result<Self, NoLoad> {
        let machine = &hardware.machine;
        if (&file.machine.name, &file.machine.settings) != (&machine.name, &machine.settings) {
            let (result, machine) = (name_and_settings(&file.machine), name_and_settings(machine));
            return Err(NoLoad::OtherMachine { result, machine });
        }
        let mut workloads: Vec<(&ExperimentResult, Coordinates)> = Vec::new();
        let mut known = HashSet::new();
        for experiment in &file.experiments {
            let inside = Query::of(Measure::BusTraffic).at(Axis::Channel, Wanted::Any);
            for cell in experiment.cells.iter().filter(|cell| inside.selects(cell)) {
                let workload = (experiment, without_parts(&cell.at));
                if known.insert((&experiment.experiment, workload.1.clone())) {
                    workloads.push(workload);
                }
            }
        }
        if workloads.is_empty() {
            return Err(NoLoad::NoDetail);
        }
        let Some((experiment, place)) = workloads.iter().find(|(_, place)| at.is_at(place)) else {
            const SHOWN: usize = 8;
            let known = workloads.iter().take(SHOWN).map(|(_, place)| typed(place)).collect();
            return Err(NoLoad::NoSuchWorkload { asked: asked(at), known });
        };
        let cells: Vec<&Cell> =
            experiment.cells.iter().filter(|cell| without_parts(&cell.at) == *place).collect();
        let others = match workloads.len() - 1 {
            0 => String::new(),
            others => format!("{} in the same result; choose with --at", counted(others, "more workload")),
        };
        Ok(Self {
            links: links(hardware, &cells),
            channels: channels(hardware, &cells),
            experiment: format!("{}: {}", experiment.experiment, experiments.summary(&experiment.experiment)),
            workload: words(place),
            outcome: outcome(&cells),
            others,
        })
    }

    /// The load of one direction of a link.
    pub(super) fn link(&self, link: DirectedLink) -> Carried {
        self.links.get(link.0).copied().unwrap_or_default()
    }

    /// The combined load of these channels.
    pub(super) fn channels(&self, ranks: &[usize]) -> Carried {
        let parts: Vec<Carried> = ranks.iter().filter_map(|&rank| self.channels.get(rank)).copied().collect();
        let count = parts.len().max(1) as f64;
        Carried {
            traffic: parts.iter().map(|part| part.traffic).sum(),
            share: parts.iter().map(|part| part.share).sum::<f64>() / count,
            queue: parts.iter().map(|part| part.queue).sum(),
        }
    }
}

fn without_parts(at: &Coordinates) -> Coordinates {
    Coordinates(
        at.0.iter()
            .filter(|(axis, _)| !axis.is_part() && **axis != Axis::Direction)
            .map(|(axis, place)| (*axis, place.clone()))
            .collect(),
    )
}

/// What `--at` asks for.
fn asked(at: &Query) -> String {
    let places = at.at.iter().map(|(axis, wanted)| format!("{}={wanted}", axis.name()));
    places.collect::<Vec<_>>().join(", ")
}

/// As it can be typed after `--at`.
fn typed(at: &Coordinates) -> String {
    let places = at.0.iter().map(|(axis, place)| format!("{}={place}", axis.name()));
    places.collect::<Vec<_>>().join(", ")
}

fn words(at: &Coordinates) -> String {
    at.0.iter().filter_map(|(axis, place)| caption(*axis, place)).collect::<Vec<_>>().join(", ")
}

/// The workload's own values.
fn outcome(cells: &[&Cell]) -> String {
    let own = cells.iter().filter(|cell| cell.at.is_whole());
    let numbers = own.map(|cell| {
        let unit = shown_unit(cell.measure);
        let number = significant(shown(cell).median);
        let number = if unit.is_empty() { number } else { format!("{number} {unit}") };
        format!("{} {number}", cell.measure.words())
    });
    numbers.collect::<Vec<_>>().join(", ")
}

/// The sum of the medians that the query selects.
fn sum(cells: &[&Cell], query: &Query) -> f64 {
    let selected: Vec<&Cell> = cells.iter().filter(|cell| query.selects(cell)).copied().collect();
    Value::of(&selected, Over::Sum).map_or(0.0, |sum| sum.value)
}

fn links(hardware: &Hardware, cells: &[&Cell]) -> Vec<Carried> {
    let carried = (0..2 * hardware.links.len()).map(DirectedLink).map(|link| {
        let (name, direction) = (hardware.links[link.link()].name.as_str(), direction_name(hardware, link));
        let of = |measure| {
            sum(cells, &Query::of(measure).at(Axis::Link, name).at(Axis::Direction, direction.as_str()))
        };
        Carried {
            traffic: GigabytesPerSecond(of(Measure::LinkTraffic)),
            share: of(Measure::Utilization),
            queue: of(Measure::QueueLength),
        }
    });
    carried.collect()
}

fn channels(hardware: &Hardware, cells: &[&Cell]) -> Vec<Carried> {
    let carried = hardware.channels.iter().map(|channel| {
        let of = |measure| sum(cells, &Query::of(measure).at(Axis::Channel, channel.name.as_str()));
        Carried {
            traffic: GigabytesPerSecond(of(Measure::BusTraffic)),
            share: of(Measure::Utilization),
            queue: of(Measure::QueueLength),
        }
    });
    carried.collect()
}
