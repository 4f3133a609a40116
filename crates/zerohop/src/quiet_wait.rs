//! Waits until other programs leave this machine alone.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use zerohop_diagnosis::is_quiet;
use zerohop_workload::StopFlag;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Waited {
    /// The machine is quiet, or does not show how busy it is, or the user asked to stop.
    Enough,
    InVain {
        /// The number of CPUs that are busy.
        busy: f64,
    },
}

/// The time between two looks.
const LOOK: Duration = Duration::from_millis(500);

/// The number of quiet looks in a row that make a quiet machine.
const CALM: u32 = 4;

/// CPU time of the whole machine so far, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Times {
    busy: u64,
    total: u64,
    cpus: u64,
}

/// Waits for a quiet machine, for `most` at most.
pub(crate) fn wait(most: Duration, stop: &StopFlag) -> Waited {
    let began = Instant::now();
    let mut calm = 0;
    let Some(mut before) = look() else { return Waited::Enough };
    loop {
        thread::sleep(LOOK);
        let Some(after) = look() else { return Waited::Enough };
        let busy = busy(before, after);
        before = after;
        calm = if is_quiet(busy, after.cpus as usize) { calm + 1 } else { 0 };
        if calm >= CALM || stop.is_raised() {
            return Waited::Enough;
        }
        if began.elapsed() >= most {
            return Waited::InVain { busy };
        }
    }
}

/// The CPUs that are busy now; `None` if the machine does not show it.
pub(crate) fn busy_now() -> Option<f64> {
    let before = look()?;
    thread::sleep(LOOK);
    Some(busy(before, look()?))
}

fn look() -> Option<Times> {
    times(&fs::read_to_string("/proc/stat").ok()?)
}

/// The CPUs that were busy between two looks.
fn busy(before: Times, after: Times) -> f64 {
    let total = after.total.saturating_sub(before.total);
    if total == 0 {
        return 0.0;
    }
    after.busy.saturating_sub(before.busy) as f64 / total as f64 * after.cpus as f64
}

/// The first line of `/proc/stat` adds up all CPUs: user, nice, system, idle, iowait, irq, softirq, steal (proc_stat(5)). Time
/// that a hypervisor gave to others counts as busy: this machine cannot have it either.
fn times(stat: &str) -> Option<Times> {
    let mut lines = stat.lines();
    let fields: Option<Vec<u64>> =
        lines.next()?.strip_prefix("cpu ")?.split_whitespace().map(|field| field.parse().ok()).collect();
    let fields: Vec<u64> = fields?.into_iter().take(8).collect();
    let idle = fields.get(3)? + fields.get(4).unwrap_or(&0);
    let total = fields.iter().sum();
    let cpus = lines.take_while(|line| line.starts_with("cpu")).count() as u64;
    Some(Times { busy: total - idle, total, cpus })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_cpus_come_from_the_time_that_was_not_idle() {
        let stat = |user: u64, idle: u64| {
            times(&format!("cpu  {user} 0 10 {idle} 5 0 0 0 0 0\ncpu0 1 2\ncpu1 1 2\nintr 5\n")).unwrap()
        };
        let (before, after) = (stat(100, 1000), stat(150, 1150));
        assert_eq!(before, Times { busy: 110, total: 1115, cpus: 2 });
        assert!((busy(before, after) - 0.5).abs() < 1e-12);
        assert_eq!(busy(before, before), 0.0);
    }

    #[test]
    fn a_machine_that_does_not_show_its_times_is_not_waited_for() {
        assert_eq!(times(""), None);
        assert_eq!(times("cpu  1 2"), None);
    }
}
