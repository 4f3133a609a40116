//! Coverage: how often the 95 % interval of a cell contains the true value, on machines with known noise.
//!
//! Each machine disturbs time itself: its slowness is a random function of the clock, the same for whatever is measured at
//! that moment. Samples that follow each other closely therefore share it, as on a real machine.

use std::cell::{Cell as Slot, RefCell};
use std::rc::Rc;
use std::time::Duration;

use zerohop_experiment::{Effort, Event, Observer, Options, run};
use zerohop_result::{Cell, Estimate};
use zerohop_units::Nanoseconds;
use zerohop_workload::{EngineError, Sample, Script, ScriptedEngine, SystemNoise, Workload};

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
    /// One sample in six is much slower, because a hypervisor ran others meanwhile, and says so.
    Stolen,
    /// It jumps between two states, of 1 and 1.3, about twice a second; nothing shows which one it is in.
    States,
    /// The same, and the distance of CPUs shows it: a hypervisor moves them.
    Moved,
}

/// The slowness of the second state.
const SLOW_STATE: f64 = 1.3;

/// Seconds that a state lasts, on average.
const STATE_LASTS: f64 = 0.5;

/// What disturbs a sample.
#[derive(Debug, Clone, Copy)]
struct Disturbed {
    /// The factor on all times.
    factor: f64,
    /// What the system says of it.
    noise: SystemNoise,
}

/// The slowness of one machine over time.
struct Slowness {
    noise: Noise,
    chance: Chance,
    at: f64,
    level: f64,
    in_slow_state: bool,
    /// Seconds a period, and where in it the run begins.
    wave: (f64, f64),
}

impl Slowness {
    fn new(noise: Noise, seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let level = 0.03 * chance.normal();
        let wave = (0.4 + 1.2 * chance.uniform(), chance.uniform());
        let in_slow_state = chance.uniform() < 0.5;
        Self { noise, chance, at: 0.0, level, in_slow_state, wave }
    }

    /// What disturbs a sample at `now`, which never goes back.
    fn disturb(&mut self, now: f64) -> Disturbed {
        let mut noise = SystemNoise::default();
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
            Noise::Stolen => {
                let share = if self.chance.uniform() < 1.0 / 6.0 { 0.5 * self.chance.uniform() } else { 0.0 };
                noise.steal_share = Some(share);
                -libm::log(1.0 - share)
            }
            Noise::States | Noise::Moved => {
                // Of two states that last as long, one that was left is entered again after twice the time.
                let changed = 0.5 * (1.0 - libm::exp(-2.0 * passed / STATE_LASTS));
                self.in_slow_state ^= self.chance.uniform() < changed;
                if matches!(self.noise, Noise::Moved) {
                    noise.apart = Some(Nanoseconds(if self.in_slow_state { 120.0 } else { 25.0 }));
                }
                if self.in_slow_state { libm::log(SLOW_STATE) } else { 0.0 }
            }
        };
        Disturbed { factor: libm::exp(slow + 0.01 * self.chance.normal()), noise }
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
        let Disturbed { factor, noise } = self.slowness.borrow_mut().disturb(self.clock.get().as_secs_f64());
        Ok(Sample { noise, ..steady(workload, window, factor) })
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

/// The cells of `runs` runs of a latency matrix of four cells.
fn cells(noise: Noise, runs: u64) -> Vec<Cell> {
    let mut cells = Vec::new();
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
        cells.extend(result.cells.iter().cloned());
    }
    cells
}

/// The share of estimates whose interval contains the true value, and the median of their half widths.
fn coverage(estimates: &[(Estimate, f64)]) -> (f64, f64) {
    let covered = estimates.iter().filter(|(estimate, truth)| (estimate.low..=estimate.high).contains(truth));
    let mut widths: Vec<f64> = estimates.iter().map(|(one, _)| one.relative_half_width()).collect();
    widths.sort_by(f64::total_cmp);
    (covered.count() as f64 / estimates.len() as f64, widths[widths.len() / 2])
}

#[test]
#[expect(clippy::print_stdout, reason = "--nocapture prints the table of docs/method.md")]
fn intervals_cover_the_truth_as_often_as_they_claim() {
    let noises =
        [Noise::Independent, Noise::Autocorrelated, Noise::Steps, Noise::Drift, Noise::Bursts, Noise::Stolen];
    let shares = noises.map(|noise| {
        let estimates: Vec<_> = cells(noise, 600).iter().map(|cell| (cell.estimate, 100.0)).collect();
        (noise, coverage(&estimates))
    });
    for (noise, (share, half_width)) in shares {
        println!("{noise:?}: {:.1} % covered, half width {:.1} %", 100.0 * share, 100.0 * half_width);
        // A slow wave is averaged out by visits that are spread evenly over the run, so its interval is too wide: cautious, not wrong.
        let most = if matches!(noise, Noise::Drift) { 1.0 } else { 0.98 };
        assert!((0.92..=most).contains(&share), "{noise:?} of {shares:?}");
    }
    let mean = shares.iter().map(|(_, (share, _))| share).sum::<f64>() / shares.len() as f64;
    assert!((0.93..=0.97).contains(&mean), "{mean}");
}

/// The value of each state is known, however the run was divided among them.
#[test]
#[expect(clippy::print_stdout, reason = "--nocapture prints the table of docs/method.md")]
fn intervals_of_states_and_of_placings_cover_them() {
    let truth = [100.0, 100.0 * SLOW_STATE];
    let hidden = cells(Noise::States, 300);
    let told: Vec<_> = hidden.iter().filter(|cell| !cell.evidence.states.is_empty()).collect();
    let of_states: Vec<_> = told
        .iter()
        .flat_map(|cell| cell.evidence.states.iter().map(|state| state.estimate).zip(truth))
        .collect();
    let (share, half_width) = coverage(&of_states);
    let told = told.len() as f64 / hidden.len() as f64;
    println!(
        "States: told in {:.0} % of cells, {:.1} % covered, half width {:.1} %",
        100.0 * told,
        100.0 * share,
        100.0 * half_width
    );
    assert!(told > 0.5 && (0.92..=1.0).contains(&share), "{told}, {share}");
    let moved = cells(Noise::Moved, 300);
    let nearest = |estimate: Estimate, apart: f64| (estimate, truth[usize::from(apart > 50.0)]);
    let of_placings: Vec<_> = moved
        .iter()
        .flat_map(|cell| &cell.evidence.placings)
        .map(|placing| nearest(placing.estimate, placing.apart_ns.0))
        .collect();
    let (share, half_width) = coverage(&of_placings);
    println!("Moved: {:.1} % covered, half width {:.1} %", 100.0 * share, 100.0 * half_width);
    assert!(of_placings.len() > moved.len() && (0.92..=1.0).contains(&share), "{share}");
}
