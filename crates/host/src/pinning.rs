//! Keeping a thread on one PU.

use std::io;

use libc::c_ulong;
use rustix::thread::sched_getcpu;
use zerohop_machine::PuId;
use zerohop_workload::EngineError;

/// CPUs are numbered below this: a mask for more would take memory for nothing.
const LARGEST: u32 = 1 << 20;

/// Pins the calling thread to `pu`, and checks that it really runs there.
///
/// # Errors
/// There is no such PU, or this process may not run on it.
pub(crate) fn pin_to(pu: PuId) -> Result<(), EngineError> {
    let refused = |reason: String| EngineError::NoSuchPu { pu, reason };
    if pu.0 >= LARGEST {
        return Err(refused("no kernel has that many CPUs".to_owned()));
    }
    let mask = mask_of(pu);
    // SAFETY: the kernel only reads the mask, which is as long as stated and outlives the call; 0 is the calling thread.
    let answer =
        unsafe { libc::syscall(libc::SYS_sched_setaffinity, 0, size_of_val(mask.as_slice()), mask.as_ptr()) };
    if answer != 0 {
        return Err(refused(format!("sched_setaffinity: {}", io::Error::last_os_error())));
    }
    match running_on() {
        here if here == pu => Ok(()),
        here => Err(refused(format!("the thread was pinned but runs on CPU {here}"))),
    }
}

/// A mask of just `pu`, as long as its number requires. The C library's `cpu_set_t` ends at CPU 1,023, and the kernel does
/// not: it takes a mask of any length.
fn mask_of(pu: PuId) -> Vec<c_ulong> {
    let (word, bit) = (pu.0 / c_ulong::BITS, pu.0 % c_ulong::BITS);
    let mut mask = vec![0; word as usize + 1];
    mask[word as usize] = 1 << bit;
    mask
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

    /// CPUs from 1,024 on were refused without asking the kernel.
    #[test]
    fn a_mask_reaches_any_cpu() {
        for number in [0, 1, 63, 64, 1023, 1024, 5000, LARGEST - 1] {
            let mask = mask_of(PuId(number));
            let set: Vec<u32> = mask
                .iter()
                .zip(0..)
                .flat_map(|(word, rank)| {
                    (0..c_ulong::BITS)
                        .filter(move |bit| word >> bit & 1 == 1)
                        .map(move |bit| rank * c_ulong::BITS + bit)
                })
                .collect();
            assert_eq!(set, [number]);
        }
        // The kernel itself says that this machine has no such CPU.
        let error = pin_to(PuId(5000)).unwrap_err();
        assert!(error.to_string().contains("sched_setaffinity: Invalid argument"), "{error}");
    }

    #[test]
    fn a_pu_that_does_not_exist_is_an_error() {
        for number in [1023, 1024, u32::MAX] {
            let error = pin_to(PuId(number)).unwrap_err();
            assert!(matches!(error, EngineError::NoSuchPu { pu, .. } if pu == PuId(number)), "{error}");
        }
    }
}
