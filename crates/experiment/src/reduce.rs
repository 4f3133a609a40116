//! From the samples of a measurement to its cells: estimate, evidence, warnings.

use std::mem::discriminant;

use zerohop_units::{Bytes, Nanoseconds};
use zerohop_workload::{Backing, Meters, Pages, Warning};

use crate::component_cells::{Shared, detail_cells, fill_time_cell, histogram_cells, spread_cell};
use crate::disturbance::Disturbance;
use crate::interval::Estimated;
use crate::plan::{Measurement, Reading};
use crate::protocol::Protocol;
use crate::sampler::Samples;
use zerohop_result::{Cell, Coordinates, Evidence};
use zerohop_statistics::{ascending, count_outliers, two_peaks};

/// Below this share of huge pages, TLB misses are part of the result.
const HUGE_ENOUGH: f64 = 0.99;

/// Below this share of pages in place, other nodes' memory is part of the result.
const PLACED_ENOUGH: f64 = 0.999;

/// A clock that falls below this share of its maximum changes values by more than their interval.
const STEADY_CLOCK: f64 = 0.97;

/// A paced worker that falls short of this share of its rate is not the load it should be.
const DEMAND_REACHED: f64 = 0.95;

/// More than this share of samples disturbed is worth a warning.
const OFTEN_DISTURBED: f64 = 0.25;

/// A median latency this many times that of the quietest tenth of the time is worth a warning.
const RAISED: f64 = 1.1;

/// Buffers below a huge page need none.
const HUGE_PAGE: Bytes = Bytes::mib(2);

/// The cells of a measurement: one for each reading, and those about the machine's inside; all of them again if it has a
/// twin. None without samples.
pub(crate) fn cells(measurement: &Measurement, samples: &Samples, protocol: &Protocol) -> Vec<Cell> {
    let disturbance =
        samples.counted.iter().fold(Disturbance::default(), |sum, taken| sum.with(&taken.disturbance));
    let mut evidence = Evidence {
        workers: workers_of(measurement),
        buffers: measurement.buffers(),
        backing: worst(&samples.backing),
        // Those that were let in count as well: the machine was no quieter for that.
        disturbed: samples.set_aside + samples.let_in,
        let_in: samples.let_in,
        migrated: samples.migrated,
        replications: samples.replications(),
        window: samples.window.into(),
        kernel_forms: samples.kernel_forms.clone(),
        meters: Meters::median_of(&samples.counted.iter().map(|taken| taken.meters).collect::<Vec<_>>()),
        ..Evidence::default()
    };
    disturbance.record(&mut evidence);
    // The median of samples stands while most of them are quiet, however bad the worst of the others.
    let quiet = || samples.counted.iter().map(|taken| &taken.disturbance).filter(|one| one.degree() == 0.0);
    let decisive = match 2 * quiet().count() >= samples.counted.len() {
        true => quiet().fold(Disturbance::default(), Disturbance::with),
        false => disturbance,
    };
    let common = common_warnings(measurement, samples, &evidence.backing, &decisive, protocol);
    let readings = measurement.readings.iter().enumerate();
    let mut cells: Vec<Cell> = readings
        .filter_map(|(rank, reading)| {
            cell(measurement, (rank, reading), samples, protocol, &evidence, &common)
        })
        .collect();
    let shared = Shared { evidence: &evidence, warnings: &common };
    if measurement.fill_time {
        cells.extend(fill_time_cell(measurement, samples, shared));
    }
    cells.extend(spread_cell(measurement, samples, shared));
    cells.extend(histogram_cells(measurement, samples, shared));
    if protocol.detail {
        cells.extend(detail_cells(measurement, samples, shared));
    }
    let twins: Vec<Cell> = measurement
        .twin
        .iter()
        .flat_map(|twin| cells.iter().map(|cell| moved(cell, measurement, twin)))
        .collect();
    cells.extend(twins);
    cells
}

/// The same cell at the coordinates of the measurement's twin.
fn moved(cell: &Cell, measurement: &Measurement, twin: &Coordinates) -> Cell {
    let own = cell.at.0.iter().filter(|(axis, _)| measurement.at.get(**axis).is_none());
    let at = own.fold(twin.clone(), |at, (axis, place)| at.with(*axis, place.clone()));
    Cell { at, ..cell.clone() }
}

fn cell(
    measurement: &Measurement,
    (rank, reading): (usize, &Reading),
    samples: &Samples,
    protocol: &Protocol,
    evidence: &Evidence,
    common: &[Warning],
) -> Option<Cell> {
    let values: Vec<f64> = samples.counted.iter().map(|taken| taken.values[rank]).collect();
    let Estimated { estimate, confidence, rounds, round_spread, quiet } =
        samples.estimate((rank, reading.measure()))?;
    let mut warnings = common.to_vec();
    warnings.extend(samples.too_few(confidence, values.len()));
    let reached = estimate.relative_half_width();
    if reached > protocol.interval {
        let asked = protocol.interval;
        let limited = samples.replications() > 0 || values.len() >= protocol.most;
        warnings.push(if limited {
            Warning::SpreadWide { asked, reached, samples: values.len() as u32 }
        } else {
            Warning::IntervalWide { asked, reached }
        });
    }
    let states = samples.states(rank);
    if let Some((low, high)) = two_peaks(&values) {
        let share = states.first().map(|state| state.share);
        warnings.push(Warning::TwoPeaks { low, high, share });
    }
    if let Some(quiet) = quiet.filter(|quiet| estimate.median > RAISED * quiet) {
        warnings.push(Warning::LatencyRaised { median: estimate.median, quiet });
    }
    let placings = samples.placings((rank, reading.measure()));
    if let Some(placing) = placings.first() {
        let ways = 1 + samples.elsewhere.len() as u32;
        warnings.push(Warning::PlacedSeveralWays { share: placing.share, ways });
    }
    let outliers = count_outliers(&ascending(&values));
    let at =
        reading.place().into_iter().fold(measurement.at.clone(), |at, (axis, place)| at.with(axis, place));
    Some(Cell {
        at,
        measure: reading.measure(),
        estimate,
        evidence: Evidence { outliers, rounds, round_spread, placings, states, quiet, ..evidence.clone() },
        samples: values,
        warnings,
    })
}

fn workers_of(measurement: &Measurement) -> u32 {
    measurement.workload.workers.len() as u32
}

/// Warnings that all cells of a measurement share: those of the engine, of the plan, and of the evidence.
fn common_warnings(
    measurement: &Measurement,
    samples: &Samples,
    backing: &Backing,
    disturbance: &Disturbance,
    protocol: &Protocol,
) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = Vec::new();
    let mut add = |warning: Warning| {
        if !warnings.iter().any(|known| discriminant(known) == discriminant(&warning)) {
            warnings.push(warning);
        }
    };
    samples.warnings.iter().chain(&measurement.warnings).cloned().for_each(&mut add);
    let wants_huge = measurement.workload.pages != Pages::Base
        && measurement.workload.workers.iter().all(|worker| worker.buffer >= HUGE_PAGE);
    if let Some(share) = backing.huge_share.filter(|&share| wants_huge && share < HUGE_ENOUGH) {
        add(Warning::HugePagesMissing { share });
    }
    if let Some(share) = backing.placed_share.filter(|&share| share < PLACED_ENOUGH) {
        add(Warning::PagesMisplaced { share });
    }
    if let Some(share) = disturbance.taken_share() {
        let workers = workers_of(measurement);
        // A quota takes CPU time away as other programs do, but stopping these would not help.
        add(match protocol.cpu_quota.filter(|&quota| quota < f64::from(workers)) {
            Some(quota) => Warning::QuotaShort { share, quota, workers },
            None => Warning::CpuTaken { share },
        });
    }
    if let Some(share) = disturbance.together_share() {
        add(Warning::RarelyTogether { share });
    }
    if let Some(share) = disturbance.stolen_share() {
        add(Warning::Stolen { share });
    }
    if let Some((least, most)) = disturbance.moved() {
        add(Warning::CpusMoved { least: Nanoseconds(least), most: Nanoseconds(most) });
    }
    if disturbance.throttled > 0 {
        add(Warning::Throttled {});
    }
    if let Some(ratio) = disturbance.clock_ratio().filter(|&ratio| ratio < STEADY_CLOCK) {
        add(Warning::ClockDrift { ratio });
    }
    if let Some(share) = disturbance.demand_reached.filter(|&share| share < DEMAND_REACHED) {
        add(Warning::DemandNotReached { share });
    }
    if let Some(reason) = &samples.lost {
        add(Warning::CpuLost { reason: reason.clone() });
    }
    // Of those that were let in, some may no longer count: of a placement that did not prevail.
    let counted = samples.counted.len() as u32;
    let (taken, disturbed) = (counted + samples.set_aside, samples.set_aside + samples.let_in.min(counted));
    if samples.let_in > 0 || f64::from(disturbed) > OFTEN_DISTURBED * f64::from(taken) {
        add(Warning::SamplesDisturbed { disturbed, taken });
    }
    warnings
}

/// The worst of all workers' backings, in each respect. A value that is unknown for one worker is unknown for all.
pub(crate) fn worst(backings: &[Backing]) -> Backing {
    let lowest = |share: fn(&Backing) -> Option<f64>| {
        let shares: Option<Vec<f64>> = backings.iter().map(share).collect();
        shares?.into_iter().min_by(f64::total_cmp)
    };
    Backing {
        page: backings.iter().map(|backing| backing.page).min().unwrap_or_default(),
        huge_share: lowest(|backing| backing.huge_share),
        placed_share: lowest(|backing| backing.placed_share),
        pages_checked: backings.iter().map(|backing| backing.pages_checked).sum(),
        pages: backings.iter().map(|backing| backing.pages).sum(),
        confirmed: backings.iter().all(|backing| backing.confirmed),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use zerohop_machine::{NodeId, PuId};
    use zerohop_units::GigabytesPerSecond;
    use zerohop_workload::{Access, Activity, Demand, Kernel, Placement, Role, Sample, Worker, Workload};

    use super::*;
    use crate::interval::Design;
    use crate::protocol::Pace;
    use crate::taken_sample::TakenSample;
    use crate::{Effort, Options};
    use zerohop_result::Measure;

    /// One reader paced at 16 GB/s.
    fn measurement() -> Measurement {
        let reader = Worker {
            pu: PuId(0),
            role: Role::Foreground,
            placement: Placement::Node(NodeId(0)),
            buffer: Bytes::mib(64),
            activity: Activity::Kernel { kernel: Kernel::Copy, access: Access::Sequential },
            demand: Demand::Rate(GigabytesPerSecond(16.0)),
        };
        Measurement {
            at: Coordinates::new(),
            twin: None,
            label: "test".to_owned(),
            workload: Workload { workers: vec![reader], pages: Pages::Best, instruction_set: None },
            readings: vec![Reading::Bandwidth(Role::Foreground), Reading::BusTraffic(Role::Foreground)],
            fill_time: false,
            pace: Pace::Bandwidth,
            warnings: Vec::new(),
        }
    }

    /// Seven samples at `ns` per line, with that backing.
    fn samples(measurement: &Measurement, ns: f64, backing: Backing) -> Samples {
        let window = Duration::from_millis(30);
        let sample = Sample::steady(&measurement.workload, window, |_| ns);
        let values = measurement.readings.iter().map(|reading| reading.value(&measurement.workload, &sample));
        let values: Vec<f64> = values.map(Option::unwrap).collect();
        let disturbance = Disturbance::of(&measurement.workload, &sample);
        let counted = (0..7).map(|rank| TakenSample {
            quiet: vec![None; values.len()],
            values: values.clone(),
            lines: vec![1e6; values.len()],
            disturbance: disturbance.clone(),
            meters: Meters::default(),
            inside: None,
            rank,
            round: rank as u32,
        });
        Samples {
            repeats_itself: false,
            design: Design::Rounds,
            scatters: crate::shared_scatter::SharedScatter::default(),
            kernel_forms: zerohop_workload::KernelForms::new(),
            counted: counted.collect(),
            elsewhere: Vec::new(),
            set_aside: 0,
            let_in: 0,
            migrated: 0,
            lost: None,
            starved: false,
            window,
            sampled: (window * 7).into(),
            backing: vec![backing],
            warnings: Vec::new(),
            interrupted: false,
        }
    }

    fn proven() -> Backing {
        Backing {
            page: HUGE_PAGE,
            huge_share: Some(1.0),
            placed_share: Some(1.0),
            pages_checked: 32,
            ..Backing::default()
        }
    }

    fn warnings(measurement: &Measurement, samples: &Samples) -> Vec<Warning> {
        let protocol = Protocol::new(&Options::new(Effort::Quick));
        cells(measurement, samples, &protocol).remove(0).warnings
    }

    #[test]
    fn the_bus_traffic_of_a_copy_is_one_and_a_half_times_its_bandwidth() {
        let measurement = measurement();
        let protocol = Protocol::new(&Options::new(Effort::Quick));
        let cells = cells(&measurement, &samples(&measurement, 4.0, proven()), &protocol);
        let numbers: Vec<_> = cells.iter().map(|cell| (cell.measure, cell.estimate.median.round())).collect();
        assert_eq!(numbers, [(Measure::Bandwidth, 16.0), (Measure::BusTraffic, 24.0)]);
        assert_eq!(cells[0].evidence.buffers, Bytes::mib(64));
        assert_eq!(cells[0].warnings, []);
    }

    #[test]
    fn small_and_misplaced_pages_are_reported() {
        let measurement = measurement();
        let backing = Backing { huge_share: Some(0.5), placed_share: Some(0.75), ..proven() };
        assert_eq!(
            warnings(&measurement, &samples(&measurement, 4.0, backing)),
            [Warning::HugePagesMissing { share: 0.5 }, Warning::PagesMisplaced { share: 0.75 }]
        );
    }

    #[test]
    fn requested_small_pages_are_not_warned_about() {
        let mut measurement = measurement();
        measurement.workload.pages = Pages::Base;
        let backing = Backing { huge_share: Some(0.0), ..proven() };
        assert_eq!(warnings(&measurement, &samples(&measurement, 4.0, backing)), []);
    }

    #[test]
    fn a_warning_of_the_engine_is_not_repeated() {
        let measurement = measurement();
        let backing = Backing { placed_share: Some(0.5), ..proven() };
        let mut samples = samples(&measurement, 4.0, backing);
        samples.warnings = vec![Warning::PagesMisplaced { share: 0.4 }];
        assert_eq!(warnings(&measurement, &samples), [Warning::PagesMisplaced { share: 0.4 }]);
    }

    #[test]
    fn a_paced_worker_that_falls_short_is_reported() {
        let measurement = measurement();
        let reported = warnings(&measurement, &samples(&measurement, 8.0, proven()));
        let [Warning::DemandNotReached { share }] = reported[..] else { panic!("{reported:?}") };
        assert!((share - 0.5).abs() < 1e-6, "{share}");
    }

    #[test]
    fn the_worst_backing_counts_and_an_unknown_one_is_unknown() {
        let half = Backing { huge_share: Some(0.5), ..proven() };
        assert_eq!(worst(&[proven(), half.clone()]).huge_share, Some(0.5));
        assert_eq!(worst(&[proven(), half]).pages_checked, 64);
        let unknown = Backing { placed_share: None, ..proven() };
        assert_eq!(worst(&[proven(), unknown]).placed_share, None);
    }
}
