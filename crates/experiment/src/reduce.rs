//! From the samples of a measurement to its cells: estimate, evidence, warnings.

use std::mem::discriminant;

use zerohop_units::Bytes;
use zerohop_workload::{Backing, Pages, Warning};

use crate::disturbance::Disturbance;
use crate::plan::{Measurement, Reading};
use crate::protocol::Protocol;
use crate::sampler::Samples;
use crate::statistics::{CONFIDENCE, ascending, count_outliers, estimate, two_peaks};
use crate::{Cell, Evidence};

/// Below this share of huge pages, TLB misses are part of the number.
const HUGE_ENOUGH: f64 = 0.99;

/// Below this share of pages in place, other nodes' memory is part of the number.
const PLACED_ENOUGH: f64 = 0.999;

/// A clock that fell below this share of its highest changes numbers by more than their interval.
const STEADY_CLOCK: f64 = 0.97;

/// A paced worker that falls short of this share of its rate is not the load it should be.
const DEMAND_REACHED: f64 = 0.95;

/// More than this share of samples disturbed is worth a warning.
const OFTEN_DISTURBED: f64 = 0.25;

/// Buffers below a huge page need none.
const HUGE_PAGE: Bytes = Bytes::mib(2);

/// The cells of a measurement, one for each reading; none without samples.
pub(crate) fn cells(measurement: &Measurement, samples: &Samples, protocol: &Protocol) -> Vec<Cell> {
    let disturbance =
        samples.counted.iter().fold(Disturbance::default(), |sum, taken| sum.with(&taken.disturbance));
    let mut evidence = Evidence {
        workers: measurement.workload.workers.len() as u32,
        buffers: measurement.buffers(),
        backing: worst(&samples.backing),
        disturbed: samples.set_aside,
        window: samples.window.into(),
        ..Evidence::default()
    };
    disturbance.record(&mut evidence);
    let common = common_warnings(measurement, samples, &evidence.backing, &disturbance);
    let readings = measurement.readings.iter().enumerate();
    readings
        .filter_map(|(rank, reading)| {
            cell(measurement, (rank, *reading), samples, protocol, &evidence, &common)
        })
        .collect()
}

fn cell(
    measurement: &Measurement,
    (rank, reading): (usize, Reading),
    samples: &Samples,
    protocol: &Protocol,
    evidence: &Evidence,
    common: &[Warning],
) -> Option<Cell> {
    let values: Vec<f64> = samples.counted.iter().map(|taken| taken.values[rank]).collect();
    let (estimate, confidence) = estimate(&values)?;
    let mut warnings = common.to_vec();
    if confidence < CONFIDENCE {
        warnings.push(Warning::SamplesFew { samples: values.len() as u32, confidence });
    }
    let reached = estimate.relative_half_width();
    if reached > protocol.interval {
        warnings.push(Warning::IntervalWide { asked: protocol.interval, reached });
    }
    if let Some((low, high)) = two_peaks(&values) {
        warnings.push(Warning::TwoPeaks { low, high });
    }
    let outliers = count_outliers(&ascending(&values));
    Some(Cell {
        at: measurement.at.clone(),
        measure: reading.measure(),
        estimate,
        evidence: Evidence { outliers, ..evidence.clone() },
        samples: values,
        warnings,
    })
}

/// Warnings that all cells of a measurement share: the engine's own, those of the plan, and what the evidence tells.
fn common_warnings(
    measurement: &Measurement,
    samples: &Samples,
    backing: &Backing,
    disturbance: &Disturbance,
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
        add(Warning::CpuTaken { share });
    }
    if let Some(share) = disturbance.stolen_share() {
        add(Warning::Stolen { share });
    }
    if disturbance.throttled > 0 {
        add(Warning::Throttled);
    }
    if let Some(ratio) = disturbance.clock_ratio().filter(|&ratio| ratio < STEADY_CLOCK) {
        add(Warning::ClockDrift { ratio });
    }
    if let Some(share) = disturbance.demand_reached.filter(|&share| share < DEMAND_REACHED) {
        add(Warning::DemandNotReached { share });
    }
    let taken = samples.counted.len() as u32 + samples.set_aside;
    let disturbed = samples.set_aside + samples.let_in;
    if samples.let_in > 0 || f64::from(disturbed) > OFTEN_DISTURBED * f64::from(taken) {
        add(Warning::SamplesDisturbed { disturbed, taken });
    }
    warnings
}

/// The worst of all workers' backings, in each respect. What one worker's engine could not tell is not known of all.
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
    }
}
