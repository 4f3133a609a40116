//! Fleets: assignment of results to nodes, facts about the nodes, and the diagnosis of bad ones.

mod bad_nodes;
mod facts_table;
mod inputs;
mod names;
mod node_files;
mod parallel_reading;
mod reference_results;
mod reports;

pub use bad_nodes::diagnosed;
pub use facts_table::{FactsTable, FactsTableError};
pub use inputs::{FleetError, FleetInputs, fleet_inputs};
pub use names::node_name;
pub use node_files::{NodeFiles, is_called, is_unnamed};
pub use parallel_reading::{Gathered, gather};
pub use reference_results::Sisters;
pub use reports::link_reports;

use zerohop_result::ResultFile;

/// A result with its name and the name of its machine.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedResult {
    /// Name of the result, for readers of the findings.
    pub name: String,
    pub result: ResultFile,
    /// Id of the machine: the file, or the run in another tool's output. Repeated surveys are of one machine.
    pub machine: String,
}
