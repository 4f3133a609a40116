//! No false alarm: healthy machines, as models and as published runs show them.

use std::fs;

use zerohop_model::Solver;
use zerohop_result::{Cell, Cells, Estimate, ResultFile};

use crate::bench::{MATRICES, alarms, diagnosed, judged, judged_beside, machine, repository, result};

/// Machines that are small enough for a test.
const MACHINES: [&str; 14] = [
    "quartet",
    "opteron-6274-4s",
    "opteron-6274-4s-doubloon",
    "cascade-lake-4s",
    "sr665-v3",
    "sr665-v3,nps=4",
    "xeon-phi-7250",
    "xeon-skylake,cores=8",
    "xeon-broadwell,cores=8",
    "xeon-ice-lake,cores=8",
    "epyc-7002,cores=16",
    "epyc-9004,cores=16",
    "opteron-6200",
    "xeon-nehalem",
];

#[test]
fn healthy_machines_give_no_alarm() {
    for name in MACHINES {
        let diagnosis = judged(name, &result(machine(name), &MATRICES, Solver::Auto, 1));
        assert_eq!(alarms(&diagnosis), Vec::<&str>::new(), "{name}: {:#?}", diagnosis.findings);
    }
}

/// Three of a ring's nodes are in a row: the link between the ends was called down.
#[test]
fn a_part_of_a_healthy_machine_gives_no_alarm() {
    for name in ["quartet", "opteron-6274-4s", "cascade-lake-4s-ring"] {
        let mut file = result(machine(name), &MATRICES, Solver::Auto, 1);
        let is_measured =
            |cell: &&Cell| cell.at.between_nodes().is_some_and(|(from, to)| from.0.max(to.0) < 3);
        for done in &mut file.experiments {
            done.cells = Cells::new(done.cells.iter().filter(is_measured).cloned().collect()).unwrap();
        }
        let diagnosis = judged(name, &file);
        assert_eq!(alarms(&diagnosis), Vec::<&str>::new(), "{name}: {:#?}", diagnosis.findings);
    }
}

/// What a machine should be is no reason for an alarm if it is that.
#[test]
fn healthy_machines_give_no_alarm_beside_what_they_should_be() {
    for name in MACHINES {
        let file = result(machine(name), &MATRICES, Solver::Auto, 1);
        for is_stated in [true, false] {
            let diagnosis = judged_beside(name, &file, is_stated);
            assert_eq!(alarms(&diagnosis), Vec::<&str>::new(), "{name}: {:#?}", diagnosis.findings);
        }
    }
}

#[test]
fn healthy_machines_give_no_alarm_whatever_the_seed() {
    for seed in [2, 3, 5, 8] {
        let diagnosis = judged("quartet", &result(machine("quartet"), &MATRICES, Solver::Event, seed));
        assert_eq!(alarms(&diagnosis), Vec::<&str>::new(), "seed {seed}: {:#?}", diagnosis.findings);
    }
}

/// A published run: what its study states of latencies and bandwidths, as MLC prints them.
fn as_mlc(text: &str) -> Option<String> {
    let study: toml::Table = text.parse().ok()?;
    let mut matrices = [(String::new(), " ns"), (String::new(), " GB/s")];
    let mut cells = [std::collections::BTreeMap::new(), std::collections::BTreeMap::new()];
    for passage in study.get("passage")?.as_array()? {
        for value in passage.get("value").and_then(|values| values.as_array()).into_iter().flatten() {
            let (Some(at), Some(published)) = (value.get("at")?.as_str(), value.get("published")?.as_str())
            else {
                continue;
            };
            let Some((from, to)) = at.split_once(" to ") else { continue };
            let (Ok(from), Ok(to)) = (from.parse::<u32>(), to.parse::<u32>()) else { continue };
            for (rank, (_, unit)) in matrices.iter().enumerate() {
                if let Some(number) = published.strip_suffix(unit) {
                    cells[rank].insert((from, to), number.parse::<f64>().ok()?);
                }
            }
        }
    }
    let heads =
        ["Measuring idle latencies (in ns)...", "Measuring Memory Bandwidths between nodes within system"];
    for (rank, (text, _)) in matrices.iter_mut().enumerate() {
        let targets = cells[rank].keys().map(|(_, to)| *to).max()? + 1;
        let initiators = cells[rank].keys().map(|(from, _)| *from).max()? + 1;
        let head: Vec<String> = (0..targets).map(|node| node.to_string()).collect();
        *text = format!("{}\n\t\tNuma node\nNuma node\t{}\n", heads[rank], head.join("\t"));
        for from in 0..initiators {
            let row = (0..targets).map(|to| {
                // What is not stated is as the opposite direction, or as another node's own memory.
                let of = |from: u32, to: u32| cells[rank].get(&(from, to)).copied();
                let own = || cells[rank].iter().find(|((from, to), _)| from == to).map(|(_, value)| *value);
                let value =
                    of(from, to).or_else(|| of(to, from)).or_else(|| (from == to).then(own).flatten());
                value.map(
                    |value| if rank == 0 { format!("{value}") } else { format!("{:.1}", value * 1000.0) },
                )
            });
            let row: Option<Vec<String>> = row.collect();
            text.push_str(&format!("{from}\t{}\n", row?.join("\t")));
        }
    }
    let [(latency, _), (bandwidth, _)] = matrices;
    Some(format!("Intel(R) Memory Latency Checker - v3.9\n{latency}\n{bandwidth}"))
}

/// Arm's tool reads 0.17 of its own memory's bandwidth between two packages of Graviton4, which would be a link down elsewhere.
#[test]
fn packages_that_are_far_apart_as_they_are_made_give_no_alarm() {
    let sound = diagnosed("graviton4,sockets=2", "");
    assert_eq!(alarms(&sound), Vec::<&str>::new(), "{:#?}", sound.findings);
    assert_eq!(alarms(&diagnosed("graviton4,sockets=2", "link:0-1=x8")), ["far-bandwidth"]);
    // The same cores with another link.
    assert_eq!(alarms(&diagnosed("grace,sockets=2", "")), Vec::<&str>::new());
    assert_eq!(alarms(&diagnosed("grace,sockets=2", "link:0-1=x4")), ["far-bandwidth"]);
}

#[test]
fn healthy_published_runs_give_no_alarm() {
    let mut runs = 0;
    for entry in fs::read_dir(repository().join("published")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let Some(text) = Some(&name)
            .filter(|name| name.starts_with("mlc-"))
            .and_then(|_| as_mlc(&fs::read_to_string(&path).unwrap()))
        else {
            continue;
        };
        let imported = zerohop_importers::import(&name, &text, None)
            .unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        for one in imported {
            let diagnosis = judged(&name, &one.result);
            assert_eq!(alarms(&diagnosis), Vec::<&str>::new(), "{name}: {:#?}\n{text}", diagnosis.findings);
            assert!(diagnosis.passed.len() >= 5, "{name}: {:?}", diagnosis.untold);
            runs += 1;
        }
    }
    assert!(runs >= 6, "{runs} runs could be put together");
}

/// Idle latencies of 20 surveys of one virtual machine on a busy host, each with its interval.
const VIRTUAL: [[f64; 3]; 20] = [
    [291.2, 212.6, 398.9],
    [193.2, 152.2, 245.4],
    [187.0, 172.1, 203.1],
    [204.7, 167.7, 250.0],
    [202.8, 176.7, 232.8],
    [211.0, 187.9, 236.9],
    [207.8, 188.7, 229.0],
    [205.9, 188.4, 225.0],
    [189.4, 172.9, 207.5],
    [191.3, 173.4, 211.1],
    [190.7, 176.2, 206.3],
    [204.5, 188.4, 222.1],
    [187.0, 169.0, 206.9],
    [184.5, 167.2, 203.6],
    [202.9, 178.8, 230.3],
    [181.2, 167.6, 195.9],
    [192.4, 175.1, 211.4],
    [207.6, 181.2, 237.9],
    [199.2, 186.3, 213.1],
    [187.9, 174.1, 202.9],
];

/// A survey of it, less what other experiments measured.
const SURVEY: &str = include_str!("../surveys/virtual-machine.json");

/// 14 of these surveys were called artefacts: nested page tables make the latency of a sound virtual machine long.
#[test]
fn surveys_of_a_sound_virtual_machine_give_no_alarm_about_the_machine() {
    for [median, low, high] in VIRTUAL {
        let mut file = ResultFile::read(SURVEY).unwrap();
        let latency = file.experiments.iter_mut().find(|done| done.experiment.as_str() == "latency-matrix");
        let change = |cells: &mut Vec<Cell>| {
            for cell in cells.iter_mut() {
                cell.estimate = Estimate { median, low, high, ..cell.estimate };
            }
        };
        latency.unwrap().cells.change(change).unwrap();
        let diagnosis = judged("survey", &file);
        // A measurement may be too disturbed to say anything.
        let mut alarms = alarms(&diagnosis);
        alarms.retain(|rule| *rule != "unfit");
        assert_eq!(alarms, Vec::<&str>::new(), "{median} ns: {:#?}", diagnosis.findings);
        // Where even the interval is beyond what memory needs, a note says why.
        let noted = diagnosis.findings.iter().any(|finding| finding.rule == "nested-walks");
        assert_eq!(noted, low > 190.0, "{median} ns: {:#?}", diagnosis.findings);
    }
}
