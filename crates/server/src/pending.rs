//! Responses in progress: clients that ask for the same in the meantime wait for the same one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use tokio::sync::watch;
use zerohop_workload::StopFlag;

use crate::answer::Answer;
use crate::refusal::Refusal;

/// How long an answer that took too long is not tried again.
const REST: Duration = Duration::from_secs(600);

/// Addresses of such answers that are known, at most.
const MOST: usize = 256;

type Done = Option<Result<Answer, Refusal>>;

/// Responses in progress, by request; and requests that took too long.
#[derive(Default)]
pub(crate) struct Pending {
    making: Mutex<HashMap<String, Weak<Making>>>,
    late: Mutex<HashMap<String, Instant>>,
}

/// An answer that is being made, for those who wait for it. Once nobody does, it is stopped.
struct Making {
    stop: StopFlag,
    done: watch::Receiver<Done>,
}

impl Drop for Making {
    fn drop(&mut self) {
        self.stop.raise();
    }
}

impl Pending {
    /// The response to this request, which `make` makes unless it is in progress. It gets a flag that is raised once nobody waits.
    pub(crate) async fn answer<F>(
        &self,
        question: &str,
        stop: &StopFlag,
        make: impl FnOnce(StopFlag) -> F,
    ) -> Result<Answer, Refusal>
    where
        F: Future<Output = Result<Answer, Refusal>> + Send + 'static,
    {
        // It is held until the answer is there: then somebody waits for it.
        let making = self.join(question, stop, make);
        let mut done = making.done.clone();
        let done = done.wait_for(Option::is_some).await.ok().and_then(|done| done.clone());
        done.unwrap_or_else(|| {
            Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "internal server error", None))
        })
    }

    fn join<F>(&self, question: &str, stop: &StopFlag, make: impl FnOnce(StopFlag) -> F) -> Arc<Making>
    where
        F: Future<Output = Result<Answer, Refusal>> + Send + 'static,
    {
        let mut all = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(making) = all.get(question).and_then(Weak::upgrade) {
            return making;
        }
        all.retain(|_, making| making.strong_count() > 0);
        let (sender, done) = watch::channel(None);
        let making = Arc::new(Making { stop: stop.part(), done });
        all.insert(question.to_owned(), Arc::downgrade(&making));
        drop(all);
        let work = make(making.stop.clone());
        tokio::spawn(async move {
            let _ = sender.send(Some(work.await));
        });
        making
    }

    /// Whether the answer at this address took too long a while ago.
    pub(crate) fn is_late(&self, address: &str) -> bool {
        let late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        late.get(address).is_some_and(|since| since.elapsed() < REST)
    }

    /// The answer at this address took too long.
    pub(crate) fn set_late(&self, address: &str) {
        let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        late.retain(|_, since| since.elapsed() < REST);
        if late.len() >= MOST {
            late.clear();
        }
        late.insert(address.to_owned(), Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::runtime::Builder;
    use tokio::sync::Semaphore;
    use tokio::time::{sleep, timeout};

    use super::*;
    use crate::answer::JSON;

    fn run<F: Future>(work: F) -> F::Output {
        Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
    }

    #[test]
    fn the_same_is_made_once_for_all_who_wait_for_it() {
        run(async {
            let (pending, stop) = (Arc::new(Pending::default()), StopFlag::new());
            let (made, gate) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
            let ask = |question: &'static str| {
                let (pending, stop) = (Arc::clone(&pending), stop.clone());
                let (made, gate) = (Arc::clone(&made), Arc::clone(&gate));
                tokio::spawn(async move {
                    let make = |_| async move {
                        made.fetch_add(1, Ordering::Relaxed);
                        gate.acquire().await.unwrap().forget();
                        Ok(Answer::new(JSON, question))
                    };
                    pending.answer(question, &stop, make).await
                })
            };
            let asked = [ask("a"), ask("a"), ask("b"), ask("a")];
            sleep(Duration::from_millis(50)).await;
            gate.add_permits(2);
            let mut bodies = Vec::new();
            for one in asked {
                bodies.push(String::from_utf8(one.await.unwrap().unwrap().body.to_vec()).unwrap());
            }
            assert_eq!(
                (bodies, made.load(Ordering::Relaxed)),
                (["a", "a", "b", "a"].map(str::to_owned).to_vec(), 2)
            );
        });
    }

    #[test]
    fn what_nobody_waits_for_is_stopped() {
        run(async {
            let (pending, stop) = (Pending::default(), StopFlag::new());
            let seen = Arc::new(Mutex::new(None));
            let own = Arc::clone(&seen);
            let make = |stop: StopFlag| async move {
                *own.lock().unwrap() = Some(stop);
                std::future::pending().await
            };
            assert!(timeout(Duration::from_millis(50), pending.answer("a", &stop, make)).await.is_err());
            assert!(seen.lock().unwrap().as_ref().unwrap().is_raised() && !stop.is_raised());
        });
    }

    #[test]
    fn what_took_too_long_is_remembered_for_a_while_and_in_bounds() {
        let pending = Pending::default();
        pending.set_late("/a");
        assert!(pending.is_late("/a") && !pending.is_late("/b"));
        (0..2 * MOST).for_each(|rank| pending.set_late(&rank.to_string()));
        assert!(pending.late.lock().unwrap().len() <= MOST);
    }
}
