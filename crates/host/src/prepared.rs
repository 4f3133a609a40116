//! A prepared workload, and the samples taken of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use zerohop_machine::PuId;
use zerohop_workload::{
    Activity, Backing, EngineError, Inside, Kernel, Measure, Part, Prepared, Progress, Role, Sample, Warning,
    WorkerSample, Workload,
};

use crate::arenas::Arenas;
use crate::clock::Clock;
use crate::crew::{Crew, Shift};
use crate::forms::{Choices, Fastest};
use crate::kernel_task::PerByte;
use crate::progress_log::Window;
use crate::system_noise::SystemWatch;
use crate::tree::HostTree;
use crate::worker::Report;

/// The parts of the engine that a run keeps using.
pub(crate) struct Surroundings<'a> {
    /// The clock.
    pub(crate) clock: Clock,
    /// The live `/sys` and `/proc`.
    pub(crate) tree: &'a HostTree,
    /// The forms of kernels found fastest so far.
    pub(crate) fastest: &'a mut Fastest,
    /// Watches the rest of the system.
    pub(crate) system: &'a mut SystemWatch,
    /// All memory held by the engine.
    pub(crate) arenas: &'a mut Arenas,
    /// Set when the user asks to stop.
    pub(crate) interrupted: &'a AtomicBool,
}

/// A workload prepared on this host.
pub(crate) struct HostRun<'a> {
    members: Vec<Member>,
    crew: Crew,
    choices: Choices,
    backing: Vec<Backing>,
    warnings: Vec<Warning>,
    surroundings: Surroundings<'a>,
    warm: bool,
    /// The factor on all times that lets workers run at the same time.
    stretch: u32,
}

/// What counts for one worker.
#[derive(Debug, Clone, Copy)]
struct Member {
    pu: PuId,
    role: Role,
    /// Traffic of a kernel; `None` if steps are counted.
    moves: Option<PerByte>,
    /// The kernel.
    kernel: Option<Kernel>,
}

/// Time to wake the threads up: a fixed part, and a part for each thread.
const WAKING: (Duration, Duration) = (Duration::from_micros(300), Duration::from_micros(20));

/// How long before the foreground the background starts, and how long after it the background stops.
const BACKGROUND_MARGIN: Duration = Duration::from_millis(1);

/// How long workers run before their work counts: in the first sample, and in later ones. At first, the core clock has to
/// rise and the length of a chunk to be found.
const WARM_UP: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(2));

/// How many times a window is tried if the foreground workers did not all run at the same time, each time [`STRETCH`] times
/// as long. If a hypervisor provides fewer CPUs than it shows, workers only overlap in windows longer than its time slices.
const ATTEMPTS: u32 = 5;

/// See [`ATTEMPTS`].
const STRETCH: u32 = 4;

/// The window of each round of a trial of forms.
const TRIAL: Duration = Duration::from_millis(4);

impl Surroundings<'_> {
    /// Gives up the memory that a lost worker may still use: nobody else may.
    fn forget_lost(&mut self, error: &EngineError) {
        if matches!(error, EngineError::System { .. }) {
            self.arenas.clear();
        }
    }
}

impl<'a> HostRun<'a> {
    /// A run of `workload` by its crew.
    pub(crate) fn new(
        workload: &Workload,
        crew: Crew,
        choices: Choices,
        (backing, warnings): (Vec<Backing>, Vec<Warning>),
        surroundings: Surroundings<'a>,
    ) -> Self {
        let members = workload.workers.iter().map(|worker| Member {
            pu: worker.pu,
            role: worker.role,
            moves: match worker.activity {
                Activity::Kernel { kernel, .. } => Some(PerByte::of(kernel)),
                Activity::Chase { .. } | Activity::Handoff { .. } => None,
            },
            kernel: match worker.activity {
                Activity::Kernel { kernel, .. } => Some(kernel),
                Activity::Chase { .. } | Activity::Handoff { .. } => None,
            },
        });
        Self {
            members: members.collect(),
            crew,
            choices,
            backing,
            warnings,
            surroundings,
            warm: false,
            stretch: 1,
        }
    }

    /// Runs all workers once. The resulting window is the part of the requested one in which the whole foreground ran.
    fn run_once(
        &mut self,
        length: Duration,
        waking: Duration,
    ) -> Result<(Vec<Report>, Option<Window>), EngineError> {
        let clock = self.surroundings.clock;
        let ticks = |time| clock.ticks(time);
        let warm_up = if self.warm { WARM_UP.1 } else { WARM_UP.0 };
        let has = |role| self.members.iter().any(|member| member.role == role);
        let margin =
            if has(Role::Background) && has(Role::Foreground) { ticks(BACKGROUND_MARGIN) } else { 0 };
        let background = clock.mark() + ticks(waking);
        let foreground = background + margin;
        let asked = Window { start: foreground + ticks(warm_up), end: foreground + ticks(warm_up + length) };
        let shift = |rank: usize| match self.members[rank].role {
            Role::Foreground => Shift { start: foreground, from: asked.start, stop: asked.end },
            Role::Background => Shift { start: background, from: asked.start, stop: asked.end + margin },
        };
        let reports = self.crew.sample(waking + warm_up + length, shift, self.surroundings.interrupted)?;
        self.warm = true;
        let spans = self.members.iter().zip(&reports).filter_map(|(member, report)| {
            (member.role == Role::Foreground).then(|| report.log.span()).flatten()
        });
        let window = Window::common(asked, spans);
        Ok((reports, window))
    }

    /// Finds the fastest form of each kernel, with all workers at work, where that is not known.
    fn choose_forms(&mut self, waking: Duration) -> Result<(), EngineError> {
        let choices = std::mem::take(&mut self.choices);
        let mut fastest = std::mem::take(self.surroundings.fastest);
        let compared = choices.compare(&mut fastest, |kernel| {
            let (reports, common) = self.run_once(TRIAL, waking)?;
            let work = common.map(|window| {
                let members = self.members.iter().zip(&reports);
                let running = members.filter(|(member, _)| member.kernel == Some(kernel));
                let done: f64 = running.map(|(_, report)| report.log.inside(window)).sum();
                done / window.ticks() as f64
            });
            self.crew.recycle(reports);
            Ok(work)
        });
        *self.surroundings.fastest = fastest;
        self.choices = choices;
        compared
    }

    /// What the workers saw besides their own progress.
    fn inside(&self, reports: &[Report]) -> Option<Inside> {
        let spread = reports.iter().find_map(|report| report.findings.spread)?;
        let ticks_of_a_nanosecond = self.surroundings.clock.rate().get() / 1e9;
        let mut inside = Inside::default();
        inside.observe(&Part::Lines, [(Measure::LatencySpread, spread / ticks_of_a_nanosecond)]);
        Some(inside)
    }

    fn worker_sample(&self, member: Member, report: &Report, window: Window) -> WorkerSample {
        let clock = self.surroundings.clock;
        let progress = |done: f64| match member.moves {
            Some(moves) => Progress { bytes: moves.asked(done), bus_bytes: moves.bus(done), steps: 0.0 },
            None => Progress { steps: done, ..Progress::default() },
        };
        // A worker that times its steps does other things between them, which do not count.
        let progress = |done: f64, time: Window| match report.findings.step {
            Some(step) => Progress { steps: time.ticks() as f64 / step, ..Progress::default() },
            None => progress(done),
        };
        let own = report.log.span().unwrap_or(Window { start: window.start, end: window.start });
        WorkerSample {
            in_window: progress(report.log.inside(window), window),
            own: progress(report.log.inside(own), own),
            own_time: clock.seconds(own.ticks()),
            noise: report.noise,
        }
    }
}

impl Prepared for HostRun<'_> {
    fn backing(&self) -> &[Backing] {
        &self.backing
    }

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn kernel_form(&self) -> Option<String> {
        self.choices.in_words()
    }

    fn sample(&mut self, window: Duration) -> Result<Sample, EngineError> {
        if self.surroundings.interrupted.load(Ordering::Relaxed) {
            return Err(EngineError::Interrupted);
        }
        let pus: Vec<PuId> = self.members.iter().map(|member| member.pu).collect();
        let throttled = self.surroundings.system.throttled(self.surroundings.tree, &pus);
        let waking = WAKING.0 + WAKING.1 * pus.len() as u32;
        self.choose_forms(waking).inspect_err(|error| self.surroundings.forget_lost(error))?;
        for _ in 0..ATTEMPTS {
            let (reports, common) = self
                .run_once(window * self.stretch, waking * self.stretch)
                .inspect_err(|error| self.surroundings.forget_lost(error))?;
            if let Some(common) = common {
                let workers = self.members.iter().zip(&reports);
                let sample = Sample {
                    window: self.surroundings.clock.seconds(common.ticks()),
                    workers: workers
                        .map(|(&member, report)| self.worker_sample(member, report, common))
                        .collect(),
                    noise: self.surroundings.system.noise(self.surroundings.tree, &pus, throttled),
                    inside: self.inside(&reports),
                };
                self.crew.recycle(reports);
                return Ok(sample);
            }
            self.crew.recycle(reports);
            self.stretch = self.stretch.saturating_mul(STRETCH);
        }
        Err(EngineError::System {
            call: "running all workers together",
            reason: "other programs kept them from running".to_owned(),
        })
    }
}
