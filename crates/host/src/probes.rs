//! What this host lets a process do: calls are tried, and nothing is changed by that.

use std::io;

use zerohop_machine::{Machine, NodeId};
use zerohop_workload::EngineError;

use crate::clock::{Clock, ClockError};
use crate::instruments::{Instruments, UnseenInstrument, Wanted, open};
use crate::numa_calls::{NumaCalls, Policy};
use crate::pinning::{pin_to, running_on};
use crate::tree::{HostTree, text};

/// What this host answered.
#[derive(Debug)]
pub struct Probes {
    /// The clock that times everything.
    pub clock: Result<String, ClockError>,
    /// Calls that a filter of system calls forbids, or that the kernel does not have.
    pub forbidden: Vec<ForbiddenCall>,
    /// `kernel.perf_event_paranoid`.
    pub paranoid: Option<i64>,
    /// Instruments that cannot be read.
    pub unseen: Vec<UnseenInstrument>,
}

/// A call that this process may not make.
#[derive(Debug)]
pub struct ForbiddenCall {
    pub name: &'static str,
    /// What the kernel said.
    pub reason: io::Error,
}

impl Probes {
    /// Asks this host, which `machine` describes.
    pub fn of_host(machine: &Machine) -> Self {
        let tree = HostTree::live();
        let instruments = Instruments::open(&tree, machine, open);
        let node = machine.targets().next().map(|node| node.id);
        // A thread of its own: its policy and its affinity change.
        let tried = std::thread::scope(|scope| scope.spawn(|| forbidden(node)).join());
        Self {
            clock: Clock::new(machine.system.clock_source.as_deref()).map(|clock| clock.description()),
            forbidden: tried.unwrap_or_default(),
            paranoid: text(&tree, "/proc/sys/kernel/perf_event_paranoid")
                .and_then(|level| level.trim().parse().ok()),
            unseen: instruments.unseen().to_vec(),
        }
    }
}

/// Tries each call in a way that changes nothing outside this thread.
fn forbidden(node: Option<NodeId>) -> Vec<ForbiddenCall> {
    let calls = NumaCalls::LIVE;
    let pinned = match pin_to(running_on()) {
        Err(EngineError::Forbidden { .. }) => Err(io::Error::from_raw_os_error(libc::EPERM)),
        _ => Ok(()),
    };
    // No memory and no pages: the kernel checks the call and does nothing.
    let bound = (calls.bind)(std::ptr::null_mut(), 0, &Policy::Local);
    let located = (calls.locate)(&[], &mut []);
    let preferred = node.map_or(Ok(()), |node| (calls.prefer)(node));
    // Page faults of this thread (`PERF_TYPE_SOFTWARE`, `PERF_COUNT_SW_PAGE_FAULTS`), which every kernel counts.
    let opened = open(Wanted { kind: 1, config: 2, cpu: None }).map(|_| ());
    let tried = [
        ("sched_setaffinity", pinned),
        ("mbind", bound),
        ("move_pages", located),
        ("set_mempolicy", preferred),
        ("perf_event_open", opened),
    ];
    let refused = tried.into_iter().filter_map(|(name, answer)| {
        // EACCES is the kernel's own setting, not a filter's answer.
        let reason =
            answer.err().filter(|error| matches!(error.raw_os_error(), Some(libc::EPERM | libc::ENOSYS)))?;
        Some(ForbiddenCall { name, reason })
    });
    refused.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pinning::tests::forbid;

    #[test]
    fn a_call_that_a_filter_forbids_is_named() {
        for (call, name) in [
            (libc::SYS_sched_setaffinity, "sched_setaffinity"),
            (libc::SYS_mbind, "mbind"),
            (libc::SYS_move_pages, "move_pages"),
            (libc::SYS_set_mempolicy, "set_mempolicy"),
            (libc::SYS_perf_event_open, "perf_event_open"),
        ] {
            let found = std::thread::spawn(move || {
                forbid(call, libc::EPERM);
                forbidden(Some(NodeId(0)))
            });
            let found = found.join().unwrap();
            assert!(found.iter().any(|call| call.name == name), "{name}: {found:?}");
        }
    }
}
