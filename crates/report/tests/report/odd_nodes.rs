//! Nodes and processors that hints used to misname.

use zerohop_machine::{Machine, NodeId, PuSet};
use zerohop_report::pages::Style;
use zerohop_units::Bytes;
use zerohop_workload::Warning;

use crate::examples::{file, machine, matrix, survey};
use crate::shown::{experiment_page, machine_page, survey_page};

const WIDE: Style = Style { colour: false, width: 120 };

/// The row of a node in the page of its machine.
fn row(machine: &Machine, node: u32) -> String {
    let page = machine_page(machine, &WIDE);
    let of_node = |line: &&str| line.split_whitespace().next() == Some(&node.to_string());
    page.lines().find(of_node).unwrap_or_else(|| panic!("{page}")).to_owned()
}

/// Its CPUs were called `not allowed`.
#[test]
fn a_fake_node_shares_its_cpus() {
    let mut machine = machine(2, 1, 2);
    machine.nodes[1].pus = machine.nodes[0].pus.clone();
    for pu in &mut machine.pus {
        pu.node = NodeId(0);
    }
    let row = row(&machine, 1);
    assert!(row.contains("shares the CPUs of node 0") && !row.contains("not allowed"), "{row}");
}

#[test]
fn isolated_cpus_are_not_merely_not_allowed() {
    let mut machine = machine(2, 1, 2);
    let of_second: PuSet = machine.nodes[1].pus.clone();
    for pu in machine.pus.iter_mut().filter(|pu| of_second.contains(pu.id)) {
        pu.allowed = false;
    }
    assert!(row(&machine, 1).contains("CPUs not allowed"));
    machine.system.isolated_pus = Some(of_second.to_string());
    assert!(row(&machine, 1).contains("CPUs isolated"));
}

/// It was called memory alone.
#[test]
fn a_node_without_cpus_and_memory_is_a_generic_initiator() {
    let mut machine = machine(2, 1, 2);
    let mut device = machine.nodes[1].clone();
    (device.id, device.pus, device.memory, device.free) = (NodeId(2), PuSet::new(), Bytes(0), Bytes(0));
    machine.nodes.push(device);
    machine.distances = None;
    assert!(row(&machine, 2).contains("generic initiator: neither CPUs nor memory"));
    let page = machine_page(&machine, &WIDE);
    assert!(page.contains("3 NUMA nodes (1 without either: generic initiators)"), "{page}");
}

#[test]
fn an_arm_processor_has_words_and_hexadecimal_numbers() {
    let mut machine = machine(1, 1, 2);
    let processor = &mut machine.processor;
    (processor.vendor, processor.model) = ("ARM".to_owned(), "Neoverse N1".to_owned());
    (processor.family, processor.model_number, processor.stepping) = (Some(0x41), Some(0xd0c), Some(3));
    processor.instruction_sets = vec!["asimd".to_owned()];
    let page = machine_page(&machine, &WIDE);
    assert!(page.contains("Neoverse N1 (ARM, implementer 0x41, part 0xd0c, variant 0x3)"), "{page}");
}

/// Sixteen cells that one reason left out were sixteen warnings.
#[test]
fn equal_reasons_are_grouped() {
    let mut file = survey(machine(2, 1, 4));
    let reason = "0 B of memory is too little for 4 workers: node 1 has 0 B free";
    for from in 0..3 {
        file.experiments[0].warnings.push(Warning::ExperimentSkipped {
            experiment: format!("latency-matrix, node {from} -> node 1"),
            reason: reason.to_owned(),
        });
    }
    let page = survey_page(&file, &WIDE);
    let words = format!("latency-matrix, node 0 -> node 1 and 2 more skipped: {reason}");
    assert_eq!(page.matches(reason).count(), 1, "{page}");
    assert!(page.contains(&words), "{page}");
}

#[test]
fn the_page_says_which_share_of_pages_was_checked_and_when() {
    let machine = machine(2, 1, 4);
    let mut result = matrix(&machine, "latency-matrix".parse().unwrap());
    let with = |result: &_| experiment_page(&file(machine.clone(), vec![]), result, &WIDE);
    assert!(
        with(&result).contains("are on the requested node, before and after sampling"),
        "{}",
        with(&result)
    );
    let mut cells: Vec<_> = result.cells.iter().cloned().collect();
    for cell in &mut cells {
        cell.evidence.backing.pages = 10 * cell.evidence.backing.pages_checked;
        cell.evidence.backing.confirmed = false;
    }
    result.cells = zerohop_result::Cells::new(cells).unwrap();
    let page = with(&result);
    assert!(page.contains("checked (10 % of all) are on the requested node"), "{page}");
    assert!(!page.contains("after sampling"), "{page}");
}
