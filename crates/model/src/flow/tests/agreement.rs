//! Both engines on the same machines and workloads.

#![allow(clippy::print_stdout)]

use std::sync::Arc;

use zerohop_units::Nanoseconds;
use zerohop_workload::{Activity, Engine, Pages, Prepared, Sample, Workload};

use super::generated::{Pair, pair};
use crate::tests::workload;
use crate::{FlowEngine, ModelEngine, Refusal};

/// Pairs that are compared.
const PAIRS: u64 = 280;

/// Relative difference of the flow solver from the event engine.
#[derive(Debug)]
struct Apart {
    name: String,
    bandwidth: f64,
    /// Of the chase beside the load if there is one, otherwise of a fill.
    latency: Option<f64>,
}

/// # Errors
/// When mean-value analysis refuses the pair.
fn compare(pair: &Pair) -> Result<Apart, Refusal> {
    let hardware = Arc::new(pair.hardware.clone());
    // Small pages: streams over several nodes get around within a sample.
    let workload = Workload { pages: Pages::Base, ..workload(pair.workers.clone()) };
    let mut solved = FlowEngine::new(Arc::clone(&hardware)).solve(&workload).unwrap();
    if let Some(refusal) = solved.refusal() {
        return Err(refusal.clone());
    }
    let mut event = ModelEngine::new(hardware, 1);
    let mut simulated = event.prepare(&workload).unwrap();
    let window = simulated.window().unwrap() * 3;
    let (means, sample) = (solved.sample(window).unwrap(), simulated.sample(window).unwrap());
    let kernel = |rank: &usize| matches!(pair.workers[*rank].activity, Activity::Kernel { .. });
    let bandwidth = |sample: &Sample| sample.bandwidth((0..pair.workers.len()).filter(kernel)).get();
    let chase = (0..pair.workers.len()).find(|rank| !kernel(rank));
    let latency = |sample: &Sample| match chase {
        Some(chase) => sample.step_time(chase).unwrap().get(),
        None => sample.inside.as_ref().unwrap().fill_time().map_or(0.0, Nanoseconds::get),
    };
    let relative = |quantity: &dyn Fn(&Sample) -> f64| quantity(&means) / quantity(&sample) - 1.0;
    Ok(Apart {
        name: pair.name.clone(),
        bandwidth: relative(&bandwidth),
        latency: (latency(&sample) > 0.0).then(|| relative(&latency)),
    })
}

/// The value that this share of the values does not exceed.
pub(super) fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted: Vec<f64> = values.iter().map(|value| value.abs()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() - 1) as f64 * share) as usize]
}

/// The accuracy that `docs/model.md` states for mean-value analysis.
#[test]
fn flow_results_agree_with_the_event_engine() {
    let (mut solved, mut refused) = (Vec::new(), Vec::new());
    for number in 0..PAIRS {
        match compare(&pair(number)) {
            Ok(apart) => solved.push(apart),
            Err(refusal) => refused.push(refusal),
        }
    }
    solved.sort_by(|one, other| other.bandwidth.abs().total_cmp(&one.bandwidth.abs()));
    for apart in solved.iter().take(20) {
        let latency = apart.latency.map_or(String::new(), |latency| format!("{:+.1} %", latency * 100.0));
        println!("{:+6.1} % {latency:8} {}", apart.bandwidth * 100.0, apart.name);
    }
    let bandwidth: Vec<f64> = solved.iter().map(|apart| apart.bandwidth).collect();
    let latency: Vec<f64> = solved.iter().filter_map(|apart| apart.latency).collect();
    for share in [0.5, 0.75, 0.9, 0.95, 1.0] {
        let [bandwidth, latency] = [&bandwidth, &latency].map(|values| quantile(values, share) * 100.0);
        println!("{:3.0} % within: bandwidth {bandwidth:5.2} %, latency {latency:5.2} %", share * 100.0);
    }
    println!("{} of {PAIRS} refused: {refused:?}", refused.len());
    assert!(solved.len() >= 240, "{} solved", solved.len());
    assert!(quantile(&bandwidth, 0.5) < 0.015 && quantile(&bandwidth, 0.95) < 0.06);
    assert!(quantile(&bandwidth, 1.0) < 0.1);
    assert!(quantile(&latency, 0.5) < 0.05);
}
