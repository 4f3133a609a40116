//! Machines from spec sheets: both engines agree on every template, whose channels have refreshes, timers and alternating banks.

#![allow(clippy::print_stdout)]

use std::path::Path;
use std::sync::Arc;

use zerohop_machine::{NodeId, PuId, Settings};
use zerohop_machine_file::{Hardware, Template};
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

/// Relative differences that half and nine of ten of the bandwidths, and of the latencies beside them, stay within; and all of an idle
/// machine's latencies.
const BANDWIDTH: [f64; 2] = [0.015, 0.06];
const LATENCY: [f64; 2] = [0.03, 0.115];
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

/// Of the eight channels that a template stated, eight of its thirty-two parts were left, and a quarter of the bandwidth.
#[test]
fn a_node_that_loses_channels_loses_their_share_of_its_bandwidth() {
    for (name, hardware) in machines() {
        let parts = hardware.channels[0].parameters.parts;
        let count = hardware.memories[0].channels.len() as u32 / parts;
        let with = |working: u32| {
            let fault = format!("channels:node0={working}").parse().unwrap();
            bandwidth_of_all(if working == count {
                hardware.clone()
            } else {
                hardware.clone().inject(&fault).unwrap()
            })
        };
        let whole = with(count);
        for working in [count / 2, count - 1] {
            let (left, share) = (with(working) / whole, f64::from(working) / f64::from(count));
            // Cores and their links may not fill all channels of a sound machine.
            assert!(left > 0.97 * share && left < 1.3 * share, "{name}: {working} of {count}: {left}");
        }
    }
}

/// What all cores of the first node read of its memory.
fn bandwidth_of_all(hardware: Hardware) -> f64 {
    let cores = hardware.machine.usable_cores(NodeId(0));
    let all = workload(readers(&cores, 0).collect());
    let mut solved = FlowEngine::new(Arc::new(hardware)).solve(&all).unwrap();
    let window = solved.window().unwrap();
    solved.sample(window).unwrap().bandwidth(0..cores.len()).get()
}

/// The accuracy that `docs/model.md` states for templates. Machines with few lines in flight a channel are the worst: a refresh stops all of
/// them, and none queues behind it.
#[test]
fn loaded_templates_are_solved_as_they_are_simulated() {
    let mut apart = [Vec::new(), Vec::new()];
    for (name, hardware) in machines() {
        let cores = hardware.machine.usable_cores(NodeId(0));
        let (first, others) = cores.split_first().unwrap();
        let others = &others[..others.len().min(READERS)];
        let hardware = Arc::new(hardware);
        for delay in DELAYS {
            let workers = std::iter::once(chase(*first)).chain(readers(others, delay)).collect();
            let workload = Workload { pages: Pages::Base, ..workload(workers) };
            let mut solved = FlowEngine::new(Arc::clone(&hardware)).solve(&workload).unwrap();
            if let Some(refusal) = solved.refusal() {
                println!("{name}, delay {delay}: {refusal}");
                continue;
            }
            let mut event = ModelEngine::new(Arc::clone(&hardware), 1);
            let mut simulated = event.prepare(&workload).unwrap();
            let window = simulated.window().unwrap();
            let (means, sample) = (solved.sample(window).unwrap(), simulated.sample(window).unwrap());
            let bandwidth = |sample: &Sample| sample.bandwidth(1..=others.len()).get();
            let latency = |sample: &Sample| sample.step_time(0).unwrap().get();
            let differ = [bandwidth(&means) / bandwidth(&sample), latency(&means) / latency(&sample)];
            println!("{name}, delay {delay}: {differ:.3?}");
            for (all, ratio) in apart.iter_mut().zip(differ) {
                all.push((ratio - 1.0).abs());
            }
        }
    }
    for (mut all, [half, most]) in apart.into_iter().zip([BANDWIDTH, LATENCY]) {
        all.sort_by(f64::total_cmp);
        let [median, nine_of_ten] = [0.5, 0.9].map(|share| all[(all.len() as f64 * share) as usize]);
        println!("{} solved: {median:.3}, {nine_of_ten:.3}, {:.3}", all.len(), all[all.len() - 1]);
        assert!(all.len() > 50 && median < half && nine_of_ten < most, "{median} {nine_of_ten}");
    }
}
