//! Touching and filling large buffers with several pinned threads.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use zerohop_machine::PuId;
use zerohop_workload::EngineError;

use crate::halt::Halt;
use crate::pinning::pin_to;

/// Calls `work` for each number below `count`, with one thread on each of `pus`. A PU that has gone leaves its part to the others.
///
/// # Errors
/// The first error of any thread, or that of `halt` soon after it says so; all PUs have gone.
pub(crate) fn for_each(
    pus: &[PuId],
    count: usize,
    halt: Halt<'_>,
    work: impl Fn(usize) -> Result<(), EngineError> + Sync,
) -> Result<(), EngineError> {
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let (next, failed, work) = (&next, &failed, &work);
    let run = move |pu| {
        pin_to(pu)?;
        loop {
            halt.check()?;
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
        let ended = started.into_iter().map(|thread| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|_| Err(system("thread", &"a thread panicked"))),
            Err(error) => Err(no_thread(&error)),
        });
        // All of them are waited for, whatever the first says.
        let ended: Vec<Result<(), EngineError>> = ended.collect();
        let some_worked = ended.iter().any(Result::is_ok);
        let has_gone = |ended: &Result<(), EngineError>| matches!(ended, Err(EngineError::NoSuchPu { .. }));
        ended.into_iter().filter(|ended| !(some_worked && has_gone(ended))).collect()
    })
}

/// The kernel starts no more threads for this process.
pub(crate) fn no_thread(error: &io::Error) -> EngineError {
    EngineError::NoThread { reason: error.to_string() }
}

fn system(call: &'static str, reason: &dyn std::fmt::Display) -> EngineError {
    EngineError::System { call, reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

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
        for_each(&[pu, pu, pu], 100, Halt::on(&AtomicBool::new(false)), work).unwrap();
        assert!(seen.iter().all(|count| count.load(Ordering::Relaxed) == 1));
    }

    #[test]
    fn errors_and_interrupts_stop_the_work() {
        let pu = running_on();
        let failing = |number| if number == 3 { Err(system("test", &"three")) } else { Ok(()) };
        assert_eq!(for_each(&[pu], 9, Halt::on(&AtomicBool::new(false)), failing), failing(3));
        let stop = AtomicBool::new(true);
        assert_eq!(for_each(&[pu], 9, Halt::on(&stop), failing), Err(EngineError::Interrupted));
        let go_on = AtomicBool::new(false);
        let late = Halt { deadline: Some(Instant::now()), ..Halt::on(&go_on) };
        assert_eq!(for_each(&[pu], 9, late, failing), Err(EngineError::OutOfTime));
        let nowhere = for_each(&[PuId(1023), PuId(1022)], 9, Halt::on(&AtomicBool::new(false)), |_| Ok(()));
        assert!(matches!(nowhere, Err(EngineError::NoSuchPu { .. })));
    }

    /// When one CPU of a node went offline, no memory of that node could be filled any more.
    #[test]
    fn a_cpu_that_has_gone_leaves_its_part_to_the_others() {
        let done = AtomicUsize::new(0);
        let work = |_| {
            done.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        for_each(&[PuId(1023), running_on()], 9, Halt::on(&AtomicBool::new(false)), work).unwrap();
        assert_eq!(done.into_inner(), 9);
    }
}
