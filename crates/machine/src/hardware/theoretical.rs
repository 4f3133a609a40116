//! Theoretical peaks: what memory and links could carry, were every slot filled.

use zerohop_units::{GigabytesPerSecond, Nanoseconds};

use super::line::LINE;
use crate::{Channel, Hardware, Link, NodeId};

impl Channel {
    /// What is left of its bandwidth after refresh and other overheads.
    pub fn sustained(&self) -> GigabytesPerSecond {
        self.bandwidth * self.parameters.efficiency.0
    }
}

impl Link {
    /// What so many bytes take longer than if they were sent over all its wires at once.
    pub fn slower_by(&self, bytes: f64) -> Nanoseconds {
        Nanoseconds(bytes / self.capacity.get() * f64::from(self.wires - 1))
    }

    /// Lines that one direction can carry to requesters, in bytes that the program asked for, when it carries nothing
    /// else.
    pub fn read_peak(&self) -> GigabytesPerSecond {
        self.capacity * (LINE.get() as f64 / self.parameters.packets.data.get() as f64)
    }

    /// Lines that one direction can carry to memory, in bytes that the program asked for, when it carries nothing else.
    pub fn write_peak(&self) -> GigabytesPerSecond {
        self.capacity * (LINE.get() as f64 / self.parameters.packets.write.get() as f64)
    }
}

impl Hardware {
    /// What the channels of a node's memory carry together; `None` if it has no memory. Nodes may share channels.
    pub fn memory_peak(&self, node: NodeId) -> Option<GigabytesPerSecond> {
        let memory = self.memory(node)?;
        Some(memory.channels.iter().map(|&channel| self.channels[channel].bandwidth).sum())
    }

    /// What all channels that hold memory carry together, each counted once.
    pub fn total_memory_peak(&self) -> GigabytesPerSecond {
        let used = |rank: &usize| self.memories.iter().any(|memory| memory.channels.contains(rank));
        (0..self.channels.len()).filter(used).map(|rank| self.channels[rank].bandwidth).sum()
    }
}
