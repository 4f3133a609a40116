//! Solutions have the same digits in every build.

use std::path::Path;
use std::sync::Arc;

use zerohop_machine::{Settings, Template};
use zerohop_workload::{Access, Activity, Kernel, Prepared};

use crate::FlowEngine;
use crate::tests::{worker, workload};

/// Mixes of two EPYC 7002, whose search takes so many rounds that the last bit of a logarithm showed in the fifth digit of a bandwidth.
/// A change of the solver changes these bits. Otherwise, a function that C libraries round differently has come in.
#[test]
fn a_solution_that_converges_slowly_has_the_same_bits_with_every_c_library() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../templates/epyc-7002.toml");
    let template = Template::parse("epyc-7002.toml", &std::fs::read_to_string(path).unwrap()).unwrap();
    let file = Arc::new(template).machine_file(&Settings::none(), &Settings::none()).unwrap();
    let hardware = Arc::new(file.hardware().unwrap());
    let nodes = &hardware.machine.nodes;
    let cores = nodes
        .iter()
        .flat_map(|node| hardware.machine.usable_cores(node.id).into_iter().map(move |pu| (pu.0, node.id.0)));
    let mix = Activity::Kernel { kernel: Kernel::Mix2To1, access: Access::Sequential };
    let workers: Vec<_> = cores.map(|(pu, node)| worker(pu, node, mix)).collect();
    let count = workers.len();
    let mut solved = FlowEngine::new(hardware).solve(&workload(workers)).unwrap();
    let rounds = solved.rounds();
    let window = solved.window().unwrap();
    let bandwidth = solved.sample(window).unwrap().bandwidth(0..count).get();
    assert_eq!(
        (rounds, format!("{:x}", bandwidth.to_bits())),
        (600, "40717b499d0203e6".to_owned()),
        "{bandwidth} GB/s"
    );
}
