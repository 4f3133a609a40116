//! Knowledge about a machine from sources other than the result.

use zerohop_expectation::Expectations;
use zerohop_machine::Machine;
use zerohop_result::ResultFile;

/// Knowledge about a machine from sources other than the result. Empty by default.
#[derive(Debug, Clone, Default)]
pub struct Given<'a> {
    /// Expected values of the result.
    pub expectations: Option<&'a Expectations>,
    /// The machine that the user states.
    pub machine: Option<&'a Machine>,
    /// Number of nodes that the firmware was set to.
    pub nodes: Option<AskedNodes>,
    /// Results of other machines of the same kind.
    pub fleet: Vec<ReferenceResult<'a>>,
}

/// The result of another machine of the same kind.
#[derive(Debug, Clone, Copy)]
pub struct ReferenceResult<'a> {
    /// The name of the result.
    pub name: &'a str,
    pub file: &'a ResultFile,
}

/// A number of nodes that somebody asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedNodes {
    /// Nodes per package; 0 is one node for all packages.
    pub per_package: usize,
    /// Whether more nodes are fine, too: sub-NUMA clustering creates one node per cluster of the processor.
    pub or_more: bool,
    /// Source of the request: an option of the command line, or a setting in a file.
    pub by: String,
}

impl AskedNodes {
    /// Number of nodes of a stated machine; `None` if its packages are not divided alike.
    pub(crate) fn of_machine(machine: &Machine) -> Option<Self> {
        let nodes = machine.nodes.iter().filter(|node| !node.pus.is_empty()).count();
        let packages = machine.packages.len();
        let per_package = match packages {
            0 => return None,
            _ if nodes < packages => 0,
            _ if !nodes.is_multiple_of(packages) => return None,
            _ => nodes / packages,
        };
        let settings = machine.settings.iter().map(|setting| format!(",{setting}"));
        let name: String = std::iter::once(machine.name.clone()).chain(settings).collect();
        Some(Self { per_package, or_more: false, by: format!("the stated machine {name}") })
    }
}
