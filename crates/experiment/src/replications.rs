//! Samples a workload of a simulation: replications side by side, each with a seed and a warm-up of its own, observed for as
//! long as it takes.
//!
//! Time is added where it helps. Replications whose spread is that of their own parts are observed for twice as long. Those
//! that disagree beyond that have settled in different states, which no length of observation reconciles: there, more
//! replications start. Where second parts differ from first ones, the warm-up was too short, and what was observed so far
//! becomes part of it. No cell that has cost too much is observed for longer, unless its warm-up was too short.

use std::time::Duration;

use zerohop_units::Seconds;
use zerohop_workload::{Backing, Engine, EngineError, KernelForms, Prepared, Sample, Warning, WorkerSample};

use crate::interval::Design;
use crate::plan::Measurement;
use crate::protocol::Protocol;
use crate::recording::{Recording, Replication};
use crate::sampler::Samples;
use crate::shared_scatter::SharedScatter;
use crate::shared_simulations::{Job, Sampled};
use crate::taken_sample::TakenSample;
use zerohop_statistics::{Mean, Parts, REPLICATIONS, disagree, drift};

/// Takes all samples of a workload on engines that are interchangeable, one for each replication; as many of them are used as
/// it takes. The result depends neither on any clock nor on what ran before.
///
/// # Errors
/// When the workload cannot be prepared or sampled, or is interrupted before the first replication has been observed.
pub(crate) fn take_replications(
    engines: &mut [Box<dyn Engine + Send>],
    job: &Job<'_>,
    protocol: &Protocol,
) -> Sampled {
    let mut replications = Replications::new(job.measurement, protocol);
    let mut running = Vec::new();
    let interrupted = match replications.run(engines, job, &mut running) {
        Err(EngineError::Interrupted) if replications.has_any() => true,
        done => done.map(|()| false)?,
    };
    let recording = if interrupted { None } else { Recording::of(running) };
    Ok((replications.settle(interrupted), recording))
}

/// Lines that all workers moved in a sample.
fn lines(sample: &Sample) -> u64 {
    let of_worker =
        |worker: &WorkerSample| worker.in_window.bus_bytes.get() / 64 + worker.in_window.steps as u64;
    sample.workers.iter().map(of_worker).sum()
}

/// What is known of a workload's replications.
struct Replications<'a> {
    measurement: &'a Measurement,
    protocol: &'a Protocol,
    /// Time of each of the two parts.
    part: Duration,
    /// Observations of each replication, by the number of the replication.
    seen: Vec<Seen>,
    warnings: Vec<Warning>,
    backing: Vec<Backing>,
    /// All simulated time after warm-ups, and the lines that all workers moved in it.
    sampled: Seconds,
    lines: u64,
    repeats_itself: bool,
}

/// What a replication showed.
#[derive(Default)]
struct Seen {
    /// Over both parts. `None` while nothing moved.
    whole: Option<TakenSample>,
    /// Lines that all workers moved so far.
    lines: u64,
    /// For each reading, both parts; empty while there is only one.
    parts: Vec<Parts>,
}

impl<'a> Replications<'a> {
    fn new(measurement: &'a Measurement, protocol: &'a Protocol) -> Self {
        Self {
            measurement,
            protocol,
            part: Duration::ZERO,
            seen: Vec::new(),
            warnings: Vec::new(),
            backing: Vec::new(),
            sampled: Seconds::default(),
            lines: 0,
            repeats_itself: false,
        }
    }

    fn run<'e>(
        &mut self,
        engines: &'e mut [Box<dyn Engine + Send>],
        job: &'e Job<'_>,
        running: &mut Vec<Replication<'e>>,
    ) -> Result<(), EngineError> {
        let mut idle = engines.iter_mut().zip(0..).peekable();
        let mut numbers = REPLICATIONS.into_iter();
        let mut number = numbers.next().unwrap_or(1);
        let mut doublings = 0;
        loop {
            while let Some((engine, replication)) = idle.next_if(|_| running.len() < number) {
                let known = job.known.as_ref().and_then(|known| known.replication(replication));
                let workload = &job.measurement.workload;
                let parts = self.protocol.detail || self.measurement.looks_at_parts();
                let mut prepared =
                    Replication::prepare(engine.as_mut(), workload, replication, parts, known, job.record)?;
                self.set_up(&prepared);
                let observed = self.observe(running.len(), &mut prepared);
                running.push(prepared);
                observed?;
                if self.repeats_itself {
                    return Ok(());
                }
            }
            if self.is_narrow() {
                return Ok(());
            }
            let restart = self.drifts();
            if !restart && let Some(more) = numbers.next() {
                number = more;
                continue;
            }
            // An interval may stay wide, but a warm-up that was too short falsifies the value.
            let costly = self.lines > self.protocol.most_lines;
            if doublings == self.protocol.most_doublings || (!restart && (costly || self.disagree())) {
                return Ok(());
            }
            doublings += 1;
            for (rank, prepared) in running.iter_mut().enumerate() {
                if restart {
                    self.observe(rank, prepared)?;
                } else {
                    self.extend(rank, prepared)?;
                }
            }
            if !restart {
                self.part *= 2;
            }
        }
    }

    /// Records what a prepared replication shows of itself. The first one sets the length of parts.
    fn set_up(&mut self, prepared: &dyn Prepared) {
        if self.part.is_zero() {
            self.part = self.protocol.first_window(self.measurement.pace, prepared.window()) / 2;
            self.backing = prepared.backing().to_vec();
        }
        self.repeats_itself = prepared.repeats_itself();
        self.warnings = Warning::union(self.warnings.iter().chain(prepared.warnings()));
    }

    /// Observes a replication in two parts; what it showed before is forgotten.
    fn observe(&mut self, rank: usize, prepared: &mut dyn Prepared) -> Result<(), EngineError> {
        match self.seen.get_mut(rank) {
            Some(seen) => *seen = Seen::default(),
            None => self.seen.push(Seen::default()),
        }
        // A sample that repeats itself has no parts.
        let first = prepared.sample(if self.repeats_itself { 2 * self.part } else { self.part })?;
        self.sampled = self.sampled + first.window;
        self.enter(rank, first);
        if self.repeats_itself {
            return Ok(());
        }
        self.extend_by(self.part, rank, prepared)
    }

    /// Observes a replication for as long again as so far.
    fn extend(&mut self, rank: usize, prepared: &mut dyn Prepared) -> Result<(), EngineError> {
        self.extend_by(2 * self.part, rank, prepared)
    }

    fn extend_by(
        &mut self,
        time: Duration,
        rank: usize,
        prepared: &mut dyn Prepared,
    ) -> Result<(), EngineError> {
        let sample = prepared.extend(time)?;
        self.sampled = self.sampled + Seconds::from(time);
        self.enter(rank, sample);
        Ok(())
    }

    /// Enters what a replication showed so far: over the first part, or over both.
    fn enter(&mut self, rank: usize, sample: Sample) {
        let Seen { whole, lines: moved, parts } = &mut self.seen[rank];
        let before = std::mem::replace(moved, lines(&sample));
        self.lines += moved.saturating_sub(before);
        let now = TakenSample::of(self.measurement, self.protocol, sample, rank);
        *parts = match (&whole, &now) {
            (Some(before), Some(now)) => {
                let values = before.values.iter().zip(&now.values);
                values.map(|(&first, &mean)| Parts { first, second: 2.0 * mean - first }).collect()
            }
            _ => Vec::new(),
        };
        *whole = now;
    }

    fn has_any(&self) -> bool {
        self.seen.iter().any(|seen| seen.whole.is_some())
    }

    /// The value of each replication for a reading.
    fn values(&self, reading: usize) -> Vec<f64> {
        self.seen.iter().filter_map(|seen| Some(seen.whole.as_ref()?.values[reading])).collect()
    }

    /// Both parts of each replication for a reading.
    fn parts(&self, reading: usize) -> Vec<Parts> {
        self.seen.iter().filter_map(|seen| seen.parts.get(reading).copied()).collect()
    }

    /// Whether the interval of a reading is as narrow as requested.
    fn is_known(&self, reading: usize) -> bool {
        let values = self.values(reading);
        let mean = Mean::of_replications(&values);
        mean.is_some_and(|mean| mean.relative_half_width() <= self.protocol.interval)
    }

    fn readings(&self) -> std::ops::Range<usize> {
        0..self.measurement.readings.len()
    }

    /// Whether no reading needs more replications or more time.
    fn is_narrow(&self) -> bool {
        self.readings().all(|reading| self.is_known(reading)) && !self.drifts()
    }

    /// Whether the spread of a reading that is not known well enough comes from states in which replications settled.
    fn disagree(&self) -> bool {
        self.readings().any(|reading| !self.is_known(reading) && disagree(&self.parts(reading)))
    }

    /// Whether the mean of a reading still moves, by more than the interval that was requested.
    fn drifts(&self) -> bool {
        self.readings().any(|reading| drift(&self.parts(reading)) > self.protocol.interval)
    }

    /// The samples: one for each replication.
    fn settle(mut self, interrupted: bool) -> Samples {
        if self.drifts() {
            self.warnings.push(Warning::NotSteady {});
        }
        let empty = self.seen.iter().filter(|seen| seen.whole.is_none()).count();
        Samples {
            counted: self.seen.into_iter().filter_map(|seen| seen.whole).collect(),
            elsewhere: Vec::new(),
            set_aside: empty as u32,
            let_in: 0,
            migrated: 0,
            lost: None,
            starved: false,
            design: Design::Replications,
            scatters: SharedScatter::default(),
            window: 2 * self.part,
            sampled: self.sampled,
            backing: self.backing,
            warnings: self.warnings,
            kernel_forms: KernelForms::new(),
            repeats_itself: self.repeats_itself,
            interrupted,
        }
    }
}
