//! Probes: the few experiments that stand for a kind of programs, and the value that each gives.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::{Machine, NodeId};
use zerohop_result::{Axis, ExperimentResult, Over, Query, Relation};
use zerohop_workload::Measure;

use super::goal::{Goal, WorkloadKind};

/// The experiment whose result has the bandwidth of each node.
pub(super) const MATRIX: &str = "bandwidth-matrix";

/// An experiment, and the value of its result that stands for a kind of programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// Its name: the same on every machine.
    pub name: &'static str,
    /// What it stands for.
    pub words: &'static str,
    /// What is typed after `zerohop run`.
    pub command: String,
    what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// STREAM Triad of the whole machine.
    Triad,
    /// A buffer that one thread touched first.
    OneThread,
    /// A buffer whose pages are spread over all nodes.
    Spread,
    /// What is left of a ramp at its end.
    RampEnd,
    /// Idle latency of local memory.
    Local,
    /// The mean of all pairs of nodes.
    Anywhere,
}

/// A value with its interval, in the unit of its measure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    /// The value.
    pub value: f64,
    /// Lower end of the interval; the value itself if it is exact.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The probes that stand for a kind of programs and a goal, on a machine.
pub fn probes(machine: &Machine, goal: Goal, workload: WorkloadKind) -> Vec<Probe> {
    let (aware, unaware) = match workload {
        WorkloadKind::NumaAware => (true, false),
        WorkloadKind::NumaUnaware => (false, true),
        WorkloadKind::Mixed => (true, true),
    };
    let (bandwidth, latency) = match goal {
        Goal::Bandwidth => (true, false),
        Goal::Latency => (false, true),
        Goal::Power => (true, true),
    };
    let mut all = Vec::new();
    let mut add = |wanted: bool, name, words, command: Option<String>, what| {
        if let Some(command) = command.filter(|_| wanted) {
            all.push(Probe { name, words, command, what });
        }
    };
    let command = |text: &str| Some(text.to_owned());
    add(
        bandwidth && aware,
        "own data",
        "STREAM Triad, each thread on its own node",
        command("stream --kernel triad"),
        What::Triad,
    );
    add(
        bandwidth && unaware,
        "one thread's data",
        "all cores read a buffer that one thread touched first",
        command("global-bandwidth"),
        What::OneThread,
    );
    add(
        bandwidth && unaware,
        "spread data",
        "all cores read a buffer interleaved over all nodes",
        command("global-bandwidth"),
        What::Spread,
    );
    add(
        bandwidth && unaware,
        "others' data",
        "all other sockets run STREAM Triad on one node's memory",
        others(machine),
        What::RampEnd,
    );
    add(
        latency && aware,
        "near memory",
        "idle latency of local memory",
        command("latency-matrix"),
        What::Local,
    );
    add(
        latency && unaware,
        "any memory",
        "idle latency, mean over all nodes",
        command("latency-matrix"),
        What::Anywhere,
    );
    all
}

/// A ramp of all packages but the last one's on its memory.
fn others(machine: &Machine) -> Option<String> {
    let package = |node: NodeId| {
        let pus = machine.usable_pus(node);
        machine.pus.iter().find(|pu| pus.contains(pu.id)).map(|pu| pu.package)
    };
    let target = machine.targets().filter(|node| package(node.id).is_some()).last()?.id;
    let initiators: Vec<String> = machine
        .initiators()
        .filter(|node| package(node.id) != package(target))
        .map(|node| node.id.to_string())
        .collect();
    // One node of several packages has no others.
    let spans = |node: NodeId| {
        let pus = machine.usable_pus(node);
        let mut of = machine.pus.iter().filter(|pu| pus.contains(pu.id)).map(|pu| pu.package);
        let first = of.next();
        of.any(|package| Some(package) != first)
    };
    if initiators.is_empty() || spans(target) {
        return None;
    }
    let initiators = initiators.join(",");
    Some(format!("ramp --initiators {initiators} --targets {target} --kernel triad --interval 20%"))
}

impl Reading {
    /// Half of its interval, relative to its value.
    pub fn margin(&self) -> f64 {
        (self.high - self.low) / 2.0 / self.value
    }
}

impl Probe {
    pub const fn measure(&self) -> Measure {
        match self.what {
            What::Triad | What::OneThread | What::Spread | What::RampEnd => Measure::Bandwidth,
            What::Local | What::Anywhere => Measure::Latency,
        }
    }

    /// Its value in a result of its command; nothing if the result lacks it.
    pub fn read(&self, result: &ExperimentResult, machine: &Machine) -> Option<Reading> {
        let value = |query: Query| {
            let value = query.value(&result.cells, machine).ok()?;
            Some(Reading { value: value.value, low: value.low, high: value.high })
        };
        let placed =
            |word: &str| value(Query::of(Measure::Bandwidth).at(Axis::Placement, word).over(Over::Highest));
        match self.what {
            What::Triad => value(Query::of(Measure::Bandwidth).over(Over::Highest)),
            What::OneThread => placed("first_touch_one"),
            // On one node, every buffer is where its users touch it.
            What::Spread => placed("interleaved").or_else(|| placed("first_touch_one")),
            What::RampEnd => {
                let peak = value(Query::of(Measure::Bandwidth).at(Axis::Statistic, "peak"))?;
                let left = value(Query::of(Measure::RelativeBandwidth).at(Axis::Statistic, "fall"))?;
                let part = |peak: f64, left: f64| peak * left;
                Some(Reading {
                    value: part(peak.value, left.value),
                    low: part(peak.low, left.low),
                    high: part(peak.high, left.high),
                })
            }
            What::Local => {
                let local = Query { relation: Some(Relation::Local), ..Query::of(Measure::Latency) };
                value(local)
            }
            What::Anywhere => value(Query::of(Measure::Latency).over(Over::Mean)),
        }
    }
}
