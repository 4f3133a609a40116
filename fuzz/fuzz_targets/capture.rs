//! Whatever files a capture holds, they are a machine that can be captured again, or none.

#![no_main]

use libfuzzer_sys::fuzz_target;
use zerohop_machine::{Capture, Machine, hwloc_xml};

fuzz_target!(|text: &str| {
    let Ok(tree) = Capture::from_json(text) else { return };
    if let Ok(machine) = Machine::load(&tree) {
        assert!(machine.pus.iter().all(|pu| machine.node(pu.node).is_some()));
        let _ = machine.theoretical_bandwidth();
        assert!(hwloc_xml(&machine).ends_with("</topology>\n"));
        let again = Capture::record(&tree).and_then(|capture| Machine::load(&capture));
        assert_eq!(again.map(|again| again.pus), Ok(machine.pus));
    }
});
