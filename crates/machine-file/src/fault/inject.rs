//! Puts faults into a machine.

use crate::Hardware;
use crate::fault::{Fault, FaultError, MeasuringFault, OneNodeWord, link, memory, one_node};
use zerohop_machine::NodeId;

impl Hardware {
    /// The machine with a fault, which [`Machine::faults`](zerohop_machine::Machine::faults) then names.
    ///
    /// # Errors
    /// When it cannot have this fault.
    pub fn inject(mut self, fault: &Fault) -> Result<Self, FaultError> {
        match fault {
            Fault::Link { ends, state } => link::harm(&mut self, ends, *state)?,
            Fault::Channels { node, working } => memory::lose_channels(&mut self, *node, *working)?,
            Fault::SlowDimm { node, rate } => memory::slow_down(&mut self, *node, *rate)?,
            Fault::OneNode(word) => {
                if *word == OneNodeWord::Nps0 && self.machine.processor.vendor != "AuthenticAMD" {
                    let vendor = &self.machine.processor.vendor;
                    return Err(FaultError::Impossible(format!(
                        "NPS is a setting of AMD processors, but this is `{vendor}`"
                    )));
                }
                one_node::merge(&mut self)?;
            }
            Fault::Threshold(count) => {
                for home in &mut self.homes {
                    home.parameters.outbound_limit = Some(*count);
                }
            }
            Fault::Measuring(MeasuringFault::Steal) => {
                self.machine.system.hypervisor = Some("KVM".to_owned());
            }
            Fault::Measuring(_) => {}
        }
        self.machine.faults.push(fault.to_string());
        Ok(self)
    }

    /// The rank of a node among the machine's.
    pub(super) fn node_rank(&self, node: NodeId) -> Result<usize, FaultError> {
        let rank = self.machine.nodes.iter().position(|known| known.id == node);
        rank.ok_or_else(|| FaultError::NoNode {
            node,
            has: self.machine.nodes.iter().map(|node| node.id).collect(),
        })
    }

    /// The value of a key of the machine file.
    pub(super) fn key<T: std::str::FromStr>(&self, path: &str) -> Option<T> {
        let key = self.keys.iter().find(|key| key.path == path)?;
        key.value.as_ref()?.trim_matches('"').parse().ok()
    }
}
