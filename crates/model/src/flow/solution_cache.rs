//! What was solved before: workloads that load like parts of a machine in the same way are solved once.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::class::Problem;
use super::solution::Solution;

/// Most problems that are kept, and most parts of all of them together.
const MOST: usize = 256;
const MOST_PARTS: usize = 1_000_000;

/// Problems and their solutions, the latest ones. Engines that share it do not solve again what another one has solved.
#[derive(Debug, Clone, Default)]
pub struct Solved(Arc<Mutex<VecDeque<Known>>>);

#[derive(Debug)]
struct Known {
    /// Equal for equal problems.
    digest: u64,
    problem: Arc<Problem>,
    solution: Arc<Solution>,
}

impl Solved {
    /// The solution of a problem, if an equal one was solved.
    pub(super) fn of(&self, problem: &Problem) -> Option<Arc<Solution>> {
        let digest = digest(problem);
        let candidates: Vec<_> = {
            let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let alike = known.iter().filter(|known| known.digest == digest);
            alike.map(|known| (Arc::clone(&known.problem), Arc::clone(&known.solution))).collect()
        };
        candidates.into_iter().find(|(known, _)| **known == *problem).map(|(_, solution)| solution)
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    pub(super) fn keep(&self, problem: Arc<Problem>, solution: Arc<Solution>) {
        let digest = digest(&problem);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.push_front(Known { digest, problem, solution });
        let mut parts = 0;
        let mut fits = |known: &Known| {
            parts += known.problem.parts();
            parts <= MOST_PARTS
        };
        let kept = known.iter().take(MOST).take_while(|known| fits(known)).count();
        known.truncate(kept);
    }
}

impl Problem {
    /// How large it and its solution are: everything of which there may be many.
    fn parts(&self) -> usize {
        let Self { classes: _, routes, probes: _, stations } = self;
        routes.len() + stations.paths.len() + stations.legs.len() + stations.lanes.len()
    }
}

/// Tells most problems from each other.
fn digest(problem: &Problem) -> u64 {
    let mix = |digest: u64, value: f64| {
        (digest ^ value.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    };
    let Problem { classes, routes: _, probes: _, stations } = problem;
    let classes =
        classes.iter().flat_map(|class| [class.workers, class.window, class.fills, class.pace.paced]);
    let channels = stations.channels.iter().flat_map(|channel| [channel.count, channel.line, channel.access]);
    let paths = stations.paths.iter().map(|path| path.time);
    classes.chain(channels).chain(paths).fold(0, mix)
}
