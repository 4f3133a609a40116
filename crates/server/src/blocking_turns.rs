//! Blocking work on separate threads: in turns, and only as long as a client waits for it.
//!
//! Work polls the flag that it gets. A thread that continues nevertheless is abandoned after a while: it gives its turn back, so that it does not
//! hold up others, and is counted. Beyond a number of them, no more work is begun.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};
use zerohop_workload::StopFlag;

use crate::abandoned_threads::{Abandoned, Work};
use crate::refusal::Refusal;

/// Questions that are answered at a time: more would only wait for each other.
const LIGHT: usize = 8;

/// Long ones at a time: models and pictures take all of a CPU, and lists go on meanwhile.
const HEAVY: usize = 2;

/// Uploads that are read and written at a time.
const UPLOADS: usize = 2;

/// Threads that are left behind, at most. Short work is begun up to the second number: what keeps it is the archive.
const MOST: (usize, usize) = (8, 24);

/// Threads at a time, at most.
pub(crate) const THREADS: usize = LIGHT + HEAVY + UPLOADS + MOST.1;

/// How often it is looked whether anybody waits for work in progress.
const LOOK: Duration = Duration::from_millis(100);

/// How long work may go on after it was to stop.
const GRACE: Duration = Duration::from_secs(2);

/// A kind of work, which has turns of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    /// A few milliseconds.
    Light,
    /// Longer.
    Heavy,
    /// Reading and writing of uploads.
    Upload,
}

/// The turns of all work.
pub(crate) struct Turns {
    light: Arc<Semaphore>,
    heavy: Arc<Semaphore>,
    uploads: Arc<Semaphore>,
    pub(crate) abandoned: Abandoned,
    /// Work that met a bug.
    pub(crate) bugs: AtomicUsize,
    /// Time limit of work.
    limit: Duration,
    /// Stops all of it.
    pub(crate) stop: StopFlag,
}

impl Turns {
    pub(crate) fn new(limit: Duration) -> Self {
        let of = |turns| Arc::new(Semaphore::new(turns));
        Self {
            light: of(LIGHT),
            heavy: of(HEAVY),
            uploads: of(UPLOADS),
            abandoned: Abandoned::default(),
            bugs: AtomicUsize::new(0),
            limit,
            stop: StopFlag::new(),
        }
    }

    /// Does work once it is its turn. Its flag is raised once it takes too long, `stop` is raised, or nobody waits for it any more.
    ///
    /// # Errors
    /// The error of the work; if it takes too long or meets a bug; and if too many threads were abandoned.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        lane: Lane,
        stop: &StopFlag,
        work: impl FnOnce(&StopFlag) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let (turns, most) = match lane {
            Lane::Light => (&self.light, MOST.1),
            Lane::Heavy => (&self.heavy, MOST.0),
            Lane::Upload => (&self.uploads, MOST.0),
        };
        let turn = Arc::clone(turns).acquire_owned().await.map_err(|_| Self::bug())?;
        if stop.is_raised() {
            return Err(self.late());
        }
        if self.abandoned.count() >= most {
            return Err(busy());
        }
        let stop = stop.within(self.limit);
        let (thread, running) = self.abandoned.work();
        let own = stop.clone();
        let mut wait = Wait { stop: stop.clone(), thread, turn: Some(turn), since: None };
        let mut working = spawn_blocking(move || {
            let _running = running;
            work(&own)
        });
        loop {
            match timeout(LOOK, &mut working).await {
                Ok(done) => {
                    wait.turn = None;
                    return done.unwrap_or_else(|_| {
                        self.bugs.fetch_add(1, Ordering::Relaxed);
                        Err(Self::bug())
                    });
                }
                Err(_) if stop.is_raised() => {
                    let since = *wait.since.get_or_insert_with(Instant::now);
                    if since.elapsed() >= GRACE {
                        return Err(self.late());
                    }
                }
                Err(_) => {}
            }
        }
    }

    fn bug() -> Refusal {
        let hint = Some("see its standard error".to_owned());
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "internal server error", hint)
    }

    /// Refusal of a request that takes too long.
    pub(crate) fn late(&self) -> Refusal {
        let words = format!("request timed out after {} s", self.limit.as_secs());
        let hint = Some("request less data, or retry".to_owned());
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, &words, hint)
    }
}

fn busy() -> Refusal {
    let hint = Some("retry later; if this persists, restart the server".to_owned());
    let words = "too many earlier requests that timed out are still running";
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, words, hint)
}

/// Somebody waits for a thread. Once nobody does, its flag is raised; if it goes on nevertheless, it loses its turn.
struct Wait {
    stop: StopFlag,
    thread: Work,
    /// Turn that is held until the work has ended.
    turn: Option<OwnedSemaphorePermit>,
    /// Since when it was to stop.
    since: Option<Instant>,
}

impl Drop for Wait {
    fn drop(&mut self) {
        let Some(turn) = self.turn.take() else { return };
        self.stop.raise();
        let thread = self.thread.clone();
        let since = self.since.unwrap_or_else(Instant::now);
        // Without a runtime, the server has ended.
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(async move {
            while !thread.has_ended() && since.elapsed() < GRACE {
                sleep(LOOK).await;
            }
            thread.abandon();
            drop(turn);
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use tokio::runtime::Builder;

    use super::*;

    fn run<F: Future>(work: F) -> F::Output {
        Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(THREADS)
            .build()
            .unwrap()
            .block_on(work)
    }

    #[test]
    fn work_that_does_not_stop_loses_its_turn_and_is_counted_until_it_ends() {
        run(async {
            let turns = Arc::new(Turns::new(Duration::from_millis(50)));
            let (end, ended) = mpsc::channel::<()>();
            let stuck = turns.work(Lane::Heavy, &StopFlag::new(), move |_| Ok(ended.recv().is_ok())).await;
            assert_eq!(stuck.unwrap_err().status, StatusCode::SERVICE_UNAVAILABLE);
            // Its turn comes back.
            for _ in 0..3 {
                assert_eq!(turns.work(Lane::Heavy, &StopFlag::new(), |_| Ok(7)).await, Ok(7));
            }
            sleep(2 * LOOK).await;
            assert_eq!((turns.abandoned.count(), turns.heavy.available_permits()), (1, HEAVY));
            end.send(()).unwrap();
            while turns.abandoned.count() > 0 {
                sleep(LOOK).await;
            }
        });
    }

    #[test]
    fn work_stops_once_nobody_waits_for_it() {
        run(async {
            let turns = Turns::new(Duration::from_secs(3600));
            let (tell, told) = mpsc::channel();
            let stop = StopFlag::new();
            let work = turns.work(Lane::Upload, &stop, move |stop| {
                while !stop.is_raised() {
                    std::thread::sleep(Duration::from_millis(5));
                }
                tell.send(()).unwrap();
                Ok(())
            });
            assert!(timeout(Duration::from_millis(50), work).await.is_err());
            while told.try_recv().is_err() {
                sleep(Duration::from_millis(5)).await;
            }
            while turns.uploads.available_permits() < UPLOADS {
                sleep(Duration::from_millis(5)).await;
            }
            assert_eq!(turns.abandoned.count(), 0);
        });
    }

    #[test]
    fn no_more_is_begun_once_too_many_threads_are_left_behind() {
        run(async {
            let turns = Turns::new(Duration::from_secs(60));
            let left: Vec<_> = (0..MOST.0).map(|_| turns.abandoned.work()).collect();
            left.iter().for_each(|(work, _)| work.abandon());
            let heavy = turns.work(Lane::Heavy, &StopFlag::new(), |_| Ok(1)).await;
            assert!(heavy.unwrap_err().problem.error.contains("still running"));
            assert_eq!(turns.work(Lane::Light, &StopFlag::new(), |_| Ok(1)).await, Ok(1));
            drop(left);
            assert_eq!(turns.work(Lane::Heavy, &StopFlag::new(), |_| Ok(1)).await, Ok(1));
        });
    }

    #[test]
    fn a_bug_is_of_that_request_alone_and_counted() {
        run(async {
            let turns = Turns::new(Duration::from_secs(60));
            let met: Result<(), Refusal> =
                turns.work(Lane::Heavy, &StopFlag::new(), |_| panic!("scripted")).await;
            assert_eq!(met.unwrap_err().status, StatusCode::INTERNAL_SERVER_ERROR);
            assert_eq!(turns.bugs.load(Ordering::Relaxed), 1);
            assert_eq!(turns.work(Lane::Heavy, &StopFlag::new(), |_| Ok(1)).await, Ok(1));
        });
    }
}
