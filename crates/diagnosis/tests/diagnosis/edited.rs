//! Rules about settings and evidence, on a healthy result that is changed in one respect: they hold, do not hold, and cannot tell.

use zerohop_diagnosis::{Diagnosis, Finding};
use zerohop_machine::{DistanceMatrix, NodeId, PackageId};
use zerohop_result::ResultFile;
use zerohop_units::{Bytes, TransfersPerSecond};
use zerohop_workload::Warning;

use crate::bench::alarms;
use crate::constructed::{edited as with, warn};

fn found<'a>(diagnosis: &'a Diagnosis, rule: &str) -> Option<&'a Finding> {
    diagnosis.findings.iter().find(|finding| finding.rule == rule)
}

/// What a rule would need, if it cannot tell.
fn missing<'a>(diagnosis: &'a Diagnosis, rule: &str) -> Option<&'a str> {
    diagnosis.untold.iter().find(|untold| untold.rule == rule).map(|untold| untold.missing.as_str())
}

#[test]
fn settings_of_the_kernel_hold_do_not_hold_or_are_unknown() {
    let diagnosis = with(|file| file.machine.system.zone_reclaim = Some(1));
    let finding = found(&diagnosis, "reclaimed-zones").unwrap();
    assert!(finding.title.contains("vm.zone_reclaim_mode = 1"), "{}", finding.title);
    let diagnosis = with(|file| file.machine.system.zone_reclaim = Some(0));
    assert!(diagnosis.passed.contains(&"reclaimed-zones".to_owned()));
    let diagnosis = with(|file| file.machine.system.zone_reclaim = None);
    assert_eq!(missing(&diagnosis, "reclaimed-zones"), Some("the kernel's setting vm.zone_reclaim_mode"));
}

#[test]
fn automatic_balancing_alone_is_no_finding_but_moved_pages_are() {
    let balancing = |file: &mut ResultFile| file.machine.system.numa_balancing = Some(true);
    assert_eq!(found(&with(balancing), "balanced-pages"), None);
    let diagnosis = with(|file| {
        balancing(file);
        warn(file, &Warning::PagesMisplaced { share: 0.9 });
    });
    assert!(found(&diagnosis, "balanced-pages").is_some());
    assert!(
        missing(&with(|file| file.machine.system.numa_balancing = None), "balanced-pages").is_some() || {
            // Where no page was moved, the setting does not matter.
            with(|file| file.machine.system.numa_balancing = None)
                .passed
                .contains(&"balanced-pages".to_owned())
        }
    );
}

#[test]
fn a_governor_that_saves_power_is_named_unless_the_processor_decides() {
    let governor = |driver: &str| {
        let driver = driver.to_owned();
        with(move |file| {
            file.machine.system.governor = Some("powersave".to_owned());
            file.machine.system.frequency_driver = Some(driver);
        })
    };
    assert!(found(&governor("acpi-cpufreq"), "saving-governor").is_some());
    assert!(found(&governor("intel_pstate"), "saving-governor").is_none());
    let unknown = with(|file| file.machine.system.governor = None);
    assert_eq!(missing(&unknown, "saving-governor"), Some("the cpufreq governor"));
}

#[test]
fn a_cpuset_that_covers_a_part_is_a_note_and_no_alarm() {
    let diagnosis = with(|file| file.machine.system.cpuset_cpus = Some("0-7".to_owned()));
    assert!(found(&diagnosis, "partial-cpuset").unwrap().title.contains("cpuset.cpus = 0-7"));
    assert_eq!(alarms(&diagnosis), Vec::<&str>::new());
}

#[test]
fn dimms_are_compared_channel_by_channel_and_two_on_a_channel_are_one() {
    let lost = with(|file| {
        let of_second = |device: &&mut zerohop_machine::MemoryDevice| device.package == Some(PackageId(1));
        let device = file.machine.memory_devices.iter_mut().find(of_second).unwrap();
        device.size = Bytes(0);
    });
    let finding = found(&lost, "uneven-channels").unwrap();
    assert_eq!(finding.title, "package 1 has DIMMs on 5 channels, others on 6");
    // The DIMM that is missing on one channel sits beside another one on the next.
    let doubled = with(|file| {
        let of_second: Vec<usize> = (0..file.machine.memory_devices.len())
            .filter(|&rank| file.machine.memory_devices[rank].package == Some(PackageId(1)))
            .collect();
        let channel = file.machine.memory_devices[of_second[1]].channel.clone();
        file.machine.memory_devices[of_second[0]].channel = channel;
    });
    assert!(found(&doubled, "uneven-channels").is_some());
    let unknown = with(|file| file.machine.memory_devices.clear());
    assert!(missing(&unknown, "uneven-channels").unwrap().starts_with("the list of DIMM slots"));
    let slow = with(|file| file.machine.memory_devices[0].configured = Some(TransfersPerSecond(2400e6)));
    assert!(found(&slow, "unequal-dimms").unwrap().title.contains("2400 MT/s"));
}

#[test]
fn distances_that_contradict_latencies_come_with_measured_ones() {
    let diagnosis = with(|file| {
        let nodes: Vec<NodeId> = (0..4).map(NodeId).collect();
        // Node 0 is said to be nearer to node 1 than to itself.
        let rows =
            vec![vec![20, 10, 20, 20], vec![20, 10, 20, 20], vec![20, 20, 10, 20], vec![20, 20, 20, 10]];
        file.machine.distances = Some(DistanceMatrix { nodes, rows });
    });
    let finding = found(&diagnosis, "wrong-distances").unwrap();
    assert!(finding.title.contains("node 1 is nearer to node 0 than node 0"), "{}", finding.title);
    assert!(finding.remedies[0].contains("zerohop advise distances"), "{:?}", finding.remedies);
    assert!(with(|_| {}).passed.contains(&"wrong-distances".to_owned()));
    assert!(missing(&with(|file| file.machine.distances = None), "wrong-distances").is_some());
}

#[test]
fn packages_that_are_divided_differently_did_not_take_the_same_setting() {
    let diagnosis = with(|file| {
        for pu in file.machine.pus.iter_mut().filter(|pu| pu.node == NodeId(1)) {
            pu.package = PackageId(0);
        }
    });
    assert!(
        found(&diagnosis, "uneven-nodes").is_some() || diagnosis.passed.contains(&"uneven-nodes".to_owned())
    );
    let unknown = with(|file| file.machine.pus.clear());
    assert_eq!(missing(&unknown, "uneven-nodes"), Some("the machine's packages"));
}

#[test]
fn doubtful_values_are_not_judged_and_the_measurement_is() {
    let diagnosis = with(|file| warn(file, &Warning::Throttled {}));
    assert!(found(&diagnosis, "throttling").is_some());
    assert_eq!(
        missing(&diagnosis, "memory-of-a-node"),
        Some("values of `bandwidth` in bandwidth-matrix that are not in doubt")
    );
    assert!(found(&diagnosis, "unfit").is_some());
}

#[test]
fn a_result_without_matrices_leaves_the_rules_about_them_open() {
    let diagnosis = with(|file| file.experiments.clear());
    assert_eq!(missing(&diagnosis, "memory-of-a-node"), Some("the experiment bandwidth-matrix"));
    assert_eq!(missing(&diagnosis, "collapse"), Some("the experiment ramp"));
    assert_eq!(alarms(&diagnosis), Vec::<&str>::new());
}
