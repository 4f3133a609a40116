//! No false alarm: texts of healthy machines whose values have noise, of every template, divided and cut.

use zerohop_model::Solver;

use crate::bench::{MATRICES, judged, judged_beside, machine, result};
use crate::documented::documents;
use crate::drawn::Random;
use crate::mlc_texts::{imported, text, values};

/// Machines of all templates, with clusters, CXL and high-bandwidth memory, with several sockets, and those that a hypervisor leaves with few
/// cores.
const MACHINES: [&str; 34] = [
    "a64fx",
    "grace",
    "graviton2",
    "graviton3",
    "graviton4",
    "opteron-6200,sockets=4",
    "ampere-altra,cores=64",
    "xeon-nehalem,cores=6",
    "xeon-ivy-bridge,cores=10",
    "xeon-haswell,cores=18,nodes=2",
    "xeon-broadwell,cores=22,nodes=2",
    "xeon-skylake,cores=28,nodes=2",
    "xeon-skylake,sockets=4,cores=24",
    "xeon-cascade-lake,sockets=8,cores=28",
    "xeon-ice-lake,cores=38,nodes=2",
    "xeon-sapphire-rapids,cores=60,nodes=4,cxl=1",
    "xeon-sapphire-rapids,sockets=4,cores=48",
    "xeon-emerald-rapids,cores=64,nodes=2,cxl=2",
    "xeon-max,cores=48,nodes=4",
    "xeon-max,cores=56,hbm=64 GiB,nodes=4",
    "xeon-granite-rapids,cores=86",
    "xeon-granite-rapids,cores=128,channels=12,links=6,nodes=3",
    "epyc-7001,cores=16,sockets=1",
    "epyc-7002,cores=64,nodes=4",
    "epyc-7002,cores=32,nodes=2",
    "epyc-7003,cores=56,nodes=4",
    "epyc-9004,cores=96,nodes=2,cxl=1",
    "epyc-9004,cores=32,nodes=4",
    "epyc-9005,cores=192,nodes=4",
    "xeon-skylake,cores=4",
    "xeon-ice-lake,cores=6",
    "epyc-7003,cores=8",
    "epyc-9004,cores=16",
    "graviton2,cores=16",
];

/// Draws of noise for each machine, and how far each takes a value at most.
const DRAWS: [(u64, f64); 4] = [(101, 0.01), (102, 0.02), (103, 0.03), (104, 0.05)];

/// Those of them with few cores, which are soon simulated.
const SMALL: [&str; 6] = [
    "a64fx",
    "xeon-nehalem,cores=6",
    "xeon-skylake,cores=4",
    "xeon-ice-lake,cores=6",
    "epyc-7003,cores=8",
    "graviton2,cores=16",
];

/// The alarms about texts of these machines.
fn false_alarms(machines: &[&str]) -> Vec<String> {
    let mut alarms = Vec::new();
    for &name in machines {
        let healthy = values(&result(machine(name), &MATRICES, Solver::Auto, 1));
        for (seed, noise) in DRAWS {
            let file = imported(&text(&healthy, &mut Random(seed), noise));
            for (how, diagnosis) in
                [("alone", judged("mlc.txt", &file)), ("stated", judged_beside(name, &file, true))]
            {
                alarms.extend(diagnosis.alarms().map(|alarm| {
                    format!("{name} {noise} {how}: {:?} {}: {}", alarm.severity, alarm.rule, alarm.title)
                }));
            }
        }
    }
    alarms
}

#[test]
fn texts_of_small_healthy_machines_give_no_alarm() {
    assert!(SMALL.iter().all(|name| MACHINES.contains(name)));
    assert_eq!(false_alarms(&SMALL), Vec::<String>::new());
}

#[test]
#[ignore = "long: simulates machines of all templates, some with hundreds of cores"]
fn texts_of_healthy_machines_of_every_template_give_no_alarm() {
    assert_eq!(false_alarms(&MACHINES), Vec::<String>::new());
    documents(&format!(
        "{} texts of {} healthy machines of every template",
        DRAWS.len() * MACHINES.len(),
        MACHINES.len()
    ));
}
