//! The worker that measures latency: one dependent load after another.

use zerohop_machine::{NodeId, PuId};
use zerohop_units::Bytes;
use zerohop_workload::{Activity, Demand, Placement, Role, Worker};

use crate::ExperimentError;
use crate::footprint::Footprint;
use crate::kernel_workers::Destination;
use crate::plan::{Measurement, Reading};
use crate::protocol::Pace;
use crate::scope::Scope;
use zerohop_result::{Axis, Coordinates};

/// The smallest buffer of a chase through memory.
const LEAST: Bytes = Bytes::kib(64);

/// A worker on `pu` that chases `chains` chains through a buffer.
pub(crate) fn chaser(pu: PuId, placement: Placement, buffer: Bytes, chains: u8) -> Worker {
    Worker {
        pu,
        role: Role::Foreground,
        placement,
        buffer,
        activity: Activity::Chase { chains, pages: None },
        demand: Demand::Unlimited,
    }
}

impl Scope {
    /// Chains that a latency experiment follows concurrently.
    pub(crate) fn chains(&self) -> u8 {
        self.options.chains.unwrap_or(1)
    }

    /// A chase from `pu`, on `initiator`, through memory, in an experiment that fills this many buffers one after
    /// another. With more than one chain, the number of chains is one of its coordinates.
    ///
    /// # Errors
    /// When there is too little memory for a chase.
    pub(crate) fn memory_chase(
        &self,
        (initiator, pu): (NodeId, PuId),
        destination: &Destination,
        preparations: usize,
        at: Coordinates,
        label: String,
    ) -> Result<Measurement, ExperimentError> {
        let placement = destination.placement(self, initiator);
        let Footprint { size, warnings } =
            self.footprint_of(&placement, self.caches_in_front(&[pu]).of_chase(), preparations);
        if size < LEAST {
            return Err(self.too_small(size, 1, &placement));
        }
        let chains = self.chains();
        Ok(Measurement {
            at: if chains == 1 { at } else { at.with(Axis::Chains, u32::from(chains)) },
            twin: None,
            label,
            workload: self.workload(vec![chaser(pu, placement, size, chains)]),
            readings: vec![Reading::Latency],
            fill_time: false,
            pace: Pace::MemoryLatency,
            warnings,
        })
    }
}
