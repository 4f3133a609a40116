//! Checks that require the live host.

use zerohop_machine::Machine;

use super::check::{Check, Cure};
use crate::quiet_machine::is_quiet;

/// Results of probing the host.
#[derive(Debug, Clone, PartialEq)]
pub struct Probed {
    /// The clock that times everything, or why there is none and what to do.
    pub clock: Result<String, (String, String)>,
    /// System calls that this process may not make, with the kernel's reasons.
    pub forbidden: Vec<(&'static str, String)>,
    /// `kernel.perf_event_paranoid`.
    pub paranoid: Option<i64>,
    /// Instruments that cannot be read, and why.
    pub unseen: Vec<(&'static str, Absence)>,
    /// Whether the prefetchers can be switched off.
    pub prefetchers: PrefetcherAccess,
    /// CPUs that other programs keep busy now.
    pub busy: Option<f64>,
}

/// Reason why an instrument cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Absence {
    /// The machine has none, or the kernel no driver for it.
    NotThere,
    /// The kernel reserves it.
    Reserved,
    /// Only root can read it.
    RootOnly,
    /// Another reason, in words.
    Other(String),
}

/// Whether prefetchers can be switched off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrefetcherAccess {
    Switchable,
    /// The kernel's `msr` module is not loaded.
    NoModule,
    /// Only root can switch them.
    RootOnly,
    /// They cannot be switched, for this reason.
    Never(String),
}

/// A call, what it is for, and whether nothing can be measured without it.
const CALLS: [(&str, &str, bool); 5] = [
    ("sched_setaffinity", "threads cannot be pinned to CPUs", true),
    ("mbind", "buffers are placed by first touch only, and every value carries a warning", false),
    ("move_pages", "the placement of pages is not proven, and every value carries a warning", false),
    ("set_mempolicy", "`place` cannot move files to nodes", false),
    ("perf_event_open", "no cycles, page walks or traffic at the memory controllers", false),
];

pub(super) fn checks(probed: &Probed, machine: &Machine) -> Vec<Check> {
    let mut checks = vec![clock(probed)];
    checks.extend(calls(probed));
    checks.extend(instruments(probed, machine));
    checks.push(prefetchers(probed));
    checks.extend(load(probed, machine));
    checks
}

fn clock(probed: &Probed) -> Check {
    match &probed.clock {
        Ok(clock) => Check::fine("clock", clock.as_str()),
        Err((why, hint)) => Check::prevents("clock", why.as_str(), Cure::elsewhere(hint.as_str())),
    }
}

fn calls(probed: &Probed) -> Vec<Check> {
    if probed.forbidden.is_empty() {
        let names = CALLS.map(|(name, ..)| name).join(", ");
        return vec![Check::fine("system calls", format!("{names}: allowed"))];
    }
    let known = probed.forbidden.iter().filter_map(|(name, why)| {
        let (_, cost, all) = CALLS.iter().find(|(known, ..)| known == name)?;
        let is = format!("{name} is forbidden: {why}");
        let cure = Cure::elsewhere(
            "a container's seccomp profile forbids it: start the container with one that allows it, or run outside",
        );
        Some(match all {
            true => Check { cost: Some(format!("nothing can be measured: {cost}")), ..Check::prevents("system call", is, cure) },
            false => Check::costs("system call", is, *cost, cure),
        })
    });
    known.collect()
}

/// A line for each reason.
fn instruments(probed: &Probed, machine: &Machine) -> Vec<Check> {
    const WHAT: &str = "counters";
    let paranoid = probed.paranoid.map(|level| format!("kernel.perf_event_paranoid is {level}"));
    if probed.unseen.is_empty() {
        let is = paranoid.map_or("all can be read".to_owned(), |is| format!("all can be read; {is}"));
        return vec![Check::fine(WHAT, is)];
    }
    let forbidden = probed.forbidden.iter().any(|(name, _)| *name == "perf_event_open");
    let mut reasons: Vec<&Absence> = Vec::new();
    for (_, why) in &probed.unseen {
        if !reasons.contains(&why) {
            reasons.push(why);
        }
    }
    let checks = reasons.into_iter().map(|why| {
        let unseen: Vec<&str> =
            probed.unseen.iter().filter(|(_, other)| other == why).map(|(what, _)| *what).collect();
        let cost = format!("not in results: {}", unseen.join(", "));
        let (is, cure) = match why {
            // The value of the setting does not matter where the call itself is forbidden.
            Absence::Reserved if forbidden => (
                "the call is forbidden".to_owned(),
                Cure::elsewhere("as for the system call: run outside the container, or allow it there"),
            ),
            Absence::Reserved => (
                paranoid.clone().unwrap_or_else(|| "the kernel restricts them".to_owned()),
                Cure::command("sudo sysctl kernel.perf_event_paranoid=0"),
            ),
            Absence::RootOnly => ("only root may read them".to_owned(), Cure::command("sudo zerohop survey")),
            Absence::NotThere => {
                let (is, cure) = match &machine.system.hypervisor {
                    Some(_) => ("not available in a virtual machine", "measure on the host itself"),
                    None => {
                        ("not there", "the kernel has no driver for those of this processor; a newer one may")
                    }
                };
                (is.to_owned(), Cure::elsewhere(cure))
            }
            Absence::Other(why) => {
                (why.clone(), Cure::elsewhere("the kernel gives no other reason; `dmesg` may say more"))
            }
        };
        Check::costs(WHAT, is, cost, cure)
    });
    checks.collect()
}

fn prefetchers(probed: &Probed) -> Check {
    const WHAT: &str = "prefetchers";
    const COST: &str = "`--prefetchers off` does not work: no bandwidths without prefetching";
    match &probed.prefetchers {
        PrefetcherAccess::Switchable => Check::fine(WHAT, "can be turned off on request"),
        PrefetcherAccess::NoModule => {
            Check::costs(WHAT, "no /dev/cpu/*/msr", COST, Cure::command("sudo modprobe msr"))
        }
        PrefetcherAccess::RootOnly => Check::costs(
            WHAT,
            "only root may write /dev/cpu/*/msr",
            COST,
            Cure::command("sudo zerohop survey --prefetchers off"),
        ),
        PrefetcherAccess::Never(why) => {
            Check::costs(WHAT, why.as_str(), COST, Cure::elsewhere("this cannot be changed here"))
        }
    }
}

fn load(probed: &Probed, machine: &Machine) -> Option<Check> {
    const WHAT: &str = "other load";
    let busy = probed.busy?;
    if is_quiet(busy, machine.pus.len()) {
        return Some(Check::fine(WHAT, "negligible now"));
    }
    let is = format!("{busy:.1} CPUs are busy now");
    let cost = "samples are disturbed: intervals are wider, and some values in doubt";
    Some(Check::costs(WHAT, is, cost, Cure::command("zerohop survey --wait-quiet 10m")))
}
