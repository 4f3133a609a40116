//! The expected peak of a machine, in words: from its DIMMs, from its firmware, or why it is unknown.

use zerohop_machine::{AccessClass, Machine, NodeAccess};

use crate::fabric::rate;
use crate::number::counted;

/// The theoretical bandwidth of the memory, or why it is unknown.
pub(crate) fn theoretical(machine: &Machine) -> String {
    match machine.theoretical_bandwidth() {
        Ok(peak) => {
            let packages = peak
                .packages
                .iter()
                .map(|package| format!("package {}: {}", package.package, rate(package.bandwidth)));
            let packages: Vec<String> = packages.collect();
            let packages =
                if packages.len() > 1 { format!(" ({})", packages.join(", ")) } else { String::new() };
            format!("{} over {}{packages}", rate(peak.total), counted(peak.channels, "memory channel"))
        }
        Err(reason) => format!("not known: {reason}"),
    }
}

/// The firmware's figures (HMAT) for each node's memory, nearest initiators first.
pub(crate) fn reported(machine: &Machine) -> impl Iterator<Item = &NodeAccess> {
    machine.access.iter().filter(|access| {
        // Where CPUs are the nearest initiators of all, both access classes are equal.
        access.class == AccessClass::NearestCpu
            || !machine
                .access
                .iter()
                .any(|other| other.target == access.target && other.class == AccessClass::NearestCpu)
    })
}
