//! Workers that run the same kernel together, and the placement of their memory.

use std::collections::BTreeMap;

use zerohop_machine::{NodeId, PuId};
use zerohop_units::Bytes;
use zerohop_workload::{Access, Activity, Demand, Kernel, Placement, Role, Warning, Worker, Workload};

use crate::ExperimentError;
use crate::caches_in_front::CachesInFront;
use crate::footprint::{Footprint, share};
use crate::plan::{Measurement, Reading};
use crate::protocol::Pace;
use crate::scope::{Initiator, Scope};
use zerohop_result::{Coordinate, Coordinates};

/// The memory that workers use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Destination {
    /// Each initiator uses its own memory, or the nearest.
    Local,
    /// All use one node's memory.
    Node(NodeId),
    /// All use memory interleaved over these nodes.
    Interleaved(Vec<NodeId>),
    /// Each initiator uses the memory of all nodes but its own, interleaved.
    Others,
    /// Each initiator uses a different node's memory; its own, if none is named.
    Each(BTreeMap<NodeId, NodeId>),
}

/// Workers, and warnings known before they run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KernelWorkers {
    /// The workers, in the order of their initiators.
    pub(crate) workers: Vec<Worker>,
    /// Warnings about their buffers.
    pub(crate) warnings: Vec<Warning>,
}

impl KernelWorkers {
    /// Measurement of the data that they move, and of the resulting bus traffic.
    pub(crate) fn traffic(self, scope: &Scope, at: Coordinates, label: &str) -> Measurement {
        Measurement {
            at,
            twin: None,
            label: label.to_owned(),
            workload: scope.workload(self.workers),
            readings: vec![Reading::Bandwidth(Role::Foreground), Reading::BusTraffic(Role::Foreground)],
            fill_time: false,
            pace: Pace::Bandwidth,
            warnings: self.warnings,
        }
    }
}

impl Destination {
    /// The place of these initiators' cells along [`Axis::Target`](zerohop_result::Axis::Target).
    pub(crate) fn coordinate(&self, scope: &Scope, initiators: &[&Initiator]) -> Coordinate {
        match (self, initiators) {
            (Self::Node(node), _) => node.0.into(),
            (Self::Interleaved(_), _) => "interleaved".into(),
            (Self::Others, _) => "remote".into(),
            (Self::Each(_), _) => "each".into(),
            // The initiator has no memory: name the node whose memory it uses.
            (Self::Local, [initiator]) if scope.home(initiator.node) != initiator.node => {
                scope.home(initiator.node).0.into()
            }
            (Self::Local, _) => "local".into(),
        }
    }

    /// Description in words, to follow `node 0`.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Local => String::new(),
            Self::Node(node) => format!(" -> node {node}"),
            Self::Interleaved(_) => " -> interleaved".to_owned(),
            Self::Others => " -> remote".to_owned(),
            Self::Each(_) => " -> another node each".to_owned(),
        }
    }

    /// The placement of an initiator's buffers.
    pub(crate) fn placement(&self, scope: &Scope, initiator: NodeId) -> Placement {
        match self {
            Self::Local => Placement::Node(scope.home(initiator)),
            Self::Node(node) => Placement::Node(*node),
            Self::Interleaved(nodes) => Placement::Interleaved(nodes.clone()),
            Self::Others => {
                let own = scope.home(initiator);
                let others: Vec<NodeId> =
                    scope.targets.iter().copied().filter(|&target| target != own).collect();
                match others.as_slice() {
                    // Where there is no other node, memory cannot be remote.
                    [] => Placement::Node(own),
                    [other] => Placement::Node(*other),
                    _ => Placement::Interleaved(others),
                }
            }
            Self::Each(nodes) => {
                Placement::Node(nodes.get(&initiator).copied().unwrap_or_else(|| scope.home(initiator)))
            }
        }
    }
}

impl Scope {
    /// The initiators' own memory, or the interleave set if there is one.
    pub(crate) fn local(&self) -> Destination {
        self.options.interleave.clone().map_or(Destination::Local, Destination::Interleaved)
    }

    /// Each target separately, or the interleave set if there is one.
    pub(crate) fn destinations(&self) -> Vec<Destination> {
        match &self.options.interleave {
            Some(nodes) => vec![Destination::Interleaved(nodes.clone())],
            None => self.targets.iter().map(|&node| Destination::Node(node)).collect(),
        }
    }

    /// The size of a buffer with this placement, behind `caches`.
    pub(crate) fn footprint_of(
        &self,
        placement: &Placement,
        caches: CachesInFront,
        preparations: usize,
    ) -> Footprint {
        match placement {
            Placement::Node(node) => self.footprint(*node, caches, preparations),
            Placement::FirstTouch(pu) => {
                let node = self.machine.pu(*pu).map_or(self.targets[0], |pu| self.home(pu.node));
                self.footprint(node, caches, preparations)
            }
            // Pages go to each node in turn, so the smallest node limits the size; filling all of them is unnecessary.
            Placement::Interleaved(nodes) => {
                let smallest = nodes.iter().copied().min_by_key(|&node| self.capacity(node));
                self.footprint(smallest.unwrap_or(self.targets[0]), caches, preparations)
            }
        }
    }

    /// A worker on every PU of these initiators, all running `kernel`.
    ///
    /// # Errors
    /// When there is too little memory for that many workers.
    pub(crate) fn kernel_workers(
        &self,
        initiators: &[&Initiator],
        destination: &Destination,
        kernel: Kernel,
        preparations: usize,
    ) -> Result<KernelWorkers, ExperimentError> {
        let everyone: Vec<_> = initiators
            .iter()
            .flat_map(|initiator| initiator.pus.iter().map(|&pu| (initiator.node, pu)))
            .collect();
        let placed: Vec<_> =
            everyone.into_iter().map(|(node, pu)| (destination.placement(self, node), pu)).collect();
        let mut kernel_workers =
            KernelWorkers { workers: Vec::with_capacity(placed.len()), warnings: Vec::new() };
        // Workers with the same placement have the same buffers. They are computed once.
        let mut sharing: BTreeMap<&Placement, Vec<PuId>> = BTreeMap::new();
        for (placement, pu) in &placed {
            sharing.entry(placement).or_default().push(*pu);
        }
        let mut buffers: BTreeMap<&Placement, Bytes> = BTreeMap::new();
        for (placement, pu) in &placed {
            let buffer = match buffers.get(placement) {
                Some(&buffer) => buffer,
                None => {
                    let sharers = &sharing[placement];
                    let footprint = self.footprint_of(placement, self.caches_in_front(sharers), preparations);
                    let buffer = share(footprint.size, sharers.len(), kernel.arrays())
                        .ok_or_else(|| self.too_small(footprint.size, sharers.len(), placement))?;
                    for warning in footprint.warnings {
                        if !kernel_workers.warnings.contains(&warning) {
                            kernel_workers.warnings.push(warning);
                        }
                    }
                    buffers.insert(placement, buffer);
                    buffer
                }
            };
            kernel_workers.workers.push(Worker {
                pu: *pu,
                role: Role::Foreground,
                placement: placement.clone(),
                buffer,
                activity: Activity::Kernel { kernel, access: Access::Sequential },
                demand: Demand::Unlimited,
            });
        }
        Ok(kernel_workers)
    }

    /// A workload of these workers, with the requested pages and instruction set.
    pub(crate) fn workload(&self, workers: Vec<Worker>) -> Workload {
        Workload { workers, pages: self.options.pages, instruction_set: self.options.instruction_set }
    }
}
