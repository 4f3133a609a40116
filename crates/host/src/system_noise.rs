//! System noise: what the rest of the system did during a sample.

use std::collections::BTreeMap;

use zerohop_machine::{FileTree, PuId};
use zerohop_workload::SystemNoise;

use rustix::time::{ClockId, clock_gettime};

use crate::tree::{number, text};

/// Watches the whole system from one sample to the next.
#[derive(Debug)]
pub(crate) struct SystemWatch {
    older: Look,
    newer: Look,
}

/// A snapshot of the whole system. Times are in seconds.
#[derive(Debug, Clone, Default, PartialEq)]
struct Look {
    /// Time since an arbitrary moment.
    time: f64,
    /// CPU time of this process.
    own: f64,
    /// Time that all PUs were busy.
    busy: Option<f64>,
    /// Time stolen from each PU.
    stolen: BTreeMap<PuId, f64>,
}

/// `/proc/stat` counts in hundredths of a second on every architecture (`USER_HZ`).
const TICK: f64 = 0.01;

/// Shares are taken over at least this time, across samples if necessary. Over less time, they would come from a few ticks.
const SHORTEST: f64 = 0.25;

impl SystemWatch {
    pub(crate) fn new(tree: &dyn FileTree) -> Self {
        let now = Look::now(tree);
        Self { older: now.clone(), newer: now }
    }

    /// Thermal events of these PUs' cores and packages so far; `None` if the kernel does not count them.
    pub(crate) fn throttled(&self, tree: &dyn FileTree, pus: &[PuId]) -> Option<u64> {
        let counts = pus.iter().flat_map(|pu| {
            ["core", "package"].map(|part| {
                number(
                    tree,
                    &format!("/sys/devices/system/cpu/cpu{pu}/thermal_throttle/{part}_throttle_count"),
                )
            })
        });
        counts.flatten().reduce(|one, other| one + other)
    }

    /// Noise since the previous snapshot, on `pus` in particular. `throttled` is the earlier count of thermal events.
    pub(crate) fn noise(&mut self, tree: &dyn FileTree, pus: &[PuId], throttled: Option<u64>) -> SystemNoise {
        let now = Look::now(tree);
        let noise = now.since(&self.older, pus);
        if now.time - self.newer.time >= SHORTEST {
            self.older = std::mem::replace(&mut self.newer, now);
        }
        let events = self.throttled(tree, pus).zip(throttled);
        SystemNoise { throttled: events.map(|(now, before)| now.saturating_sub(before)), ..noise }
    }
}

impl Look {
    fn now(tree: &dyn FileTree) -> Self {
        let seconds = |id| {
            let time = clock_gettime(id);
            time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
        };
        let stat = text(tree, "/proc/stat").unwrap_or_default();
        Self {
            time: seconds(ClockId::MonotonicRaw),
            own: seconds(ClockId::ProcessCPUTime),
            busy: busy(&stat),
            stolen: stolen(&stat),
        }
    }

    fn since(&self, earlier: &Self, pus: &[PuId]) -> SystemNoise {
        let time = self.time - earlier.time;
        if time < SHORTEST {
            return SystemNoise::default();
        }
        let stolen: Option<f64> =
            pus.iter().map(|pu| Some((self.stolen.get(pu)? - earlier.stolen.get(pu)?).max(0.0))).sum();
        let others = |busy: f64, before: f64| ((busy - before - (self.own - earlier.own)) / time).max(0.0);
        SystemNoise {
            steal_share: stolen.map(|stolen| (stolen / time / pus.len().max(1) as f64).min(1.0)),
            other_load: self.busy.zip(earlier.busy).map(|(busy, before)| others(busy, before)),
            throttled: None,
            apart: None,
        }
    }
}

/// The times on a line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal (proc_stat(5)).
fn times(line: &str) -> Vec<f64> {
    line.split_whitespace().skip(1).map(|field| field.parse::<f64>().unwrap_or(0.0) * TICK).collect()
}

fn busy(stat: &str) -> Option<f64> {
    const BUSY: [usize; 5] = [0, 1, 2, 5, 6];
    let all = times(stat.lines().find(|line| line.starts_with("cpu "))?);
    Some(BUSY.iter().filter_map(|&field| all.get(field)).sum())
}

fn stolen(stat: &str) -> BTreeMap<PuId, f64> {
    const STEAL: usize = 7;
    let lines = stat.lines().filter_map(|line| {
        let pu: PuId = line.strip_prefix("cpu")?.split(' ').next()?.parse().ok()?;
        Some((pu, *times(line).get(STEAL)?))
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "\
cpu  100 20 30 4000 50 6 7 80 0 0
cpu0 50 10 15 2000 25 3 3 60 0 0
cpu10 50 10 15 2000 25 3 4 20 0 0
intr 1 2 3
";

    #[test]
    fn busy_is_neither_idle_nor_stolen() {
        assert!((busy(STAT).unwrap() - 1.63).abs() < 1e-9);
        assert_eq!(busy("garbage"), None);
    }

    #[test]
    fn time_is_stolen_from_each_pu() {
        assert_eq!(stolen(STAT), BTreeMap::from([(PuId(0), 0.6), (PuId(10), 0.2)]));
    }

    #[test]
    fn shares_are_over_the_time_between_two_snapshots() {
        let look =
            |time, own, busy, stolen| Look { time, own, busy, stolen: BTreeMap::from([(PuId(4), stolen)]) };
        let before = look(10.0, 1.0, Some(5.0), 1.0);
        let after = look(12.0, 2.0, Some(9.0), 1.5);
        let noise = after.since(&before, &[PuId(4)]);
        assert_eq!(
            noise,
            SystemNoise { steal_share: Some(0.25), other_load: Some(1.5), ..SystemNoise::default() }
        );
        assert_eq!(after.since(&before, &[PuId(5)]).steal_share, None);
        assert_eq!(after.since(&look(11.9, 1.0, Some(5.0), 1.0), &[PuId(4)]), SystemNoise::default());
    }
}
