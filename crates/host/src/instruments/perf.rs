//! Counters of the kernel's performance events: one system call to open one, and a `read`.
//!
//! The structure is the first published form of `struct perf_event_attr` (64 bytes, include/uapi/linux/perf_event.h), which every
//! kernel accepts. The crates `perf-event2` and `perf-event-open-sys2` were considered: ten fields that never change do not
//! justify generated bindings of the whole interface.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::FromRawFd as _;

use zerohop_machine::PuId;

/// An event, and whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Type of the device.
    pub(crate) kind: u32,
    pub(crate) config: u64,
    /// The CPU whose device counts everything; `None` counts only the calling thread, and only outside the kernel.
    pub(crate) cpu: Option<PuId>,
}

/// A counter's value, and how long it was enabled and really counted, in ns: counters that are too many take turns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) value: u64,
    pub(crate) enabled: u64,
    pub(crate) running: u64,
}

impl Count {
    /// Events since `earlier`, extrapolated to the time in which the counter did not count; `None` if it never did.
    pub(crate) fn since(self, earlier: Self) -> Option<f64> {
        let running = self.running.checked_sub(earlier.running).filter(|time| *time > 0)?;
        let enabled = self.enabled.saturating_sub(earlier.enabled);
        let value = self.value.checked_sub(earlier.value)?;
        Some(value as f64 * enabled as f64 / running as f64)
    }
}

pub(crate) trait Counter: std::fmt::Debug + Send {
    fn count(&self) -> io::Result<Count>;
}

pub(crate) type Open = fn(Wanted) -> io::Result<Box<dyn Counter>>;

/// `struct perf_event_attr` as first published.
#[repr(C)]
#[derive(Debug, Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup: u32,
    breakpoint: u32,
    config1: u64,
}

/// The value is followed by the times enabled and running.
const TIMES: u64 = 1 | 2;

/// `exclude_kernel` and `exclude_hv`, by their places among the flags.
const USER_ONLY: u64 = 1 << 5 | 1 << 6;

/// Asks the kernel for a counter.
pub(crate) fn open(wanted: Wanted) -> io::Result<Box<dyn Counter>> {
    let attributes = Attributes {
        kind: wanted.kind,
        size: size_of::<Attributes>() as u32,
        config: wanted.config,
        read_format: TIMES,
        flags: if wanted.cpu.is_some() { 0 } else { USER_ONLY },
        ..Attributes::default()
    };
    let (thread, cpu): (libc::pid_t, libc::c_int) = match wanted.cpu {
        Some(cpu) => (-1, cpu.0 as libc::c_int),
        None => (0, -1),
    };
    const NO_GROUP: libc::c_int = -1;
    const CLOSE_ON_EXEC: libc::c_ulong = 8;
    // SAFETY: the structure has the size that it names, and the kernel only reads it.
    let descriptor = unsafe {
        libc::syscall(libc::SYS_perf_event_open, &raw const attributes, thread, cpu, NO_GROUP, CLOSE_ON_EXEC)
    };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just opened it, and nobody else knows it.
    Ok(Box::new(Live(unsafe { File::from_raw_fd(descriptor as libc::c_int) })))
}

/// A counter of the kernel.
#[derive(Debug)]
struct Live(File);

impl Counter for Live {
    fn count(&self) -> io::Result<Count> {
        let mut bytes = [0; 24];
        (&self.0).read_exact(&mut bytes)?;
        let word = |rank: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[8 * rank..8 * rank + 8]);
            u64::from_ne_bytes(word)
        };
        Ok(Count { value: word(0), enabled: word(1), running: word(2) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structure_is_as_long_as_the_first_published_one() {
        assert_eq!(size_of::<Attributes>(), 64);
    }

    #[test]
    fn a_counter_that_took_turns_is_extrapolated() {
        let count = |value, enabled, running| Count { value, enabled, running };
        assert_eq!(count(300, 200, 150).since(count(100, 100, 100)), Some(400.0));
        assert_eq!(count(300, 200, 100).since(count(100, 100, 100)), None, "it never counted");
        assert_eq!(count(50, 200, 200).since(count(100, 100, 100)), None, "it ran backwards");
    }

    /// `PERF_TYPE_SOFTWARE`, `PERF_COUNT_SW_PAGE_FAULTS`: every kernel has it, unless a container forbids the call.
    #[test]
    fn page_faults_of_this_thread_can_be_counted_where_the_call_is_allowed() {
        let Ok(counter) = open(Wanted { kind: 1, config: 2, cpu: None }) else { return };
        let before = counter.count().unwrap();
        let pages = vec![1u8; 64 << 20];
        std::hint::black_box(&pages);
        assert!(counter.count().unwrap().since(before).unwrap() >= 1.0);
    }
}
