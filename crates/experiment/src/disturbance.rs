//! Disturbances of a sample, and whether the sample must be repeated.

use zerohop_workload::{Sample, SystemNoise, Workload};

use crate::plan::demand_reached;
use zerohop_result::Evidence;

/// A worker that ran for a smaller share of wall time shared its PU.
const QUIET_CPU_SHARE: f64 = 0.95;

/// A hypervisor that stole a larger share of the time disturbed the sample.
const QUIET_STEAL_SHARE: f64 = 0.05;

/// A worker that ran for a smaller share of wall time says nothing about the memory.
const LEAST_CPU_SHARE: f64 = 0.1;

/// Disturbances of one sample, or of several samples together.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Disturbance {
    /// The smallest CPU share of any worker.
    pub(crate) cpu_share: Option<f64>,
    /// The smallest share of the requested window in which all workers ran.
    pub(crate) kept: Option<f64>,
    /// Summed over all workers.
    pub(crate) involuntary_switches: u64,
    /// Summed over all workers.
    pub(crate) migrations: u64,
    /// Lowest and highest of any worker, in GHz.
    pub(crate) clock_ghz: Option<(f64, f64)>,
    pub(crate) steal_share: Option<f64>,
    /// Shortest and longest one-way time of a line between two workers' CPUs, in ns.
    pub(crate) apart_ns: Option<(f64, f64)>,
    /// The largest, in CPUs.
    pub(crate) other_load: Option<f64>,
    pub(crate) throttled: u64,
    /// The smallest share of its demand that a paced worker reached.
    pub(crate) demand_reached: Option<f64>,
}

impl Disturbance {
    /// Disturbances of a sample.
    pub(crate) fn of(workload: &Workload, sample: &Sample) -> Self {
        let system = Self {
            kept: sample.kept,
            steal_share: sample.noise.steal_share,
            other_load: sample.noise.other_load,
            throttled: sample.noise.throttled.unwrap_or(0),
            apart_ns: sample.noise.apart.map(|apart| (apart.get(), apart.get())),
            demand_reached: demand_reached(workload, sample),
            ..Self::default()
        };
        sample.workers.iter().fold(system, |sum, worker| {
            let clock = worker.noise.clock.map(|clock| clock.get() / 1e9);
            sum.with(&Self {
                cpu_share: worker.noise.cpu_share,
                involuntary_switches: worker.noise.involuntary_switches,
                migrations: worker.noise.migrations,
                clock_ghz: clock.map(|clock| (clock, clock)),
                ..Self::default()
            })
        })
    }

    /// The worse of both in every respect; counts are added.
    pub(crate) fn with(self, other: &Self) -> Self {
        let range = |one: (f64, f64), other: (f64, f64)| (one.0.min(other.0), one.1.max(other.1));
        Self {
            cpu_share: either(self.cpu_share, other.cpu_share, f64::min),
            kept: either(self.kept, other.kept, f64::min),
            involuntary_switches: self.involuntary_switches + other.involuntary_switches,
            migrations: self.migrations + other.migrations,
            clock_ghz: either(self.clock_ghz, other.clock_ghz, range),
            apart_ns: either(self.apart_ns, other.apart_ns, range),
            steal_share: either(self.steal_share, other.steal_share, f64::max),
            other_load: either(self.other_load, other.other_load, f64::max),
            throttled: self.throttled + other.throttled,
            demand_reached: either(self.demand_reached, other.demand_reached, f64::min),
        }
    }

    /// Whether a worker was seen on another PU: the sample shows another place than it should, and never counts.
    pub(crate) const fn is_elsewhere(&self) -> bool {
        self.migrations > 0
    }

    /// The degree of disturbance: zero if the sample counts; otherwise the larger, the worse.
    pub(crate) fn degree(&self) -> f64 {
        let shares = self.taken_share().into_iter().chain(self.together_share());
        let taken = shares.reduce(f64::min).map_or(0.0, |share| 1.0 - share);
        let stolen = self.stolen_share().unwrap_or(0.0);
        let throttled = if self.throttled > 0 { 1.0 } else { 0.0 };
        taken + stolen + throttled
    }

    /// Whether too little of it is left to be a sample at all.
    pub(crate) fn is_fatal(&self) -> bool {
        self.cpu_share.is_some_and(|share| share < LEAST_CPU_SHARE)
    }

    /// The CPU share, if it is too small.
    pub(crate) fn taken_share(&self) -> Option<f64> {
        self.cpu_share.filter(|&share| share < QUIET_CPU_SHARE)
    }

    /// The share of the time in which all workers ran, if they took turns.
    pub(crate) fn together_share(&self) -> Option<f64> {
        self.kept.filter(|&share| share < Sample::LEAST_TOGETHER)
    }

    /// The stolen share, if it is too large.
    pub(crate) fn stolen_share(&self) -> Option<f64> {
        self.steal_share.filter(|&share| share > QUIET_STEAL_SHARE)
    }

    /// Shortest and longest time between two CPUs, if a hypervisor moved them during the measurement.
    pub(crate) fn moved(&self) -> Option<(f64, f64)> {
        self.apart_ns.filter(|&(least, most)| most > SystemNoise::PLACED_UNLIKE * least)
    }

    /// Lowest over highest clock.
    pub(crate) fn clock_ratio(&self) -> Option<f64> {
        self.clock_ghz.filter(|&(_, high)| high > 0.0).map(|(low, high)| low / high)
    }

    /// Records it as evidence.
    pub(crate) fn record(&self, evidence: &mut Evidence) {
        evidence.cpu_share = self.cpu_share;
        evidence.involuntary_switches = self.involuntary_switches;
        evidence.clock_ghz = self.clock_ghz;
        evidence.steal_share = self.steal_share;
        evidence.apart_ns = self.apart_ns;
        evidence.other_load = self.other_load;
    }
}

/// Both combined, or the only one.
fn either<T>(one: Option<T>, other: Option<T>, combine: impl Fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(combine(one, other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_share(share: f64) -> Disturbance {
        Disturbance { cpu_share: Some(share), ..Disturbance::default() }
    }

    #[test]
    fn unknown_values_do_not_disturb_a_sample() {
        assert_eq!(Disturbance::default().degree(), 0.0);
        assert_eq!(with_share(0.97).degree(), 0.0);
    }

    #[test]
    fn less_cpu_time_is_a_worse_disturbance() {
        assert!(with_share(0.5).degree() > with_share(0.9).degree());
        assert!(with_share(0.9).degree() > 0.0);
    }

    #[test]
    fn a_sample_in_which_a_worker_hardly_ran_is_none() {
        assert!(with_share(0.05).is_fatal() && !with_share(0.2).is_fatal());
        let kept = |share| Disturbance { kept: Some(share), ..Disturbance::default() };
        // Workers that took turns are in doubt; those that lost a CPU for a while are not.
        assert_eq!((kept(0.01).together_share(), kept(0.3).together_share()), (Some(0.01), None));
        assert_eq!(kept(0.01).taken_share(), None, "none of them lost its CPU because of that");
        assert!(kept(0.01).degree() > 0.0 && !kept(0.01).is_fatal());
        assert!(!Disturbance::default().is_fatal());
    }

    #[test]
    fn the_worst_disturbance_counts() {
        let one = Disturbance { clock_ghz: Some((3.0, 3.2)), migrations: 1, ..with_share(0.99) };
        let both = one.with(&Disturbance { clock_ghz: Some((2.4, 3.1)), ..with_share(0.4) });
        assert_eq!(both.cpu_share, Some(0.4));
        assert_eq!(both.clock_ratio(), Some(2.4 / 3.2));
        assert_eq!(both.migrations, 1);
    }
}
