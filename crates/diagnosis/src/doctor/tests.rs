use zerohop_machine::{Capture, HugePagePool};
use zerohop_units::Bytes;

use super::*;
use crate::quiet_machine::is_quiet;

fn captured(name: &str) -> Machine {
    let path = format!("{}/../machine/tests/machines/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let capture = Capture::from_json(&std::fs::read_to_string(path).unwrap()).unwrap();
    Machine::load(&capture).unwrap()
}

/// A host that allows everything.
fn good() -> Machine {
    let mut machine = captured("quartet");
    machine.system = zerohop_machine::OperatingSystem {
        transparent_huge_pages: Some("madvise".to_owned()),
        transparent_huge_page_defrag: Some("madvise".to_owned()),
        numa_balancing: Some(false),
        governor: Some("performance".to_owned()),
        clock_source: Some("tsc".to_owned()),
        ..zerohop_machine::OperatingSystem::default()
    };
    for node in &mut machine.nodes {
        node.huge_pages = vec![HugePagePool { page: Bytes::gib(1), total: 4, free: 4 }];
    }
    machine.gaps.clear();
    machine
}

fn all_allowed() -> Probed {
    Probed {
        clock: Ok("TSC at 2.400000 GHz".to_owned()),
        forbidden: Vec::new(),
        paranoid: Some(0),
        unseen: Vec::new(),
        prefetchers: PrefetcherAccess::Switchable,
        busy: Some(0.0),
    }
}

/// A host where everything is wrong that can be.
fn bad() -> (Machine, Probed) {
    let mut machine = captured("quartet");
    let system = &mut machine.system;
    system.hypervisor = Some("KVM".to_owned());
    system.cpuset_cpus = Some("0-1".to_owned());
    system.cpuset_mems = Some("0".to_owned());
    system.offline_pus = Some("9".to_owned());
    system.cpu_quota = Some(0.5);
    system.memory_limit = Some(Bytes::mib(64));
    system.process_memory_limit = Some(Bytes::mib(64));
    system.transparent_huge_pages = Some("never".to_owned());
    system.clock_source = Some("hpet".to_owned());
    system.governor = Some("ondemand".to_owned());
    system.numa_balancing = Some(true);
    system.kernel_parameters = vec!["numa=fake=4".to_owned()];
    machine.memory_devices.clear();
    machine.gaps = vec!["caches: not shown".to_owned()];
    let probed = Probed {
        clock: Err(("no clock".to_owned(), "measure elsewhere".to_owned())),
        forbidden: ["sched_setaffinity", "mbind", "move_pages", "set_mempolicy", "perf_event_open"]
            .map(|call| (call, "Operation not permitted".to_owned()))
            .to_vec(),
        paranoid: Some(4),
        unseen: vec![
            ("power", Absence::RootOnly),
            ("page table walks", Absence::Reserved),
            ("traffic", Absence::NotThere),
            ("cycles", Absence::Other("odd".to_owned())),
        ],
        prefetchers: PrefetcherAccess::NoModule,
        busy: Some(3.0),
    };
    (machine, probed)
}

fn named<'a>(report: &'a DoctorReport, what: &str) -> &'a Check {
    report.checks.iter().find(|check| check.what == what).unwrap_or_else(|| panic!("no {what}: {report:#?}"))
}

#[test]
fn a_good_host_costs_nothing_but_what_its_capture_lacks() {
    let report = DoctorReport::new(&good(), Some(&all_allowed()));
    let costs: Vec<&str> = report.standing(Standing::Costs).map(|check| check.what.as_str()).collect();
    let lacks: &[&str] = if good().dimms().is_empty() { &["DIMMs"] } else { &[] };
    assert_eq!(costs, lacks, "{report:#?}");
    assert!(report.allows_measuring());
}

#[test]
fn what_costs_something_names_a_command_or_why_there_is_none() {
    let (bad, probed) = bad();
    let mut reports = vec![DoctorReport::new(&bad, Some(&probed)), DoctorReport::new(&good(), None)];
    for access in [PrefetcherAccess::RootOnly, PrefetcherAccess::Never("virtual".to_owned())] {
        reports.push(DoctorReport::new(&bad, Some(&Probed { prefetchers: access, ..all_allowed() })));
    }
    let machines =
        ["arm-server", "cxl-expander", "epyc-nps4", "offline-pus", "one-pu-allowed", "memoryless-nodes"];
    reports.extend(machines.map(|name| DoctorReport::new(&captured(name), None)));
    for check in reports.iter().flat_map(|report| &report.checks) {
        let loses = check.standing != Standing::Fine;
        assert_eq!((check.cost.is_some(), check.cure.is_some()), (loses, loses), "{check:?}");
        let empty = match &check.cure {
            Some(Cure::Command(text) | Cure::Elsewhere(text)) => text.is_empty(),
            None => false,
        };
        assert!(!empty && !check.is.is_empty(), "{check:?}");
    }
}

#[test]
fn what_prevents_measuring_comes_first() {
    let (bad, probed) = bad();
    let report = DoctorReport::new(&bad, Some(&probed));
    assert!(!report.allows_measuring());
    let prevents: Vec<&str> = report.standing(Standing::Prevents).map(|check| check.what.as_str()).collect();
    assert_eq!(prevents, ["clock", "system call"]);
    assert_eq!(report.checks[0].standing, Standing::Prevents);
    let call = &report.checks[1];
    assert!(call.cost.as_deref().is_some_and(|cost| cost.contains("threads cannot")), "{call:?}");
}

#[test]
fn cpus_are_brought_online_by_their_numbers() {
    let report = DoctorReport::new(&captured("offline-pus"), None);
    let check = named(&report, "CPUs offline");
    assert_eq!(check.cure, Some(Cure::Command(format!("sudo chcpu --enable {}", check.is))));
}

#[test]
fn a_process_that_may_use_one_cpu_is_told_who_said_so() {
    let report = DoctorReport::new(&captured("one-pu-allowed"), None);
    let check = named(&report, "CPUs allowed");
    assert_eq!(check.standing, Standing::Costs);
    assert!(matches!(&check.cure, Some(Cure::Elsewhere(why)) if why.contains("container")), "{check:?}");
}

#[test]
fn counters_that_a_container_forbids_are_not_blamed_on_a_setting() {
    let unseen = vec![("cycles", Absence::Reserved)];
    let cure = |forbidden| {
        let probed = Probed { unseen: unseen.clone(), forbidden, ..all_allowed() };
        named(&DoctorReport::new(&good(), Some(&probed)), "counters").cure.clone()
    };
    assert_eq!(cure(Vec::new()), Some(Cure::Command("sudo sysctl kernel.perf_event_paranoid=0".to_owned())));
    let forbidden = vec![("perf_event_open", "Operation not permitted".to_owned())];
    assert!(matches!(cure(forbidden), Some(Cure::Elsewhere(_))));
}

#[test]
fn small_pages_are_named_with_the_command_for_huge_ones() {
    let mut machine = good();
    machine.system.transparent_huge_pages = Some("never".to_owned());
    machine.nodes.iter_mut().for_each(|node| node.huge_pages.clear());
    let report = DoctorReport::new(&machine, None);
    let Some(Cure::Command(command)) = &named(&report, "transparent huge pages").cure else { panic!() };
    assert!(command.contains("transparent_hugepage/enabled"), "{command}");
}

/// What is waited for and what is warned of were two thresholds.
#[test]
fn a_load_that_is_waited_for_costs_something() {
    let cpus = good().pus.len();
    for busy in [0.0, 0.1, 0.1 + 0.0049 * cpus as f64, 0.11 + 0.005 * cpus as f64, 3.0] {
        let probed = Probed { busy: Some(busy), ..all_allowed() };
        let report = DoctorReport::new(&good(), Some(&probed));
        let is_fine = named(&report, "other load").standing == Standing::Fine;
        assert_eq!(is_fine, is_quiet(busy, cpus), "{busy}");
    }
    assert!(is_quiet(0.1, 0) && !is_quiet(0.2, 4) && is_quiet(0.2, 64));
}
