//! What texts say about the machine: nodes, CPUs, memory, distances, and the processor's name.

mod dimms;
mod fact_collection;
mod kernel;
mod memory;
mod processor;
mod prose_facts;
mod run;
mod size;

use crate::lines::Text;

pub(crate) use fact_collection::Facts;
pub(crate) use processor::{is_start_of_processor, names_processor, read_processor};
pub(crate) use size::binary_size;

/// Reads what a text says of the machine and of the run beside its nodes and its processor.
pub(crate) fn read_surroundings(text: &mut Text, facts: &mut Facts, has_values: bool) {
    for described in memory::read_memory(text, facts) {
        facts.take_in(described);
    }
    kernel::read_kernel(text, facts);
    dimms::read_dimms(text, facts);
    run::read_run(text, facts);
    // Words alone make no machine: they belong to values or to nodes.
    if has_values {
        prose_facts::read_typed(text, facts);
    }
}
