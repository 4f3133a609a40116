//! Background threads: their cores, and the rate that they demand. The cores are the ones of AMD's application note 40555, pages 27, 32 and 42.

use std::collections::BTreeSet;

use zerohop_machine::{NodeId, PuId};
use zerohop_units::{Bytes, GigabytesPerSecond};
use zerohop_workload::{Access, Activity, Demand, Kernel, Placement, Role, Worker};

use crate::scope::Scope;
use crate::{Background, ExperimentError, Options, Subscription};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Load {
    /// The rate that each thread demands.
    pub(super) background: Background,
    /// The number of threads.
    pub(super) subscription: Subscription,
}

impl Load {
    pub(super) const IDLE: Self = Self { background: Background::None, subscription: Subscription::None };

    /// The requested load. If only one of the two choices was made, it determines the other.
    ///
    /// # Errors
    /// When they contradict each other.
    pub(super) fn of(options: &Options) -> Result<Self, ExperimentError> {
        let asks = options.background.map(|background| background.rate().is_some());
        let has = options.subscription.map(|subscription| subscription != Subscription::None);
        if let (Some(asks), Some(has)) = (asks, has)
            && asks != has
        {
            return Err(ExperimentError::Contradiction {
                one: format!("background {}", options.background.unwrap_or_default()),
                other: format!("subscription {}", options.subscription.unwrap_or_default()),
            });
        }
        if !asks.or(has).unwrap_or(false) {
            return Ok(Self::IDLE);
        }
        Ok(Self {
            background: options.background.unwrap_or(Background::Low),
            subscription: options.subscription.unwrap_or(Subscription::High),
        })
    }

    /// Nodes and PUs of the background threads, given those of the foreground threads.
    pub(super) fn places(self, scope: &Scope, foreground: &[(NodeId, PuId)]) -> Vec<(NodeId, PuId)> {
        let taken: BTreeSet<PuId> = foreground.iter().map(|&(_, pu)| pu).collect();
        let nodes: BTreeSet<NodeId> = foreground.iter().map(|&(node, _)| node).collect();
        let places = scope.initiators.iter().flat_map(|initiator| {
            let most = match self.subscription {
                Subscription::None => 0,
                // All foreground threads are on this node alone.
                Subscription::High if nodes.len() == 1 && nodes.contains(&initiator.node) => 0,
                Subscription::High => 1,
                Subscription::Full => usize::MAX,
            };
            let free = initiator.pus.iter().copied().filter(|pu| !taken.contains(pu));
            free.take(most).map(|pu| (initiator.node, pu))
        });
        places.collect()
    }
}

/// A background thread, which reads its local array from end to end at that rate.
pub(super) fn background(pu: PuId, memory: NodeId, array: Bytes, rate: GigabytesPerSecond) -> Worker {
    Worker {
        pu,
        role: Role::Background,
        placement: Placement::Node(memory),
        buffer: array,
        activity: Activity::Kernel { kernel: Kernel::Read, access: Access::Sequential },
        demand: Demand::Rate(rate),
    }
}
