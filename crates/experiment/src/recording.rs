//! Recorded replications of a workload, for repeated requests of the same workload.
//!
//! A replication is deterministic, so a recorded one need not be simulated again. Another measurement of the same workload may read other values, and
//! so may observe for longer: then the replication is simulated again, from its beginning.

use std::time::Duration;

use zerohop_workload::{Backing, Engine, EngineError, Prepared, Sample, Warning, Workload};

/// Records of all replications of a workload, by number.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    replications: Vec<Recorded>,
}

impl Recording {
    /// Records of these replications; `None` unless all were recorded.
    pub(crate) fn of(replications: Vec<Replication<'_>>) -> Option<Self> {
        let recorded: Option<Vec<Recorded>> =
            replications.into_iter().map(|replication| replication.recorded).collect();
        Some(Self { replications: recorded? })
    }

    /// Record of the replication of that number.
    pub(crate) fn replication(&self, number: u32) -> Option<&Recorded> {
        self.replications.get(number as usize)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Record {
    /// Whether the record includes observations inside the machine, which are most of the data in a sample of a large machine.
    pub(crate) inside: bool,
    /// Whether it has to include what parts of the machine did, which takes time to find out.
    pub(crate) parts: bool,
}

/// Record of a replication.
#[derive(Debug)]
pub(crate) struct Recorded {
    record: Record,
    backing: Vec<Backing>,
    warnings: Vec<Warning>,
    window: Option<Duration>,
    repeats_itself: bool,
    steps: Vec<(Step, Sample)>,
}

/// A sample that was requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// A new one of this length.
    Sample(Duration),
    /// The last one, longer by this much.
    Extend(Duration),
}

impl Recorded {
    fn of(prepared: &dyn Prepared, record: Record) -> Self {
        Self {
            record,
            backing: prepared.backing().to_vec(),
            warnings: prepared.warnings().to_vec(),
            window: prepared.window(),
            repeats_itself: prepared.repeats_itself(),
            steps: Vec::new(),
        }
    }

    fn push(&mut self, step: Step, sample: &Sample) {
        let Sample { window, kept, workers, noise, meters, inside } = sample;
        let sample = Sample {
            window: *window,
            kept: *kept,
            workers: workers.clone(),
            noise: *noise,
            meters: *meters,
            inside: inside.as_ref().filter(|_| self.record.inside).cloned(),
        };
        self.steps.push((step, sample));
    }
}

/// A replication in place: recorded, or simulated.
pub(crate) struct Replication<'e> {
    /// The engine that simulates it, until it does.
    engine: Option<&'e mut (dyn Engine + Send)>,
    workload: &'e Workload,
    number: u32,
    /// Whether anyone asks what parts of the machine do.
    parts: bool,
    simulated: Option<Box<dyn Prepared + 'e>>,
    /// Earlier record, and how much of it was requested again.
    known: Option<&'e Recorded>,
    again: usize,
    /// New record, if it is recorded.
    recorded: Option<Recorded>,
}

impl<'e> Replication<'e> {
    /// The replication of a workload of that number: simulated now, unless recorded. It is recorded on request. `parts` is whether its samples must
    /// include the activity of the machine's parts.
    ///
    /// # Errors
    /// If the workload cannot be prepared.
    pub(crate) fn prepare(
        engine: &'e mut (dyn Engine + Send),
        workload: &'e Workload,
        number: u32,
        parts: bool,
        known: Option<&'e Recorded>,
        record: Option<Record>,
    ) -> Result<Self, EngineError> {
        let parts = parts || record.is_some_and(|record| record.parts);
        let engine = Some(engine);
        let mut replication =
            Self { engine, workload, number, parts, simulated: None, known, again: 0, recorded: None };
        if known.is_none() {
            let prepared = replication.simulate()?;
            let recorded = record.map(|record| Recorded::of(prepared, record));
            replication.recorded = recorded;
        }
        Ok(replication)
    }

    /// Itself in simulation, as far as it was observed.
    fn simulate(&mut self) -> Result<&mut (dyn Prepared + 'e), EngineError> {
        if let Some(engine) = self.engine.take() {
            engine.replicate(self.number);
            let mut prepared = engine.prepare(self.workload)?;
            if !self.parts {
                prepared.leave_parts_out();
            }
            let steps = self.known.iter().flat_map(|known| &known.steps[..self.again]);
            for (step, _) in steps {
                take(prepared.as_mut(), *step)?;
            }
            self.simulated = Some(prepared);
        }
        match &mut self.simulated {
            Some(prepared) => Ok(prepared.as_mut()),
            None => Err(EngineError::System { call: "simulating", reason: "it failed before".to_owned() }),
        }
    }

    /// The next sample: the one that was recorded, if it was the same that was requested.
    fn step(&mut self, step: Step) -> Result<Sample, EngineError> {
        if let (Some(known), None) = (self.known, &self.simulated)
            && let Some((_, sample)) = known.steps.get(self.again).filter(|(known, _)| *known == step)
        {
            self.again += 1;
            return Ok(sample.clone());
        }
        let sample = take(self.simulate()?, step)?;
        if let Some(recorded) = &mut self.recorded {
            recorded.push(step, &sample);
        }
        Ok(sample)
    }
}

fn take(prepared: &mut dyn Prepared, step: Step) -> Result<Sample, EngineError> {
    match step {
        Step::Sample(window) => prepared.sample(window),
        Step::Extend(window) => prepared.extend(window),
    }
}

impl Prepared for Replication<'_> {
    fn backing(&self) -> &[Backing] {
        match (&self.simulated, self.known) {
            (Some(prepared), _) => prepared.backing(),
            (None, Some(known)) => &known.backing,
            (None, None) => &[],
        }
    }

    fn warnings(&self) -> &[Warning] {
        match (&self.simulated, self.known) {
            (Some(prepared), _) => prepared.warnings(),
            (None, Some(known)) => &known.warnings,
            (None, None) => &[],
        }
    }

    fn window(&self) -> Option<Duration> {
        match (&self.simulated, self.known) {
            (Some(prepared), _) => prepared.window(),
            (None, known) => known?.window,
        }
    }

    fn repeats_itself(&self) -> bool {
        match (&self.simulated, self.known) {
            (Some(prepared), _) => prepared.repeats_itself(),
            (None, known) => known.is_some_and(|known| known.repeats_itself),
        }
    }

    fn sample(&mut self, window: Duration) -> Result<Sample, EngineError> {
        self.step(Step::Sample(window))
    }

    fn extend(&mut self, window: Duration) -> Result<Sample, EngineError> {
        self.step(Step::Extend(window))
    }
}
