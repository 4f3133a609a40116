//! Gathers samples of one workload until its intervals are narrow enough or its time is up.
//!
//! A disturbed sample is set aside and repeated. If the machine never gets quiet, the least disturbed samples count after
//! all, with a warning.

use std::time::Duration;

use zerohop_units::Seconds;
use zerohop_workload::{Backing, EngineError, KernelForms, Measure, Prepared, Warning};

use crate::disturbance::Disturbance;
use crate::interval::{Design, Estimated, estimated, rounds_of};
use crate::plan::Measurement;
use crate::protocol::{FEWEST, Protocol};
use crate::shared_scatter::SharedScatter;
use crate::taken_sample::TakenSample;
use crate::vcpu_placement::{by_placing, prevailing};
use zerohop_result::{Placing, State};
use zerohop_statistics::{CONFIDENCE, Rounds, two_peaks};

/// The samples of one workload.
#[derive(Debug)]
pub(crate) struct Samples {
    /// The samples that count, in the order taken.
    pub(crate) counted: Vec<TakenSample>,
    /// Samples for which a hypervisor had placed the CPUs differently, by placement.
    pub(crate) elsewhere: Vec<Vec<TakenSample>>,
    /// Number of samples that were set aside and do not count.
    pub(crate) set_aside: u32,
    /// Number of samples that count although they were set aside first.
    pub(crate) let_in: u32,
    /// Number of samples that do not count because a worker was seen on another PU.
    pub(crate) migrated: u32,
    /// Reason why a worker lost its PU, if one did: no more samples could be taken.
    pub(crate) lost: Option<String>,
    /// Whether a worker hardly ran in some of the samples that do not count.
    pub(crate) starved: bool,
    /// Distribution of the samples over time, which determines the source of their interval.
    pub(crate) design: Design,
    /// Scatter of the cells that are visited in the same rounds.
    pub(crate) scatters: SharedScatter,
    /// Time of one sample.
    pub(crate) window: Duration,
    /// Total time of all samples taken.
    pub(crate) sampled: Seconds,
    /// Backing of each worker's buffer.
    pub(crate) backing: Vec<Backing>,
    /// The engine's warnings about the setup.
    pub(crate) warnings: Vec<Warning>,
    /// The form of each kernel's code, where there are several.
    pub(crate) kernel_forms: KernelForms,
    /// Whether every sample would be the same: there is only one, and it is exact.
    pub(crate) repeats_itself: bool,
    /// Whether it was stopped from outside.
    pub(crate) interrupted: bool,
}

impl Samples {
    /// The estimate of one of the measurement's readings. `None` without samples.
    pub(crate) fn estimate(&self, (rank, measure): (usize, Measure)) -> Option<Estimated> {
        estimated(self.counted.iter(), rank, self.design, self.scatters.scatter(measure))
    }

    /// The value of a reading for each way in which a hypervisor had placed the CPUs and that was seen in several rounds, that of
    /// the estimate first; empty if they stayed.
    pub(crate) fn placings(&self, (rank, measure): (usize, Measure)) -> Vec<Placing> {
        if self.elsewhere.is_empty() {
            return Vec::new();
        }
        let all = || std::iter::once(&self.counted).chain(&self.elsewhere);
        let total = all().map(Vec::len).sum::<usize>() as f64;
        let placing = |taken: &Vec<TakenSample>| {
            let scatter = self.scatters.scatter(measure);
            let Estimated { estimate, round_spread, .. } =
                estimated(taken.iter(), rank, self.design, scatter)?;
            let apart = taken.iter().map(|taken| &taken.disturbance);
            let apart_ns = apart.fold(Disturbance::default(), Disturbance::with).apart_ns?;
            Some(Placing { apart_ns, share: taken.len() as f64 / total, estimate, round_spread })
        };
        let placings = all().filter_map(placing).enumerate();
        // One round of a placing knows nothing of its scatter: an interval of it would have no width.
        placings
            .filter(|(rank, placing)| *rank == 0 || placing.round_spread.is_some())
            .map(|(_, placing)| placing)
            .collect()
    }

    /// The value of a reading in each of two states of the machine, the lower first; empty if there is one.
    pub(crate) fn states(&self, rank: usize) -> Vec<State> {
        let values: Vec<f64> = self.counted.iter().map(|taken| taken.values[rank]).collect();
        let Some((low, high)) = two_peaks(&values).filter(|_| self.design == Design::Rounds) else {
            return Vec::new();
        };
        let middle = f64::midpoint(low, high);
        let (low, high): (Vec<&TakenSample>, Vec<&TakenSample>) =
            self.counted.iter().partition(|taken| taken.values[rank] < middle);
        let state = |taken: Vec<&TakenSample>| {
            let share = taken.len() as f64 / values.len() as f64;
            // Other cells tell how far rounds scatter over both states, which is of no use for one.
            let estimate = estimated(taken.into_iter(), rank, self.design, None)?.estimate;
            Some(State { share, estimate })
        };
        [low, high].into_iter().filter_map(state).collect()
    }

    /// The warning about an estimate from so few of them that its interval covers the true value less often than it should.
    pub(crate) fn too_few(&self, confidence: f64, values: usize) -> Option<Warning> {
        let samples = values as u32;
        (confidence < CONFIDENCE && !self.repeats_itself)
            .then_some(Warning::SamplesFew { samples, confidence })
    }

    /// The number of replications that they come from.
    pub(crate) fn replications(&self) -> u32 {
        match self.design {
            Design::Replications if !self.repeats_itself => self.counted.len() as u32,
            _ => 0,
        }
    }
}

/// The samples of a workload so far.
pub(crate) struct Gathering<'a> {
    measurement: &'a Measurement,
    protocol: &'a Protocol,
    quiet: Vec<TakenSample>,
    disturbed: Vec<TakenSample>,
    /// Samples without any progress.
    empty: u32,
    /// Number of samples that show nothing because a worker hardly ran.
    starved: u32,
    /// Samples in which a worker was seen on another PU.
    migrated: u32,
    lost: Option<String>,
    /// Total time of all samples.
    sampled: Seconds,
    setup: Setup,
}

/// What preparing the workload showed.
#[derive(Debug, Default)]
struct Setup {
    window: Duration,
    backing: Vec<Backing>,
    /// For each buffer, whether a look after samples found pages gone.
    refuted: Vec<bool>,
    warnings: Vec<Warning>,
    kernel_forms: KernelForms,
    repeats_itself: bool,
}

impl<'a> Gathering<'a> {
    pub(crate) fn new(measurement: &'a Measurement, protocol: &'a Protocol) -> Self {
        Self {
            measurement,
            protocol,
            quiet: Vec::new(),
            disturbed: Vec::new(),
            empty: 0,
            starved: 0,
            migrated: 0,
            lost: None,
            sampled: Seconds::default(),
            setup: Setup::default(),
        }
    }

    /// Records the properties of the prepared workload. The first time, it also sets the length of samples, enough of which must fit into `time`.
    pub(crate) fn set_up(&mut self, prepared: &dyn Prepared, time: Duration) {
        if self.setup.window.is_zero() {
            self.setup.window = self.protocol.window_within(self.measurement.pace, prepared.window(), time);
        }
        self.setup.repeats_itself = prepared.repeats_itself();
        self.record(prepared);
    }

    /// Checks again where memory is, after the samples of a visit.
    pub(crate) fn confirm(&mut self, prepared: &mut dyn Prepared) {
        prepared.confirm();
        self.record(prepared);
        // Looks before samples confirm nothing yet. Of those after samples, one that found pages gone is not made good by a later
        // one, when they are back.
        let now = prepared.backing();
        self.setup.refuted.resize(now.len(), false);
        for ((known, now), refuted) in self.setup.backing.iter_mut().zip(now).zip(&mut self.setup.refuted) {
            *refuted |= !now.confirmed;
            known.confirmed = !*refuted && known.is_any_placed();
        }
    }

    /// Records the worst of all looks at the memory, and each warning once.
    fn record(&mut self, prepared: &dyn Prepared) {
        let known = &self.setup.backing;
        self.setup.backing = match known.is_empty() {
            true => prepared.backing().to_vec(),
            false => known.iter().zip(prepared.backing()).map(|(one, other)| one.worse(other)).collect(),
        };
        self.setup.warnings = Warning::union(self.setup.warnings.iter().chain(prepared.warnings()));
    }

    /// Whether any sample counts or could be let in.
    pub(crate) fn has_any(&self) -> bool {
        !self.quiet.is_empty() || !self.disturbed.is_empty()
    }

    /// Records that a worker lost its PU: only the earlier samples remain.
    pub(crate) fn lose(&mut self, reason: String) {
        self.lost = Some(reason);
    }

    /// Time of one sample.
    pub(crate) fn window(&self) -> Duration {
        self.setup.window
    }

    /// Takes a sample.
    ///
    /// # Errors
    /// The engine's.
    pub(crate) fn sample(&mut self, prepared: &mut dyn Prepared, round: u32) -> Result<(), EngineError> {
        let sample = prepared.sample(self.setup.window)?;
        self.setup.kernel_forms = prepared.kernel_forms();
        self.sampled = self.sampled + sample.window;
        let disturbance = Disturbance::of(&self.measurement.workload, &sample);
        if disturbance.is_elsewhere() {
            self.migrated += 1;
            return Ok(());
        }
        if disturbance.is_fatal() {
            self.starved += 1;
            return Ok(());
        }
        let rank = self.taken();
        let others = disturbance.taken_share().or(disturbance.together_share()).is_some();
        let Some(taken) = TakenSample::of(self.measurement, self.protocol, sample, rank) else {
            *if others { &mut self.starved } else { &mut self.empty } += 1;
            return Ok(());
        };
        let pile = if disturbance.degree() > 0.0 { &mut self.disturbed } else { &mut self.quiet };
        pile.push(TakenSample { round, ..taken });
        Ok(())
    }

    /// Number of samples taken, of any kind.
    pub(crate) fn taken(&self) -> usize {
        self.quiet.len() + self.disturbed.len() + (self.empty + self.starved + self.migrated) as usize
    }

    /// Whether more samples would not make the result better.
    pub(crate) fn has_enough(&self, scatters: &SharedScatter) -> bool {
        let enough = prevailing(&self.quiet).len() >= self.protocol.enough && self.is_narrow(scatters);
        let most = self.quiet.len() >= self.protocol.most || self.taken() >= 2 * self.protocol.most;
        enough || most || self.setup.repeats_itself
    }

    /// Rounds of each reading, if it has any, with its measure.
    pub(crate) fn rounds(&self) -> impl Iterator<Item = (Measure, Rounds)> {
        let readings = self.measurement.readings.iter().enumerate();
        let taken = prevailing(&self.quiet);
        readings.filter_map(move |(rank, reading)| {
            let values = taken.iter().map(|taken| (taken.round, taken.values[rank]));
            let values: Vec<(u32, f64)> = values.collect();
            let positive = values.iter().all(|&(_, value)| value > 0.0);
            let rounds = positive.then(|| Rounds::of(&rounds_of(&values)))??;
            Some((reading.measure(), rounds))
        })
    }

    /// Whether the interval of every reading is as narrow as requested, with the requested confidence. Fewer than
    /// [`FEWEST`] rounds may agree by chance.
    fn is_narrow(&self, scatters: &SharedScatter) -> bool {
        let taken = prevailing(&self.quiet);
        self.measurement.readings.iter().enumerate().all(|(rank, reading)| {
            let scatter = scatters.scatter(reading.measure());
            estimated(taken.iter().copied(), rank, Design::Rounds, scatter).is_some_and(|estimated| {
                let half_width = estimated.estimate.relative_half_width();
                estimated.rounds.len() >= FEWEST
                    && estimated.confidence >= CONFIDENCE
                    && half_width <= self.protocol.interval
            })
        })
    }

    /// The samples so far; the least disturbed ones also count if there are too few quiet ones. `scatters` is the scatter of the other cells of the
    /// run.
    pub(crate) fn settle(&self, scatters: SharedScatter, interrupted: bool) -> Samples {
        let mut counted = self.quiet.clone();
        let mut disturbed: Vec<&TakenSample> = self.disturbed.iter().collect();
        disturbed.sort_by(|one, other| one.disturbance.degree().total_cmp(&other.disturbance.degree()));
        let missing = self.protocol.enough.saturating_sub(counted.len()).min(disturbed.len());
        let set_aside = (disturbed.len() - missing) as u32 + self.empty + self.starved + self.migrated;
        counted.extend(disturbed.into_iter().take(missing).cloned());
        counted.sort_by_key(|taken| taken.rank);
        let mut placings = by_placing(&counted).into_iter().map(|group| group.into_iter().cloned().collect());
        let (counted, elsewhere) = (placings.next().unwrap_or_default(), placings.collect());
        let setup = &self.setup;
        Samples {
            counted,
            elsewhere,
            set_aside,
            let_in: missing as u32,
            starved: self.starved > 0,
            migrated: self.migrated,
            lost: self.lost.clone(),
            design: Design::Rounds,
            scatters,
            window: setup.window,
            sampled: self.sampled,
            backing: setup.backing.clone(),
            warnings: setup.warnings.clone(),
            kernel_forms: setup.kernel_forms.clone(),
            repeats_itself: setup.repeats_itself,
            interrupted,
        }
    }
}

#[cfg(test)]
mod tests {
    use zerohop_result::Coordinates;
    use zerohop_workload::{Pages, Workload};

    use super::*;
    use crate::protocol::Pace;
    use crate::{Effort, Options};
    use zerohop_workload::Sample;

    /// A visit whose pages are in place before and after its samples, to these shares.
    struct Visit {
        shares: [f64; 2],
        backing: Vec<Backing>,
    }

    impl Visit {
        fn of(shares: [f64; 2]) -> Self {
            Self { shares, backing: vec![Backing { placed_share: Some(shares[0]), ..Backing::default() }] }
        }
    }

    impl Prepared for Visit {
        fn backing(&self) -> &[Backing] {
            &self.backing
        }

        fn warnings(&self) -> &[Warning] {
            &[]
        }

        fn confirm(&mut self) {
            let [before, after] = self.shares;
            let confirmed = after >= before && before > 0.0;
            let placed_share = Some(before.min(after));
            self.backing = vec![Backing { placed_share, confirmed, ..Backing::default() }];
        }

        fn sample(&mut self, _: Duration) -> Result<Sample, EngineError> {
            Ok(Sample::default())
        }
    }

    /// The last visit alone decided: `confirmed` stood beside a share of 0.0.
    #[test]
    fn pages_that_went_away_and_came_back_are_not_confirmed() {
        let measurement = Measurement {
            at: Coordinates::new(),
            twin: None,
            label: "test".to_owned(),
            workload: Workload { workers: Vec::new(), pages: Pages::Best, instruction_set: None },
            readings: Vec::new(),
            fill_time: false,
            pace: Pace::Bandwidth,
            warnings: Vec::new(),
        };
        let protocol = Protocol::new(&Options::new(Effort::Quick));
        for (visits, share, confirmed) in [
            (vec![[1.0, 1.0], [1.0, 1.0]], 1.0, true),
            (vec![[0.5, 0.5], [1.0, 1.0]], 0.5, true),
            (vec![[1.0, 0.0], [1.0, 1.0]], 0.0, false),
            (vec![[1.0, 1.0], [1.0, 0.0], [1.0, 1.0]], 0.0, false),
            (vec![[1.0, 0.5], [1.0, 1.0]], 0.5, false),
            (vec![[0.0, 0.0], [1.0, 1.0]], 0.0, false),
        ] {
            let mut gathering = Gathering::new(&measurement, &protocol);
            for shares in &visits {
                let mut visit = Visit::of(*shares);
                gathering.set_up(&visit, Duration::from_secs(1));
                gathering.confirm(&mut visit);
            }
            let backing = &gathering.settle(SharedScatter::default(), false).backing[0];
            assert_eq!((backing.placed_share, backing.confirmed), (Some(share), confirmed), "{visits:?}");
        }
    }
}
