//! Groups samples by a hypervisor's placement of the CPUs.
//!
//! A virtual machine whose CPUs are moved between threads of one core, cores of one cache and cores of different caches is another machine after each
//! move: two CPUs had 42 GB/s in one cache and 75 in two. A median over all samples is the value of none of them, and an interval over them only says
//! that they differ. So a value comes from the samples with the most frequent placement, and the others are reported next to it.

use std::cmp::{Ordering, Reverse};

use zerohop_workload::SystemNoise;

use crate::taken_sample::TakenSample;

/// Groups of samples whose CPUs were placed alike, the largest first; of equally large ones, that in which they were nearer. Samples without a
/// known distance are with the most.
pub(crate) fn by_placing(taken: &[TakenSample]) -> Vec<Vec<&TakenSample>> {
    let apart = |one: &&TakenSample| one.disturbance.apart_ns.map(|(least, most)| f64::midpoint(least, most));
    let (mut known, unknown): (Vec<&TakenSample>, Vec<&TakenSample>) =
        taken.iter().partition(|one| apart(one).is_some());
    known.sort_by(|one, other| apart(one).partial_cmp(&apart(other)).unwrap_or(Ordering::Equal));
    let alike = |one: &&TakenSample, other: &&TakenSample| {
        let ends = apart(one).zip(apart(other));
        ends.is_some_and(|(one, other)| other <= SystemNoise::PLACED_UNLIKE * one)
    };
    let mut groups: Vec<Vec<&TakenSample>> = known.chunk_by(alike).map(<[&TakenSample]>::to_vec).collect();
    groups.sort_by_key(|group| Reverse(group.len()));
    match groups.first_mut() {
        Some(most) => most.extend(unknown),
        None if unknown.is_empty() => {}
        None => groups.push(unknown),
    }
    groups.iter_mut().for_each(|group| group.sort_by_key(|taken| taken.rank));
    groups
}

/// The samples whose CPUs were placed alike most often, in the order taken.
pub(crate) fn prevailing(taken: &[TakenSample]) -> Vec<&TakenSample> {
    by_placing(taken).into_iter().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disturbance::Disturbance;
    use zerohop_workload::Meters;

    fn taken(apart: &[Option<f64>]) -> Vec<TakenSample> {
        let one = |(rank, apart): (usize, &Option<f64>)| TakenSample {
            values: Vec::new(),
            lines: Vec::new(),
            quiet: Vec::new(),
            disturbance: Disturbance { apart_ns: apart.map(|ns| (ns, ns)), ..Disturbance::default() },
            meters: Meters::default(),
            inside: None,
            rank,
            round: rank as u32,
        };
        apart.iter().enumerate().map(one).collect()
    }

    fn ranks(apart: &[Option<f64>]) -> Vec<Vec<usize>> {
        let taken = taken(apart);
        by_placing(&taken).iter().map(|group| group.iter().map(|taken| taken.rank).collect()).collect()
    }

    #[test]
    fn cpus_of_one_cache_and_of_two_are_told_apart_and_the_most_come_first() {
        let apart = [21.0, 124.0, 23.0, 130.0, 121.0, 4.4].map(Some);
        assert_eq!(ranks(&apart), [vec![1, 3, 4], vec![0, 2], vec![5]]);
        assert_eq!(ranks(&[124.0, 21.0].map(Some)), [vec![1], vec![0]], "of equally many, the nearer");
    }

    #[test]
    fn samples_without_a_distance_are_with_the_most() {
        assert_eq!(ranks(&[None; 3]), [vec![0, 1, 2]]);
        assert_eq!(ranks(&[None, Some(124.0), Some(21.0), Some(20.0)]), [vec![0, 2, 3], vec![1]]);
        assert!(ranks(&[]).is_empty() && prevailing(&[]).is_empty());
    }
}
