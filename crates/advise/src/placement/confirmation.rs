//! Which of the placements that a search found are simulated, and how often.

use super::candidate::Candidate;
use super::error::AdviceError;
use super::evaluator::{Evaluator, Outcome};
use super::program::Program;
use super::search::Found;

/// The best of the search that are looked at once each: so many that they have this many threads together. Mean-value analysis is off by
/// up to a tenth where few threads run, and there more can be simulated in the same time.
const THREADS_TRIED: usize = 300;
const LEAST_TRIED: usize = 6;
const MOST_TRIED: usize = 40;

/// The best of those that are looked at once, which are then confirmed.
const BEST: usize = 3;

/// The best placements, one of each of the first policies for memory: those that may be shown.
pub(super) fn different<'c>(
    ranked: impl IntoIterator<Item = &'c Candidate>,
    count: usize,
) -> Vec<&'c Candidate> {
    let mut chosen: Vec<&Candidate> = Vec::new();
    for candidate in ranked {
        if chosen.len() < count && chosen.iter().all(|one| one.memory != candidate.memory) {
            chosen.push(candidate);
        }
    }
    chosen
}

/// The placements that are worth confirming by `exact`: the best by one look at each of many, and the best with other policies.
///
/// # Errors
/// When a placement cannot be computed.
pub(super) fn finalists(
    program: &Program,
    found: &Found,
    exact: &mut dyn Evaluator,
    shown: usize,
) -> Result<Vec<Candidate>, AdviceError> {
    let count = (THREADS_TRIED / program.threads.max(1)).clamp(LEAST_TRIED, MOST_TRIED);
    let mut tried: Vec<(&Candidate, f64)> = Vec::new();
    for candidate in contenders(program, found, count) {
        let Outcome { figure, .. } = exact.glance(program, candidate)?;
        tried.push((candidate, figure.value));
    }
    tried.sort_by(|one, other| program.sensitivity.times(other.1, one.1).total_cmp(&1.0));
    let ranked = || tried.iter().map(|(candidate, _)| *candidate);
    let mut chosen: Vec<Candidate> = ranked().take(BEST).cloned().collect();
    for candidate in different(ranked(), shown) {
        if !chosen.contains(candidate) {
            chosen.push(candidate.clone());
        }
    }
    Ok(chosen)
}

/// So many of the placements that a search found: the best of each policy for memory, about which mean-value analysis may be wrong as a
/// whole, and in equal number the best by its figures alone, of which many may have one policy, and threads in other places.
fn contenders<'f>(program: &Program, found: &'f Found, count: usize) -> Vec<&'f Candidate> {
    let by_policy = different(found.ranked.iter().map(|(candidate, _)| candidate), count);
    let mut by_figure: Vec<&(Candidate, Outcome)> = found.ranked.iter().collect();
    by_figure.sort_by(|one, other| {
        program.sensitivity.times(other.1.figure.value, one.1.figure.value).total_cmp(&1.0)
    });
    let mut chosen: Vec<&Candidate> = by_policy.iter().copied().take(count.div_ceil(2)).collect();
    let rest = by_figure.into_iter().map(|(candidate, _)| candidate).chain(by_policy);
    for candidate in rest {
        if chosen.len() < count && !chosen.contains(&candidate) {
            chosen.push(candidate);
        }
    }
    chosen
}
