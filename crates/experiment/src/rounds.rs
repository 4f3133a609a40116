//! Visits the measurements of some plans in rounds, on an engine that measures one after another.
//!
//! A machine drifts: a value measured at once shows the state of one moment. Every measurement is therefore visited several times, in a different
//! order each time, and the visits of all of them spread over the whole tour. Differences between visits are then part of each interval, and not a
//! difference between two places of a matrix or between two experiments.

use std::collections::BTreeMap;
use std::time::Duration;

use zerohop_result::Completion;
use zerohop_units::Bytes;
use zerohop_workload::{Engine, EngineError};

use crate::budget::{Budget, Contents, TourTime, memory};
use crate::budget_admission::{Pace, Visits, has_room, last_without_room, needed};
use crate::cell_accumulator::CellAccumulator;
use crate::plan::Measurement;
use crate::protocol::{FEWEST, Protocol};
use crate::sampler::Gathering;
use crate::shared_scatter::SharedScatter;
use crate::shuffle::shuffled;
use crate::visit_limits::Limits;
use crate::{Event, NullObserver, Observer};

/// The first round in which measurements that have enough samples are visited once more, while others need more. Each later one
/// comes after half as many rounds again: an interval that got narrow early should see the rest of the tour as well.
const FIRST_REVISIT: u32 = 8;

/// The time between two checkpoints. The first is after the first round, if that takes no longer.
const CHECKPOINT: Duration = Duration::from_secs(10);

/// Visits the measurements of all ledgers' plans in rounds within their part of the budget. Returns the time that each ledger's
/// measurements took.
pub(crate) fn in_rounds(
    engine: &mut dyn Engine,
    ledgers: &mut [CellAccumulator<'_>],
    budget: &mut Budget,
    observer: &mut dyn Observer,
) -> Vec<Duration> {
    let mut took = vec![Duration::ZERO; ledgers.len()];
    let Some(protocol) = ledgers.first().map(|ledger| ledger.protocol) else { return took };
    let places = ledgers.iter().enumerate().flat_map(|(ledger, own)| {
        own.plan.order.iter().map(move |&which| (ledger, which, &own.plan.measurements[which]))
    });
    let places: Vec<(usize, usize, &Measurement)> = places.collect();
    let began = observer.now();
    let time = budget.begin(places.iter().map(|(_, _, measurement)| *measurement), protocol, began);
    let limits = Limits::new(protocol, budget, &time, began);
    let mut tour = Tour {
        stops: stops(places, protocol, &time),
        time,
        limits,
        protocol,
        visits: 0,
        filling: Default::default(),
        first: Vec::new(),
    };
    let interrupted = tour.run(engine, ledgers, &mut took, observer);
    let scatters = tour.scatters();
    let whole = protocol.budget.map(|budget| budget + tour.needed());
    // A value of fewer rounds is worth little; where there is nothing else, it counts.
    let has_enough_rounds = |stop: &Stop<'_>| stop.rounds >= FEWEST as u32 || stop.lost;
    let fewer_count = interrupted || !tour.stops.iter().any(has_enough_rounds);
    for stop in tour.stops {
        let counts = stop.rounds > 0 && (fewer_count || has_enough_rounds(&stop));
        for (ledger, which) in stop.entries {
            let ledger = &mut ledgers[ledger];
            match &stop.failed {
                Some(error) => ledger.enter(which, Err(error.clone()), observer),
                None if counts => {
                    ledger.enter(which, Ok(stop.gathering.settle(scatters, interrupted)), observer);
                }
                None if interrupted => {}
                None => ledger.pass_by(which, whole, observer),
            }
        }
    }
    if interrupted {
        ledgers.iter_mut().for_each(|ledger| ledger.completion = Completion::Interrupted);
    }
    took
}

/// A stop for each measurement, in the order of the first round. Measurements that do the same work share one: if they were
/// sampled at different moments, one survey could show two values of one thing.
fn stops<'a>(
    places: Vec<(usize, usize, &'a Measurement)>,
    protocol: &'a Protocol,
    time: &TourTime,
) -> Vec<Stop<'a>> {
    let mut stops: Vec<Stop<'a>> = Vec::new();
    for ((ledger, which, measurement), (&sampling, &preparing)) in
        places.into_iter().zip(time.sampling.iter().zip(&time.preparing))
    {
        match stops.iter_mut().find(|stop| stop.measurement.does_the_same_as(measurement)) {
            Some(stop) => {
                stop.entries.push((ledger, which));
                stop.time = stop.time.saturating_add(sampling);
            }
            None => stops.push(Stop {
                entries: vec![(ledger, which)],
                expected_to_prepare: preparing,
                ..Stop::new(measurement, protocol, sampling)
            }),
        }
    }
    stops
}

/// Measurements that are visited together.
struct Tour<'a> {
    /// Stops in the order of the first round.
    stops: Vec<Stop<'a>>,
    time: TourTime,
    limits: Limits,
    protocol: &'a Protocol,
    visits: usize,
    /// The expected and the real time of filling memory so far.
    filling: (Duration, Duration),
    /// Ratio of actual to expected time of each first visit, without filling.
    first: Vec<f64>,
}

impl Tour<'_> {
    /// Visits everything until all have enough samples or the time is up. Returns whether it was interrupted.
    fn run(
        &mut self,
        engine: &mut dyn Engine,
        ledgers: &[CellAccumulator<'_>],
        took: &mut [Duration],
        observer: &mut dyn Observer,
    ) -> bool {
        let promised = self.protocol.budget.is_some();
        let expected_visits = self.stops.len() * self.protocol.enough;
        let mut revisit = FIRST_REVISIT;
        let started = observer.now();
        let mut saved: Option<Duration> = None;
        for round in 0.. {
            let scatters = self.scatters();
            if self.stops.iter().all(|stop| stop.is_done(self.protocol, &scatters)) {
                break;
            }
            let once_more = round == revisit;
            if once_more {
                revisit += revisit / 2;
            }
            if promised {
                self.make_room(observer.now());
            }
            let visits_before = self.visits;
            for place in order(&self.stops, self.protocol.seed, round) {
                if observer.interrupted() {
                    return true;
                }
                let stop = &mut self.stops[place];
                if stop.closed
                    || stop.failed.is_some()
                    || (stop.is_done(self.protocol, &scatters) && !once_more)
                {
                    continue;
                }
                let now = observer.now();
                let left = self.time.ends.saturating_sub(now);
                if promised {
                    // Where there is room for none, the cheapest still says more than nothing.
                    let only = round > 0 && self.visits == 0 && !left.is_zero() && place == self.cheapest();
                    let begins = self.stops[place].rounds == 0 && (only || self.has_room(place, left));
                    let goes_on = self.stops[place].rounds > 0 && self.next(place) <= left;
                    // Of those that could not begin, one may still have room later, when others are done.
                    self.stops[place].closed = self.stops[place].rounds > 0 && !goes_on;
                    if !begins && !goes_on {
                        continue;
                    }
                } else if stop.rounds >= self.limits.fewest(now) && stop.longest > left {
                    stop.closed = true;
                    continue;
                }
                let stop = &mut self.stops[place];
                let (ledger, which) = stop.entries[0];
                ledgers[ledger].visit(which, (self.visits, expected_visits), observer);
                self.visits += 1;
                let visited = stop.visit(engine, round, observer);
                if let (Ok(preparing), 1) = (&visited, stop.rounds) {
                    self.filling.0 += stop.expected_to_prepare;
                    self.filling.1 += *preparing;
                    self.first.push(stop.spent.as_secs_f64() / stop.expected.as_secs_f64());
                }
                let each = observer.now().saturating_sub(now) / stop.entries.len() as u32;
                stop.entries.iter().for_each(|&(ledger, _)| took[ledger] += each);
                match visited {
                    // Memory that fills slowly costs other tours their time, but not these measurements their samples.
                    Ok(preparing) if round == 0 && !promised => {
                        let late = preparing.saturating_sub(stop.expected_to_prepare);
                        self.time.ends = (self.time.ends + late).min(self.limits.latest);
                    }
                    Ok(_) => {}
                    Err(EngineError::Interrupted) => return true,
                    // What there is of it decides whether it counts.
                    Err(EngineError::OutOfTime) => stop.closed = true,
                    // A place that is gone says nothing about the samples that were taken there before.
                    Err(error @ (EngineError::CpuLost { .. } | EngineError::NoSuchPu { .. }))
                        if stop.gathering.has_any() =>
                    {
                        stop.gathering.lose(error.to_string());
                        (stop.closed, stop.lost) = (true, true);
                    }
                    Err(error) => stop.failed = Some(error),
                }
                // A round of many cells, or on a busy host, takes long.
                if observer.now().saturating_sub(saved.unwrap_or(started)) >= CHECKPOINT {
                    self.checkpoint(ledgers, took, observer);
                    saved = Some(observer.now());
                }
            }
            if saved.is_none() {
                self.checkpoint(ledgers, took, observer);
                saved = Some(observer.now());
            }
            if promised && round > 0 && self.visits == visits_before {
                break;
            }
        }
        false
    }

    /// What is known of the time of each stop.
    fn known(&self) -> (Vec<Visits>, Pace) {
        let visits: Vec<Visits> = self.stops.iter().map(Stop::known).collect();
        let pace = Pace::of(&visits, self.filling, &self.first);
        (visits, pace)
    }

    fn has_room(&self, place: usize, left: Duration) -> bool {
        let (visits, pace) = self.known();
        has_room(&visits, place, pace, left)
    }

    /// The stop whose first visit should take the least time.
    fn cheapest(&self) -> usize {
        let (visits, pace) = self.known();
        (0..visits.len()).min_by_key(|&place| visits[place].until(1, pace)).unwrap_or(0)
    }

    /// The expected time of the next visit to a stop that has begun.
    fn next(&self, place: usize) -> Duration {
        let (visits, pace) = self.known();
        visits[place].next(pace)
    }

    /// The time that all stops still need for intervals worth the name.
    fn needed(&self) -> Duration {
        let (visits, pace) = self.known();
        needed(&visits, pace)
    }

    /// Gives up the last stops, as far as the others would not get enough rounds otherwise.
    fn make_room(&mut self, now: Duration) {
        let left = self.time.ends.saturating_sub(now);
        let (mut visits, pace) = self.known();
        while let Some(last) = last_without_room(&visits, pace, left) {
            self.stops[last].closed = true;
            visits[last].count = 0;
        }
    }

    /// How far the cells of the tour scatter so far.
    fn scatters(&self) -> SharedScatter {
        let rounds = self.stops.iter().flat_map(|stop| stop.gathering.rounds());
        SharedScatter::of(&rounds.collect::<Vec<_>>())
    }

    /// Hands the results so far to the observer, to save them: a crash loses no more than what was measured since.
    fn checkpoint(&self, ledgers: &[CellAccumulator<'_>], took: &[Duration], observer: &mut dyn Observer) {
        let mut copies: Vec<CellAccumulator<'_>> = ledgers.to_vec();
        let scatters = self.scatters();
        for stop in self.stops.iter().filter(|stop| stop.failed.is_none() && stop.rounds > 0) {
            for &(ledger, which) in &stop.entries {
                copies[ledger].enter(
                    which,
                    Ok(stop.gathering.settle(scatters, false)),
                    &mut NullObserver::new(),
                );
            }
        }
        let results = copies.into_iter().zip(took).filter_map(|(mut ledger, &took)| {
            ledger.completion = Completion::Running;
            ledger.close(took.into()).ok()
        });
        let results: Vec<_> = results.collect();
        let left = self.time.ends.saturating_sub(observer.now());
        observer.event(Event::Checkpoint { results: &results, left });
    }
}

/// A measurement on the tour.
struct Stop<'a> {
    /// Entries that it counts for: the ranks of its ledger, and in its ledger's plan. Not empty.
    entries: Vec<(usize, usize)>,
    /// The time that filling its memory should take.
    expected_to_prepare: Duration,
    measurement: &'a Measurement,
    memory: BTreeMap<(String, Contents), Bytes>,
    gathering: Gathering<'a>,
    /// The time for all of its samples.
    time: Duration,
    /// Samples of a visit that was expensive to prepare.
    most_samples: usize,
    /// Number of rounds with at least one sample.
    rounds: u32,
    /// Expected time of a visit.
    expected: Duration,
    /// The time of all visits, of those after the first, and of the longest, without that of filling memory at first.
    spent: Duration,
    again: Duration,
    longest: Duration,
    /// Whether the time is up.
    closed: bool,
    /// Whether a worker lost its CPU.
    lost: bool,
    failed: Option<EngineError>,
}

impl<'a> Stop<'a> {
    fn new(measurement: &'a Measurement, protocol: &'a Protocol, time: Duration) -> Self {
        Self {
            entries: Vec::new(),
            expected_to_prepare: Duration::ZERO,
            measurement,
            memory: memory(&measurement.workload),
            gathering: Gathering::new(measurement, protocol),
            time,
            most_samples: protocol.enough.div_ceil(FEWEST),
            rounds: 0,
            expected: protocol.visit(measurement.pace, time),
            spent: Duration::ZERO,
            again: Duration::ZERO,
            longest: Duration::ZERO,
            closed: false,
            lost: false,
            failed: None,
        }
    }

    /// What is known of the time of its visits.
    fn known(&self) -> Visits {
        Visits {
            count: self.rounds,
            expected: self.expected,
            expected_to_prepare: self.expected_to_prepare,
            again: self.again,
        }
    }

    fn is_done(&self, protocol: &Protocol, scatters: &SharedScatter) -> bool {
        let enough = self.rounds >= FEWEST as u32
            && (self.gathering.has_enough(scatters) || self.spent >= protocol.cell_time);
        self.closed || self.failed.is_some() || enough
    }

    /// Takes one sample, or more if preparing took longer than a few. Returns the time of preparing.
    fn visit(
        &mut self,
        engine: &mut dyn Engine,
        round: u32,
        observer: &mut dyn Observer,
    ) -> Result<Duration, EngineError> {
        let began = observer.now();
        let mut prepared = engine.prepare(&self.measurement.workload)?;
        let preparing = observer.now().saturating_sub(began);
        self.gathering.set_up(prepared.as_ref(), self.time);
        let expensive = preparing > 2 * self.gathering.window();
        let samples = if expensive { self.most_samples } else { 1 };
        for nth in 0..samples {
            if observer.interrupted() {
                return Err(EngineError::Interrupted);
            }
            let sampled = self.gathering.sample(prepared.as_mut(), round);
            // What was taken before an interruption counts.
            self.rounds += u32::from(nth == 0);
            sampled?;
        }
        self.gathering.confirm(prepared.as_mut());
        // The first visit also filled the memory.
        let first = if self.spent.is_zero() { preparing } else { Duration::ZERO };
        let spent = observer.now().saturating_sub(began).saturating_sub(first);
        self.again += if self.spent.is_zero() { Duration::ZERO } else { spent };
        self.spent += spent;
        self.longest = self.longest.max(spent);
        Ok(preparing)
    }
}

/// The order of a round. The first is that of the plans. Later ones are shuffled, but measurements that use the same memory stay
/// together: an engine with little memory need not fill it again for each of them.
fn order(stops: &[Stop<'_>], seed: u64, round: u32) -> Vec<usize> {
    if round == 0 {
        return (0..stops.len()).collect();
    }
    let mut together: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (place, stop) in stops.iter().enumerate() {
        together.entry(&stop.memory).or_default().push(place);
    }
    let groups: Vec<Vec<usize>> = together.into_values().collect();
    let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(round.into());
    let groups = shuffled(groups.len(), seed).into_iter().map(|group| &groups[group]);
    groups.flat_map(|group| shuffled(group.len(), seed).into_iter().map(|rank| group[rank])).collect()
}
