//! The highest rate at which a machine can stream through the same data again and again, by where the data is: what bounds the
//! tokens a second of a language model, all of whose weights are read for each token.

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_machine::{Machine, NodeId};
use zerohop_units::Bytes;
use zerohop_workload::{Access, Kernel, Origin};

use super::advise::Source;
use super::cache_resident;
use super::candidate::{Candidate, Memory};
use super::data_place::DataPlace;
use super::error::AdviceError;
use super::evaluator::Evaluator;
use super::figure::Figure;
use super::lines::Line;
use super::nearest_memory::nearest_memory;
use super::program::{Background, DataUse, Program, Sensitivity};
use super::search::check;
use super::serving::serving;
use super::shapes::{Counts, Room};

/// Version of the form of ceilings. It is raised when a reader of the old form would misread the new one.
pub const CEILING_VERSION: u32 = 1;

/// Points of a ramp.
const POINTS: usize = 6;

/// With this share of the highest rate, more threads do not help.
const ENOUGH: f64 = 0.97;

/// Highest rates at which a machine can stream data, by the location of the data.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Ceiling {
    /// [`CEILING_VERSION`] of the program that wrote the file.
    pub schema_version: u32,
    /// Name of the machine.
    pub machine: String,
    /// Origin of the values.
    pub origin: Origin,
    /// Name of the result that the values come from, if one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Data read per step, in bytes.
    pub bytes_per_step: Bytes,
    /// Maximum number of threads.
    pub threads: usize,
    /// The placements, the fastest first.
    pub rows: Vec<CeilingRow>,
    /// Placements that are not possible, with the reasons.
    pub impossible: Vec<String>,
    /// Limitations of the values, one sentence each.
    pub unknown: Vec<String>,
}

/// A placement, and the rate that it allows.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CeilingRow {
    /// Location of the data.
    pub data: DataPlace,
    /// The placement, with all threads.
    pub placement: Candidate,
    /// The placement in words.
    pub words: String,
    /// Bandwidth of all threads in GB/s, at the best number of threads.
    pub bandwidth: Figure,
    /// Steps per second that this allows: tokens per second, if a step reads all weights.
    pub steps_per_second: Figure,
    /// Memory required, in bytes.
    pub memory: Bytes,
    /// Smallest number of threads with nearly the highest rate; absent without a ramp.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enough_threads: Option<usize>,
    /// Rate by the number of threads, ascending; empty if unknown.
    pub ramp: Vec<RampPoint>,
    /// Busiest part of the machine, if it is the bottleneck.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// Commands and settings for the placement.
    pub lines: Vec<Line>,
}

/// Rate at a number of threads.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct RampPoint {
    /// Number of threads.
    pub threads: usize,
    /// Bandwidth in GB/s.
    pub bandwidth: Figure,
}

/// The rates that a machine's memory allows. At most `threads` threads run, by default one on each core. `ground` finds the best node;
/// `exact`, if given, computes the rates.
///
/// # Errors
/// When the data fits nowhere, there are fewer CPUs than threads, or a placement cannot be computed.
pub fn ceiling(
    bytes_per_step: Bytes,
    threads: Option<usize>,
    background: &[Background],
    source: Source,
    ground: &mut dyn Evaluator,
    mut exact: Option<&mut dyn Evaluator>,
) -> Result<Ceiling, AdviceError> {
    let machine = ground.machine().clone();
    let program = |threads: usize| Program {
        threads,
        data: DataUse::Shared,
        bytes: bytes_per_step,
        kernel: Kernel::Read,
        access: Access::Sequential,
        sensitivity: Sensitivity::Bandwidth,
        thread_nodes: Vec::new(),
        background: background.to_vec(),
    };
    let cores: usize = Room::new(&machine, &program(1)).capacity.values().sum();
    let threads = threads.unwrap_or(cores);
    check(&program(threads), &machine)?;
    let mut rows = Vec::new();
    let mut impossible = Vec::new();
    for place in DataPlace::ALL {
        let Some((most, candidate)) = best_place(place, threads, &program, ground)? else {
            if machine.targets().count() > 1 || place == DataPlace::OneNode {
                impossible.push(format!("{}: {bytes_per_step} do not fit", place.words()));
            }
            continue;
        };
        let ground: &mut dyn Evaluator = match &mut exact {
            Some(exact) => &mut **exact,
            None => &mut *ground,
        };
        rows.push(row(place, most, &candidate, &program, ground)?);
    }
    rows.sort_by(|one, other| other.bandwidth.value.total_cmp(&one.bandwidth.value));
    let mut unknown = ground.unknown(&program(threads));
    unknown.extend(cache_resident::note(&machine, bytes_per_step));
    unknown.push(
        "a step also computes, and reads data other than weights: the rate is an upper bound".to_owned(),
    );
    Ok(Ceiling {
        schema_version: CEILING_VERSION,
        machine: machine.name.clone(),
        origin: source.origin,
        result: source.result,
        bytes_per_step,
        threads,
        rows,
        impossible,
        unknown,
    })
}

/// The best place of a kind, and its threads; `None` if the machine has none in which the data fits.
fn best_place(
    place: DataPlace,
    threads: usize,
    program: &dyn Fn(usize) -> Program,
    ground: &mut dyn Evaluator,
) -> Result<Option<(usize, Candidate)>, AdviceError> {
    let machine = ground.machine().clone();
    let whole = program(threads);
    let room = Room::new(&machine, &whole);
    let nodes: Vec<NodeId> = room.capacity.keys().copied().collect();
    let mut places: Vec<(usize, Candidate)> = Vec::new();
    match place {
        DataPlace::OneNode => {
            for &node in &nodes {
                let here = threads.min(room.capacity[&node]);
                let threads = Counts::from([(node, here)]);
                // A node without memory of its own uses its neighbor's.
                places.push((
                    here,
                    Candidate { threads, memory: Memory::OnNode { node: nearest_memory(&machine, node) } },
                ));
            }
        }
        // Of a machine with one memory, the others are the same as one node.
        _ if room.memory.len() < 2 => {}
        DataPlace::Interleaved => {
            let memory = Memory::Interleaved { nodes: room.memory.clone() };
            places.extend(room.even(&nodes).map(|counts| (threads, Candidate { threads: counts, memory })));
        }
        DataPlace::CopyOnEach => {
            let own: Vec<NodeId> = nodes.iter().copied().filter(|node| room.memory.contains(node)).collect();
            let all: usize = own.iter().map(|node| room.capacity[node]).sum();
            let here = program(threads.min(all));
            let counts = Room::new(&machine, &here).even(&own);
            places.extend(
                counts.map(|counts| (here.threads, Candidate { threads: counts, memory: Memory::Local })),
            );
        }
        DataPlace::FirstReader => {
            let memory = nodes.first().map(|&first| Memory::OnNode { node: nearest_memory(&machine, first) });
            let place = room.even(&nodes).zip(memory);
            places.extend(place.map(|(counts, memory)| (threads, Candidate { threads: counts, memory })));
        }
    }
    let mut best: Option<(f64, (usize, Candidate))> = None;
    for (count, candidate) in places {
        if !candidate.fits(&program(count), &machine) {
            continue;
        }
        let rate = ground.outcome(&program(count), &candidate)?.figure.value;
        // The first of equals.
        if best.as_ref().is_none_or(|(known, _)| rate > known * (1.0 + 1e-6)) {
            best = Some((rate, (count, candidate)));
        }
    }
    Ok(best.map(|(_, place)| place))
}

fn row(
    place: DataPlace,
    most: usize,
    candidate: &Candidate,
    program: &dyn Fn(usize) -> Program,
    ground: &mut dyn Evaluator,
) -> Result<CeilingRow, AdviceError> {
    let machine = ground.machine().clone();
    let nodes: Vec<NodeId> = candidate.threads.keys().copied().collect();
    let with = |count: usize| {
        let fewer = program(count);
        let threads = Room::new(&machine, &fewer).even(&nodes);
        (threads.map(|threads| Candidate { threads, memory: candidate.memory.clone() }), fewer)
    };
    let mut ramp = Vec::new();
    if ground.knows_threads() {
        for count in points(most) {
            if let (Some(candidate), fewer) = with(count) {
                let bandwidth = ground.outcome(&fewer, &candidate)?.figure;
                ramp.push(RampPoint { threads: count, bandwidth });
            }
        }
    }
    let peak = ramp.iter().map(|point| point.bandwidth.value).fold(0.0, f64::max);
    let enough = ramp.iter().find(|point| point.bandwidth.value >= peak * ENOUGH).map(|point| point.threads);
    // What is shown is where the rate is highest: with all threads, or with fewer where more disturb each other.
    let highest =
        ramp.iter().rev().find(|point| point.bandwidth.value >= peak).map_or(most, |point| point.threads);
    let (shown, fewer) = with(highest);
    let shown = shown.unwrap_or_else(|| candidate.clone());
    let outcome = ground.outcome(&fewer, &shown)?;
    let bandwidth = outcome.figure;
    let bytes = program(1).bytes.get() as f64 / 1e9;
    let steps = |rate: f64| rate / bytes;
    Ok(CeilingRow {
        data: place,
        words: format!("{}; {}", candidate.threads_in_words(), candidate.memory.in_words(DataUse::Shared)),
        bandwidth,
        steps_per_second: Figure {
            value: steps(bandwidth.value),
            low: steps(bandwidth.low),
            high: steps(bandwidth.high),
        },
        memory: candidate.bytes(&program(most)).into_values().sum(),
        enough_threads: enough,
        limit: outcome.limit,
        lines: serving_lines(place, &machine, &fewer, candidate, enough.unwrap_or(most), &nodes),
        placement: candidate.clone(),
        ramp,
    })
}

/// Lines for as many threads as are enough.
fn serving_lines(
    kind: DataPlace,
    machine: &Machine,
    program: &Program,
    candidate: &Candidate,
    enough: usize,
    nodes: &[NodeId],
) -> Vec<Line> {
    let program = Program { threads: enough, ..program.clone() };
    let threads = Room::new(machine, &program).even(nodes).unwrap_or_else(|| candidate.threads.clone());
    let candidate = Candidate { threads, memory: candidate.memory.clone() };
    serving(kind, &program, machine, &candidate)
}

/// 1, `most`, and numbers between them, each about twice the one before at first, then evenly spaced.
fn points(most: usize) -> Vec<usize> {
    let mut points: Vec<usize> = (1..=POINTS).map(|rank| (most * rank).div_ceil(POINTS)).collect();
    points.extend(
        std::iter::successors(Some(1), |point| Some(point * 2)).take_while(|point| point * POINTS <= most),
    );
    points.push(1);
    points.sort_unstable();
    points.dedup();
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_has_both_ends_and_ascends() {
        assert_eq!(points(1), [1]);
        assert_eq!(points(6), [1, 2, 3, 4, 5, 6]);
        assert_eq!(points(64), [1, 2, 4, 8, 11, 22, 32, 43, 54, 64]);
    }
}
