//! AMD's rules (40555, sections 3.1 to 3.4) as the advice for the machines that they were written for.

use zerohop_advise::placement::{Background, DataUse, Memory, Program, Sensitivity, Tool};
use zerohop_machine::NodeId;
use zerohop_units::GigabytesPerSecond;
use zerohop_workload::{Access, Kernel};

use crate::grounds::{advice, placement};

/// AMD's test program: it visits a line with each access.
pub(crate) fn program(threads: usize, data: DataUse) -> Program {
    Program { access: Access::Strided, ..crate::grounds::program(threads, data) }
}

#[test]
fn data_of_each_thread_s_own_goes_node_by_node_with_first_touch() {
    for kernel in [Kernel::Read, Kernel::Write] {
        let two = Program { kernel, ..program(2, DataUse::Private) };
        assert_eq!(advice("quartet", &two).best().placement, placement(&[(0, 1), (1, 1)], Memory::Local));
        let four = Program { kernel, ..program(4, DataUse::Private) };
        let found = advice("quartet", &four);
        assert_eq!(found.best().placement, placement(&[(0, 1), (1, 1), (2, 1), (3, 1)], Memory::Local));
        assert!(found.best().names.contains(&"default".to_owned()), "{:?}", found.best().names);
        let six = Program { kernel, ..program(6, DataUse::Private) };
        assert_eq!(advice("quartet", &six).best().placement.threads.values().sum::<usize>(), 6);
        assert_eq!(advice("quartet", &six).best().placement.memory, Memory::Local);
    }
}

#[test]
fn eight_nodes_take_a_thread_each_before_any_takes_a_second() {
    let found = advice("opteron-6274-4s", &program(8, DataUse::Private));
    let best = &found.best().placement;
    assert_eq!((best.threads.len(), &best.memory), (8, &Memory::Local));
}

#[test]
fn shared_data_fills_a_node_before_the_next() {
    let found = advice("quartet", &program(2, DataUse::Shared));
    assert_eq!(found.best().placement, placement(&[(0, 2)], Memory::OnNode { node: NodeId(0) }));
    let latency = Program { sensitivity: Sensitivity::Latency, ..program(2, DataUse::Shared) };
    assert_eq!(
        advice("quartet", &latency).best().placement,
        placement(&[(0, 2)], Memory::OnNode { node: NodeId(0) })
    );
}

#[test]
fn shared_data_of_more_threads_than_one_memory_feeds_is_spread() {
    let writers = Program { kernel: Kernel::Write, ..program(8, DataUse::Shared) };
    let found = advice("quartet", &writers);
    let Memory::Interleaved { nodes } = &found.best().placement.memory else {
        panic!("{:?}", found.best());
    };
    assert!(nodes.len() > 2, "{nodes:?}");
    assert!(found.over_default.times.value > 1.5, "{:?}", found.over_default);
}

/// Section 3.4.2 (Figures 11 and 12): where both threads must stay on a node whose memory two writers fill, the data of one is better
/// off on another node.
#[test]
fn a_thread_that_must_stay_at_a_saturated_memory_has_its_data_elsewhere() {
    let stay = |background| Program {
        kernel: Kernel::Write,
        thread_nodes: vec![NodeId(0)],
        background,
        ..program(2, DataUse::Private)
    };
    let spread = |memory: &Memory| !matches!(memory, Memory::OnNode { node: NodeId(0) });
    let idle = advice("quartet", &stay(Vec::new()));
    assert!(spread(&idle.best().placement.memory), "{:?}", idle.best());
    assert!(idle.best().over_default > 1.05, "{:?}", idle.best());
    // Figure 15: once the other nodes are loaded too, that gain is gone.
    let loaded =
        (1..4).map(|node| Background { node: NodeId(node), threads: 1, rate: Some(GigabytesPerSecond(4.0)) });
    let loaded = advice("quartet", &stay(loaded.collect()));
    assert!(loaded.best().over_default < idle.best().over_default, "{:?}", loaded.best());
}

#[test]
fn interleaving_comes_last_where_local_data_is_possible() {
    let found = advice("quartet", &program(4, DataUse::Private));
    let interleaved = found.named("interleaved over all nodes").unwrap();
    assert!(interleaved.over_default < 0.97, "{interleaved:?}");
    let told =
        found.reasons.iter().any(|reason| reason.text.contains("interleaving over all nodes comes last"));
    assert!(told, "{:?}", found.reasons);
}

#[test]
fn data_that_one_thread_initializes_is_slower_than_first_touch_by_its_users() {
    let found = advice("quartet", &Program { kernel: Kernel::Write, ..program(8, DataUse::Private) });
    let one = found.named("one thread initializes all data").unwrap();
    assert!(found.best().figure.value > 2.0 * one.figure.value, "{one:?}");
}

/// Threads with this kernel stay away from two nodes that others keep busy.
fn check_busy_nodes(kernel: Kernel) {
    let busy = |node| Background { node: NodeId(node), threads: 1, rate: None };
    let two = Program { kernel, background: vec![busy(0), busy(1)], ..program(2, DataUse::Private) };
    assert_eq!(advice("quartet", &two).best().placement, placement(&[(2, 1), (3, 1)], Memory::Local));
}

/// Section 3.1.3: what else runs decides.
#[test]
fn threads_that_read_keep_away_from_nodes_that_other_programs_use() {
    check_busy_nodes(Kernel::Read);
}

#[test]
#[ignore = "long: solves hundreds of placements beside writers"]
fn threads_that_write_keep_away_from_nodes_that_other_programs_use() {
    check_busy_nodes(Kernel::Write);
}

/// Section 3.2.1: a thread that is moved leaves its data behind.
#[test]
fn threads_are_pinned_because_the_scheduler_may_move_them_from_their_data() {
    let found = advice("quartet", &program(4, DataUse::Private));
    let pinned = found.reasons.iter().find(|reason| reason.text.contains("pin threads to their nodes"));
    assert!(pinned.is_some_and(|reason| reason.source.is_some()), "{:?}", found.reasons);
    let bound = found.lines.iter().any(|line| line.text.contains("--physcpubind=0,2,4,6"));
    assert!(bound, "{:?}", found.lines);
    // One thread that stays where its data is needs no such advice, nor do threads that share all data.
    for other in [program(1, DataUse::Private), program(4, DataUse::Shared)] {
        let reasons = advice("quartet", &other).reasons;
        assert!(reasons.iter().all(|reason| !reason.text.contains("pin threads")), "{reasons:?}");
    }
}

/// Section 3.2.2: a thread that initializes everything at the start.
#[test]
fn a_thread_that_touches_everything_at_the_start_costs_what_the_advice_says() {
    for (kernel, share) in [(Kernel::Read, 0.65), (Kernel::Write, 0.5)] {
        let found = advice("quartet", &Program { kernel, ..program(4, DataUse::Private) });
        let one = found.named("one thread initializes all data").unwrap();
        assert!(one.figure.value < share * found.best().figure.value, "{one:?}");
        let figure = format!("the program gets {:.1} GB/s", one.figure.value);
        let told = found.reasons.iter().find(|reason| reason.text.contains(&figure));
        assert!(told.is_some_and(|reason| reason.text.contains("let each thread write its own data first")));
    }
}

/// Section 3.2.2: pages can be moved later, at a cost.
#[test]
fn pages_are_placed_at_the_start_rather_than_moved_later() {
    let found = advice("quartet", &program(4, DataUse::Private));
    let running = found.lines.iter().find(|line| line.tool == Tool::Running).unwrap();
    let note = format!("{running:?}");
    assert!(note.contains("restart it"), "{note}");
}

/// McCalpin: MCDRAM has more bandwidth, and DDR4 answers sooner.
#[test]
fn a_xeon_phi_streams_from_mcdram_and_waits_for_ddr4() {
    let (ddr4, mcdram) = (NodeId(0), NodeId(1));
    let stream = advice("xeon-phi-7250", &crate::grounds::program(64, DataUse::Private));
    let part =
        |node| stream.best().placement.bytes(&stream.program).get(&node).map_or(0, |bytes| bytes.get());
    assert!(part(mcdram) > 2 * part(ddr4), "{:?}", stream.best());
    let latency =
        Program { sensitivity: Sensitivity::Latency, ..crate::grounds::program(1, DataUse::Shared) };
    assert_eq!(advice("xeon-phi-7250", &latency).best().placement.memory, Memory::OnNode { node: ddr4 });
}
