//! Arguments that inject faults into a model.

use clap::Args;
use zerohop_app::with_faults;
use zerohop_machine_file::{Fault, Hardware};

use crate::failure::Failure;

/// Faults of a described machine.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct FaultArguments {
    /// Inject a fault into the simulated machine, to see its effect and whether `diagnose` finds it; may be repeated
    ///
    /// Links, named by two nodes or two routers: link:0-1=x8 (lanes), link:0-1=down, link:0-1=10.4GT/s. Memory:
    /// channels:node1=1 (working channels), slow-dimm:node0=4000 (MT/s), interleaving=on, nps=0. Home agents:
    /// threshold=32. Conditions of the measurement: data-on-one-node, noise=busy, pages=4k, vm=steal.
    #[arg(long = "fault", value_name = "FAULT", help_heading = "Where to measure")]
    faults: Vec<Fault>,
}

impl FaultArguments {
    /// The machine with these faults.
    ///
    /// # Errors
    /// When it cannot have one of them.
    pub(crate) fn inject(&self, hardware: Hardware) -> Result<Hardware, Failure> {
        Ok(with_faults(hardware, &self.faults)?)
    }

    pub(crate) fn all(&self) -> &[Fault] {
        &self.faults
    }

    /// Checks that there is no fault, for a machine that is measured.
    ///
    /// # Errors
    /// When there is one.
    pub(crate) fn must_be_none(&self) -> Result<(), Failure> {
        match self.faults.first() {
            None => Ok(()),
            Some(fault) => Err(Failure::new(format_args!("--fault {fault} needs a simulated machine"))
                .hint("choose one with --on; `zerohop machine list` lists the built-in machines")),
        }
    }
}
