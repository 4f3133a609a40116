//! Measures on replicas of an engine, several measurements at once. What comes out does not depend on how many, nor on
//! what any clock says.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use zerohop_workload::{Engine, EngineError};

use crate::plan::Measurement;
use crate::protocol::Protocol;
use crate::sampler::{Samples, take_samples};
use crate::{Event, Executor, Meter, Observer};

/// Engines of which each is as good as the other.
pub(crate) struct Replicas {
    pool: Mutex<Pool>,
}

struct Pool {
    /// Used by nobody now.
    spare: Vec<Box<dyn Engine + Send>>,
    /// Of which others are made; never used itself.
    model: Box<dyn Engine + Send>,
}

impl Replicas {
    /// Replicas of that engine, if it has any.
    pub(crate) fn of(engine: &dyn Engine) -> Option<Self> {
        let model = engine.replica()?;
        Some(Self { pool: Mutex::new(Pool { spare: Vec::new(), model }) })
    }

    /// The samples of each of these measurements, in their order; `meter` counts them as they are done. Once an engine was
    /// interrupted, no other measurement begins.
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
        let samples =
            take_samples(engine.as_mut(), measurement, protocol, |_| Duration::MAX, &mut OutsideTime);
        held(&self.pool).spare.push(engine);
        samples
    }

    /// An engine that nobody else uses.
    fn take(&self) -> Result<Box<dyn Engine + Send>, EngineError> {
        let mut pool = held(&self.pool);
        if let Some(engine) = pool.spare.pop() {
            return Ok(engine);
        }
        pool.model.replica().ok_or_else(|| EngineError::Unsupported {
            what: "another simulation beside this one".to_owned(),
            reason: "the engine makes no further replica of itself".to_owned(),
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
    EngineError::System { call: "simulating", reason: "it was never begun".to_owned() }
}

/// Sees no events, has no clock, is never interrupted: a simulation is looked after from outside.
struct OutsideTime;

impl Observer for OutsideTime {
    fn event(&mut self, _: Event<'_>) {}

    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn interrupted(&self) -> bool {
        false
    }
}
