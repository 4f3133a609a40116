//! What computes the rate or the latency of a placement.

use zerohop_machine::Machine;

use super::candidate::Candidate;
use super::error::AdviceError;
use super::figure::Figure;
use super::program::Program;

/// What computes the rate or the latency of a placement.
pub trait Evaluator {
    fn machine(&self) -> &Machine;

    /// What a program achieves in that place.
    ///
    /// # Errors
    /// When it cannot be computed, or the user stops it.
    fn outcome(&mut self, program: &Program, candidate: &Candidate) -> Result<Outcome, AdviceError>;

    /// The same by one look: less exact, where [`Evaluator::outcome`] looks several times.
    ///
    /// # Errors
    /// As those of [`Evaluator::outcome`].
    fn glance(&mut self, program: &Program, candidate: &Candidate) -> Result<Outcome, AdviceError> {
        self.outcome(program, candidate)
    }

    /// What it cannot know of this program, a sentence each.
    fn unknown(&self, program: &Program) -> Vec<String>;

    /// Whether it knows how the rate rises with the number of threads of a node.
    fn knows_threads(&self) -> bool {
        true
    }
}

/// What a program achieves in a place.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// For bandwidth of shared data, GB/s of all threads. For that of each thread's own data, the same if all threads were as fast as
    /// those of the slowest node: equal parts of a job end with the slowest. For latency, the mean ns of a load of the node whose
    /// threads wait longest.
    pub figure: Figure,
    /// The part of the machine that is busiest, in words.
    pub limit: Option<String>,
}
