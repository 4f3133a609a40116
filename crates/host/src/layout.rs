//! The memory that a workload needs, and which worker gets which part.

use std::collections::BTreeMap;
use std::ops::Range;

use zerohop_machine::Machine;
use zerohop_workload::{Access, Activity, Demand, EngineError, Kernel, Passing, Worker, Workload};

use crate::arenas::Need;
use crate::cycle::SPACING;
use crate::exchange::Lines;
use crate::fetch::FetchedLines;
use crate::memory::UNIT;
use crate::memory_site::usable;

/// The location of one worker's buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Share {
    /// The rank of the need that it is part of.
    pub(crate) need: usize,
    /// Its part of that need.
    pub(crate) range: Range<usize>,
}

/// The memory of a workload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    /// One need for each different placement.
    pub(crate) needs: Vec<Need>,
    /// One share for each worker. Two workers that bounce a line have the same share; all others are disjoint.
    pub(crate) shares: Vec<Share>,
}

impl Layout {
    /// Lays out a workload that [`check`] found possible.
    pub(crate) fn of(workload: &Workload) -> Self {
        let mut layout = Self { needs: Vec::new(), shares: Vec::new() };
        let mut lines: BTreeMap<u32, Share> = BTreeMap::new();
        for worker in &workload.workers {
            let share = match worker.activity {
                Activity::LineTransfer { line, .. } => match lines.get(&line) {
                    Some(share) => share.clone(),
                    None => {
                        let share = layout.add(worker);
                        lines.insert(line, share.clone());
                        share
                    }
                },
                Activity::Chase { .. } | Activity::TimedChase { .. } | Activity::Kernel { .. } => {
                    layout.add(worker)
                }
            };
            layout.shares.push(share);
        }
        layout
    }

    /// Adds a part for a worker, on a [`UNIT`] of its own.
    fn add(&mut self, worker: &Worker) -> Share {
        let length = match worker.activity {
            // The buffer's size does not matter here.
            Activity::LineTransfer { passing: Passing::Exchange, .. } => Lines::BYTES,
            Activity::LineTransfer { passing: Passing::Fetch(_), .. } => FetchedLines::BYTES,
            Activity::Chase { .. } | Activity::TimedChase { .. } | Activity::Kernel { .. } => {
                worker.buffer.get() as usize
            }
        };
        let need = self.needs.iter().position(|need| need.placement == worker.placement);
        let need = need.unwrap_or_else(|| {
            self.needs.push(Need { placement: worker.placement.clone(), length: 0, cycles: Vec::new() });
            self.needs.len() - 1
        });
        let start = self.needs[need].length;
        self.needs[need].length = (start + length).next_multiple_of(UNIT);
        if let Activity::Chase { pages, .. } = worker.activity {
            self.needs[need].cycles.push((start..start + length, pages));
        }
        Share { need, range: start..start + length }
    }
}

/// Checks that a workload is possible at all, before any memory is touched for it.
///
/// # Errors
/// The first reason why it is not.
pub(crate) fn check(workload: &Workload, machine: &Machine) -> Result<(), EngineError> {
    if workload.workers.is_empty() {
        return Err(unsupported("a workload without workers", "there is nothing to measure"));
    }
    let mut lines: BTreeMap<u32, (Passing, u32)> = BTreeMap::new();
    for (rank, worker) in workload.workers.iter().enumerate() {
        usable(machine, worker.pu)?;
        if workload.workers[..rank].iter().any(|other| other.pu == worker.pu) {
            let reason = "two workers of one workload would share it".to_owned();
            return Err(EngineError::NoSuchPu { pu: worker.pu, reason });
        }
        if let Activity::LineTransfer { line, passing } = worker.activity {
            let users = lines.entry(line).or_insert((passing, 0));
            users.1 += 1;
            if users.0 != passing {
                let what = format!("passing line {line} in two ways at once");
                return Err(unsupported(what, "both workers must do the same"));
            }
        }
        check_activity(worker)?;
    }
    match lines.into_iter().find(|&(_, (_, workers))| workers != 2) {
        Some((line, (_, workers))) => Err(unsupported(
            format!("a core-to-core transfer of line {line} between {workers} workers"),
            "it needs two",
        )),
        None => Ok(()),
    }
}

fn check_activity(worker: &Worker) -> Result<(), EngineError> {
    let paced = worker.demand != Demand::Unlimited;
    let chains = match worker.activity {
        Activity::Chase { chains, .. } => chains,
        _ => 1,
    };
    match worker.activity {
        Activity::Chase { .. } | Activity::TimedChase { .. } => {
            if paced {
                return Err(unsupported("a demand on a chase", "a chase is as fast as its loads"));
            }
            let nodes = worker.buffer.get() / SPACING as u64;
            if chains == 0 || nodes < 2 * u64::from(chains) {
                let what = format!("a chase of {chains} chains through {}", worker.buffer);
                return Err(unsupported(what, "each chain needs at least two nodes of 128 bytes"));
            }
            Ok(())
        }
        Activity::LineTransfer { .. } if paced => Err(unsupported(
            "a demand on a core-to-core transfer",
            "each round starts as soon as the line returns",
        )),
        Activity::LineTransfer { .. } => Ok(()),
        Activity::Kernel { kernel, access } => {
            if access != Access::Sequential && !matches!(kernel, Kernel::Read | Kernel::Write) {
                let what = format!("kernel {kernel} in non-sequential order");
                return Err(unsupported(what, "only read and write have other orders"));
            }
            match worker.demand {
                Demand::Rate(rate) if !(rate.get() > 0.0 && rate.get().is_finite()) => {
                    Err(unsupported(format!("a rate of {rate}"), "a rate must be greater than zero"))
                }
                Demand::Unlimited | Demand::Rate(_) | Demand::Delay(_) => Ok(()),
            }
        }
    }
}

fn unsupported(what: impl Into<String>, reason: &str) -> EngineError {
    EngineError::Unsupported { what: what.into(), reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerohop_machine::{CoreId, NodeId, PackageId, Pu, PuId};
    use zerohop_units::{Bytes, GigabytesPerSecond};
    use zerohop_workload::{LineState, Pages, Placement, Role};

    const READ: Activity = Activity::Kernel { kernel: Kernel::Read, access: Access::Sequential };

    fn worker(pu: u32, node: u32, buffer: Bytes, activity: Activity) -> Worker {
        Worker {
            pu: PuId(pu),
            role: Role::Foreground,
            placement: Placement::Node(NodeId(node)),
            buffer,
            activity,
            demand: Demand::Unlimited,
        }
    }

    fn workload(workers: Vec<Worker>) -> Workload {
        Workload { workers, pages: Pages::Best, instruction_set: None }
    }

    #[test]
    fn buffers_of_one_placement_are_adjacent() {
        let layout = Layout::of(&workload(vec![
            worker(0, 0, Bytes(5000), READ),
            worker(1, 4, Bytes::mib(3), READ),
            worker(2, 0, Bytes::mib(2), READ),
        ]));
        let placement = |node| Placement::Node(NodeId(node));
        assert_eq!(
            layout.needs,
            [
                Need { placement: placement(0), length: 2 * UNIT, cycles: vec![] },
                Need { placement: placement(4), length: 2 * UNIT, cycles: vec![] },
            ]
        );
        assert_eq!(
            layout.shares,
            [
                Share { need: 0, range: 0..5000 },
                Share { need: 1, range: 0..3 << 20 },
                Share { need: 0, range: UNIT..2 * UNIT },
            ]
        );
    }

    #[test]
    fn a_line_is_in_the_buffer_of_the_first_of_its_two_workers() {
        let transfer = |line| Activity::LineTransfer { line, passing: Passing::Exchange };
        let layout = Layout::of(&workload(vec![
            worker(0, 0, Bytes(0), transfer(7)),
            worker(1, 0, Bytes(0), transfer(9)),
            worker(2, 4, Bytes(0), transfer(7)),
            worker(3, 4, Bytes(0), transfer(9)),
        ]));
        assert_eq!(layout.needs.len(), 1);
        assert_eq!(layout.shares[2], layout.shares[0]);
        assert_eq!(layout.shares[3], layout.shares[1]);
        assert_ne!(layout.shares[0], layout.shares[1]);
    }

    #[test]
    fn an_impossible_workload_is_refused_before_anything_is_done() {
        let pu = |id, allowed| Pu {
            id: PuId(id),
            core: CoreId(id),
            package: PackageId(0),
            node: NodeId(0),
            allowed,
        };
        let machine =
            Machine { pus: vec![pu(0, true), pu(1, true), pu(2, true), pu(5, false)], ..Machine::default() };
        let (mib, chase) = (Bytes::mib(1), |chains| Activity::Chase { chains, pages: None });
        let strided = Activity::Kernel { kernel: Kernel::Copy, access: Access::Strided };
        let demand = |demand, activity| Worker { demand, ..worker(0, 0, mib, activity) };
        let transfer = |passing| Activity::LineTransfer { line: 1, passing };
        let line = |pu| worker(pu, 0, mib, transfer(Passing::Exchange));
        for (workers, reason) in [
            (vec![], "nothing to measure"),
            (vec![worker(5, 0, mib, READ)], "forbids"),
            (vec![worker(4, 0, mib, READ)], "offline"),
            (vec![worker(1, 0, mib, READ), worker(1, 0, mib, READ)], "share it"),
            (vec![worker(0, 0, mib, strided)], "only read and write"),
            (vec![worker(0, 0, Bytes(256), chase(2))], "two nodes"),
            (vec![worker(0, 0, mib, chase(0))], "two nodes"),
            (vec![demand(Demand::Delay(5), chase(1))], "as fast as its loads"),
            (vec![demand(Demand::Rate(GigabytesPerSecond(0.0)), READ)], "greater than zero"),
            (vec![line(0)], "it needs two"),
            (vec![line(0), line(1), line(2)], "it needs two"),
            (
                vec![line(0), worker(1, 0, mib, transfer(Passing::Fetch(LineState::Clean)))],
                "both workers must do the same",
            ),
        ] {
            let error = check(&workload(workers.clone()), &machine).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}: {reason}");
        }
        assert_eq!(check(&workload(vec![line(0), line(2), worker(1, 0, mib, chase(4))]), &machine), Ok(()));
    }
}
