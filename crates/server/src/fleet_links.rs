//! Where the nodes of a fleet lead: to the latest result of each machine.

use std::collections::HashMap;

use zerohop_diagnosis::FleetDiagnosis;
use zerohop_result::ListedMachine;

/// The fleet with an address for each machine that has a usable result, relative to the page `/fleet`.
pub(crate) fn with_links(mut found: FleetDiagnosis, machines: &[ListedMachine]) -> FleetDiagnosis {
    let latest: HashMap<&str, &str> = machines
        .iter()
        .filter_map(|machine| Some((machine.name.as_str(), machine.latest.as_deref()?)))
        .collect();
    for member in found.fleet.groups.iter_mut().flat_map(|group| &mut group.members) {
        member.report = latest.get(member.node.as_str()).map(|id| format!("results/{id}"));
    }
    found
}
