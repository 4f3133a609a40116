//! A prepared workload, and the samples taken of it.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use zerohop_machine::PuId;
use zerohop_workload::{
    Activity, Backing, Distribution, EngineError, HISTOGRAM_NS, Inside, Kernel, KernelForms, Measure, Part,
    Prepared, Progress, Role, Sample, StepTimes, SystemNoise, Warning, WorkerSample, Workload,
};

use crate::arenas::Arenas;
use crate::clock::Clock;
use crate::common_window::Parts;
use crate::cpu_distance::time_between;
use crate::forms::{Choices, Fastest};
use crate::halt::Halt;
use crate::idle_pools::{IdlePools, ParkingLot};
use crate::instruments::Instruments;
use crate::kernel_task::PerByte;
use crate::placement_check::Placed;
use crate::progress_log::Window;
use crate::system_noise::SystemWatch;
use crate::time_account::{Account, CHECKING, LOST, SAMPLING, THREADS, TRIALS, WARMING_UP};
use crate::tree::HostTree;
use crate::worker::Report;
use crate::worker_pool::{Shift, WorkerPool};

/// The parts of the engine that a run keeps using.
pub(crate) struct Surroundings<'a> {
    pub(crate) clock: Clock,
    /// The live `/sys` and `/proc`.
    pub(crate) tree: &'a HostTree,
    /// Watches the rest of the system.
    pub(crate) system: &'a mut SystemWatch,
    /// The machine's own instruments.
    pub(crate) instruments: &'a Instruments,
    /// The forms of kernels found fastest so far.
    pub(crate) fastest: &'a mut Fastest,
    /// All memory held by the engine.
    pub(crate) arenas: &'a mut Arenas,
    /// Crews that wait for the next visit to their workload.
    pub(crate) parked: &'a mut ParkingLot,
    /// Two of the workers' PUs whose distance shows where a hypervisor has placed them.
    pub(crate) neighbors: Option<(PuId, PuId)>,
    /// What ends its work early.
    pub(crate) halt: Halt<'a>,
    /// What the engine's time goes into.
    pub(crate) account: &'a Account,
}

/// The crew of a run.
pub(crate) enum Assembled {
    Fresh {
        crew: WorkerPool,
        /// The forms of its kernels.
        choices: Choices,
        /// The address of each worker's buffer.
        buffers: Vec<usize>,
    },
    /// It has run before.
    Resumed(IdlePools),
}

impl Assembled {
    pub(crate) fn crew(&self) -> &WorkerPool {
        match self {
            Self::Fresh { crew, .. } | Self::Resumed(IdlePools { crew, .. }) => crew,
        }
    }
}

/// A workload prepared on this host. Dropping it parks its crew.
pub(crate) struct HostRun<'a> {
    members: Vec<Member>,
    /// Present until it is parked.
    crew: Option<IdlePools>,
    placed: Placed,
    surroundings: Surroundings<'a>,
    /// How long workers run before the work of the next sample counts.
    warm_up: Duration,
    /// How long they ran in the last sample, warm-up included.
    ran: Duration,
}

/// What counts for one worker.
#[derive(Debug, Clone, Copy)]
struct Member {
    pu: PuId,
    role: Role,
    /// Traffic of a kernel; `None` if steps are counted.
    moves: Option<PerByte>,
    kernel: Option<Kernel>,
}

/// Time to wake the threads up: a fixed part, and a part for each thread.
const WAKING: (Duration, Duration) = (Duration::from_micros(300), Duration::from_micros(20));

/// How long before the foreground the background starts, and how long after it the background stops.
const BACKGROUND_MARGIN: Duration = Duration::from_millis(1);

/// How long workers run before their work counts in the first sample: the core clock has to rise and the length of a chunk to
/// be found.
const WARM_UP: Duration = Duration::from_millis(10);

/// The same in the first sample of another visit: only the core may have slept.
const RESUMED_WARM_UP: Duration = Duration::from_millis(4);

/// The same in later samples.
const LATER_WARM_UP: Duration = Duration::from_millis(2);

/// How many times a window is tried if the foreground workers did not all run at the same time, each time [`STRETCH`] times
/// as long. If a hypervisor provides fewer CPUs than it shows, workers only overlap in windows longer than its time slices.
const ATTEMPTS: u32 = 5;

/// See [`ATTEMPTS`].
const STRETCH: u32 = 4;

/// No attempt begins this long after the first, and no stretched window is longer: where many programs compete for the CPUs, a
/// sample would take many times the time that was planned for it.
const PATIENCE: Duration = Duration::from_secs(1);

/// A worker with a smaller share of its CPU's time than this shares it with others.
const WHOLE_SHARE: f64 = 0.95;

/// A trial of a kernel's forms ends early if it takes this long. On a quiet host, it is twenty to forty windows.
const TRIAL_PATIENCE: Duration = Duration::from_millis(200);

/// The window of each round of a trial of forms.
const TRIAL: Duration = Duration::from_millis(4);

impl<'a> HostRun<'a> {
    /// A run of `workload` by its crew.
    pub(crate) fn new(
        workload: &Workload,
        assembled: Assembled,
        placed: Placed,
        surroundings: Surroundings<'a>,
    ) -> Self {
        let members = workload.workers.iter().map(|worker| Member {
            pu: worker.pu,
            role: worker.role,
            moves: match worker.activity {
                Activity::Kernel { kernel, .. } => Some(PerByte::of(kernel)),
                Activity::Chase { .. } | Activity::TimedChase { .. } | Activity::LineTransfer { .. } => None,
            },
            kernel: match worker.activity {
                Activity::Kernel { kernel, .. } => Some(kernel),
                Activity::Chase { .. } | Activity::TimedChase { .. } | Activity::LineTransfer { .. } => None,
            },
        });
        let (crew, warm_up) = match assembled {
            Assembled::Fresh { crew, choices, buffers } => {
                (IdlePools { workload: workload.clone(), buffers, crew, choices, stretch: 1 }, WARM_UP)
            }
            Assembled::Resumed(parked) => (parked, RESUMED_WARM_UP),
        };
        Self {
            members: members.collect(),
            crew: Some(crew),
            placed,
            surroundings,
            warm_up,
            ran: Duration::ZERO,
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
        let warm_up = std::mem::replace(&mut self.warm_up, LATER_WARM_UP);
        let has = |role| self.members.iter().any(|member| member.role == role);
        let margin =
            if has(Role::Background) && has(Role::Foreground) { ticks(BACKGROUND_MARGIN) } else { 0 };
        self.ran = warm_up + length;
        let background = clock.mark() + ticks(waking);
        let foreground = background + margin;
        let asked = Window { start: foreground + ticks(warm_up), end: foreground + ticks(warm_up + length) };
        let shift = |rank: usize| match self.members[rank].role {
            Role::Foreground => Shift { start: foreground, from: asked.start, stop: asked.end },
            Role::Background => Shift { start: background, from: asked.start, stop: asked.end + margin },
        };
        let Some(IdlePools { crew, .. }) = &mut self.crew else {
            let reason = "its crew has gone".to_owned();
            return Err(EngineError::System { call: "sampling", reason });
        };
        let reports = crew.sample(waking + warm_up + length, shift, self.surroundings.halt.interrupted)?;
        let spans = self.members.iter().zip(&reports).filter_map(|(member, report)| {
            (member.role == Role::Foreground).then(|| report.log.span()).flatten()
        });
        let window = Window::common(asked, spans);
        Ok((reports, window))
    }

    /// Takes logs back for reuse.
    fn recycle(&mut self, reports: Vec<Report>) {
        if let Some(parked) = &mut self.crew {
            parked.crew.recycle(reports);
        }
    }

    /// Gives the crew up after an error: no sample can be taken with it any more.
    fn give_up(&mut self, error: &EngineError) {
        self.crew = None;
        if matches!(error, EngineError::System { .. }) {
            // A worker that was lost may still use the memory: nobody else may.
            self.surroundings.parked.clear();
            self.surroundings.arenas.clear();
        }
    }

    /// Finds the fastest form of each kernel, with all workers at work, where that is not known.
    fn choose_forms(&mut self, waking: Duration) -> Result<(), EngineError> {
        let Some(parked) = &mut self.crew else { return Ok(()) };
        let choices = std::mem::take(&mut parked.choices);
        let mut fastest = std::mem::take(self.surroundings.fastest);
        let halt = self.surroundings.halt;
        let speed = |kernel| {
            let (reports, common) = self.run_once(TRIAL, waking)?;
            let work = common.map(|window| {
                let members = self.members.iter().zip(&reports);
                let running = members.filter(|(member, _)| member.kernel == Some(kernel));
                let done: f64 = running.map(|(_, report)| report.log.inside(window)).sum();
                done / window.ticks() as f64
            });
            self.recycle(reports);
            Ok(work)
        };
        let compared =
            choices.compare(&mut fastest, speed, |taken| taken < TRIAL_PATIENCE && !halt.is_late());
        *self.surroundings.fastest = fastest;
        if let Some(parked) = &mut self.crew {
            parked.choices = choices;
        }
        compared
    }

    /// The next factor of a window, limited by [`PATIENCE`].
    fn longer(window: Duration, factor: u32) -> u32 {
        let next = factor.saturating_mul(STRETCH);
        if window.saturating_mul(next) <= PATIENCE { next } else { factor }
    }

    /// Whether this is so for any worker.
    fn is_starved(&self, reports: &[Report], parts: &Parts) -> bool {
        let mut workers = self.members.iter().zip(reports);
        workers.any(|(&member, report)| Self::is_worker_starved(member, report, parts))
    }

    /// Whether a worker whose steps count lost its CPU so often that too few of its stretches are whole.
    fn is_worker_starved(member: Member, report: &Report, parts: &Parts) -> bool {
        let shared = report.noise.cpu_share.is_some_and(|share| share < WHOLE_SHARE);
        shared && Self::counts_steps(member, report) && parts.step_ticks(&report.log).is_none()
    }

    /// Whether steps between marks are what a worker measures.
    fn counts_steps(member: Member, report: &Report) -> bool {
        member.moves.is_none() && report.findings.step.is_none()
    }

    /// What the workers saw besides their own progress.
    fn inside(&self, reports: &[Report]) -> Option<Inside> {
        let mut inside = Inside::default();
        if let Some(spread) = reports.iter().find_map(|report| report.findings.spread) {
            let ticks_of_a_nanosecond = self.surroundings.clock.rate().get() / 1e9;
            inside.observe(&Part::Lines, [(Measure::LatencySpread, spread / ticks_of_a_nanosecond)]);
        }
        if let Some(loads) = reports.iter().find_map(|report| self.loads(report)) {
            for (up_to_ns, share) in HISTOGRAM_NS.into_iter().zip(loads.histogram()) {
                inside.observe(&Part::Loads { up_to_ns }, [(Measure::ShareOfLoads, share)]);
            }
        }
        (!inside.0.is_empty()).then_some(inside)
    }

    /// The times of a worker's loads, if it timed them.
    fn loads(&self, report: &Report) -> Option<Distribution> {
        let tick = self.surroundings.clock.seconds(1_000_000).per_step(1e6);
        report.findings.batches.as_ref()?.distribution(tick)
    }

    fn worker_sample(&self, member: Member, report: &Report, parts: &Parts) -> WorkerSample {
        let clock = self.surroundings.clock;
        let progress = |done: f64| match member.moves {
            Some(moves) => Progress { bytes: moves.asked(done), bus_bytes: moves.bus(done), steps: 0.0 },
            None => Progress { steps: done, ..Progress::default() },
        };
        // A worker that times its steps does other things between them, which do not count.
        let progress = |done: f64, ticks: u64| match report.findings.step {
            Some(step) => Progress { steps: ticks as f64 / step, ..Progress::default() },
            None => progress(done),
        };
        let own = report.log.span().unwrap_or(Window { start: 0, end: 0 });
        let steps = parts.step_ticks(&report.log).filter(|_| Self::counts_steps(member, report));
        let time = |ticks: f64| clock.seconds(1_000_000).per_step(1e6) * ticks;
        WorkerSample {
            // The mean over a window in which others ran would count their time.
            in_window: match Self::is_worker_starved(member, report, parts) {
                true => Progress::default(),
                false => progress(parts.work(&report.log), parts.ticks()),
            },
            step_times: steps.map(|steps| StepTimes { median: time(steps.median), quiet: time(steps.quiet) }),
            loads: self.loads(report),
            own: progress(report.log.inside(own), own.ticks()),
            own_time: clock.seconds(own.ticks()),
            noise: report.noise,
        }
    }
}

impl Drop for HostRun<'_> {
    fn drop(&mut self) {
        if let Some(parked) = self.crew.take() {
            self.surroundings.account.time(THREADS, || self.surroundings.parked.park(parked));
        }
    }
}

impl Prepared for HostRun<'_> {
    fn backing(&self) -> &[Backing] {
        &self.placed.backing
    }

    fn warnings(&self) -> &[Warning] {
        &self.placed.warnings
    }

    fn kernel_forms(&self) -> KernelForms {
        self.crew.as_ref().map(|parked| parked.choices.forms()).unwrap_or_default()
    }

    fn confirm(&mut self) {
        self.surroundings.account.time(CHECKING, || self.placed.look_again());
    }

    fn sample(&mut self, window: Duration) -> Result<Sample, EngineError> {
        if self.surroundings.halt.interrupted.load(Ordering::Relaxed) {
            return Err(EngineError::Interrupted);
        }
        let pus: Vec<PuId> = self.members.iter().map(|member| member.pu).collect();
        let looking = Instant::now();
        let throttled = self.surroundings.system.throttled(self.surroundings.tree, &pus);
        self.surroundings.account.add(CHECKING, looking.elapsed());
        let waking = WAKING.0 + WAKING.1 * pus.len() as u32;
        let account = self.surroundings.account;
        let chosen = account.time(TRIALS, || self.choose_forms(waking));
        chosen.inspect_err(|error| self.give_up(error))?;
        let first = Instant::now();
        // A worker that shares its CPU needs more time for a few whole stretches of work.
        let mut longer = 1;
        for attempt in 1..=ATTEMPTS {
            let again = attempt < ATTEMPTS && first.elapsed() < PATIENCE && !self.surroundings.halt.is_late();
            let stretch = self.crew.as_ref().map_or(1, |parked| parked.stretch) * longer;
            let (tree, instruments) = (self.surroundings.tree, self.surroundings.instruments);
            let (before, began) = (instruments.look(tree), self.surroundings.clock.mark());
            let started = Instant::now();
            let ran = self.run_once(window * stretch, waking * stretch);
            let took = started.elapsed();
            let (reports, common) = ran.inspect_err(|error| self.give_up(error))?;
            if let Some(common) = common {
                let workers = self.members.iter().zip(&reports);
                let parts = Parts::of(common, reports.iter().map(|report| &report.log));
                if again && (parts.ticks() == 0 || self.is_starved(&reports, &parts)) {
                    // At no moment did all of them run, or one hardly did.
                    self.recycle(reports);
                    account.add(LOST, took);
                    longer = Self::longer(window, longer);
                    continue;
                }
                account.add(SAMPLING, took.min(window * stretch));
                account.add(WARMING_UP, took.saturating_sub(window * stretch));
                let seeing = Instant::now();
                let clock = self.surroundings.clock;
                let wall = clock.seconds(clock.mark().saturating_sub(began));
                let meters = instruments.since(&before, tree, wall, self.ran.into());
                let kept = parts.ticks() as f64 / clock.ticks(window * stretch).max(1) as f64;
                // Workers that take turns do not run together: what they did in turn is all there is, and the sample is doubtful.
                let parts = if kept < Sample::LEAST_TOGETHER { Parts::whole(common) } else { parts };
                let sample = Sample {
                    window: clock.seconds(parts.ticks()),
                    kept: Some(kept.min(1.0)),
                    workers: workers
                        .map(|(&member, report)| self.worker_sample(member, report, &parts))
                        .collect(),
                    noise: SystemNoise {
                        apart: self.surroundings.neighbors.and_then(|pair| time_between(clock, pair)),
                        ..self.surroundings.system.noise(self.surroundings.tree, &pus, throttled)
                    },
                    meters,
                    inside: self.inside(&reports),
                };
                self.recycle(reports);
                account.add(CHECKING, seeing.elapsed());
                return Ok(sample);
            }
            self.recycle(reports);
            account.add(LOST, took);
            let stretch = Self::longer(window, stretch);
            if let Some(parked) = &mut self.crew {
                parked.stretch = stretch;
            }
            if !again {
                break;
            }
        }
        Err(EngineError::System {
            call: "running all workers together",
            reason: "other programs prevented them from running".to_owned(),
        })
    }
}
