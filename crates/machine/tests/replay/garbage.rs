//! Garbled files never prevent a machine from being read, let alone cause a crash.

use proptest::prelude::*;
use zerohop_machine::{Capture, LoadError, Machine, hwloc_xml, parse_hwloc_xml};

use crate::hwloc::{VERSION_1, VERSION_1_OF_ONE_NODE, VERSION_3};
use crate::on_file::MACHINES;

/// Possible content of a file: noise, or text that nearly makes sense.
fn content() -> impl Strategy<Value = Option<Vec<u8>>> {
    let nearly = prop_oneof![
        "[0-9,:-]{0,12}",
        "-?[0-9]{0,20}[KM]?",
        Just("0-4294967295".to_owned()),
        Just("18446744073709551615".to_owned()),
        Just("Node 0 MemTotal: 18446744073709551615 kB".to_owned()),
        Just("-1".to_owned()),
    ];
    prop_oneof![
        Just(None),
        proptest::collection::vec(any::<u8>(), 0..64).prop_map(Some),
        nearly.prop_map(|text| Some(text.into_bytes())),
    ]
}

proptest! {
    #[test]
    fn any_content_is_handled(
        machine in 0..MACHINES.len(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), content()), 1..12),
    ) {
        let (_, tree, _) = &MACHINES[machine];
        let mut files: Vec<(String, Option<Vec<u8>>)> =
            tree.files().map(|(path, content)| (path.to_owned(), Some(content.to_vec()))).collect();
        for (place, content) in changes {
            let place = place.index(files.len());
            files[place].1 = content;
        }
        let left = files.into_iter().filter_map(|(path, content)| Some((path, content?)));
        match Machine::load(&Capture::from_files(left)) {
            Ok(machine) => {
                prop_assert!(machine.pus.iter().all(|pu| machine.node(pu.node).is_some()));
                prop_assert!(!machine.pus.iter().all(|pu| !pu.allowed));
                let _ = machine.theoretical_bandwidth();
                prop_assert!(hwloc_xml(&machine).ends_with("</topology>\n"));
            }
            Err(error) => prop_assert_eq!(error, LoadError::NoProcessors),
        }
    }

    #[test]
    fn damaged_xml_is_handled(
        machine in 0..MACHINES.len(),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), "[0-9a-z\"/<>,-]{0,6}"), 1..8),
    ) {
        let mut text = hwloc_xml(&MACHINES[machine].2);
        for (place, insertion) in edits {
            // The text is ASCII, so any position is between two characters.
            text.insert_str(place.index(text.len()), &insertion);
        }
        if let Ok(machine) = parse_hwloc_xml(&text) {
            prop_assert!(!machine.pus.is_empty());
            prop_assert!(hwloc_xml(&machine).ends_with("</topology>\n"));
        }
    }

    #[test]
    fn damaged_xml_of_other_versions_is_handled(
        version in 0..3usize,
        edits in proptest::collection::vec((any::<prop::sample::Index>(), "[0-9a-z\"/<>,-]{0,6}"), 1..8),
    ) {
        let mut text = [VERSION_1, VERSION_1_OF_ONE_NODE, VERSION_3][version].to_owned();
        for (place, insertion) in edits {
            text.insert_str(place.index(text.len()), &insertion);
        }
        if let Ok(machine) = parse_hwloc_xml(&text) {
            prop_assert!(!machine.pus.is_empty());
            prop_assert!(parse_hwloc_xml(&hwloc_xml(&machine)).is_ok());
        }
    }

    #[test]
    fn any_numbers_in_xml_take_little_memory(pu: u32, node: u32, package: u32, die: u32, level: u32) {
        let text = format!(
            "<topology version=\"2.0\"><object type=\"Machine\" cpuset=\"0x1\"><object type=\"Package\" \
             os_index=\"{package}\" cpuset=\"0x1\"><object type=\"NUMANode\" os_index=\"{node}\" cpuset=\"0x1\"/>\
             <object type=\"Die\" os_index=\"{die}\" cpuset=\"0x1\"/><object type=\"L2Cache\" depth=\"{level}\" \
             cache_size=\"1\" cpuset=\"0x1\"/><object type=\"PU\" os_index=\"{pu}\" cpuset=\"0x1\"/><object \
             type=\"PU\" os_index=\"0\" cpuset=\"0x1\"/></object></object></topology>"
        );
        let machine = parse_hwloc_xml(&text).unwrap();
        prop_assert!(hwloc_xml(&machine).len() < 100_000);
    }

    #[test]
    fn any_smbios_table_is_handled(table in proptest::collection::vec(any::<u8>(), 0..600)) {
        let tree = Capture::from_files([
            ("/proc/cpuinfo", b"processor : 0\n".to_vec()),
            ("/sys/firmware/dmi/tables/DMI", [&[17, 0x28][..], &table].concat()),
        ]);
        let machine = Machine::load(&tree).unwrap();
        let capture = Capture::record(&tree).unwrap();
        prop_assert_eq!(Machine::load(&capture).unwrap().memory_devices, machine.memory_devices);
    }

    #[test]
    fn no_text_crashes_the_capture_parser(text in "\\PC{0,80}") {
        prop_assert!(Capture::from_json(&text).is_err());
    }
}

#[test]
fn a_capture_of_another_version_is_refused() {
    let error = Capture::from_json(r#"{"version": 99, "files": {}}"#).unwrap_err();
    assert_eq!(error.to_string(), "a captured machine of format 99; this version reads format 1");
    assert_eq!(error.hint(), "capture the machine again with this version");
}

#[test]
fn xml_of_something_else_is_refused_with_what_it_is() {
    for (text, expected) in [
        ("<svg/>", "the outermost element is `svg`"),
        (
            "<topology version=\"4.0\"><object type=\"Machine\"/></topology>",
            "hwloc's XML of version `4.0`; versions 1 to 3 are supported",
        ),
        ("<topology version=\"2.0\"/>", "the topology has no PU"),
        ("no xml", "not XML: "),
    ] {
        let error = parse_hwloc_xml(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
