//! The lines that a worker walks through, as the memory system sees them.

use zerohop_machine_file::InFlight;
use zerohop_workload::{Access, Activity, Kernel, LineState, Passing};

use crate::token::Intent;

/// What a worker does with its lines, over and over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub(crate) steps: Vec<Step>,
    /// The order in which it visits them.
    pub(crate) order: Order,
    /// Limit on lines in flight.
    pub(crate) in_flight: u32,
    /// Whether it is a kernel's stream, rather than loads that wait for each other.
    pub(crate) streams: bool,
}

/// One line of a kernel's pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    /// The worker's intent for it.
    pub(crate) intent: Intent,
    pub(crate) array: u8,
}

/// The lines of a kernel.
fn steps(kernel: Kernel) -> Vec<Step> {
    let traffic = kernel.traffic();
    let in_place = kernel.arrays() == 1 && traffic.loads > 0 && traffic.stores > 0;
    if in_place {
        let update = |rank| if rank < traffic.loads - traffic.stores { Intent::Load } else { Intent::Update };
        return (0..traffic.loads).map(|rank| Step { intent: update(rank), array: 0 }).collect();
    }
    let loads = (0..traffic.loads).map(|rank| Step { intent: Intent::Load, array: rank as u8 });
    let store = if traffic.allocates > 0 { Intent::Store } else { Intent::StorePast };
    let stores = (0..traffic.stores).map(|_| Step { intent: store, array: kernel.arrays() as u8 - 1 });
    loads.chain(stores).collect()
}

/// The order in which a worker visits its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Ascending,
    Random,
    /// At random, and only every other line, as a chase does on a host: the neighboring line that an adjacent-line
    /// prefetcher fetches is not part of the chase.
    Chase,
}

impl Pattern {
    /// The pattern of an activity on a core with these limits.
    pub(crate) fn of(activity: Activity, limits: &InFlight) -> Self {
        // How far a stream runs ahead is not part of its pattern.
        let InFlight { sequential, strided, random, ahead: _ } = *limits;
        let waiting = |intent, order, in_flight| Self {
            steps: vec![Step { intent, array: 0 }],
            order,
            in_flight,
            streams: false,
        };
        match activity {
            Activity::Chase { chains, .. } => waiting(Intent::Load, Order::Chase, u32::from(chains)),
            Activity::TimedChase { .. } => waiting(Intent::Load, Order::Chase, 1),
            // A clean line comes from memory; caches only answer the probes.
            Activity::LineTransfer { passing: Passing::Fetch(LineState::Clean), .. } => {
                waiting(Intent::Load, Order::Ascending, 1)
            }
            Activity::LineTransfer { .. } => waiting(Intent::Transfer, Order::Ascending, 1),
            Activity::Kernel { kernel, access } => {
                let (order, in_flight) = match access {
                    Access::Sequential => (Order::Ascending, sequential),
                    Access::Strided => (Order::Ascending, strided),
                    Access::Random => (Order::Random, random),
                };
                Self { steps: steps(kernel), order, in_flight, streams: true }
            }
        }
    }

    /// Lines that the program asked for, per line of the pattern: an update stands for a load and a store.
    pub(crate) fn asked(&self) -> f64 {
        let asked: u32 =
            self.steps.iter().map(|step| if step.intent == Intent::Update { 2 } else { 1 }).sum();
        f64::from(asked) / self.steps.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What experiments take for the same work is the same here.
    #[test]
    fn kernels_that_move_the_same_lines_have_the_same_pattern() {
        for kernel in Kernel::all() {
            assert_eq!(steps(kernel), steps(kernel.moves_like()), "{kernel}");
        }
    }

    #[test]
    fn patterns_move_the_lines_of_their_kernels() {
        for kernel in Kernel::all() {
            let traffic = kernel.traffic();
            let steps = steps(kernel);
            let lines = |wanted: &[Intent]| steps.iter().filter(|step| wanted.contains(&step.intent)).count();
            let loads = lines(&[Intent::Load, Intent::Update]);
            let stores = lines(&[Intent::Update, Intent::Store, Intent::StorePast]);
            assert_eq!((loads, stores), (traffic.loads as usize, traffic.stores as usize), "{kernel}");
            assert_eq!(lines(&[Intent::Store]), traffic.allocates as usize, "{kernel}");
            assert!(steps.iter().all(|step| u32::from(step.array) < kernel.arrays()), "{kernel}");
        }
    }
}
