//! Noise: what disturbed one worker.

use std::fs::File;
use std::mem::MaybeUninit;
use std::os::unix::fs::FileExt;

use rustix::time::{ClockId, clock_gettime};
use zerohop_machine::PuId;
use zerohop_units::Hertz;
use zerohop_workload::Noise;

use crate::clock::Clock;
use crate::instruments::{self, Count, Counter};
use crate::pinning::running_on;

/// Watches the calling thread. It does so outside the timed section.
#[derive(Debug)]
pub(crate) struct Watch {
    pu: PuId,
    /// `/dev/cpu/N/msr`, if this process may read it.
    registers: Option<File>,
    /// Counters of this thread, where the kernel allows them.
    cycles: Option<Box<dyn Counter>>,
    walks: Option<Box<dyn Counter>>,
}

/// A snapshot of the calling thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    /// Cycles and page table walks of this thread.
    counted: [Option<Count>; 2],
    tick: u64,
    cpu_time: f64,
    involuntary_switches: u64,
    pu: PuId,
    /// MPERF and APERF.
    cycles: Option<(u64, u64)>,
}

impl Watch {
    /// Watches a thread that should run on `pu`.
    pub(crate) fn new(pu: PuId) -> Self {
        let registers = File::open(format!("/dev/cpu/{pu}/msr")).ok();
        let counter = |wanted| instruments::open(wanted).ok();
        // The registers are the better source: they also count while the kernel works.
        let cycles = if registers.is_none() { counter(instruments::CYCLES) } else { None };
        Self { pu, registers, cycles, walks: counter(instruments::WALKS) }
    }

    /// Takes a snapshot of the calling thread.
    pub(crate) fn look(&self, clock: &Clock) -> Look {
        let cycles = self.registers.as_ref().and_then(actual_and_nominal_cycles);
        let counted = [&self.cycles, &self.walks]
            .map(|counter| counter.as_ref().and_then(|counter| counter.count().ok()));
        let involuntary_switches = involuntary_switches();
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Look {
            counted,
            tick: clock.stop(),
            cpu_time: time.tv_sec as f64 + time.tv_nsec as f64 / 1e9,
            involuntary_switches,
            pu: running_on(),
            cycles,
        }
    }

    /// The noise between two snapshots.
    pub(crate) fn between(&self, before: &Look, after: &Look, clock: &Clock) -> Noise {
        let wall = clock.seconds(after.tick.saturating_sub(before.tick)).get();
        let cpu_time = after.cpu_time - before.cpu_time;
        // Per second of CPU time, nearly all of which is spent outside the kernel.
        let [cycles, walks] = [0, 1].map(|rank| {
            let (before, after) = (before.counted[rank]?, after.counted[rank]?);
            after.since(before).filter(|_| cpu_time > 0.0).map(|count| count / cpu_time)
        });
        Noise {
            cpu_share: (wall > 0.0).then(|| ((after.cpu_time - before.cpu_time) / wall).clamp(0.0, 1.0)),
            involuntary_switches: after.involuntary_switches - before.involuntary_switches,
            migrations: [before, after].iter().filter(|look| look.pu != self.pu).count() as u64,
            clock: before
                .cycles
                .zip(after.cycles)
                .and_then(|(before, after)| core_clock(before, after, clock))
                .or(cycles.map(Hertz)),
            walks_per_second: walks,
        }
    }
}

/// MPERF counts at the rate of the time stamp counter and APERF at the core's own, and both only while the core is not idle
/// (Intel SDM volume 3, 15.2 "P-state hardware coordination"; AMD APM volume 2, 17.2 describes the same pair).
fn actual_and_nominal_cycles(registers: &File) -> Option<(u64, u64)> {
    const MPERF: u64 = 0xe7;
    const APERF: u64 = 0xe8;
    let read = |register| {
        let mut value = [0; 8];
        registers.read_exact_at(&mut value, register).ok()?;
        Some(u64::from_le_bytes(value))
    };
    Some((read(MPERF)?, read(APERF)?))
}

fn core_clock(before: (u64, u64), after: (u64, u64), clock: &Clock) -> Option<Hertz> {
    let nominal = after.0.checked_sub(before.0).filter(|&cycles| cycles > 0)?;
    let actual = after.1.checked_sub(before.1).filter(|&cycles| cycles > 0)?;
    Some(clock.rate() * (actual as f64 / nominal as f64))
}

fn involuntary_switches() -> u64 {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the kernel fills the structure. If it does not, all zeros are a valid value.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init()
    };
    u64::try_from(usage.ru_nivcsw).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use std::time::Duration;

    #[test]
    fn sleeping_shows_as_a_small_share() {
        let clock = Clock::new(None).or_else(|_| Clock::new(Some("tsc"))).unwrap();
        let watch = Watch::new(running_on());
        let before = watch.look(&clock);
        std::thread::sleep(Duration::from_millis(20));
        let noise = watch.between(&before, &watch.look(&clock), &clock);
        assert!(noise.cpu_share.unwrap() < 0.5, "{noise:?}");
    }

    #[test]
    fn the_clock_is_the_ratio_of_the_counters() {
        let clock = Clock::new(Some("hpet")).unwrap();
        let rate = core_clock((100, 100), (1100, 2100), &clock);
        assert_eq!(rate, Some(clock.rate() * 2.0));
        assert_eq!(core_clock((100, 100), (100, 100), &clock), None);
        assert_eq!(core_clock((100, 100), (50, 200), &clock), None);
    }
}
