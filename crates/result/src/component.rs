//! The coordinates of an observation at a part of a machine.

use zerohop_workload::Part;

use crate::{Axis, Coordinates};

impl Coordinates {
    /// Adds a part of the machine. No two parts of a machine have the same coordinates.
    #[must_use]
    pub fn at_part(self, part: &Part) -> Self {
        match part {
            // Links between the same routers differ only in name, the directions of a link only in their ends.
            Part::Link { name, ends: [from, to] } => {
                self.with(Axis::Link, &**name).with(Axis::Direction, format!("{from}->{to}"))
            }
            Part::Channel { name } => self.with(Axis::Channel, &**name),
            Part::ChannelBus { name, carries } => {
                self.with(Axis::Channel, &**name).with(Axis::Direction, carries.name())
            }
            Part::Home { name } => self.with(Axis::Home, &**name),
            Part::Stage(stage) => self.with(Axis::Stage, stage.name()),
            Part::Loads { up_to_ns } => self.with(Axis::UpTo, *up_to_ns),
            Part::Lines => self,
        }
    }
}
