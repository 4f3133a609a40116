//! Rates of threads that share memories and the ways between nodes, none at another's expense.

use zerohop_machine::NodeId;

/// Threads alike: where they run, and what they use.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Flow {
    pub(super) from: NodeId,
    pub(super) threads: f64,
    /// What one of them achieves alone, in GB/s.
    pub(super) most: f64,
    /// Memories, and the share of their accesses to each.
    pub(super) uses: Vec<(NodeId, f64)>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Shared {
    /// The memory of a node.
    Memory(NodeId),
    /// The way from one node to another.
    Way(NodeId, NodeId),
    /// All ways between nodes together.
    AllWays,
    /// This many memories, of which each flow uses every one equally: all of the machine's.
    Spread(usize),
}

/// What threads share, and its capacity in GB/s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Resource {
    pub(super) what: Shared,
    pub(super) capacity: f64,
}

/// The rate of one thread of each flow, and the resources that are full, by rank.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Filled {
    pub(super) rates: Vec<f64>,
    pub(super) full: Vec<usize>,
}

/// Raises the rates of all threads together until a resource is full or a thread is as fast as it can be, then goes on with the
/// others (max-min fairness; D. Bertsekas and R. Gallager, *Data Networks*, 2nd ed., section 6.5.2).
pub(super) fn fill(flows: &[Flow], resources: &[Resource]) -> Filled {
    let share = |flow: &Flow, resource: &Resource| {
        let is_spread = |memories: usize| {
            let equal = |(_, share): &(NodeId, f64)| (share * memories as f64 - 1.0).abs() < 1e-9;
            flow.uses.len() == memories && flow.uses.iter().all(equal)
        };
        let uses = flow.uses.iter().filter(|(to, _)| match resource.what {
            Shared::Memory(node) => *to == node,
            Shared::Way(from, node) => flow.from == from && *to == node,
            Shared::AllWays => *to != flow.from,
            Shared::Spread(memories) => is_spread(memories),
        });
        uses.map(|(_, share)| share * flow.threads).sum::<f64>()
    };
    let mut rates = vec![0.0; flows.len()];
    let mut growing = vec![true; flows.len()];
    let mut full = Vec::new();
    while growing.contains(&true) {
        let mut step = f64::INFINITY;
        for (rank, flow) in flows.iter().enumerate().filter(|(rank, _)| growing[*rank]) {
            step = step.min(flow.most - rates[rank]);
        }
        let mut first_full = None;
        for (rank, resource) in resources.iter().enumerate() {
            let grows: f64 = flows
                .iter()
                .zip(&growing)
                .filter(|(_, grows)| **grows)
                .map(|(flow, _)| share(flow, resource))
                .sum();
            let used: f64 = flows.iter().zip(&rates).map(|(flow, rate)| share(flow, resource) * rate).sum();
            let room = (resource.capacity - used).max(0.0) / grows;
            if grows > 0.0 && room < step {
                (step, first_full) = (room, Some(rank));
            }
        }
        for rank in 0..flows.len() {
            if growing[rank] {
                rates[rank] += step;
                let done = first_full.is_none() && rates[rank] >= flows[rank].most * (1.0 - 1e-9);
                let stuck = first_full.is_some_and(|full| share(&flows[rank], &resources[full]) > 0.0);
                growing[rank] = !(done || stuck);
            }
        }
        full.extend(first_full);
    }
    Filled { rates, full }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(from: u32, threads: f64, most: f64, uses: &[(u32, f64)]) -> Flow {
        let uses = uses.iter().map(|&(node, share)| (NodeId(node), share)).collect();
        Flow { from: NodeId(from), threads, most, uses }
    }

    fn memory(to: u32, capacity: f64) -> Resource {
        Resource { what: Shared::Memory(NodeId(to)), capacity }
    }

    #[test]
    fn few_threads_are_as_fast_as_they_can_be() {
        let filled = fill(&[flow(0, 2.0, 3.0, &[(0, 1.0)])], &[memory(0, 10.0)]);
        assert_eq!(filled, Filled { rates: vec![3.0], full: vec![] });
    }

    #[test]
    fn a_full_memory_is_shared_evenly_and_the_rest_goes_on() {
        let flows = [flow(0, 4.0, 5.0, &[(0, 1.0)]), flow(1, 1.0, 5.0, &[(1, 1.0)])];
        let filled = fill(&flows, &[memory(0, 10.0), memory(1, 10.0)]);
        assert_eq!(filled, Filled { rates: vec![2.5, 5.0], full: vec![0] });
    }

    #[test]
    fn data_spread_over_all_memories_is_no_faster_than_it_was_measured() {
        let spread = [flow(0, 2.0, 9.0, &[(0, 0.5), (1, 0.5)]), flow(1, 2.0, 9.0, &[(0, 0.5), (1, 0.5)])];
        let measured = Resource { what: Shared::Spread(2), capacity: 12.0 };
        let resources = [memory(0, 20.0), memory(1, 20.0), measured];
        assert_eq!(fill(&spread, &resources), Filled { rates: vec![3.0, 3.0], full: vec![2] });
        let one = [flow(0, 2.0, 9.0, &[(0, 1.0)])];
        assert_eq!(fill(&one, &resources).rates, vec![9.0]);
    }

    #[test]
    fn a_way_limits_only_what_crosses_it() {
        let flows = [flow(0, 2.0, 9.0, &[(0, 0.5), (1, 0.5)]), flow(1, 1.0, 9.0, &[(1, 1.0)])];
        let way = Resource { what: Shared::Way(NodeId(0), NodeId(1)), capacity: 4.0 };
        let filled = fill(&flows, &[memory(0, 20.0), memory(1, 20.0), way]);
        assert_eq!(filled, Filled { rates: vec![4.0, 9.0], full: vec![2] });
    }
}
