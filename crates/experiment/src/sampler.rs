//! Takes samples of one workload until its intervals are narrow enough or its time is up.
//!
//! A disturbed sample is set aside and repeated. If the machine never gets quiet, the least disturbed samples count after
//! all, with a warning.

use std::time::Duration;

use zerohop_units::Seconds;
use zerohop_workload::{Backing, Engine, EngineError, Inside, Prepared, Warning};

use crate::Observer;
use crate::disturbance::Disturbance;
use crate::plan::Measurement;
use crate::protocol::{FEWEST, Protocol};
use crate::statistics::{CONFIDENCE, estimate};

/// The samples of one workload.
#[derive(Debug)]
pub(crate) struct Samples {
    /// The samples that count, in the order taken.
    pub(crate) counted: Vec<Taken>,
    /// Number of samples that were set aside and do not count.
    pub(crate) set_aside: u32,
    /// Number of samples that count although they were set aside first.
    pub(crate) let_in: u32,
    /// Time of one sample.
    pub(crate) window: Duration,
    /// Total time of all samples taken.
    pub(crate) sampled: Seconds,
    /// Where each worker's buffer resides.
    pub(crate) backing: Vec<Backing>,
    /// The engine's warnings about the setup.
    pub(crate) warnings: Vec<Warning>,
    /// The form of the kernels' code, where there are several.
    pub(crate) kernel_form: Option<String>,
    /// Whether every sample would be the same: there is only one, and it is exact.
    pub(crate) repeats_itself: bool,
    /// Whether it was stopped from outside.
    pub(crate) interrupted: bool,
}

/// One sample.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Taken {
    /// Its value for each of the measurement's readings.
    pub(crate) values: Vec<f64>,
    /// What disturbed it.
    pub(crate) disturbance: Disturbance,
    /// What happened inside the machine, where the engine sees it and it was requested.
    pub(crate) inside: Option<Inside>,
    /// Its rank among all samples taken.
    pub(crate) rank: usize,
}

/// Prepares the workload, then samples it for as long as `time` allows, given the observer's time at that moment. A few
/// samples are taken however little time there is.
///
/// # Errors
/// When the workload cannot be prepared or sampled.
pub(crate) fn take_samples(
    engine: &mut dyn Engine,
    measurement: &Measurement,
    protocol: &Protocol,
    time: impl FnOnce(Duration) -> Duration,
    observer: &mut dyn Observer,
) -> Result<Samples, EngineError> {
    let mut prepared = engine.prepare(&measurement.workload)?;
    let prepared_at = observer.now();
    let time = time(prepared_at);
    let window = protocol.window_within(measurement.pace, prepared.window(), time);
    let mut sampler = Sampler {
        measurement,
        protocol,
        quiet: Vec::new(),
        disturbed: Vec::new(),
        empty: 0,
        sampled: Seconds::default(),
        ends: prepared_at.saturating_add(time),
    };
    let interrupted = sampler.sample_all(prepared.as_mut(), window, observer)?;
    let sampled = sampler.sampled;
    let (counted, set_aside, let_in) = sampler.settle();
    Ok(Samples {
        counted,
        set_aside,
        let_in,
        window,
        sampled,
        backing: prepared.backing().to_vec(),
        warnings: prepared.warnings().to_vec(),
        kernel_form: prepared.kernel_form(),
        repeats_itself: prepared.repeats_itself(),
        interrupted,
    })
}

struct Sampler<'a> {
    measurement: &'a Measurement,
    protocol: &'a Protocol,
    quiet: Vec<Taken>,
    disturbed: Vec<Taken>,
    /// Samples without any progress.
    empty: u32,
    /// Total time of all samples.
    sampled: Seconds,
    /// The observer's time at which to stop.
    ends: Duration,
}

impl Sampler<'_> {
    /// Samples until done. Returns whether it was interrupted.
    fn sample_all(
        &mut self,
        prepared: &mut dyn Prepared,
        window: Duration,
        observer: &mut dyn Observer,
    ) -> Result<bool, EngineError> {
        loop {
            if observer.interrupted() {
                return Ok(true);
            }
            let before = observer.now();
            let sample = match prepared.sample(window) {
                Err(EngineError::Interrupted) => return Ok(true),
                sample => sample?,
            };
            let after = observer.now();
            self.sampled = self.sampled + sample.window;
            let workload = &self.measurement.workload;
            let readings = self.measurement.readings.iter();
            let values: Option<Vec<f64>> = readings.map(|reading| reading.value(workload, &sample)).collect();
            let disturbance = Disturbance::of(workload, &sample);
            match values {
                None => self.empty += 1,
                Some(values) => {
                    let aside = disturbance.degree() > 0.0;
                    let rank = self.taken();
                    let pile = if aside { &mut self.disturbed } else { &mut self.quiet };
                    let wanted = self.protocol.detail || self.measurement.looks_inside();
                    let inside = sample.inside.filter(|_| wanted);
                    pile.push(Taken { values, disturbance, inside, rank });
                }
            }
            let another = after.saturating_sub(before).max(window);
            if prepared.repeats_itself() || self.is_done(after.saturating_add(another)) {
                return Ok(false);
            }
        }
    }

    /// Number of samples taken, of any kind.
    fn taken(&self) -> usize {
        self.quiet.len() + self.disturbed.len() + self.empty as usize
    }

    /// Whether to stop before another sample, which would end at `then`.
    fn is_done(&self, then: Duration) -> bool {
        let enough = self.quiet.len() >= self.protocol.enough && self.is_narrow();
        let most = self.quiet.len() >= self.protocol.most || self.taken() >= 2 * self.protocol.most;
        let late = then > self.ends && self.taken() >= FEWEST;
        enough || most || late
    }

    /// Whether the interval of every reading is as narrow as requested, with the requested confidence.
    fn is_narrow(&self) -> bool {
        (0..self.measurement.readings.len()).all(|reading| {
            let values: Vec<f64> = self.quiet.iter().map(|taken| taken.values[reading]).collect();
            estimate(&values).is_some_and(|(estimate, confidence)| {
                confidence >= CONFIDENCE && estimate.relative_half_width() <= self.protocol.interval
            })
        })
    }

    /// The samples that count, in the order taken; the number of those that do not; and the number of those that count
    /// although they were set aside: the least disturbed ones, where quiet samples are too few.
    fn settle(self) -> (Vec<Taken>, u32, u32) {
        let mut counted = self.quiet;
        let mut disturbed = self.disturbed;
        disturbed.sort_by(|one, other| one.disturbance.degree().total_cmp(&other.disturbance.degree()));
        let missing = self.protocol.enough.saturating_sub(counted.len()).min(disturbed.len());
        let set_aside = (disturbed.len() - missing) as u32 + self.empty;
        counted.extend(disturbed.into_iter().take(missing));
        counted.sort_by_key(|taken| taken.rank);
        (counted, set_aside, missing as u32)
    }
}
