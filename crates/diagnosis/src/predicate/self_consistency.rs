//! Compares values within one run: values of one text that cannot all be true of one machine, or that do not count the same things.

use std::collections::BTreeMap;

use zerohop_result::{Axis, Cell, Coordinate, Coordinates, Estimate, Measure, Query};
use zerohop_statistics::median;

use super::PredicateResult;
use crate::experiments::{LATENCY_MATRIX, LOADED_LATENCY, MIXES, STREAM};
use crate::facts::Facts;
use crate::finding::Size;
use crate::test_outcome::{Match, TestOutcome};
use crate::words::{figure, percent, significant};

/// Mixes of the tools that are known, from reads alone to as many writes.
const READS: &str = "all_reads";

/// Figures of a run that contradict each other: an idle latency and that of the lightest load, by `late` at least; reads, and mixes of reads and
/// writes, by `slow`. Intervals leave no doubt of it.
pub(crate) fn contradicts(facts: &Facts<'_>, late: f64, slow: f64) -> PredicateResult {
    let found: Vec<Result<Option<String>, String>> =
        vec![idle_and_light_load(facts, late), reads_and_mixes(facts, slow), passes(facts)];
    if found.iter().all(Result::is_err) {
        return Err(
            "two values of the same quantity: an idle latency and a curve of loaded latency, mixes, or the times of STREAM's passes"
                .to_owned()
        );
    }
    let contradictions: Vec<String> = found.into_iter().filter_map(Result::ok).flatten().collect();
    let Some(first) = contradictions.first() else { return Ok(TestOutcome::No) };
    let place =
        Match { margin: 2.0, names: BTreeMap::from([("contradiction", first.clone())]), ..Match::default() };
    Ok(TestOutcome::one(contradictions.iter().fold(place, Match::shown_by)))
}

/// The idle latency of own memory is above that beside other programs' traffic, which cannot be faster.
fn idle_and_light_load(facts: &Facts<'_>, least: f64) -> Result<Option<String>, String> {
    let measure = Measure::Latency;
    let idle = facts.cells(LATENCY_MATRIX, &Query::of(measure))?;
    let own = idle.into_iter().filter(|cell| cell.at.between_nodes().is_some_and(|(from, to)| from == to));
    let own = own.min_by(|one, other| one.estimate.median.total_cmp(&other.estimate.median));
    let idle = own.ok_or("a node's local memory")?.estimate;
    let loaded = facts.cells(LOADED_LATENCY, &Query::of(measure))?;
    let delay = |cell: &&Cell| cell.at.number(Axis::Delay).unwrap_or(0);
    let lightest = loaded.into_iter().max_by_key(delay).ok_or("a load")?.estimate;
    let is_later = idle.median > (1.0 + least) * lightest.median && idle.low > lightest.high;
    Ok(is_later.then(|| {
        let (idle, light) = (figure(idle.median, measure), figure(lightest.median, measure));
        format!("{idle} idle, {light} at the lightest load")
    }))
}

/// Memory never reads more slowly than it reads and writes.
fn reads_and_mixes(facts: &Facts<'_>, least: f64) -> Result<Option<String>, String> {
    let measure = Measure::Bandwidth;
    let mixes = facts.cells(MIXES, &Query::of(measure))?;
    let is_read = |cell: &&Cell| cell.at.is(Axis::Mix, READS);
    let at = |cell: &Cell| {
        let mut at = cell.at.clone();
        at.0.remove(&Axis::Mix);
        at
    };
    let reads: Vec<&Cell> = mixes.iter().copied().filter(is_read).collect();
    if reads.is_empty() {
        return Err("only reads in mixes".to_owned());
    }
    let worst = reads.iter().flat_map(|read| {
        let others = mixes.iter().copied().filter(|cell| !is_read(cell) && at(cell) == at(read));
        others.map(move |other| (*read, other))
    });
    let share = |(read, other): &(&Cell, &Cell)| other.estimate.median / read.estimate.median;
    let worst = worst.max_by(|one, other| share(one).total_cmp(&share(other)));
    Ok(worst.filter(|pair| share(pair) > 1.0 + least && pair.1.estimate.low > pair.0.estimate.high).map(
        |(read, other)| {
            let mix = other.at.get(Axis::Mix).map(ToString::to_string).unwrap_or_default();
            let (read, other) =
                (figure(read.estimate.median, measure), figure(other.estimate.median, measure));
            format!("{read} with only reads, {other} with reads and writes ({mix})")
        },
    ))
}

/// The passes of each STREAM kernel, which do the same: their mean is below this share of the best in most kernels, and the worst below that.
const MEAN_OF_PASSES: f64 = 0.75;
const WORST_OF_PASSES: f64 = 0.6;

/// The passes of STREAM's kernels take times that are far apart.
fn passes(facts: &Facts<'_>) -> Result<Option<String>, String> {
    let cells = facts.cells(STREAM, &Query::of(Measure::Bandwidth))?;
    let estimates = cells.iter().map(|cell| cell.estimate);
    let timed: Vec<Estimate> = estimates.filter(|one| one.min > 0.0 && one.min < one.median).collect();
    if timed.is_empty() {
        return Err("the times of STREAM's passes".to_owned());
    }
    let is_apart =
        |one: &&Estimate| one.mean < MEAN_OF_PASSES * one.median && one.min < WORST_OF_PASSES * one.median;
    if 2 * timed.iter().filter(is_apart).count() <= timed.len() {
        return Ok(None);
    }
    let times = |one: &Estimate| one.median / one.min;
    let least = timed.iter().map(times).fold(f64::INFINITY, f64::min);
    let most = timed.iter().map(times).fold(0.0, f64::max);
    Ok(Some(format!(
        "the slowest pass of a kernel takes {} to {} times as long as its fastest",
        significant(least),
        significant(most)
    )))
}

/// What STREAM counts in a kernel, and what the memory moves if stores fetch their lines first.
const KERNELS: [(&str, f64); 3] = [("scale", 3.0 / 2.0), ("add", 4.0 / 3.0), ("triad", 4.0 / 3.0)];

/// STREAM's copy is faster than its other kernels as it is where only copy uses streaming stores: with the lines that the others fetch, all
/// move as much, within `within`.
pub(crate) fn streams_in_copy(facts: &Facts<'_>, within: f64) -> PredicateResult {
    let measure = Measure::Bandwidth;
    // Whatever makes them doubtful, such as small arrays, all kernels of a run share it.
    let cells = facts.selected(STREAM, &Query::of(measure))?;
    let of = |kernel: &str| {
        let own = cells.iter().filter(|cell| cell.at.is(Axis::Kernel, kernel));
        median(own.map(|cell| cell.estimate.median)).ok_or_else(|| format!("the kernel {kernel} in {STREAM}"))
    };
    let copy = of("copy")?;
    let mut corrected = Vec::new();
    for (kernel, moved) in KERNELS {
        let value = of(kernel)?;
        let whole = value * moved;
        if (whole / copy - 1.0).abs() > within || copy / value < 1.2 {
            return Ok(TestOutcome::No);
        }
        corrected.push(format!("{kernel} {} of {}", figure(whole, measure), figure(value, measure)));
    }
    let moved = corrected.join(", ");
    let names = BTreeMap::from([
        ("copy", figure(copy, measure)),
        ("times", significant(copy / of("scale")?)),
        ("moved", moved.clone()),
    ]);
    let words = format!("including the lines that stores fetch: {moved}; copy {}", figure(copy, measure));
    let place = Match { names, margin: 2.0, ..Match::default() }.shown_by(words);
    Ok(TestOutcome::one(match peak_of_dimms(facts) {
        Some((peak, of)) if copy <= peak => place.shown_by(format!(
            "copy reaches {} of {} ({of})",
            percent(copy / peak),
            figure(peak, measure)
        )),
        _ => place,
    }))
}

/// Bytes of a transfer of a DIMM: its channels together are 64 bits wide.
const WIDTH: f64 = 8.0;

/// What the DIMMs of a machine give at most in GB/s, and in words which they are; without their channels, each has one of its own.
fn peak_of_dimms(facts: &Facts<'_>) -> Option<(f64, String)> {
    let machine = facts.machine();
    if let Ok(peak) = machine.theoretical_bandwidth() {
        return Some((peak.total.get(), format!("theoretical, of {} channels", peak.channels)));
    }
    let dimms = machine.memory_devices.iter().filter(|device| device.size.get() > 0);
    let rates: Vec<f64> =
        dimms.map(|dimm| dimm.configured.or(dimm.rated).map(|rate| rate.0)).collect::<Option<_>>()?;
    let (count, first) = (rates.len(), *rates.first()?);
    let all = rates.iter().sum::<f64>() * WIDTH / 1e9;
    Some((all, format!("{count} DIMMs at {:.0} MT/s, if each has its own channel", first / 1e6)))
}

/// Threads of one socket that reach the memory of another one as well as their own, within `within`: no link between sockets is that fast for many
/// threads. Nodes of one socket may well be.
pub(crate) fn far_like_near(facts: &Facts<'_>, within: f64, threads: f64) -> PredicateResult {
    let measure = Measure::Bandwidth;
    let mut most: Option<(&str, f64, f64)> = None;
    for experiment in facts.experiments() {
        // The values of threads with their own memory, by place.
        let rates = || experiment.cells.iter().filter(|cell| cell.measure == measure);
        let near: BTreeMap<&Coordinates, f64> =
            rates().map(|cell| (&cell.at, cell.estimate.median)).collect();
        for cell in rates() {
            let Some(Coordinate::Word(case)) = cell.at.get(Axis::Case) else { continue };
            let Some(own) = threads_of_another_socket(case, threads) else { continue };
            let own = cell.at.clone().with(Axis::Case, Coordinate::Word(own.to_owned()));
            let Some(&near) = near.get(&own) else { continue };
            let far = cell.estimate.median;
            if most.is_none_or(|(_, known, value)| far / near > value / known) {
                most = Some((case, near, far));
            }
        }
    }
    let missing = || format!("{threads:.0} threads of a socket on local memory, and on another socket's");
    let (case, near, far) = most.ok_or_else(missing)?;
    if far < near * (1.0 - within) {
        return Ok(TestOutcome::No);
    }
    let names = BTreeMap::from([
        ("near", figure(near, measure)),
        ("far", figure(far, measure)),
        ("share", percent(far / near)),
        ("case", case.to_owned()),
    ]);
    let words = format!("{case}: {}; with local memory: {}", figure(far, measure), figure(near, measure));
    let size = Some(Size::new(measure, far, near));
    Ok(TestOutcome::one(Match { names, size, margin: 2.0, ..Match::default() }.shown_by(words)))
}

/// Of `20 threads, socket 0, memory socket 1`, what the same threads with their own memory are called, if they are as many.
fn threads_of_another_socket(case: &str, threads: f64) -> Option<&str> {
    let (own, memory) = case.split_once(", memory ")?;
    let (count, place) = own.split_once(" threads, ")?;
    let are_sockets = [place, memory].iter().all(|place| {
        place.strip_prefix("socket ").is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()))
    });
    (are_sockets && place != memory && count.parse::<f64>().is_ok_and(|count| count >= threads))
        .then_some(own)
}

/// Command lines of the text that hold all of these words.
pub(crate) fn command(facts: &Facts<'_>, words: &[String]) -> PredicateResult {
    let commands = facts.commands();
    if commands.is_empty() {
        return Err("the command line".to_owned());
    }
    let holds = |command: &&String| words.iter().all(|word| command.contains(word.as_str()));
    Ok(match commands.iter().find(holds) {
        Some(command) => {
            let place = Match::fact([("command", command.clone())]);
            TestOutcome::one(place.shown_by(format!("command: {command}")))
        }
        None => TestOutcome::No,
    })
}
