//! Runs several measurements at once, on replicas of an engine. The results depend neither on the number of replicas nor on
//! any clock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use zerohop_workload::{Engine, EngineError};

use crate::plan::Measurement;
use crate::protocol::Protocol;
use crate::sampler::{Samples, take_samples};
use crate::{Event, Executor, Meter, Observer};

/// Interchangeable engines.
pub(crate) struct Replicas {
    pool: Mutex<Pool>,
}

struct Pool {
    /// Engines that are idle.
    spare: Vec<Box<dyn Engine + Send>>,
    /// The engine from which replicas are made; it is never used itself.
    model: Box<dyn Engine + Send>,
}

impl Replicas {
    /// Replicas of that engine, if it can be replicated.
    pub(crate) fn of(engine: &dyn Engine) -> Option<Self> {
        let model = engine.replica()?;
        Some(Self { pool: Mutex::new(Pool { spare: Vec::new(), model }) })
    }

    /// The samples of each of these measurements, in their order; `meter` counts them as they finish. Once an engine is
    /// interrupted, no other measurement starts.
    pub(crate) fn sample(
        &self,
        measurements: &[&Measurement],
        protocol: &Protocol,
        executor: &dyn Executor,
        meter: &dyn Meter,
    ) -> Vec<Result<Samples, EngineError>> {
        let slots: Vec<Mutex<Option<Result<Samples, EngineError>>>> =
            measurements.iter().map(|_| Mutex::new(None)).collect();
        let interrupted = AtomicBool::new(false);
        executor.run(measurements.len(), &|job| {
            let samples = if interrupted.load(Ordering::Relaxed) {
                Err(EngineError::Interrupted)
            } else {
                self.sample_one(measurements[job], protocol)
            };
            if is_interrupted(&samples) {
                interrupted.store(true, Ordering::Relaxed);
            } else {
                meter.workload_done();
            }
            *held(&slots[job]) = Some(samples);
        });
        let sampled = slots.into_iter().map(|slot| {
            let samples = slot.into_inner().unwrap_or_else(PoisonError::into_inner);
            samples.unwrap_or_else(|| Err(not_done()))
        });
        sampled.collect()
    }

    fn sample_one(&self, measurement: &Measurement, protocol: &Protocol) -> Result<Samples, EngineError> {
        let mut engine = self.take()?;
        let samples = take_samples(engine.as_mut(), measurement, protocol, &mut OutsideTime);
        held(&self.pool).spare.push(engine);
        samples
    }

    /// Takes an idle engine, or makes one.
    fn take(&self) -> Result<Box<dyn Engine + Send>, EngineError> {
        let mut pool = held(&self.pool);
        if let Some(engine) = pool.spare.pop() {
            return Ok(engine);
        }
        pool.model.replica().ok_or_else(|| EngineError::Unsupported {
            what: "another simulation beside this one".to_owned(),
            reason: "the engine cannot make another replica of itself".to_owned(),
        })
    }
}

fn is_interrupted(samples: &Result<Samples, EngineError>) -> bool {
    match samples {
        Ok(samples) => samples.interrupted,
        Err(error) => *error == EngineError::Interrupted,
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn not_done() -> EngineError {
    EngineError::System { call: "simulating", reason: "it was never started".to_owned() }
}

/// An observer without events, clock or interruption: a simulation is supervised from outside.
pub(crate) struct OutsideTime;

impl Observer for OutsideTime {
    fn event(&mut self, _: Event<'_>) {}

    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn interrupted(&self) -> bool {
        false
    }
}
