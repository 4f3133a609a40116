//! Instruments of made-up machines.

use std::collections::BTreeMap;
use std::io;
use std::sync::Mutex;

use zerohop_machine::{Capture, Machine, PuId};

use super::*;

/// A tree of these files.
fn tree(files: &[(&str, &str)]) -> Capture {
    let files: BTreeMap<&str, &str> = files.iter().copied().collect();
    let json = serde_json::json!({ "version": 1, "files": files });
    Capture::from_json(&json.to_string()).unwrap()
}

/// Two channels of an Intel processor in two packages, whose events have the kernel's names and scales.
const INTEL: [(&str, &str); 16] = [
    ("/sys/bus/event_source/devices/uncore_imc_0/type", "17\n"),
    ("/sys/bus/event_source/devices/uncore_imc_0/cpumask", "0,24\n"),
    ("/sys/bus/event_source/devices/uncore_imc_0/format/event", "config:0-7\n"),
    ("/sys/bus/event_source/devices/uncore_imc_0/format/umask", "config:8-15\n"),
    ("/sys/bus/event_source/devices/uncore_imc_0/events/cas_count_read", "event=0x04,umask=0x03\n"),
    ("/sys/bus/event_source/devices/uncore_imc_0/events/cas_count_read.scale", "6.103515625e-5\n"),
    ("/sys/bus/event_source/devices/uncore_imc_0/events/cas_count_read.unit", "MiB\n"),
    ("/sys/bus/event_source/devices/uncore_imc_0/events/cas_count_write", "event=0x04,umask=0x0c\n"),
    ("/sys/bus/event_source/devices/uncore_imc_0/events/cas_count_write.scale", "6.103515625e-5\n"),
    ("/sys/bus/event_source/devices/uncore_imc_0/events/clockticks", "event=0xff\n"),
    // A second device that counts the same by another way must not count twice.
    ("/sys/bus/event_source/devices/uncore_imc_free_running_0/type", "30\n"),
    ("/sys/bus/event_source/devices/uncore_imc_free_running_0/events/data_read", "event=0xff,umask=0x20\n"),
    ("/sys/class/powercap/intel-rapl:0/name", "package-0\n"),
    ("/sys/class/powercap/intel-rapl:0/energy_uj", "250000000\n"),
    ("/sys/class/powercap/intel-rapl:0/max_energy_range_uj", "262143328850\n"),
    ("/sys/devices/system/cpu/intel_uncore_frequency/package_00_die_00/current_freq_khz", "2200000\n"),
];

/// A counter that advances by what its event's number says at each reading.
#[derive(Debug)]
struct Rising {
    step: u64,
    count: Mutex<u64>,
}

impl Counter for Rising {
    fn count(&self) -> io::Result<Count> {
        let mut count = self.count.lock().unwrap();
        *count += self.step;
        Ok(Count { value: *count, enabled: *count, running: *count })
    }
}

/// Reads rise by 3,000 a reading (umask 3), writes by 12,000 (umask 12).
fn rising(wanted: Wanted) -> io::Result<Box<dyn Counter>> {
    assert!(wanted.cpu.is_none_or(|cpu| [PuId(0), PuId(24)].contains(&cpu)), "{wanted:?}");
    let step = (wanted.config >> 8 & 0xff) * 1000;
    Ok(Box::new(Rising { step, count: Mutex::new(0) }))
}

fn denied(_: Wanted) -> io::Result<Box<dyn Counter>> {
    Err(io::Error::from_raw_os_error(libc::EACCES))
}

fn absent(_: Wanted) -> io::Result<Box<dyn Counter>> {
    Err(io::Error::from_raw_os_error(libc::ENOENT))
}

#[test]
fn traffic_is_what_all_controllers_of_all_packages_counted() {
    let tree = tree(&INTEL);
    let instruments = Instruments::open(&tree, &Machine::default(), rising);
    assert_eq!(instruments.bus.len(), 4, "reads and writes, in two packages: {instruments:?}");
    let before = instruments.look(&tree);
    let meters = instruments.since(&before, &tree, Seconds(1.0), Seconds(1e-3));
    // 2 packages, lines of 64 bytes, in a millisecond.
    let gbps = |lines: f64| lines * 64.0 / 1e-3 / 1e9;
    let near = |value: Option<f64>, wanted: f64| assert!((value.unwrap() / wanted - 1.0).abs() < 1e-9);
    near(meters.bus_read_gbps, gbps(2.0 * 3000.0));
    near(meters.bus_counted_gbps, gbps(2.0 * 15_000.0));
    assert_eq!((meters.package_w, meters.memory_w, meters.uncore_ghz), (Some(0.0), None, Some(2.2)));
    assert_eq!(instruments.not_seen(), [""; 0]);
}

#[test]
fn what_a_kernel_reserves_is_one_line_that_says_what_allows_it() {
    let instruments = Instruments::open(&tree(&INTEL), &Machine::default(), denied);
    let [line] = instruments.not_seen() else { panic!("{:?}", instruments.not_seen()) };
    assert!(line.starts_with("traffic at the memory controllers, page table walks, core cycles: "), "{line}");
    assert!(line.contains("kernel.perf_event_paranoid=0"), "{line}");
    let look = instruments.look(&tree(&INTEL));
    let meters = instruments.since(&look, &tree(&INTEL), Seconds(1.0), Seconds(1.0));
    assert_eq!(meters.bus_counted_gbps, None);
}

#[test]
fn a_virtual_machine_has_none_of_it_and_one_line_says_so() {
    let nothing = tree(&[("/sys/bus/event_source/devices/software/type", "1\n")]);
    let instruments = Instruments::open(&nothing, &Machine::default(), absent);
    let all = "traffic at the memory controllers, page table walks, core cycles, power, the uncore's clock";
    assert_eq!(instruments.not_seen(), [format!("{all}: not there")]);
    let look = instruments.look(&nothing);
    assert!(instruments.since(&look, &nothing, Seconds(1.0), Seconds(1.0)).is_empty());
}

/// Reasons were told apart by their words.
#[test]
fn a_reason_is_told_apart_by_its_kind() {
    let whys = |tree: &Capture, open: Open| -> Vec<WhyUnseen> {
        let instruments = Instruments::open(tree, &Machine::default(), open);
        instruments.unseen().iter().map(|one| one.why.clone()).collect()
    };
    assert_eq!(whys(&tree(&INTEL), denied), vec![WhyUnseen::Reserved; 3]);
    assert_eq!(whys(&tree(&[]), absent), vec![WhyUnseen::NotThere; 5]);
    let odd = |_: Wanted| -> io::Result<Box<dyn Counter>> { Err(io::Error::other("not there")) };
    assert_eq!(whys(&tree(&INTEL), odd), vec![WhyUnseen::Other("not there".to_owned()); 3]);
    assert_eq!(WhyUnseen::of_meter(&zerohop_machine::ReadError::Denied), WhyUnseen::RootOnly);
}

#[test]
fn controllers_of_amd_have_no_named_events_but_formats() {
    let umc = "/sys/bus/event_source/devices/amd_umc_0";
    let files = [
        (format!("{umc}/type"), "20"),
        (format!("{umc}/cpumask"), "0"),
        (format!("{umc}/format/event"), "config:0-7"),
        (format!("{umc}/format/rdwrmask"), "config:8-9"),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let found = events(&tree(&files), Some(0x1a));
    let configs: Vec<(Flow, u64)> = found.iter().map(|one| (one.flow, one.event.config)).collect();
    assert_eq!(configs, [(Flow::Read, 0x10a), (Flow::Written, 0x20a)]);
}

#[test]
fn the_data_fabric_counts_both_directions_where_controllers_have_no_device() {
    let fabric = "/sys/bus/event_source/devices/amd_df";
    let files = [
        (format!("{fabric}/type"), "12"),
        (format!("{fabric}/cpumask"), "0,32"),
        (format!("{fabric}/format/event"), "config:0-7,32-35,59-60"),
        (format!("{fabric}/format/umask"), "config:8-15"),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let found = events(&tree(&files), Some(0x17));
    assert_eq!(found.len(), 8);
    assert!(found.iter().all(|one| one.flow == Flow::Either && one.event.cpus.len() == 2));
    assert_eq!((found[0].event.config, found[4].event.config), (0x3807, 0x1_0000_3807));
    // Its events mean something else on later processors.
    assert_eq!(events(&tree(&files), Some(0x1a)), []);
}

#[test]
fn energy_goes_on_after_its_meter_has_started_again() {
    let tree = tree(&INTEL);
    let all = meters(&tree).unwrap();
    let power = |before, after| {
        let (before, after): ([Option<u64>; 1], [Option<u64>; 1]) = ([Some(before)], [Some(after)]);
        watts(&all, Domain::Package, (&before, &after), Seconds(2.0)).unwrap()
    };
    assert!((power(1_000_000, 301_000_000) - 150.0).abs() < 1e-9);
    assert!((power(262_143_328_850 - 1_000_000, 299_000_000) - 150.0).abs() < 1e-9);
}
