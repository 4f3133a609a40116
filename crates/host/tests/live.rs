//! Tests of the engine on this host, however small and busy it is. They check what it reports, never how fast it is.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use zerohop_host::{HostEngine, HostTree};
use zerohop_machine::{Machine, NodeId, PuId};
use zerohop_units::{Bytes, GigabytesPerSecond};
use zerohop_workload::{
    Access, Activity, Demand, Engine, EngineError, Kernel, LineState, Pages, Passing, Placement, Role,
    Sample, Warning, Worker, Workload,
};

const WINDOW: Duration = Duration::from_millis(20);
const READ: Activity = Activity::Kernel { kernel: Kernel::Read, access: Access::Sequential };

/// Serializes the tests of one process, which would otherwise compete for PUs.
static ALONE: Mutex<()> = Mutex::new(());

struct Host {
    engine: HostEngine,
    interrupted: Arc<AtomicBool>,
    pus: Vec<PuId>,
    node: NodeId,
    _alone: MutexGuard<'static, ()>,
}

impl Host {
    fn new() -> Self {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let machine = Machine::load(&HostTree::live()).unwrap();
        let pus = machine.pus.iter().filter(|pu| pu.allowed).map(|pu| pu.id).collect();
        let node = machine.targets().next().unwrap().id;
        let interrupted = Arc::new(AtomicBool::new(false));
        let engine = HostEngine::new(machine, Arc::clone(&interrupted)).unwrap();
        Self { engine, interrupted, pus, node, _alone: alone }
    }

    fn worker(&self, rank: usize, buffer: Bytes, activity: Activity) -> Worker {
        Worker {
            pu: self.pus[rank],
            role: Role::Foreground,
            placement: Placement::Node(self.node),
            buffer,
            activity,
            demand: Demand::Unlimited,
        }
    }

    fn sample(&mut self, workers: Vec<Worker>) -> (Sample, Vec<Warning>) {
        let workload = workload(workers);
        let mut prepared = self.engine.prepare(&workload).unwrap();
        for backing in prepared.backing() {
            assert!(backing.placed_share.is_none_or(|share| share == 1.0), "{backing:?}");
            assert!(backing.huge_share.is_none_or(|share| (0.0..=1.0).contains(&share)), "{backing:?}");
        }
        let warnings = prepared.warnings().to_vec();
        (prepared.sample(WINDOW).unwrap(), warnings)
    }

    fn refusal(&mut self, workers: Vec<Worker>) -> EngineError {
        match self.engine.prepare(&workload(workers)) {
            Ok(_) => panic!("prepared what cannot be done"),
            Err(error) => error,
        }
    }
}

fn workload(workers: Vec<Worker>) -> Workload {
    Workload { workers, pages: Pages::Best, instruction_set: None }
}

#[test]
fn pages_are_on_their_node_and_of_the_requested_kind() {
    let mut host = Host::new();
    for pages in [Pages::Base, Pages::Transparent, Pages::Best] {
        let workload = Workload { pages, ..workload(vec![host.worker(0, Bytes::mib(32), READ)]) };
        let prepared = host.engine.prepare(&workload).unwrap();
        let backing = &prepared.backing()[0];
        assert!(backing.placed_share.is_none_or(|share| share == 1.0), "{backing:?}");
        if backing.placed_share.is_some() {
            assert!(backing.pages_checked > 0);
        } else {
            let unproven = |warning: &Warning| matches!(warning, Warning::PlacementUnproven { .. });
            assert!(prepared.warnings().iter().any(unproven));
        }
        if pages == Pages::Base {
            assert!(backing.page < Bytes::mib(1));
            assert!(backing.huge_share.is_none_or(|share| share == 0.0), "{backing:?}");
        }
    }
}

#[test]
fn every_kernel_moves_bytes_in_the_ratio_it_declares() {
    let mut host = Host::new();
    for kernel in Kernel::all() {
        let activity = Activity::Kernel { kernel, access: Access::Sequential };
        let (sample, _) = host.sample(vec![host.worker(0, Bytes::mib(24), activity)]);
        let progress = sample.workers[0].in_window;
        assert!(progress.bytes.get() > 0, "{kernel}");
        assert_eq!(progress.steps, 0.0);
        let traffic = kernel.traffic();
        let expected = progress.bytes.get() as f64 * f64::from(traffic.bus()) / f64::from(traffic.asked());
        assert!((progress.bus_bytes.get() as f64 / expected - 1.0).abs() < 1e-3, "{kernel} {progress:?}");
        assert!(sample.workers[0].own.bytes >= progress.bytes);
    }
}

#[test]
fn chases_step_through_any_size_with_any_number_of_chains() {
    let mut host = Host::new();
    for (buffer, chains) in [
        (Bytes::kib(16), 1),
        (Bytes::mib(1), 3),
        (Bytes::mib(20), 1),
        (Bytes::mib(20), 10),
        (Bytes::mib(1), 40),
    ] {
        let (sample, _) = host.sample(vec![host.worker(0, buffer, Activity::Chase { chains, pages: None })]);
        assert!(sample.workers[0].in_window.steps > 0.0, "{buffer} {chains}: {sample:?}");
        assert_eq!(sample.workers[0].in_window.bytes, Bytes(0));
    }
}

#[test]
fn a_timed_chase_shows_how_its_loads_are_distributed() {
    let mut host = Host::new();
    let chase = host.worker(0, Bytes::mib(32), Activity::TimedChase { batch: 32 });
    let (sample, _) = host.sample(vec![chase]);
    let loads = sample.workers[0].loads.clone().unwrap();
    let at = |share| loads.quantile(share).unwrap().get();
    assert!(0.0 < at(0.5) && at(0.5) <= at(0.99) && at(0.99) <= at(0.999), "{loads:?}");
    // Every batch of the window was timed, and the batches before it were not.
    let batches = sample.workers[0].own.steps / 32.0;
    assert!((loads.count() as f64 / batches - 1.0).abs() < 0.5, "{} of {batches}", loads.count());
    assert!((sample.workers[0].in_window.steps) > 0.0);
    let inside = sample.inside.unwrap();
    let shares: f64 = inside.0.iter().map(|bar| bar.value).sum();
    assert!((shares - 1.0).abs() < 1e-9, "{shares}");
}

#[test]
fn the_same_memory_serves_chases_and_kernels_in_turn() {
    let mut host = Host::new();
    let copy = Activity::Kernel { kernel: Kernel::Copy, access: Access::Sequential };
    for _ in 0..2 {
        for (mib, activity) in [
            (16, Activity::Chase { chains: 1, pages: None }),
            (8, copy),
            (4, Activity::Chase { chains: 2, pages: None }),
            (16, READ),
        ] {
            let (sample, _) = host.sample(vec![host.worker(0, Bytes::mib(mib), activity)]);
            let progress = sample.workers[0].in_window;
            assert!(progress.bytes.get() > 0 || progress.steps > 0.0);
        }
    }
}

#[test]
fn foreground_and_background_count_in_one_window() {
    let mut host = Host::new();
    if host.pus.len() < 2 {
        return;
    }
    let chase = host.worker(0, Bytes::mib(16), Activity::Chase { chains: 1, pages: None });
    let load = Worker { role: Role::Background, ..host.worker(1, Bytes::mib(16), READ) };
    // Other programs may keep a worker from its CPU for a whole window, which is made longer then; but hardly for all of them.
    let counted = (0..20).any(|_| {
        let (sample, _) = host.sample(vec![chase.clone(), load.clone()]);
        assert!(sample.window.get() > 0.0, "{sample:?}");
        assert!(sample.workers.iter().all(|worker| worker.noise.migrations == 0), "{sample:?}");
        let is_short = sample.window.get() <= WINDOW.as_secs_f64() * 1.001;
        let has_run =
            sample.workers.iter().all(|worker| worker.noise.cpu_share.is_some_and(|share| share > 0.0));
        let [chase, load] = [0, 1].map(|rank| &sample.workers[rank].in_window);
        is_short && has_run && chase.steps > 0.0 && load.bytes.get() > 0
    });
    assert!(counted);
}

#[test]
fn a_line_transfer_counts_on_both_sides_sample_after_sample() {
    let mut host = Host::new();
    if host.pus.len() < 2 {
        return;
    }
    let transfer = Activity::LineTransfer { line: 3, passing: Passing::Exchange };
    let workload = workload(vec![host.worker(0, Bytes(0), transfer), host.worker(1, Bytes(0), transfer)]);
    let mut prepared = host.engine.prepare(&workload).unwrap();
    assert_eq!(prepared.backing()[0], prepared.backing()[1]);
    for _ in 0..3 {
        let sample = prepared.sample(WINDOW).unwrap();
        assert!(sample.workers.iter().all(|worker| worker.own.steps > 0.0), "{sample:?}");
        assert!(sample.inside.is_none_or(|inside| inside.spread_over_lines().is_some()));
    }
}

#[test]
fn loads_of_another_core_s_lines_are_timed_sample_after_sample() {
    let mut host = Host::new();
    if host.pus.len() < 2 {
        return;
    }
    for state in [LineState::Clean, LineState::Modified] {
        let fetch = Activity::LineTransfer { line: 0, passing: Passing::Fetch(state) };
        let workload = workload(vec![host.worker(0, Bytes(0), fetch), host.worker(1, Bytes(0), fetch)]);
        let mut prepared = host.engine.prepare(&workload).unwrap();
        for _ in 0..3 {
            let sample = prepared.sample(WINDOW).unwrap();
            let load = sample.step_time(0).unwrap().get();
            assert!(load > 0.0 && load.is_finite(), "{sample:?}");
        }
    }
}

#[test]
fn a_paced_worker_keeps_its_rate() {
    let mut host = Host::new();
    let rate = GigabytesPerSecond(0.25);
    let worker = Worker { demand: Demand::Rate(rate), ..host.worker(0, Bytes::mib(8), READ) };
    let workload = workload(vec![worker]);
    let mut prepared = host.engine.prepare(&workload).unwrap();
    let samples: Vec<Sample> = (0..20).map(|_| prepared.sample(WINDOW).unwrap()).collect();
    let reached = |sample: &Sample| sample.bandwidth([0]) / rate;
    assert!(samples.iter().all(|sample| reached(sample) < 1.05), "it never goes faster");
    // On a busy host, the worker may lose its PU and fall behind through no fault of its own.
    let alone = |sample: &&Sample| sample.workers[0].noise.cpu_share.is_some_and(|share| share > 0.999);
    let best = samples.iter().filter(alone).map(reached).reduce(f64::max);
    assert!(best.is_none_or(|best| best > 0.95), "{best:?}");
}

#[test]
fn pauses_slow_a_worker_down() {
    let mut host = Host::new();
    // The best of several: another program may take the PU at any time.
    let mut bandwidth = |delay| {
        let worker = Worker { demand: Demand::Delay(delay), ..host.worker(0, Bytes::mib(8), READ) };
        let workload = workload(vec![worker]);
        let mut prepared = host.engine.prepare(&workload).unwrap();
        (0..10).map(|_| prepared.sample(WINDOW).unwrap().bandwidth([0]).get()).fold(0.0, f64::max)
    };
    let paused = bandwidth(20_000);
    // The rate is 512 bytes per 20000 cycles on any processor slower than 20 GHz.
    assert!(paused > 0.0 && paused < 0.6, "{paused}");
    assert!(bandwidth(0) > 2.0 * paused);
}

#[test]
fn an_interrupt_stops_preparing_and_sampling() {
    let mut host = Host::new();
    let worker = host.worker(0, Bytes::mib(16), READ);
    let interrupted = Arc::clone(&host.interrupted);
    let mut prepared = host.engine.prepare(&workload(vec![worker.clone()])).unwrap();
    let begun = Instant::now();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        interrupted.store(true, Ordering::Relaxed);
    });
    assert_eq!(prepared.sample(Duration::from_secs(60)), Err(EngineError::Interrupted));
    drop(prepared);
    assert!(begun.elapsed() < Duration::from_secs(30));
    stopper.join().unwrap();
    let larger = Worker { buffer: Bytes::mib(64), ..worker };
    assert_eq!(host.refusal(vec![larger]), EngineError::Interrupted);
}

#[test]
fn an_impossible_workload_is_refused_and_leaves_the_engine_usable() {
    let mut host = Host::new();
    let worker =
        |pu, buffer, node| Worker { pu, placement: Placement::Node(node), ..host.worker(0, buffer, READ) };
    let (pu, node, nowhere) = (host.pus[0], host.node, NodeId(900));
    let [no_pu, no_node, huge, tiny] = [
        worker(PuId(100_000), Bytes::mib(1), node),
        worker(pu, Bytes::mib(1), nowhere),
        worker(pu, Bytes::gib(1 << 20), node),
        worker(pu, Bytes(8), node),
    ];
    assert!(matches!(host.refusal(vec![no_pu]), EngineError::NoSuchPu { .. }));
    assert!(matches!(host.refusal(vec![no_node]), EngineError::NoMemory { .. }));
    assert!(matches!(host.refusal(vec![huge]), EngineError::NoMemory { .. }));
    assert!(matches!(host.refusal(vec![tiny]), EngineError::Unsupported { .. }));
    let (sample, _) = host.sample(vec![host.worker(0, Bytes::mib(4), READ)]);
    assert!(sample.workers[0].in_window.bytes.get() > 0);
}

#[test]
fn only_nodes_that_exist_have_free_memory() {
    let host = Host::new();
    assert!(host.engine.free_memory(host.node).get() > 0);
    assert_eq!(host.engine.free_memory(NodeId(900)), Bytes(0));
}
