//! Theoretical peaks: the bandwidth of memory and links if every slot were filled.

use zerohop_units::{GigabytesPerSecond, Nanoseconds};

use super::line::LINE;
use crate::{Channel, Hardware, Link};
use zerohop_machine::NodeId;

impl Channel {
    /// Bandwidth of the channel after refresh and other overheads.
    pub fn sustained(&self) -> GigabytesPerSecond {
        self.bandwidth * self.parameters.efficiency.0
    }
}

impl Link {
    /// Capacity of a direction, in bytes on the wire.
    pub fn capacity_of(&self, direction: usize) -> GigabytesPerSecond {
        self.back.filter(|_| direction == 1).unwrap_or(self.capacity)
    }

    /// The time that `bytes` take on one wire of a direction beyond the time that they would take on all its wires
    /// together.
    pub fn slower_by(&self, direction: usize, bytes: f64) -> Nanoseconds {
        Nanoseconds(bytes / self.capacity_of(direction).get() * f64::from(self.wires - 1))
    }

    /// Capacity for lines on their way to requesters: if the directions differ, the larger one, which leads from memory to a chiplet's cores.
    pub fn read_capacity(&self) -> GigabytesPerSecond {
        GigabytesPerSecond(self.back.map_or(self.capacity.get(), |back| back.get().max(self.capacity.get())))
    }

    /// Capacity for lines on their way to memory: if the directions differ, the smaller one.
    pub fn write_capacity(&self) -> GigabytesPerSecond {
        GigabytesPerSecond(self.back.map_or(self.capacity.get(), |back| back.get().min(self.capacity.get())))
    }

    /// The bandwidth of lines that one direction can carry to requesters, in bytes that the program asked for, if it
    /// carries nothing else.
    pub fn read_peak(&self) -> GigabytesPerSecond {
        self.read_capacity() * (LINE.get() as f64 / self.parameters.packets.data.get() as f64)
    }

    /// Maximum bandwidth of lines sent to memory in one direction that carries nothing else, in bytes that the program asked for.
    pub fn write_peak(&self) -> GigabytesPerSecond {
        self.write_capacity() * (LINE.get() as f64 / self.parameters.packets.write.get() as f64)
    }
}

impl Hardware {
    /// The total bandwidth of the channels of a node's memory; `None` if it has no memory. Nodes may share channels.
    pub fn memory_peak(&self, node: NodeId) -> Option<GigabytesPerSecond> {
        let memory = self.memory(node)?;
        Some(memory.channels.iter().map(|&channel| self.channels[channel].bandwidth).sum())
    }

    /// The total bandwidth of all channels that hold memory, each counted once.
    pub fn total_memory_peak(&self) -> GigabytesPerSecond {
        let used = |rank: &usize| self.memories.iter().any(|memory| memory.channels.contains(rank));
        (0..self.channels.len()).filter(used).map(|rank| self.channels[rank].bandwidth).sum()
    }
}
