//! Takes samples of one workload until its numbers are sure enough or its time is up.
//!
//! A disturbed sample is set aside and taken again. If the machine never gets quiet, the least disturbed samples count
//! after all, and a warning says so.

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
    /// In the order taken; those that count.
    pub(crate) counted: Vec<Taken>,
    /// How many were set aside and do not count.
    pub(crate) set_aside: u32,
    /// Of those that count, how many had been set aside first.
    pub(crate) let_in: u32,
    /// Time of one sample.
    pub(crate) window: Duration,
    /// Windows of all samples taken, together.
    pub(crate) sampled: Seconds,
    /// Where each worker's buffer lies.
    pub(crate) backing: Vec<Backing>,
    /// What the engine had to say of the set-up.
    pub(crate) warnings: Vec<Warning>,
    /// Whether every sample would be the same: there is one, and it is sure.
    pub(crate) repeats_itself: bool,
    /// Whether it was stopped from outside.
    pub(crate) interrupted: bool,
}

/// One sample.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Taken {
    /// Its number for each of the measurement's readings.
    pub(crate) values: Vec<f64>,
    /// What disturbed it.
    pub(crate) disturbance: Disturbance,
    /// What happened inside the machine, where the engine sees it and somebody wants to know.
    pub(crate) inside: Option<Inside>,
    /// Its rank among all samples taken.
    pub(crate) rank: usize,
}

/// Prepares, and then measures within the time that `time` allows from the observer's time at that moment on. A few samples
/// are taken however little that is.
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
        repeats_itself: prepared.repeats_itself(),
        interrupted,
    })
}

struct Sampler<'a> {
    measurement: &'a Measurement,
    protocol: &'a Protocol,
    quiet: Vec<Taken>,
    disturbed: Vec<Taken>,
    /// Samples in which nothing was done at all.
    empty: u32,
    /// Windows of all samples, together.
    sampled: Seconds,
    /// The observer's time at which to stop.
    ends: Duration,
}

impl Sampler<'_> {
    /// Samples until done; whether it was interrupted.
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
                    let wanted = self.protocol.detail || self.measurement.fill_time;
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

    /// Samples taken, of whatever kind.
    fn taken(&self) -> usize {
        self.quiet.len() + self.disturbed.len() + self.empty as usize
    }

    /// Whether to take no other sample, which would end at `then`.
    fn is_done(&self, then: Duration) -> bool {
        let enough = self.quiet.len() >= self.protocol.enough && self.is_narrow();
        let most = self.quiet.len() >= self.protocol.most || self.taken() >= 2 * self.protocol.most;
        let late = then > self.ends && self.taken() >= FEWEST;
        enough || most || late
    }

    /// Whether the interval of every reading is as narrow as asked, with the confidence asked for.
    fn is_narrow(&self) -> bool {
        (0..self.measurement.readings.len()).all(|reading| {
            let values: Vec<f64> = self.quiet.iter().map(|taken| taken.values[reading]).collect();
            estimate(&values).is_some_and(|(estimate, confidence)| {
                confidence >= CONFIDENCE && estimate.relative_half_width() <= self.protocol.interval
            })
        })
    }

    /// The samples that count, in the order taken; how many do not; and how many of those that do had been set aside: the
    /// least disturbed, where the quiet ones are not enough.
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
