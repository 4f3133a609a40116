//! The clock of timed sections: the processor's own counter if it can be trusted, otherwise the kernel's clock.

#[cfg_attr(target_arch = "x86_64", path = "clock/x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "clock/aarch64.rs")]
mod counter;
mod trust;

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use zerohop_units::{Hertz, Nanoseconds, Seconds};

use trust::Trust;

/// Why this host has no clock that can be trusted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ClockError {
    /// The time stamp counter stops or changes its rate, and the kernel does not use it either.
    #[error("the processor's time stamp counter does not run at a constant rate")]
    NotInvariant,
    /// The rate of the counter, measured by the kernel's clock, keeps changing.
    #[error(
        "the processor's counter is not constant: its rate is between {lowest:.4} and {highest:.4} of the \
         kernel's clock"
    )]
    Unsteady { lowest: Hertz, highest: Hertz },
}

impl ClockError {
    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotInvariant => "measure on a processor with an invariant TSC (any since about 2009)",
            Self::Unsteady { .. } => "measure again when the machine is idle",
        }
    }
}

/// The counter of ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The processor's counter, read by one instruction.
    Counter,
    /// The kernel's `CLOCK_MONOTONIC_RAW`, in ns.
    Kernel,
}

/// A clock whose ticks are the same on every PU.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    source: Source,
    rate: Hertz,
}

/// The largest relative difference between two calibrations. A quiet machine stays well below 1e-5.
const AGREEMENT: f64 = 5e-4;

/// Each calibration compares the clocks over this time. Reading both takes under 100 ns, so the rate is accurate to
/// about 2e-5, and the median of several is better.
const CALIBRATION: Duration = Duration::from_millis(4);

impl Clock {
    /// The best clock of this host; `kernel_source` is the kernel's own clock source, if known.
    pub(crate) fn new(kernel_source: Option<&str>) -> Result<Self, ClockError> {
        match choose(counter::trust(), kernel_source)? {
            Source::Kernel => Ok(Self { source: Source::Kernel, rate: Hertz(1e9) }),
            Source::Counter => Ok(Self { source: Source::Counter, rate: calibrate()? }),
        }
    }

    /// Its description in the result file.
    pub(crate) fn description(&self) -> String {
        match self.source {
            Source::Counter => format!("{} at {:.6}", counter::NAME, self.rate),
            Source::Kernel => "CLOCK_MONOTONIC_RAW".to_owned(),
        }
    }

    /// Ticks per second.
    pub(crate) fn rate(&self) -> Hertz {
        self.rate
    }

    /// Its resolution, if that is coarse enough to be worth a warning.
    pub(crate) fn coarse(&self) -> Option<Nanoseconds> {
        (self.source == Source::Kernel).then(|| {
            // The cost of a reading limits the resolution, not the kernel's unit of 1 ns.
            let start = kernel_clock();
            const READINGS: u64 = 256;
            for _ in 0..READINGS {
                std::hint::black_box(kernel_clock());
            }
            Nanoseconds((kernel_clock() - start) as f64 / READINGS as f64)
        })
    }

    /// The time now, after every earlier instruction has finished and before any later one has begun.
    #[inline]
    pub(crate) fn start(&self) -> u64 {
        match self.source {
            Source::Counter => counter::fenced_before(),
            Source::Kernel => kernel_clock(),
        }
    }

    /// The time now, after every earlier instruction has finished.
    #[inline]
    pub(crate) fn stop(&self) -> u64 {
        match self.source {
            Source::Counter => counter::fenced_after(),
            Source::Kernel => kernel_clock(),
        }
    }

    /// The time now, without waiting for loads and stores in flight: a mark between two chunks of work must not drain
    /// the memory pipeline.
    #[inline]
    pub(crate) fn mark(&self) -> u64 {
        match self.source {
            Source::Counter => counter::unfenced(),
            Source::Kernel => kernel_clock(),
        }
    }

    /// A duration in ticks.
    pub(crate) fn ticks(&self, time: Duration) -> u64 {
        (time.as_secs_f64() * self.rate.get()) as u64
    }

    /// Ticks as a duration.
    pub(crate) fn seconds(&self, ticks: u64) -> Seconds {
        Seconds(ticks as f64 / self.rate.get())
    }
}

/// Chooses a counter. The kernel knows best: it compares the counters of all PUs at boot, and falls back to a slow clock
/// source if they disagree. If the counter of a virtual machine cannot be trusted, the kernel's clock is used, with a
/// warning. On bare metal, such a processor is so old that the kernel's clock is no help either.
fn choose(trust: Trust, kernel_source: Option<&str>) -> Result<Source, ClockError> {
    let kernel_uses_it = matches!(kernel_source, Some("tsc" | "arch_sys_counter"));
    let kernel_gave_up = matches!(kernel_source, Some("hpet" | "acpi_pm" | "jiffies" | "refined-jiffies"));
    if trust.present && (kernel_uses_it || (trust.invariant && !kernel_gave_up)) {
        Ok(Source::Counter)
    } else if trust.virtualized || trust.invariant {
        Ok(Source::Kernel)
    } else {
        Err(ClockError::NotInvariant)
    }
}

/// Whether the processor says that a hypervisor runs this machine: it says so even where `/proc` and `/sys` are hidden.
pub fn is_virtual_machine() -> bool {
    counter::trust().virtualized
}

fn kernel_clock() -> u64 {
    let time = clock_gettime(ClockId::MonotonicRaw);
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

/// The counter's rate by the kernel's clock: median of several calibrations that agree.
fn calibrate() -> Result<Hertz, ClockError> {
    const ROUNDS: usize = 5;
    const ATTEMPTS: usize = 4;
    let mut attempt = 1;
    loop {
        let mut rates: Vec<f64> = (0..ROUNDS).map(|_| compare_once()).collect();
        rates.sort_by(f64::total_cmp);
        let (lowest, median, highest) = (rates[0], rates[ROUNDS / 2], rates[ROUNDS - 1]);
        if (highest - lowest) / median < AGREEMENT {
            return Ok(Hertz(median));
        }
        if attempt == ATTEMPTS {
            return Err(ClockError::Unsteady { lowest: Hertz(lowest), highest: Hertz(highest) });
        }
        attempt += 1;
    }
}

fn compare_once() -> f64 {
    let (ticks, time) = both_clocks();
    std::thread::sleep(CALIBRATION);
    let (later_ticks, later_time) = both_clocks();
    (later_ticks.wrapping_sub(ticks)) as f64 / (later_time - time) as f64 * 1e9
}

/// Both clocks at the same moment: the fastest of several readings, since an interrupt may come between the two.
fn both_clocks() -> (u64, u64) {
    let reading = || {
        let before = counter::fenced_before();
        let time = kernel_clock();
        let after = counter::fenced_after();
        (after - before, before + (after - before) / 2, time)
    };
    let best = (0..16).map(|_| reading()).min_by_key(|&(took, ..)| took);
    best.map_or((0, 0), |(_, ticks, time)| (ticks, time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_is_trusted_when_the_processor_or_the_kernel_vouches_for_it() {
        let trust = |present, invariant, virtualized| Trust { present, invariant, virtualized };
        for (trust, kernel, expected) in [
            (trust(true, true, false), Some("tsc"), Ok(Source::Counter)),
            (trust(true, false, true), Some("tsc"), Ok(Source::Counter)),
            (trust(true, true, true), Some("kvm-clock"), Ok(Source::Counter)),
            (trust(true, true, false), None, Ok(Source::Counter)),
            (trust(true, true, false), Some("hpet"), Ok(Source::Kernel)),
            (trust(true, false, true), Some("hpet"), Ok(Source::Kernel)),
            (trust(false, false, true), Some("tsc"), Ok(Source::Kernel)),
            (trust(true, false, false), Some("hpet"), Err(ClockError::NotInvariant)),
            (trust(true, false, false), None, Err(ClockError::NotInvariant)),
        ] {
            assert_eq!(choose(trust, kernel), expected, "{trust:?} {kernel:?}");
        }
    }

    #[test]
    fn ticks_and_seconds_are_inverse() {
        let clock = Clock { source: Source::Kernel, rate: Hertz(2.5e9) };
        assert_eq!(clock.ticks(Duration::from_millis(20)), 50_000_000);
        assert_eq!(clock.seconds(50_000_000), Seconds(0.02));
    }

    #[test]
    fn every_clock_agrees_with_the_kernel_over_a_sleep() {
        for source in [Some("tsc"), Some("arch_sys_counter"), Some("hpet"), None] {
            let Ok(clock) = Clock::new(source) else { continue };
            let (ticks, time) = (clock.start(), kernel_clock());
            std::thread::sleep(Duration::from_millis(20));
            let measured = clock.seconds(clock.stop() - ticks).get();
            let expected = (kernel_clock() - time) as f64 / 1e9;
            // A preemption between the two readings makes them differ; a wrong rate makes them differ far more.
            assert!((measured / expected - 1.0).abs() < 0.2, "{measured} {expected} {source:?}");
        }
    }
}
