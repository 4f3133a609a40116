//! Coverage: how often the 95 % interval of a cell contains the true value, on machines with known noise.
//!
//! Each machine disturbs time itself: its slowness is a random function of the clock, the same for whatever is measured at
//! that moment. Samples that follow each other closely therefore share it, as on a real machine.

use std::cell::{Cell as Slot, RefCell};
use std::rc::Rc;
use std::time::Duration;

use zerohop_experiment::{Effort, Event, Observer, Options, run};
use zerohop_workload::{EngineError, Sample, Script, ScriptedEngine, Workload};

use crate::bench::steady;
use crate::chance::Chance;
use crate::machines::two_nodes;

/// What a machine's slowness does over time. The median of its logarithm is zero, so the true value is the undisturbed one.
#[derive(Debug, Clone, Copy)]
enum Noise {
    /// Every sample is on its own.
    Independent,
    /// It wanders and returns within about a tenth of a second (an Ornstein-Uhlenbeck process).
    Autocorrelated,
    /// It jumps to a new level ten times a second.
    Steps,
    /// It rises and falls slowly.
    Drift,
    /// One sample in twelve is much slower; nothing shows why.
    Bursts,
}

/// The slowness of one machine over time.
struct Slowness {
    noise: Noise,
    chance: Chance,
    at: f64,
    level: f64,
    /// Seconds a period, and where in it the run begins.
    wave: (f64, f64),
}

impl Slowness {
    fn new(noise: Noise, seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let level = 0.03 * chance.normal();
        let wave = (0.4 + 1.2 * chance.uniform(), chance.uniform());
        Self { noise, chance, at: 0.0, level, wave }
    }

    /// The factor on all times at `now`, which never goes back.
    fn factor(&mut self, now: f64) -> f64 {
        let passed = now - self.at;
        self.at = now;
        let slow = match self.noise {
            Noise::Independent => 0.0,
            Noise::Autocorrelated => {
                let kept = libm::exp(-passed / 0.1);
                self.level = kept * self.level + 0.03 * (1.0 - kept * kept).sqrt() * self.chance.normal();
                self.level
            }
            Noise::Steps => {
                if self.chance.uniform() < 1.0 - libm::exp(-passed / 0.1) {
                    self.level = 0.03 * self.chance.normal();
                }
                self.level
            }
            Noise::Drift => 0.03 * libm::sin(std::f64::consts::TAU * (now / self.wave.0 + self.wave.1)),
            Noise::Bursts => match self.chance.uniform() {
                share if share < 1.0 / 12.0 => -0.3 * libm::log(self.chance.uniform()),
                _ => 0.0,
            },
        };
        libm::exp(slow + 0.01 * self.chance.normal())
    }
}

/// An engine whose machine is as slow as the clock says.
struct Machine {
    clock: Rc<Slot<Duration>>,
    slowness: Rc<RefCell<Slowness>>,
}

impl Script for Machine {
    fn sample(&mut self, workload: &Workload, _: usize, window: Duration) -> Result<Sample, EngineError> {
        self.clock.set(self.clock.get() + window + Duration::from_millis(3));
        let factor = self.slowness.borrow_mut().factor(self.clock.get().as_secs_f64());
        Ok(steady(workload, window, factor))
    }
}

struct Clock(Rc<Slot<Duration>>);

impl Observer for Clock {
    fn event(&mut self, _: Event<'_>) {}

    fn now(&self) -> Duration {
        self.0.get()
    }

    fn interrupted(&self) -> bool {
        false
    }
}

/// The share of cells whose interval contains the true value, over `runs` runs of a latency matrix of four cells, and the median
/// of the half widths.
fn coverage(noise: Noise, runs: u64) -> (f64, f64) {
    let (mut covered, mut cells, mut widths) = (0, 0, Vec::new());
    for seed in 0..runs {
        let clock = Rc::new(Slot::new(Duration::ZERO));
        let slowness = Rc::new(RefCell::new(Slowness::new(noise, seed)));
        let machine = Machine { clock: Rc::clone(&clock), slowness };
        let mut engine = ScriptedEngine::new(two_nodes(2), machine);
        // Of which 2 s are for measuring: the rest is for the result and its page.
        let options =
            Options { budget: Some(Duration::from_millis(2100)), seed, ..Options::new(Effort::Quick) };
        let name = "latency-matrix".parse().unwrap();
        let result = run(&name, &mut engine, &options, &mut Clock(clock)).unwrap();
        for cell in &*result.cells {
            covered += u32::from((cell.estimate.low..=cell.estimate.high).contains(&100.0));
            cells += 1;
            widths.push(cell.estimate.relative_half_width());
        }
    }
    widths.sort_by(f64::total_cmp);
    (f64::from(covered) / f64::from(cells), widths[widths.len() / 2])
}

#[test]
#[expect(clippy::print_stdout, reason = "--nocapture prints the table of docs/method.md")]
fn intervals_cover_the_truth_as_often_as_they_claim() {
    let noises = [Noise::Independent, Noise::Autocorrelated, Noise::Steps, Noise::Drift, Noise::Bursts];
    let shares = noises.map(|noise| (noise, coverage(noise, 600)));
    for (noise, (share, half_width)) in shares {
        println!("{noise:?}: {:.1} % covered, half width {:.1} %", 100.0 * share, 100.0 * half_width);
        // A slow wave is averaged out by visits that are spread evenly over the run, so its interval is too wide: cautious, not wrong.
        let most = if matches!(noise, Noise::Drift) { 1.0 } else { 0.98 };
        assert!((0.92..=most).contains(&share), "{noise:?} of {shares:?}");
    }
    let mean = shares.iter().map(|(_, (share, _))| share).sum::<f64>() / shares.len() as f64;
    assert!((0.93..=0.97).contains(&mean), "{mean}");
}
