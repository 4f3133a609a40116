//! Keeping a thread on one PU.
//!
//! The kernel moves a thread away if its PU goes offline, or if the cpuset no longer contains it, and widens its affinity.

use std::io;

use libc::{c_uint, c_ulong};
use rustix::thread::sched_getcpu;
use zerohop_machine::{NodeId, PuId};
use zerohop_workload::EngineError;

/// CPUs are numbered below this: a mask for more would take memory for nothing.
const LARGEST: u32 = 1 << 20;

/// Words of a mask that the kernel fills. It wants room for all CPUs that it may ever have: 8,192 at most, so far.
const ROOM: usize = 1024;

/// Pins the calling thread to `pu`, and checks that it really runs there.
///
/// # Errors
/// There is no such PU, this process may not run on it, or it may not pin threads at all.
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
        let error = io::Error::last_os_error();
        return Err(match error.kind() {
            // A thread may always choose among the PUs of its cpuset: this is a filter of system calls, which has no say about PUs.
            io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported => {
                EngineError::Forbidden { call: "sched_setaffinity", reason: error.to_string() }
            }
            _ => refused(why_not(pu, &error)),
        });
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

/// Whether the calling thread may run on `pu` and nowhere else.
fn is_pinned_to(pu: PuId) -> bool {
    let mut mask: Vec<c_ulong> = vec![0; ROOM];
    // SAFETY: the kernel writes at most as many bytes as stated, and the mask outlives the call; 0 is the calling thread.
    let written = unsafe {
        libc::syscall(libc::SYS_sched_getaffinity, 0, size_of_val(mask.as_slice()), mask.as_mut_ptr())
    };
    let own = mask_of(pu);
    written > 0 && mask.starts_with(&own) && mask[own.len()..].iter().all(|&word| word == 0)
}

/// Makes sure that the calling thread, once pinned to `pu`, still is. If something has moved it, it is pinned there again.
///
/// # Errors
/// This process may not run on the PU any more.
pub(crate) fn stay_on(pu: PuId) -> Result<(), EngineError> {
    if running_on() == pu && is_pinned_to(pu) {
        return Ok(());
    }
    pin_to(pu).map_err(|error| match error {
        EngineError::NoSuchPu { pu, reason } => EngineError::CpuLost { pu, reason },
        other => other,
    })
}

/// Why a thread cannot be pinned to a PU.
fn why_not(pu: PuId, error: &io::Error) -> String {
    let online = std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu{pu}/online"));
    match (online.as_deref().map(str::trim), error.kind()) {
        (Ok("0"), _) => "it is offline".to_owned(),
        // The kernel finds no PU that both the request and the cpuset contain.
        (Ok(_), io::ErrorKind::InvalidInput) => "the cpuset of this process does not contain it".to_owned(),
        _ => format!("sched_setaffinity: {error}"),
    }
}

/// The PU on which the calling thread is running now.
pub(crate) fn running_on() -> PuId {
    PuId(u32::try_from(sched_getcpu()).unwrap_or(u32::MAX))
}

/// The node of the PU on which the calling thread is running now, as the kernel counts; `None` if it does not say.
pub(crate) fn running_on_node() -> Option<NodeId> {
    let mut node: c_uint = 0;
    let nowhere = std::ptr::null_mut::<c_uint>();
    // SAFETY: the kernel writes the node's number, and nothing through null pointers.
    let answer = unsafe { libc::syscall(libc::SYS_getcpu, nowhere, &raw mut node, nowhere) };
    (answer == 0).then_some(NodeId(node))
}

#[cfg(test)]
pub(crate) mod tests {
    use zerohop_workload::OptionNames;

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

    /// A worker whose cpuset shrank ran on the other node, and its samples counted.
    #[test]
    fn a_thread_that_was_moved_away_is_pinned_again() {
        let here = running_on();
        std::thread::spawn(move || {
            let everywhere = rustix::thread::sched_getaffinity(None).unwrap();
            pin_to(here).unwrap();
            assert_eq!(stay_on(here), Ok(()));
            rustix::thread::sched_setaffinity(None, &everywhere).unwrap();
            assert_eq!(stay_on(here), Ok(()));
            assert!(is_pinned_to(here));
        })
        .join()
        .unwrap();
        let lost = std::thread::spawn(|| stay_on(PuId(1023))).join().unwrap().unwrap_err();
        assert!(matches!(lost, EngineError::CpuLost { pu: PuId(1023), .. }), "{lost}");
    }

    /// The hint was to look for other CPUs.
    #[test]
    fn a_filter_of_system_calls_is_no_lack_of_cpus() {
        let here = running_on();
        for errno in [libc::EPERM, libc::EACCES, libc::ENOSYS] {
            let error = std::thread::spawn(move || {
                forbid(libc::SYS_sched_setaffinity, errno);
                pin_to(here).unwrap_err()
            });
            let error = error.join().unwrap();
            let EngineError::Forbidden { call, reason } = &error else { panic!("{error}") };
            assert_eq!(*call, "sched_setaffinity");
            assert_eq!(*reason, io::Error::from_raw_os_error(errno).to_string());
            let hint = error.hint(&OptionNames::default()).unwrap();
            assert!(hint.contains("seccomp") && !hint.contains("machine show"), "{hint}");
        }
    }

    /// Has the kernel answer a system call of the calling thread with an error, as a container's seccomp profile does.
    pub(crate) fn forbid(call: libc::c_long, errno: i32) {
        let statement = |code: u32, k: u32, jt, jf| libc::sock_filter { code: code as u16, jt, jf, k };
        let mut filter = [
            // The number of the call is the first member of what is filtered.
            statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
            statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, call as u32, 0, 1),
            statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ERRNO | errno as u32, 0, 0),
            statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW, 0, 0),
        ];
        let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
        // SAFETY: the kernel copies the program, which outlives the calls; both only concern the calling thread.
        let answers = unsafe {
            [
                libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
                libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program),
            ]
        };
        assert_eq!(answers, [0, 0], "{}", io::Error::last_os_error());
    }

    #[test]
    fn a_pu_that_does_not_exist_is_an_error() {
        for number in [1023, 1024, u32::MAX] {
            let error = pin_to(PuId(number)).unwrap_err();
            assert!(matches!(error, EngineError::NoSuchPu { pu, .. } if pu == PuId(number)), "{error}");
        }
    }
}
