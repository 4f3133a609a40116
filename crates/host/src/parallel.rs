//! Touching and filling large buffers with several pinned threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use zerohop_machine::PuId;
use zerohop_workload::EngineError;

use crate::pinning::pin_to;

/// Calls `work` for each number below `count`, with one thread on each of `pus`.
///
/// # Errors
/// The first error of any thread, or [`EngineError::Interrupted`] soon after `interrupted` is set.
pub(crate) fn for_each(
    pus: &[PuId],
    count: usize,
    interrupted: &AtomicBool,
    work: impl Fn(usize) -> Result<(), EngineError> + Sync,
) -> Result<(), EngineError> {
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let (next, failed, work) = (&next, &failed, &work);
    let run = move |pu| {
        pin_to(pu)?;
        loop {
            if interrupted.load(Ordering::Relaxed) {
                return Err(EngineError::Interrupted);
            }
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count || failed.load(Ordering::Relaxed) {
                return Ok(());
            }
            work(number).inspect_err(|_| failed.store(true, Ordering::Relaxed))?;
        }
    };
    thread::scope(|scope| {
        let started: Vec<_> = pus
            .iter()
            .take(count)
            .map(|&pu| thread::Builder::new().spawn_scoped(scope, move || run(pu)))
            .collect();
        let mut result = Ok(());
        for thread in started {
            let ended = match thread {
                Ok(thread) => thread.join().unwrap_or_else(|_| Err(system("thread", &"a thread panicked"))),
                Err(error) => Err(system("clone", &error)),
            };
            result = result.and(ended);
        }
        result
    })
}

fn system(call: &'static str, reason: &dyn std::fmt::Display) -> EngineError {
    EngineError::System { call, reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pinning::running_on;

    #[test]
    fn every_number_is_worked_on_once() {
        let seen: Vec<AtomicUsize> = (0..100).map(|_| AtomicUsize::new(0)).collect();
        let pu = running_on();
        let work = |number: usize| {
            seen[number].fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        for_each(&[pu, pu, pu], 100, &AtomicBool::new(false), work).unwrap();
        assert!(seen.iter().all(|count| count.load(Ordering::Relaxed) == 1));
    }

    #[test]
    fn errors_and_interrupts_stop_the_work() {
        let pu = running_on();
        let failing = |number| if number == 3 { Err(system("test", &"three")) } else { Ok(()) };
        assert_eq!(for_each(&[pu], 9, &AtomicBool::new(false), failing), failing(3));
        let stop = AtomicBool::new(true);
        assert_eq!(for_each(&[pu], 9, &stop, failing), Err(EngineError::Interrupted));
        let nowhere = for_each(&[PuId(1023)], 9, &AtomicBool::new(false), |_| Ok(()));
        assert!(matches!(nowhere, Err(EngineError::NoSuchPu { .. })));
    }
}
