//! Runs several measurements at once, on replicas of an engine. The results depend neither on the number of replicas nor on
//! any clock.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use zerohop_workload::{Engine, EngineError};

use crate::protocol::Protocol;
use crate::replications::take_replications;
use crate::shared_simulations::{Job, Sampled, is_interrupted};
use crate::{Executor, Meter, parallel_map};
use zerohop_statistics::REPLICATIONS;

pub(crate) struct Replicas {
    pool: Mutex<Pool>,
}

/// One engine for each replication of a workload.
type Engines = Vec<Box<dyn Engine + Send>>;

struct Pool {
    /// Engines that are idle.
    spare: Vec<Engines>,
    /// The engine from which replicas are made; it is never used itself.
    model: Box<dyn Engine + Send>,
}

impl Replicas {
    /// Replicas of that engine, if it can be replicated.
    pub(crate) fn of(engine: &dyn Engine) -> Option<Self> {
        let model = engine.replica()?;
        Some(Self { pool: Mutex::new(Pool { spare: Vec::new(), model }) })
    }

    /// The samples for each of these jobs, in their order; `meter` counts them as they finish. Once an engine is
    /// interrupted, no other measurement starts.
    pub(crate) fn sample(
        &self,
        jobs: &[Job<'_>],
        protocol: &Protocol,
        executor: &dyn Executor,
        meter: &dyn Meter,
    ) -> Vec<Sampled> {
        let interrupted = AtomicBool::new(false);
        // Those that take longest first: threads then end at about the same time.
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        order.sort_by_key(|&job| Reverse(jobs[job].effort()));
        let sampled = parallel_map(executor, jobs.len(), |place| {
            let samples = if interrupted.load(Ordering::Relaxed) {
                Err(EngineError::Interrupted)
            } else {
                self.sample_one(&jobs[order[place]], protocol)
            };
            if is_interrupted(&samples) {
                interrupted.store(true, Ordering::Relaxed);
            } else {
                meter.workload_done();
            }
            samples
        });
        let mut of_jobs: Vec<(usize, Sampled)> = order
            .into_iter()
            .zip(sampled.into_iter().map(|samples| samples.unwrap_or_else(|| Err(not_done()))))
            .collect();
        of_jobs.sort_by_key(|(job, _)| *job);
        of_jobs.into_iter().map(|(_, samples)| samples).collect()
    }

    fn sample_one(&self, job: &Job<'_>, protocol: &Protocol) -> Sampled {
        let mut engines = self.take()?;
        let samples = take_replications(&mut engines, job, protocol);
        held(&self.pool).spare.push(engines);
        samples
    }

    /// Takes idle engines for all replications of a workload, or makes some.
    fn take(&self) -> Result<Engines, EngineError> {
        let mut pool = held(&self.pool);
        if let Some(engines) = pool.spare.pop() {
            return Ok(engines);
        }
        let another = || {
            pool.model.replica().ok_or_else(|| EngineError::Unsupported {
                what: "another simulation beside this one".to_owned(),
                reason: "the engine cannot make another replica of itself".to_owned(),
            })
        };
        let most = REPLICATIONS.into_iter().max().unwrap_or(1);
        (0..most).map(|_| another()).collect()
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn not_done() -> EngineError {
    EngineError::System { call: "simulating", reason: "it was never started".to_owned() }
}
