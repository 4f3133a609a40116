//! Solutions have the same digits in every build.

use std::sync::Arc;

use zerohop_workload::{Access, Activity, Kernel, Prepared};

use super::settling::{cores, template};
use crate::FlowEngine;
use crate::tests::{worker, workload};

/// Mixes of two EPYC 7003, whose search takes so many rounds that the last bit of a logarithm showed in the fifth digit of a bandwidth.
/// A change of the solver changes these bits. Otherwise, a function that C libraries round differently has come in.
#[test]
fn a_solution_that_converges_slowly_has_the_same_bits_with_every_c_library() {
    let hardware = Arc::new(template("epyc-7003"));
    let mix = Activity::Kernel { kernel: Kernel::Mix2To1, access: Access::Sequential };
    let workers: Vec<_> = cores(&hardware).into_iter().map(|(pu, node)| worker(pu, node.0, mix)).collect();
    let count = workers.len();
    let mut solved = FlowEngine::new(hardware).solve(&workload(workers)).unwrap();
    let rounds = solved.rounds();
    let window = solved.window().unwrap();
    let bandwidth = solved.sample(window).unwrap().bandwidth(0..count).get();
    assert_eq!(
        (rounds, format!("{:x}", bandwidth.to_bits())),
        (136, "4073619652bd3c36".to_owned()),
        "{bandwidth} GB/s"
    );
}
