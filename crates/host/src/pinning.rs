//! Keeping a thread on one PU.

use rustix::thread::{CpuSet, sched_getcpu, sched_setaffinity};
use zerohop_machine::PuId;
use zerohop_workload::EngineError;

/// Pins the calling thread to `pu`, and checks that it really runs there.
///
/// # Errors
/// There is no such PU, or this process may not run on it.
pub(crate) fn pin_to(pu: PuId) -> Result<(), EngineError> {
    let refused = |reason: String| EngineError::NoSuchPu { pu, reason };
    let number = pu.0 as usize;
    if number >= CpuSet::MAX_CPU {
        return Err(refused(format!("CPU numbers beyond {} are not supported", CpuSet::MAX_CPU - 1)));
    }
    let mut set = CpuSet::new();
    set.set(number);
    sched_setaffinity(None, &set).map_err(|error| refused(format!("sched_setaffinity: {error}")))?;
    match running_on() {
        here if here == pu => Ok(()),
        here => Err(refused(format!("the thread was pinned but runs on CPU {here}"))),
    }
}

/// The PU on which the calling thread is running now.
pub(crate) fn running_on() -> PuId {
    PuId(u32::try_from(sched_getcpu()).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_stays_where_it_was_pinned() {
        let here = running_on();
        std::thread::spawn(move || {
            pin_to(here).unwrap();
            assert_eq!(running_on(), here);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_pu_that_does_not_exist_is_an_error() {
        for number in [1023, 1024, u32::MAX] {
            let error = pin_to(PuId(number)).unwrap_err();
            assert!(matches!(error, EngineError::NoSuchPu { pu, .. } if pu == PuId(number)), "{error}");
        }
    }
}
