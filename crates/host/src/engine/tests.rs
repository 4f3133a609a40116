//! Tests of the engine on the host that they run on.

use std::io;
use std::sync::atomic::Ordering;

use zerohop_machine::PuSet;
use zerohop_workload::{Demand, Pages, Placement, Role};

use super::*;

fn engine() -> HostEngine {
    let machine = Machine::load(&HostTree::live()).unwrap();
    HostEngine::new(machine, Arc::new(AtomicBool::new(false))).unwrap()
}

/// One reader on the first PU, of memory on the first node.
fn reading(machine: &Machine) -> Workload {
    let worker = Worker {
        pu: machine.pus.iter().find(|pu| pu.allowed).unwrap().id,
        role: Role::Foreground,
        placement: Placement::Node(machine.targets().next().unwrap().id),
        buffer: Bytes::mib(2),
        activity: Activity::Kernel { kernel: Kernel::Read, access: Access::Sequential },
        demand: Demand::Unlimited,
    };
    Workload { workers: vec![worker], pages: Pages::Transparent, instruction_set: None }
}

#[test]
fn without_numa_calls_it_measures_and_says_so() {
    let mut engine = engine();
    let denied = || io::Error::from_raw_os_error(libc::EPERM);
    engine.calls = NumaCalls {
        bind: |_, _, _| Err(io::Error::from_raw_os_error(libc::EPERM)),
        locate: |_, _| Err(io::Error::from_raw_os_error(libc::ENOSYS)),
        ..NumaCalls::LIVE
    };
    let workload = reading(&engine.machine);
    let mut prepared = engine.prepare(&workload).unwrap();
    assert_eq!(prepared.backing()[0].placed_share, None);
    assert_eq!(prepared.backing()[0].pages_checked, 0);
    let reason = format!("mbind: {}", denied());
    assert!(prepared.warnings().contains(&Warning::PlacementNotBound { reason }));
    let unproven = |warning: &Warning| matches!(warning, Warning::PlacementUnproven { .. });
    assert!(prepared.warnings().iter().any(unproven), "{:?}", prepared.warnings());
    assert!(prepared.sample(Duration::from_millis(5)).is_ok());
}

#[test]
fn pages_on_another_node_are_reported() {
    let mut engine = engine();
    engine.calls.locate = |_, nodes| {
        nodes.fill(77);
        Ok(())
    };
    let workload = reading(&engine.machine);
    let prepared = engine.prepare(&workload).unwrap();
    assert_eq!(prepared.backing()[0].placed_share, Some(0.0));
    assert!(prepared.warnings().contains(&Warning::PagesMisplaced { share: 0.0 }));
}

/// With `cpuset.mems` changed in the middle, all pages lay on the other node, and they had been proven before.
#[test]
fn pages_that_move_while_samples_are_taken_are_reported() {
    static MOVED: AtomicBool = AtomicBool::new(false);
    let mut engine = engine();
    let home = engine.machine.targets().next().unwrap().id;
    assert_eq!(home, NodeId(0), "the node that the call below names");
    // An emulator may have neither call.
    engine.calls.bind = |_, _, _| Ok(());
    engine.calls.locate = |_, nodes| {
        nodes.fill(if MOVED.load(Ordering::Relaxed) { 77 } else { 0 });
        Ok(())
    };
    let workload = reading(&engine.machine);
    let mut prepared = engine.prepare(&workload).unwrap();
    prepared.sample(Duration::from_millis(3)).unwrap();
    prepared.confirm();
    assert!(prepared.backing()[0].confirmed && prepared.warnings().is_empty());
    MOVED.store(true, Ordering::Relaxed);
    prepared.confirm();
    assert!(!prepared.backing()[0].confirmed);
    assert_eq!(prepared.backing()[0].placed_share, Some(0.0));
    assert!(prepared.warnings().contains(&Warning::PagesMisplaced { share: 0.0 }));
    // `confirmed` was true beside a share of 0.0 once they had come back.
    MOVED.store(false, Ordering::Relaxed);
    prepared.confirm();
    assert!(!prepared.backing()[0].confirmed);
    assert_eq!(prepared.backing()[0].placed_share, Some(0.0));
}

#[test]
fn memory_is_kept_for_later_workloads_while_half_of_it_is_free() {
    let mut engine = engine();
    let mut workload = reading(&engine.machine);
    let Placement::Node(node) = workload.workers[0].placement else {
        unreachable!("the placement names a node")
    };
    for (mib, pages, kept) in [
        (2, Pages::Transparent, 2),
        (16, Pages::Transparent, 18),
        (8, Pages::Transparent, 18),
        (2, Pages::Transparent, 18),
        (4, Pages::Base, 22),
        (8, Pages::Transparent, 22),
    ] {
        workload.workers[0].buffer = Bytes::mib(mib);
        workload.pages = pages;
        drop(engine.prepare(&workload).unwrap());
        assert_eq!(engine.arenas.held_on(node), Bytes::mib(kept), "{mib} {pages}");
    }
}

/// A survey that went round its experiments filled gigabytes again in each round.
#[test]
fn what_one_workload_filled_is_there_when_it_comes_back_after_another() {
    let mut engine = engine();
    let one = reading(&engine.machine);
    let mut other = one.clone();
    other.workers[0].activity = Activity::Chase { chains: 1, pages: None };
    let mut few = one.clone();
    few.workers[0].activity = Activity::Chase { chains: 1, pages: Some(1) };
    let mut held_after = |workload: &Workload| {
        drop(engine.prepare(workload).unwrap());
        engine.arenas.held_on(engine.machine.targets().next().unwrap().id)
    };
    let held: Vec<Bytes> = [&one, &other, &few, &one, &few, &other].map(&mut held_after).to_vec();
    assert_eq!(held, [2, 4, 6, 6, 6, 6].map(Bytes::mib));
}

#[test]
fn the_crew_of_a_workload_waits_for_the_next_visit() {
    let mut engine = engine();
    let one = reading(&engine.machine);
    let mut other = one.clone();
    other.workers[0].activity = Activity::Chase { chains: 2, pages: None };
    for (workload, threads) in [(&one, 1), (&other, 2), (&one, 2), (&other, 2)] {
        let mut prepared = engine.prepare(workload).unwrap();
        let sample = prepared.sample(Duration::from_millis(3)).unwrap();
        let done = sample.workers[0].in_window;
        assert!(done.bytes.get() > 0 || done.steps > 0.0, "{done:?}");
        drop(prepared);
        assert_eq!(engine.parked.threads(), threads);
    }
    // Memory for which there is room ends none of them.
    let mut large = one.clone();
    large.workers[0].buffer = Bytes::mib(64);
    drop(engine.prepare(&large).unwrap());
    assert_eq!(engine.parked.threads(), 3);
}

#[test]
fn a_kernel_uses_the_requested_instructions_or_is_refused() {
    let engine = engine();
    let code = |set| engine.forms_on_trial(Kernel::Read, Access::Sequential, set);
    assert!(code(None).is_ok());
    assert!(code(Some(InstructionSet::Scalar64)).is_ok());
    let foreign = if cfg!(target_arch = "x86_64") { InstructionSet::Neon } else { InstructionSet::Sse2 };
    let error = code(Some(foreign)).unwrap_err().to_string();
    assert!(error.starts_with("kernel read is not possible here: this processor has no"), "{error}");
}

/// Where `/sys` shows no nodes, CPUs of other nodes passed for local.
#[test]
fn a_cpu_that_the_kernel_counts_elsewhere_is_in_doubt() {
    let mut engine = engine();
    let workload = reading(&engine.machine);
    let pu = workload.workers[0].pu;
    let prepared = engine.prepare(&workload).unwrap();
    let doubts = |one: &&Warning| matches!(one, Warning::CpuElsewhere { .. });
    assert_eq!(prepared.warnings().iter().find(doubts), None);
    drop(prepared);
    let mut machine = engine.machine.clone();
    let home = machine.pu(pu).unwrap().node;
    let assumed = NodeId(77);
    machine.pus.iter_mut().for_each(|pu| pu.node = assumed);
    let found = |machine: &Machine, home| elsewhere(&workload, machine, [home].into_iter());
    // A node that shares the CPU is no other place.
    assert_eq!(found(&machine, Some(home)), None);
    machine.nodes.iter_mut().for_each(|node| node.pus = PuSet::new());
    assert_eq!(found(&machine, Some(home)), Some(Warning::CpuElsewhere { pu, node: home, assumed }));
    assert_eq!(found(&machine, None), None);
}

/// Where a survey's time went was known to nobody: 5 s of a budget of 2 s were filling.
#[test]
fn the_account_of_time_has_every_part_and_no_more_than_there_was() {
    let began = Instant::now();
    let mut engine = engine();
    let mut workload = reading(&engine.machine);
    workload.workers[0].buffer = Bytes::mib(16);
    engine.prepare(&workload).unwrap().sample(Duration::from_millis(5)).unwrap();
    workload.workers[0].activity = Activity::Chase { chains: 1, pages: None };
    let mut prepared = engine.prepare(&workload).unwrap();
    prepared.sample(Duration::from_millis(5)).unwrap();
    prepared.confirm();
    drop(prepared);
    let spent = engine.time_spent().unwrap();
    let whole = began.elapsed().into();
    let missing: Vec<_> = spent.parts().into_iter().filter(|(_, part)| part.get() == 0.0).collect();
    // Whether samples were lost, kernels have several forms, and what the caller does, is another matter.
    let may_miss = ["lost samples", "trials of kernels", "opening", "other"];
    assert!(missing.iter().all(|(words, _)| may_miss.contains(words)), "{missing:?}");
    let known: f64 = spent.parts().iter().map(|(_, part)| part.get()).sum();
    assert!(known <= spent.within(whole, zerohop_units::Seconds(0.0)).whole.get(), "{spent:?}");
}

#[test]
fn forms_of_another_run_need_no_trial() {
    let mut first = engine();
    let mut workload = reading(&first.machine);
    workload.workers[0].buffer = Bytes::mib(16);
    let sample = |engine: &mut HostEngine| {
        engine.prepare(&workload).unwrap().sample(Duration::from_millis(2)).unwrap();
        engine.time_spent().unwrap().trials.get()
    };
    assert_eq!(first.chosen_forms(), []);
    let trying = sample(&mut first);
    let chosen = first.chosen_forms();
    assert_eq!(chosen.len(), 1);
    let mut foreign = chosen.clone();
    foreign[0].form = "in vectors of a mile".to_owned();
    let mut second = engine();
    assert_eq!(second.reuse_forms(&foreign), foreign);
    assert_eq!(second.reuse_forms(&chosen), []);
    let looking = sample(&mut second);
    assert!(looking < trying / 10.0, "{looking} s, and with trials {trying} s");
    assert_eq!(second.chosen_forms(), chosen);
}
