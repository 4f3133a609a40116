//! Selection of a survey's experiments that are visited together.
//!
//! Rounds should spread over the whole survey: a machine that drifts would otherwise differ between its first experiment and its last. Every round
//! then returns to the memory of every experiment, so experiments share a tour only if the engine can keep the memory of all of them. Filling
//! gigabytes again in each round would take longer than the samples.

use std::collections::BTreeMap;

use zerohop_machine::{Machine, NodeId};
use zerohop_units::Bytes;
use zerohop_workload::{Placement, Worker};

use crate::budget::{Contents, memory};
use crate::plan::{Measurement, Plan};
use crate::scope::Scope;

/// Memory without chains also serves needs down to this fraction of its size.
const SERVES: u64 = 4;

/// The sizes of the memory that some experiments need, descending, by placement and contents.
#[derive(Debug, Clone, Default)]
struct Memory(BTreeMap<(Placed, Contents), Vec<Bytes>>);

/// Nodes that hold equal parts of a buffer. An interleaved buffer is not one on a single node.
type Placed = Vec<NodeId>;

/// Divides plans into tours, without changing their order. A plan that is missing, because its experiment cannot run here, fits anywhere.
/// Returns the number of plans in each tour.
pub(crate) fn tours<'a>(scope: &Scope, plans: impl IntoIterator<Item = Option<&'a Plan>>) -> Vec<usize> {
    let mut tours = Vec::new();
    let mut together = Memory::default();
    for plan in plans {
        let own = plan.map(|plan| Memory::of(&plan.measurements, &scope.machine)).unwrap_or_default();
        let both = together.with(&own);
        match tours.last_mut() {
            // A simulation has no use for rounds.
            Some(count) if !scope.simulated && both.fits(|node| scope.kept(node)) => {
                *count += 1;
                together = both;
            }
            _ => {
                tours.push(1);
                together = own;
            }
        }
    }
    tours
}

impl Memory {
    fn of(measurements: &[Measurement], machine: &Machine) -> Self {
        let mut all = Self::default();
        for measurement in measurements {
            let mut workers: BTreeMap<String, &Worker> = BTreeMap::new();
            for worker in &measurement.workload.workers {
                workers.entry(worker.placement.to_string()).or_insert(worker);
            }
            // An engine puts all buffers of one placement side by side, so values beside chains are memory of their own.
            let mut places: BTreeMap<String, (Contents, Bytes)> = BTreeMap::new();
            for ((place, contents), bytes) in memory(&measurement.workload) {
                let (known, total) = places.entry(place).or_insert((contents, Bytes(0)));
                *known = contents.max(*known);
                *total += bytes;
            }
            for (place, (contents, bytes)) in places {
                let nodes = workers.get(&place).map(|worker| nodes(&worker.placement, machine));
                all.add((nodes.unwrap_or_default(), contents), bytes);
            }
        }
        all
    }

    fn add(&mut self, key: (Placed, Contents), bytes: Bytes) {
        let sizes = self.0.entry(key).or_default();
        if !sizes.contains(&bytes) {
            sizes.push(bytes);
            sizes.sort_unstable_by(|one, other| other.cmp(one));
        }
    }

    fn with(&self, other: &Self) -> Self {
        let mut both = self.clone();
        for (key, sizes) in &other.0 {
            for &bytes in sizes {
                both.add(key.clone(), bytes);
            }
        }
        both
    }

    /// Whether a node holds all of what is needed there.
    fn fits(&self, room: impl Fn(NodeId) -> Bytes) -> bool {
        let mut taken: BTreeMap<NodeId, Bytes> = BTreeMap::new();
        for ((nodes, contents), sizes) in &self.0 {
            let bytes: Bytes = match contents {
                Contents::Values => shared(sizes),
                // A chain runs through all of its memory.
                Contents::Chains(_) => sizes.iter().copied().sum(),
            };
            for &node in nodes {
                *taken.entry(node).or_default() += bytes / nodes.len() as u64;
            }
        }
        taken.into_iter().all(|(node, bytes)| bytes <= room(node))
    }
}

/// The memory that serves all of these sizes, which descend, one after another.
fn shared(sizes: &[Bytes]) -> Bytes {
    let mut serving: Option<Bytes> = None;
    let mut total = Bytes(0);
    for &bytes in sizes {
        if serving.is_none_or(|serving| serving.get() > SERVES * bytes.get()) {
            serving = Some(bytes);
            total += bytes;
        }
    }
    total
}

fn nodes(placement: &Placement, machine: &Machine) -> Placed {
    match placement {
        Placement::Node(node) => vec![*node],
        Placement::Interleaved(nodes) => nodes.clone(),
        Placement::FirstTouch(pu) => machine.pu(*pu).map(|pu| pu.node).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use Contents::{Chains, Values};

    fn needs(needs: &[(u32, Contents, u64)]) -> Memory {
        let mut memory = Memory::default();
        for &(node, contents, mib) in needs {
            memory.add((vec![NodeId(node)], contents), Bytes::mib(mib));
        }
        memory
    }

    #[test]
    fn values_share_memory_of_similar_size_and_chains_do_not() {
        let room = |mib| move |_| Bytes::mib(mib);
        let values = needs(&[(0, Values, 1024), (0, Values, 512), (0, Values, 256), (0, Values, 64)]);
        assert!(values.fits(room(1088)) && !values.fits(room(1087)));
        let chains = needs(&[(0, Chains(None), 1024), (0, Chains(Some(64)), 512)]);
        assert!(chains.fits(room(1536)) && !chains.fits(room(1535)));
        let both = values.with(&chains);
        assert!(both.fits(room(2624)) && !both.fits(room(2623)));
        assert!(both.with(&both).fits(room(2624)));
    }

    #[test]
    fn each_node_holds_its_own_part() {
        let mut memory = needs(&[(0, Values, 100), (1, Values, 40)]);
        memory.add((vec![NodeId(0), NodeId(1)], Values), Bytes::mib(20));
        let room = |least| move |node: NodeId| Bytes::mib(if node.0 == 0 { 110 } else { least });
        assert!(memory.fits(room(50)) && !memory.fits(room(49)));
    }
}
