//! Whatever a text is, it is a machine that can be written as XML and read again, or what is wrong with it is said.

#![no_main]

use libfuzzer_sys::fuzz_target;
use zerohop_machine::{hwloc_xml, parse_hwloc_xml};

fuzz_target!(|text: &str| {
    match parse_hwloc_xml(text) {
        Ok(machine) => {
            assert!(machine.pus.iter().all(|pu| machine.node(pu.node).is_some() || machine.nodes.is_empty()));
            let written = hwloc_xml(&machine);
            assert!(parse_hwloc_xml(&written).is_ok(), "{written}");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
