//! Every rule has a case in which it holds, one in which it does not, and one in which it cannot tell.

use std::collections::BTreeSet;

use zerohop_diagnosis::{AskedNodes, Diagnosis, Finding, Given, diagnose};
use zerohop_machine::{AccessClass, NodeAccess, NodeId, PackageId};
use zerohop_model::Solver;
use zerohop_result::{Axis, Coordinate, ResultFile};
use zerohop_units::{Bytes, Nanoseconds, TransfersPerSecond};
use zerohop_workload::Warning;

use crate::bench::{
    MATRICES, alarms, diagnosed, faulty, held_against, judged, judged_beside, machine, result, rules,
};
use crate::constructed::{add_curve, curve, edited, healthy, replace, unmeasured, warn};
use crate::fleet;
use crate::human_texts;
use crate::imported::{LATENCIES, clpeak, diagnosed as imported, mlc};
use crate::resolved::interrupted;

/// Rules that can always tell, and why.
const NEVER_OPEN: [(&str, &str); 1] =
    [("unfit", "a result says of itself how good it is; one without values is not unfit, but empty")];

/// A rule, and what rules say where it holds, does not hold, and cannot tell.
pub(crate) type Case = (&'static str, [Diagnosis; 3]);

#[test]
fn every_rule_has_a_case_that_holds_one_that_does_not_and_one_that_cannot_tell() {
    let parts = [of_machines(), of_evidence(), of_matrices(), of_curves(), beside(), in_fleet()];
    let cases = [parts.concat(), human_texts::cases()].concat();
    let named: BTreeSet<&str> = cases.iter().map(|(rule, _)| *rule).collect();
    let known: BTreeSet<&str> = rules().iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(named, known);
    let mut wrong = Vec::new();
    for (rule, [holds, passes, open]) in &cases {
        // What a graver finding explains was found as well.
        let is_found =
            |finding: &Finding| finding.rule == *rule || finding.explains.iter().any(|name| name == rule);
        wrong.extend(holds.findings.iter().filter_map(misplaced_remedy));
        if !holds.findings.iter().any(is_found) {
            wrong.push(format!("{rule} does not hold: {:?}, {:?}", alarms(holds), missing(holds, rule)));
        }
        if !passes.passed.iter().any(|name| name == rule) {
            wrong.push(format!("{rule} does not pass: {:?}, {:?}", alarms(passes), missing(passes, rule)));
        }
        let is_open = missing(open, rule).is_some_and(|missing| !missing.is_empty());
        if is_open == NEVER_OPEN.iter().any(|(name, _)| name == rule) {
            wrong.push(format!("{rule} is open, or not: {:?}", alarms(open)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is wrong with the first remedy of a finding, if it is not one for its likeliest cause. A channel of slow DIMMs was to get "missing DIMMs".
fn misplaced_remedy(finding: &Finding) -> Option<String> {
    let rule = rules().iter().find(|rule| rule.name == finding.rule)?;
    let (cause, first) = (finding.causes.first()?, finding.remedies.first()?);
    let remedy = rule.remedies.iter().find(|remedy| is_filled(&remedy.words, first))?;
    let is_for = |rank: &usize| is_filled(&rule.causes[*rank].words, &cause.words);
    let is_right = remedy.causes.is_empty() || remedy.causes.iter().any(is_for);
    (!is_right).then(|| format!("{}: {} is not helped by: {first}", rule.name, cause.words))
}

/// Whether a text is what a text of a rule becomes when values take the place of names in braces.
fn is_filled(of_rule: &str, text: &str) -> bool {
    let parts = of_rule.split('{').map(|part| part.split_once('}').map_or(part, |(_, after)| after));
    parts
        .into_iter()
        .try_fold(text, |rest, part| rest.find(part).map(|at| &rest[at + part.len()..]))
        .is_some()
}

/// What only whoever runs a machine's hardware can do is no advice for a guest.
#[test]
fn a_guest_is_told_that_hardware_is_its_host_s() {
    let mut file = result(faulty("sr665-v3", "slow-dimm:node0=4000"), &MATRICES, Solver::Auto, 1);
    let remedies = |file: &ResultFile| judged("sr665-v3", file).findings[0].remedies.clone();
    let physical = remedies(&file);
    assert!(physical[0].starts_with("replace the slow DIMMs"), "{physical:?}");
    file.machine.system.hypervisor = Some("KVM".to_owned());
    let virtual_ones = remedies(&file);
    let of_hardware = virtual_ones.iter().filter(|remedy| remedy.contains("DIMM"));
    let are_all =
        of_hardware.clone().all(|remedy| remedy.starts_with("on the host of this virtual machine: "));
    assert!(are_all && of_hardware.count() > 0, "{virtual_ones:?}");
}

/// A guest whose own programs are busy has its time stolen, too: the hypervisor was named first, and dedicated cores were the advice.
#[test]
fn load_of_the_machine_itself_comes_before_time_that_its_hypervisor_steals() {
    let first = |faults: &str| diagnosed("quartet", faults).findings[0].clone();
    let busy = first("noise=busy vm=steal");
    assert_eq!(busy.rule, "busy-cpus");
    assert!(busy.causes[0].words.contains("other programs"), "{:?}", busy.causes);
    assert_eq!(first("vm=steal").rule, "stolen-time");
}

/// What a rule lacks, if it cannot tell.
fn missing<'a>(diagnosis: &'a Diagnosis, rule: &str) -> Option<&'a str> {
    diagnosis.untold.iter().find(|untold| untold.rule == rule).map(|untold| untold.missing.as_str())
}

/// A machine that lists neither CPUs nor nodes.
fn unlisted() -> Diagnosis {
    unmeasured(forget)
}

fn forget(file: &mut ResultFile) {
    let machine = &mut file.machine;
    machine.pus.clear();
    machine.nodes.clear();
    machine.packages.clear();
    machine.memory_devices.clear();
    machine.distances = None;
    machine.access.clear();
    machine.system.hypervisor = None;
}

fn virtual_machine(file: &mut ResultFile) {
    file.machine.system.hypervisor = Some("KVM".to_owned());
}

fn of_machines() -> Vec<Case> {
    let sound = || edited(|_| {});
    let of_dimm = |change: fn(&mut zerohop_machine::MemoryDevice)| {
        edited(|file| change(&mut file.machine.memory_devices[0]))
    };
    let one_node = |name: &str, faults: &str, change: fn(&mut ResultFile)| {
        let hardware = faulty(name, faults);
        unmeasured(|file| {
            file.machine = hardware.machine.clone();
            change(file);
        })
    };
    vec![
        ("fewer-nodes", [diagnosed("quartet", "interleaving=on"), sound(), unlisted()]),
        (
            "fewer-nodes-than-dies",
            [
                diagnosed("opteron-6274-4s", "interleaving=on"),
                diagnosed("opteron-6274-4s", ""),
                unmeasured(|file| {
                    forget(file);
                    file.machine.processor.model = "AMD Opteron(TM) Processor 6274".to_owned();
                }),
            ],
        ),
        (
            "one-virtual-node",
            [one_node("sr665-v3", "nps=0", virtual_machine), edited(virtual_machine), unlisted()],
        ),
        ("memoryless-node", [diagnosed("cascade-lake-4s", "channels:node3=0"), sound(), unlisted()]),
        (
            "uneven-memory",
            [edited(|file| file.machine.nodes[1].memory = Bytes(1 << 30)), sound(), unlisted()],
        ),
        ("uneven-channels", [of_dimm(|dimm| dimm.size = Bytes(0)), sound(), unlisted()]),
        (
            "unequal-dimms",
            [of_dimm(|dimm| dimm.configured = Some(TransfersPerSecond(2400e6))), sound(), unlisted()],
        ),
        (
            "dimms-below-rated",
            [of_dimm(|dimm| dimm.rated = Some(TransfersPerSecond(3200e6 * 1.2))), sound(), unlisted()],
        ),
        (
            "uneven-nodes",
            [
                edited(|file| {
                    file.machine.pus.iter_mut().filter(|pu| pu.node == NodeId(1)).for_each(|pu| {
                        pu.package = PackageId(0);
                    });
                }),
                sound(),
                unlisted(),
            ],
        ),
        (
            "reclaimed-zones",
            [
                edited(|file| file.machine.system.zone_reclaim = Some(1)),
                edited(|file| file.machine.system.zone_reclaim = Some(0)),
                edited(|file| file.machine.system.zone_reclaim = None),
            ],
        ),
        (
            "saving-governor",
            [
                edited(|file| file.machine.system.governor = Some("powersave".to_owned())),
                edited(|file| file.machine.system.governor = Some("performance".to_owned())),
                edited(|file| file.machine.system.governor = None),
            ],
        ),
        (
            "partial-cpuset",
            [edited(|file| file.machine.system.cpuset_cpus = Some("0-7".to_owned())), sound(), unlisted()],
        ),
        (
            "nodes-not-taken",
            [
                asked(4),
                asked(1),
                // Neither a stated machine nor a dump of settings.
                sound(),
            ],
        ),
    ]
}

/// What the rules say about a machine whose firmware was asked for so many nodes per package.
fn asked(per_package: usize) -> Diagnosis {
    let by = "NumaNodesPerSocket in dump.json".to_owned();
    let given = Given { nodes: Some(AskedNodes { per_package, or_more: false, by }), ..Given::default() };
    diagnose(rules(), "asked", &healthy(), given)
}

/// Rules about warnings that values carry.
fn of_evidence() -> Vec<Case> {
    let sound = || edited(|_| {});
    let nothing = || unmeasured(|_| {});
    let warned = |warning: Warning| edited(|file| warn(file, &warning));
    let balancing = |on: Option<bool>| {
        edited(|file| {
            file.machine.system.numa_balancing = on;
            warn(file, &Warning::PagesMisplaced { share: 0.9 });
        })
    };
    let moved = Warning::CpusMoved { least: Nanoseconds(26.0), most: Nanoseconds(213.0) };
    let unchanged = Warning::ToolWarned { message: "Unable to modify prefetchers".to_owned() };
    vec![
        ("balanced-pages", [balancing(Some(true)), balancing(Some(false)), balancing(None)]),
        ("busy-cpus", [diagnosed("quartet", "noise=busy"), sound(), nothing()]),
        ("interrupted-workers", [interrupted(Some(0.014)), sound(), nothing()]),
        ("stolen-time", [diagnosed("quartet", "vm=steal"), warned(moved.clone()), nothing()]),
        ("moved-cpus", [warned(moved), diagnosed("quartet", "vm=steal"), nothing()]),
        ("small-pages", [diagnosed("quartet", "pages=4k"), sound(), nothing()]),
        ("placement-unbound", [warned(Warning::PagesMisplaced { share: 0.9 }), sound(), nothing()]),
        ("prefetchers-unchanged", [warned(unchanged), sound(), nothing()]),
        ("throttling", [warned(Warning::Throttled {}), sound(), nothing()]),
        ("unfit", [warned(Warning::Throttled {}), sound(), nothing()]),
    ]
}

/// Rules about values from node to node.
fn of_matrices() -> Vec<Case> {
    let sound = || edited(|_| {});
    let nothing = || unmeasured(|_| {});
    let own = |value: f64, is_virtual: bool| {
        edited(|file| {
            replace(file, "latency-matrix", |from, to, old| if from == to { value } else { old });
            if is_virtual {
                virtual_machine(file);
            }
        })
    };
    let two: [&[f64]; 2] = [&[122_097.0, 51_327.0], &[51_309.0, 122_005.0]];
    let two_nodes = || imported(&mlc(&LATENCIES, &two));
    let latencies_alone = || {
        let text = mlc(&LATENCIES, &two);
        imported(text.split("Measuring Memory Bandwidths").next().unwrap())
    };
    let reads = |rows: &[&[f64]]| imported(&mlc(&LATENCIES, rows));
    let one_by_one = |second: f64, whole: f64| {
        let rows: [&[f64]; 2] = [&[101_203.0, 80_510.0], &[87_389.0, second]];
        imported(&format!(
            "{}Measuring Peak Injection Memory Bandwidths for the system\nBandwidths are in MB/sec\nALL Reads        :      {whole}\n",
            mlc(&LATENCIES, &rows)
        ))
    };
    let together = |whole: f64| one_by_one(90_140.0, whole);
    let far: [&[f64]; 2] = [&[81.2, 430.2], &[430.2, 81.1]];
    let exchanged: [&[f64]; 2] = [&[130.2, 81.2], &[81.1, 130.2]];
    let late: [&[f64]; 2] = [&[81.2, 171.2], &[130.2, 81.1]];
    let flat: [&[f64]; 2] = [&[96.0, 97.0], &[97.1, 96.4]];
    let epyc = |far: f64, model: &str| {
        let mut file = result(machine("epyc-7002,cores=16"), &MATRICES, Solver::Auto, 1);
        model.clone_into(&mut file.machine.processor.model);
        replace(&mut file, "latency-matrix", |from, to, old| if from == to { old } else { far });
        judged("epyc", &file)
    };
    let memory_alone: [&[f64]; 2] = [&[117.4, 184.3, 391.0], &[186.0, 117.9, 391.0]];
    let memory_alone_reads: [&[f64]; 2] =
        [&[100_000.0, 63_453.0, 17_600.0], &[63_465.0, 101_000.0, 17_600.0]];
    let slit = |near: u32| edited(|file| file.machine.distances.as_mut().unwrap().rows[0][1] = near);
    let hmat = |latencies: [f64; 2]| {
        edited(|file| {
            replace(file, "latency-matrix", |_, to, old| if to == 1 { old * 1.5 } else { old });
            file.machine.access = [0, 1].map(|node| hmat(node, latencies[node as usize])).to_vec();
        })
    };
    vec![
        ("memory-of-a-node", [diagnosed("cascade-lake-4s", "channels:node1=4"), sound(), nothing()]),
        (
            "latency-of-a-node",
            [
                edited(|file| {
                    let late = |from, to, old| if from == 1 && to == 1 { old * 1.3 } else { old };
                    replace(file, "latency-matrix", late);
                }),
                sound(),
                nothing(),
            ],
        ),
        (
            "cpus-of-a-node",
            [reads(&[&[122_097.0, 51_327.0], &[43_100.0, 102_005.0]]), two_nodes(), latencies_alone()],
        ),
        ("pair-of-nodes", [diagnosed("cascade-lake-4s", "link:1-2=8"), sound(), nothing()]),
        ("narrow-link", [diagnosed("cascade-lake-4s", "link:2-3=x4"), sound(), nothing()]),
        ("way-around", [diagnosed("cascade-lake-4s", "link:0-1=down"), sound(), nothing()]),
        (
            "pair-direction",
            [reads(&[&[122_097.0, 38_000.0], &[51_309.0, 122_005.0]]), two_nodes(), nothing()],
        ),
        (
            "far-bandwidth",
            [reads(&[&[122_097.0, 17_200.0], &[17_150.0, 122_005.0]]), two_nodes(), latencies_alone()],
        ),
        ("far-latency", [imported(&mlc(&far, &two)), two_nodes(), nothing()]),
        ("exchanged-nodes", [imported(&mlc(&exchanged, &two)), two_nodes(), nothing()]),
        ("late-direction", [imported(&mlc(&late, &two)), two_nodes(), nothing()]),
        (
            "flat-nodes",
            [imported(&mlc(&flat, &[&[82e3, 81.7e3], &[81.9e3, 82.1e3]])), two_nodes(), nothing()],
        ),
        (
            "epyc-far-latency",
            [epyc(280.0, "AMD EPYC 7542 32-Core Processor"), epyc(180.0, "AMD EPYC 7542"), epyc(280.0, "")],
        ),
        ("all-data-on-one-node", [diagnosed("quartet", "data-on-one-node"), sound(), nothing()]),
        ("idle-latency-artefact", [own(250.0, false), sound(), nothing()]),
        ("nested-walks", [own(250.0, true), edited(virtual_machine), unlisted()]),
        ("prefetched-latency", [own(20.0, false), sound(), nothing()]),
        ("disturbed-nodes", [together(199_381.1), together(190_000.0), two_nodes()]),
        (
            "node-in-doubt",
            [
                one_by_one(84_400.0, 201_000.0),
                one_by_one(84_400.0, 185_000.0),
                reads(&[&[101_203.0, 80_510.0], &[87_389.0, 84_400.0]]),
            ],
        ),
        ("disturbed-direction", [clusters(27_886.4), clusters(94_509.6), latencies_alone()]),
        ("whole-like-one-node", [together(103_000.0), together(190_000.0), two_nodes()]),
        ("slow-memory-node", [imported(&mlc(&memory_alone, &memory_alone_reads)), two_nodes(), nothing()]),
        ("wrong-distances", [slit(9), sound(), edited(|file| file.machine.distances = None)]),
        ("wrong-attributes", [hmat([120.0, 80.0]), hmat([80.0, 120.0]), sound()]),
    ]
}

/// Two packages of three clusters each, which share channels and links, and what node 2 reads from node 4 in MB/s.
fn clusters(from_four: f64) -> Diagnosis {
    let row = |package: usize, node: usize| -> Vec<f64> {
        let far = |other: usize| if (node, other) == (2, 4) { from_four } else { 94_137.8 };
        (0..6).map(|other| if other / 3 == package { 188_177.4 } else { far(other) }).collect()
    };
    let rows: Vec<Vec<f64>> = (0..6).map(|node| row(node / 3, node)).collect();
    let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
    imported(&mlc(&LATENCIES, &rows))
}

/// What the firmware says of a node's own memory.
fn hmat(node: u32, latency: f64) -> NodeAccess {
    NodeAccess {
        target: NodeId(node),
        initiators: vec![NodeId(node)],
        class: AccessClass::NearestCpu,
        read_latency: Some(Nanoseconds(latency)),
        write_latency: None,
        read_bandwidth: None,
        write_bandwidth: None,
    }
}

/// Rules about other experiments.
fn of_curves() -> Vec<Case> {
    let nothing = || unmeasured(|_| {});
    let ramp = |points: &[(u64, f64)]| curve("ramp", Axis::CoresPerNode, points);
    let load = |points: &[(u64, f64)]| curve("loaded-latency", Axis::Delay, points);
    let words = |experiment: &'static str, axis: Axis, points: [(&str, f64); 2]| {
        let points = points.map(|(word, value)| (Coordinate::Word(word.to_owned()), value));
        unmeasured(|file| add_curve(file, experiment, axis, &points))
    };
    let touched = |users: f64| {
        words("global-bandwidth", Axis::Placement, [("first_touch_users", users), ("interleaved", 58.0)])
    };
    let siblings = |two: f64| curve("stream", Axis::ThreadsPerCore, &[(1, 334.0), (2, two)]);
    let opteron = [9.22, 9.64, 9.95, 10.16, 9.99];
    let unnamed = clpeak(opteron).replace("AMD Opteron(TM) Processor 6274", "");
    vec![
        (
            "collapse",
            [ramp(&[(1, 20.0), (2, 50.0), (3, 3.0)]), ramp(&[(1, 20.0), (2, 40.0), (3, 50.0)]), nothing()],
        ),
        (
            "decline",
            [ramp(&[(1, 20.0), (2, 50.0), (3, 40.0)]), ramp(&[(1, 20.0), (2, 40.0), (3, 50.0)]), nothing()],
        ),
        (
            "load-decline",
            [
                load(&[(0, 80.0), (100, 100.0), (500, 30.0)]),
                load(&[(0, 100.0), (100, 99.0), (500, 30.0)]),
                nothing(),
            ],
        ),
        (
            "load-collapse",
            [
                load(&[(0, 30.0), (100, 100.0), (500, 30.0)]),
                load(&[(0, 80.0), (100, 100.0), (500, 30.0)]),
                nothing(),
            ],
        ),
        ("first-touch", [touched(30.0), touched(60.0), nothing()]),
        ("sibling-threads", [siblings(300.0), siblings(330.0), nothing()]),
        (
            "one-nodes-rate",
            [
                imported(&clpeak(opteron)),
                imported(&clpeak([37.66, 42.27, 58.08, 55.39, 43.31])),
                imported(&unnamed),
            ],
        ),
    ]
}

/// The machine that results are held against.
const STATED: &str = "xeon-cascade-lake,cores=12,links=3,channels=6";

/// One with twelve channels on each node.
const MANY: &str = "epyc-9004,cores=32,links=4";

/// Rules about what the machine should be.
fn beside() -> Vec<Case> {
    let sound = || held_against(STATED, STATED, "");
    let nothing = || edited(|_| {});
    let usual = "xeon-cascade-lake,cores=12";
    let measured = |name: &str| result(machine(name), &MATRICES, Solver::Auto, 1);
    let of_usual = |name: &str, is_stated: bool| judged_beside(usual, &measured(name), is_stated);
    let slower = |experiment: &'static str, is_own: bool, times: f64, is_stated: bool| {
        let mut file = measured(STATED);
        replace(
            &mut file,
            experiment,
            |from, to, old| if (from == to) == is_own { old * times } else { old },
        );
        judged_beside(STATED, &file, is_stated)
    };
    let taken = || {
        let mut file = measured(STATED);
        replace(&mut file, "latency-matrix", |_, _, old| old / 0.75);
        replace(&mut file, "bandwidth-matrix", |_, _, old| old * 0.75);
        judged_beside(STATED, &file, true)
    };
    let of_many = |share: f64| {
        let mut file = measured(MANY);
        replace(
            &mut file,
            "bandwidth-matrix",
            |from, to, old| if (from, to) == (1, 1) { old * share } else { old },
        );
        judged_beside(MANY, &file, true)
    };
    let two_links = "xeon-cascade-lake,cores=12,links=2";
    let few_channels = "xeon-cascade-lake,cores=12,channels=3";
    let shown = || of_usual(usual, false);
    let less = || {
        let mut file = measured(STATED);
        replace(&mut file, "bandwidth-matrix", |_, _, old| old * 0.75);
        judged_beside(STATED, &file, true)
    };
    vec![
        ("unlike-stated", [held_against(STATED, "quartet", ""), sound(), nothing()]),
        ("links-missing", [held_against(STATED, two_links, ""), sound(), nothing()]),
        ("links-below-usual", [of_usual(two_links, true), of_usual(usual, true), nothing()]),
        ("links-possible", [of_usual(two_links, false), shown(), nothing()]),
        (
            "channel-of-many",
            [of_many(0.94), of_many(0.98), imported(&mlc(&LATENCIES, &[&[122e3, 51e3], &[51.1e3, 115.5e3]]))],
        ),
        ("channels-missing", [held_against(STATED, few_channels, ""), sound(), nothing()]),
        ("channels-below-usual", [of_usual(few_channels, true), of_usual(usual, true), nothing()]),
        ("channels-possible", [of_usual(few_channels, false), shown(), nothing()]),
        ("slow-own-memory", [slower("bandwidth-matrix", true, 0.4, true), sound(), nothing()]),
        ("slow-far-memory", [slower("bandwidth-matrix", false, 0.2, true), sound(), nothing()]),
        ("slow-device", [of_device(10.3), of_device(19.4), nothing()]),
        ("bandwidths-alike", [less(), slower("bandwidth-matrix", true, 0.75, true), nothing()]),
        ("cpus-taken", [taken(), slower("bandwidth-matrix", true, 0.75, true), nothing()]),
        ("late-own-memory", [slower("latency-matrix", true, 1.6, true), sound(), nothing()]),
        ("late-far-memory", [slower("latency-matrix", false, 1.8, true), sound(), nothing()]),
        ("memory-below-its-dimms", [slower("bandwidth-matrix", true, 0.4, false), shown(), nothing()]),
        ("links-below-their-kind", [slower("bandwidth-matrix", false, 0.2, false), shown(), nothing()]),
    ]
}

/// Two packages with memory on a CXL device at the second, from which that one reads so much, in GB/s.
fn of_device(reads: f64) -> Diagnosis {
    const DEVICE: &str = "xeon-sapphire-rapids,cores=12,channels=8,rate=4000 MT/s,links=2,cxl=1,cxl_socket=2,cxl_read=19.5 GB/s,cxl_adds=270 ns";
    let mut file = result(machine(DEVICE), &MATRICES, Solver::Auto, 1);
    replace(&mut file, "bandwidth-matrix", |from, to, old| if (from, to) == (1, 2) { reads } else { old });
    judged_beside(DEVICE, &file, true)
}

/// Rules that hold a machine against others of its kind.
fn in_fleet() -> Vec<Case> {
    let fleet = fleet::sound();
    let case = |experiment: &'static str, is_own: bool, times: f64| {
        let mut worse = fleet::one("", 7);
        replace(
            &mut worse,
            experiment,
            |from, to, old| if (from == to) == is_own { old * times } else { old },
        );
        [fleet::beside(&worse, &fleet), fleet::beside(&fleet::one("", 7), &fleet), edited(|_| {})]
    };
    let divided = result(machine("xeon-sapphire-rapids,cores=24,nodes=4"), &MATRICES, Solver::Auto, 7);
    vec![
        ("slow-in-fleet", case("bandwidth-matrix", true, 0.7)),
        ("far-slow-in-fleet", case("bandwidth-matrix", false, 0.7)),
        ("late-in-fleet", case("latency-matrix", true, 1.3)),
        ("far-late-in-fleet", case("latency-matrix", false, 1.3)),
        (
            "nodes-unlike-fleet",
            [fleet::beside(&divided, &fleet), fleet::beside(&fleet::one("", 7), &fleet), edited(|_| {})],
        ),
    ]
}
