//! Machines from spec sheets: both engines agree on every template, whose channels have refreshes, timers and alternating banks.

#![allow(clippy::print_stdout)]

use std::path::Path;
use std::sync::Arc;

use zerohop_machine::{Hardware, NodeId, PuId, Settings, Template};
use zerohop_units::Bytes;
use zerohop_workload::{
    Access, Activity, Demand, Engine, Kernel, Pages, Prepared, Role, Sample, Worker, Workload,
};

use crate::tests::{worker, workload};
use crate::{FlowEngine, ModelEngine};

/// Cores that read beside a chase, unless the template has fewer.
const READERS: usize = 16;

/// Pauses of the readers after each burst, in cycles: full load, and about half and a tenth of it.
const DELAYS: [u32; 3] = [0, 200, 2000];

/// Largest relative differences of bandwidth and of the latency beside it; and of an idle machine's latency.
const APART: [f64; 2] = [0.08, 0.08];
const APART_IDLE: f64 = 0.01;

/// One socket of every template.
fn machines() -> Vec<(String, Hardware)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../templates");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        let template = Arc::new(Template::parse(&path.display().to_string(), &text).unwrap());
        let one: Settings = ["sockets=1".parse().unwrap()].into_iter().collect();
        let file = template.machine_file(&Settings::none(), &one).unwrap();
        (template.name().to_owned(), file.hardware().unwrap())
    };
    paths.iter().map(read).collect()
}

/// A chase of the first core, in memory that is large enough to find no row open.
fn chase(pu: PuId) -> Worker {
    let chase = worker(pu.0, 0, Activity::Chase { chains: 1, pages: None });
    Worker { buffer: Bytes::gib(1), ..chase }
}

fn readers(cores: &[PuId], delay: u32) -> impl Iterator<Item = Worker> {
    let demand = if delay == 0 { Demand::Unlimited } else { Demand::Delay(delay) };
    let read = Activity::Kernel { kernel: Kernel::Read, access: Access::Sequential };
    cores.iter().map(move |pu| Worker { demand, role: Role::Background, ..worker(pu.0, 0, read) })
}

#[test]
fn idle_latency_of_every_template_is_what_its_parts_add_up_to() {
    for (name, hardware) in machines() {
        let pu = hardware.machine.usable_cores(NodeId(0))[0];
        let stated = hardware.idle_read(pu, NodeId(0)).unwrap().time().get();
        let hardware = Arc::new(hardware);
        let mut solved = FlowEngine::new(hardware).place(&workload(vec![chase(pu)])).unwrap();
        let window = solved.window().unwrap();
        let found = solved.sample(window).unwrap().step_time(0).unwrap().get();
        assert!((found / stated - 1.0).abs() < APART_IDLE, "{name}: {found} ns is not {stated} ns");
    }
}

#[test]
fn loaded_templates_are_solved_as_they_are_simulated() {
    for (name, hardware) in machines() {
        let cores = hardware.machine.usable_cores(NodeId(0));
        let (first, others) = cores.split_first().unwrap();
        let others = &others[..others.len().min(READERS)];
        let hardware = Arc::new(hardware);
        for delay in DELAYS {
            let workers = std::iter::once(chase(*first)).chain(readers(others, delay)).collect();
            let workload = Workload { pages: Pages::Base, ..workload(workers) };
            let solved = FlowEngine::new(Arc::clone(&hardware)).solve(&workload).unwrap();
            assert_eq!(solved.refusal().map(ToString::to_string), None, "{name}, delay {delay}");
            let mut solved = solved;
            let mut event = ModelEngine::new(Arc::clone(&hardware), 1);
            let mut simulated = event.prepare(&workload).unwrap();
            let window = simulated.window().unwrap();
            let [means, sample] = [solved.sample(window).unwrap(), simulated.sample(window).unwrap()];
            let quantities: [&dyn Fn(&Sample) -> f64; 2] =
                [&|sample| sample.bandwidth(1..=others.len()).get(), &|sample| {
                    sample.step_time(0).unwrap().get()
                }];
            for (quantity, most) in quantities.into_iter().zip(APART) {
                let (found, expected) = (quantity(&means), quantity(&sample));
                println!(
                    "{name}, delay {delay}: {found:.1} {expected:.1} {:+.1} %",
                    100.0 * (found / expected - 1.0)
                );
                assert!(
                    (found / expected - 1.0).abs() < most,
                    "{name}, delay {delay}: {found}, not {expected}"
                );
            }
        }
    }
}
