//! Chooses times of parts so that idle latencies are as stated.

use zerohop_units::Nanoseconds;

use super::plan::Plan;
use super::tables::Structure;
use super::{chiplets, monolithic};
use crate::{Hardware, MachineFile, MachineFileError};
use zerohop_machine::{NodeId, PuId};

/// Steps after which the idle latencies are as stated: each step at least halves the error.
const STEPS: usize = 14;

/// An error of an idle latency that is none, in ns.
const CLOSE: f64 = 0.02;

const LOCAL: &str = "idle local latency";
const REMOTE: &str = "idle remote latency";

/// Minimum time of the parts, compared with the stated latency.
#[derive(Debug)]
pub(super) struct TooShort {
    pub(super) what: &'static str,
    /// The parameter that states it, if it is a buyer's knowledge.
    pub(super) name: Option<&'static str>,
    pub(super) stated: Nanoseconds,
    /// The least that the parts allow.
    pub(super) least: Nanoseconds,
}

/// A text of a machine file, or why there is none.
pub(super) type Solved = Result<Result<String, TooShort>, MachineFileError>;

/// The machine file of a plan, with its times chosen.
pub(super) fn solve(plan: &mut Plan<'_>) -> Solved {
    for _ in 0..STEPS {
        let text = write(plan);
        let hardware = MachineFile::parse(plan.template, &text, &())?.hardware()?;
        let wanted = Wanted::new(plan, &hardware);
        if wanted.iter().all(|wanted| wanted.error().abs() < CLOSE) {
            return Ok(Ok(text));
        }
        let there = wanted.each_ref().map(|wanted| wanted.is_there);
        let [local, cluster, remote, hbm, cxl] = wanted.map(|wanted| wanted.error());
        // There and back, to the next node or to the middle and on.
        let cluster_wires = if plan.is_row() { 2.0 } else { 4.0 };
        let times = &mut plan.times;
        let steps = [
            (&mut times.core, local),
            (&mut times.cluster, (cluster - local) / cluster_wires),
            (&mut times.link, (remote - local) / 2.0),
            (&mut times.hbm, (hbm - local) / 2.0),
            (&mut times.cxl, (cxl - local) / 2.0),
        ];
        for ((time, by), _) in steps.into_iter().zip(there).filter(|(_, is_there)| *is_there) {
            *time = Nanoseconds((time.get() + by).max(0.0));
        }
    }
    let text = write(plan);
    let hardware = MachineFile::parse(plan.template, &text, &())?.hardware()?;
    let far = Wanted::new(plan, &hardware).into_iter().find(|wanted| wanted.error().abs() >= 1.0);
    Ok(far.map_or(Ok(text), |far| {
        let name = [(LOCAL, "local"), (REMOTE, "remote")];
        let name = name.into_iter().find(|(what, _)| *what == far.what).map(|(_, name)| name);
        Err(TooShort { what: far.what, name, stated: Nanoseconds(far.stated), least: Nanoseconds(far.found) })
    }))
}

/// Whether the machine has a latency of that rank.
fn wanted_there(plan: &Plan<'_>, rank: usize) -> bool {
    match rank {
        1 => plan.known.nodes > 1 && plan.generation.cluster.is_some(),
        2 => plan.known.sockets > 1,
        3 => plan.known.hbm.is_some(),
        _ => plan.cxl() > 0,
    }
}

/// A latency that is stated.
struct Wanted {
    what: &'static str,
    stated: f64,
    found: f64,
    is_there: bool,
}

impl Wanted {
    fn error(&self) -> f64 {
        if self.is_there { self.stated - self.found } else { 0.0 }
    }

    /// Local, cluster, remote, high-bandwidth memory, CXL.
    fn new(plan: &Plan<'_>, hardware: &Hardware) -> [Self; 5] {
        let known = &plan.known;
        let local = plan.local().0.get();
        let first_hbm = plan.nodes();
        let first_cxl = first_hbm + if known.hbm.is_some() { known.sockets } else { 0 };
        let beside = plan.generation.cluster.map_or(0.0, Nanoseconds::get);
        let hbm = local + plan.generation.hbm_adds.map_or(0.0, Nanoseconds::get);
        let cxl = local + known.cxl_adds.map_or(0.0, Nanoseconds::get);
        let wanted = |rank: usize, what, stated, socket: u32, node: u32| {
            let is_there = rank == 0 || wanted_there(plan, rank);
            let found = if is_there { latency(hardware, plan.node(socket, 0), node) } else { stated };
            Self { what, stated, found, is_there }
        };
        [
            wanted(0, LOCAL, local, 0, 0),
            wanted(1, "idle latency of another node of the socket", beside, 0, 1),
            wanted(2, REMOTE, plan.remote().0.get(), 0, known.nodes),
            wanted(3, "idle latency of high-bandwidth memory", hbm, 0, first_hbm),
            wanted(4, "idle latency of CXL memory", cxl, plan.cxl_socket(), first_cxl),
        ]
    }
}

/// The mean idle latency of all cores of `from`: those of some dies are nearer to the memory than others.
fn latency(hardware: &Hardware, from: u32, to: u32) -> f64 {
    let node = hardware.machine.node(NodeId(from));
    let pus: Vec<PuId> = node.map(|node| hardware.machine.usable_cores(node.id)).unwrap_or_default();
    let reads = pus.iter().filter_map(|&pu| hardware.idle_read(pu, NodeId(to)));
    let times: Vec<f64> = reads.map(|read| read.time().get()).collect();
    times.iter().sum::<f64>() / times.len().max(1) as f64
}

fn write(plan: &Plan<'_>) -> String {
    match plan.structure {
        Structure::Monolithic => monolithic::write(plan),
        Structure::Chiplets => chiplets::write(plan),
    }
}
