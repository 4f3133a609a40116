//! `zerohop mlc`: measures what Intel's Memory Latency Checker measures, by its options, and prints what it prints.

use zerohop_experiment::{LoadPlace, Options, catalogue};
use zerohop_machine::{Machine, PuSet};
use zerohop_report::{Form, LatencyChecker, MlcOutput};
use zerohop_result::{Completion, Descriptor, ExperimentName, MlcBlock};
use zerohop_units::Bytes;

use super::exit_status::VerbOutcome;
use super::measure::{Session, conclude};
use crate::arguments::{Loaders, MlcArguments};
use crate::failure::Failure;
use crate::kind::Kind;
use crate::machine_source::MachineSource;
use crate::output::Output;
use crate::request::MlcTask;
use crate::terminal;

pub(super) fn mlc(task: MlcTask, root: &MachineSource, quiet: bool) -> Result<VerbOutcome, Failure> {
    let MlcTask { arguments, subject, setup, options } = task;
    let asked = arguments.output();
    let outputs = asked.map_or_else(|| MlcOutput::ALL.to_vec(), |one| vec![one]);
    let session = Session::open(subject, root, &setup, quiet)?;
    let session = session.with_option_names(arguments.option_names());
    if !quiet {
        for (option, measurements) in arguments.acting_on_some() {
            terminal::say(&format!("{option} applies only to {}", measurements.join(", ")));
        }
    }
    let mut left_out = Vec::new();
    let outcome = session.measure(&options, None, |engine, observer| {
        for output in &outputs {
            let name = experiment(output.block());
            let options = options_of(*output, &arguments, &options, engine.machine());
            match zerohop_experiment::run(&name, engine, &options, observer) {
                Ok(result) if result.completion == Completion::Interrupted => break,
                Ok(_) => {}
                Err(error) if asked.is_some() => return Err(error),
                // The others are worth having: a machine with one core has no pairs of cores.
                Err(error) => left_out.push(format!("skipping {name}: {error}")),
            }
        }
        Ok(())
    })?;
    if !quiet {
        left_out.iter().for_each(|reason| terminal::say(reason));
    }
    let document = LatencyChecker { file: &outcome.result, experiments: catalogue(), output: asked };
    Output::new(&Kind::of::<LatencyChecker<'_>>(), Form::Mlc, None, None)?.print(&document)?;
    conclude(outcome, None, false, quiet)
}

/// The experiment that has this block's values.
fn experiment(block: MlcBlock) -> ExperimentName {
    catalogue().of_block(block).map(Descriptor::name).expect("every block has an experiment")
}

/// The options of one measurement. MLC's buffers are those of a thread, ours of a node.
fn options_of(output: MlcOutput, arguments: &MlcArguments, usual: &Options, machine: &Machine) -> Options {
    let options = usual.clone();
    let without_kernel = || Options { instruction_set: None, ..options.clone() };
    let chosen = |loaders: Loaders| match loaders {
        Loaders::AllThreads => has_siblings(machine).then(|| machine.pus.iter().map(|pu| pu.id).collect()),
        Loaders::OneThreadOfEach => None,
        Loaders::Only(cpus) => Some(cpus),
    };
    match output {
        MlcOutput::LatencyMatrix => Options { buffer: arguments.buffer(), ..without_kernel() },
        MlcOutput::IdleLatency { target } => {
            let from = arguments.cpu().and_then(|cpu| machine.pu(cpu)).or_else(|| machine.pus.first());
            let nodes = from.map(|from| {
                let mut nodes: Vec<_> = std::iter::once(from.node).chain(target).collect();
                nodes.dedup();
                nodes
            });
            let cpus = arguments.cpu().map(|cpu| PuSet::from_iter([cpu]));
            Options { buffer: arguments.buffer(), cpus, nodes, ..without_kernel() }
        }
        MlcOutput::CacheToCache => Options { cpus: explicit(arguments.loaders()), ..without_kernel() },
        MlcOutput::PeakInjectionBandwidth | MlcOutput::MaxBandwidth => {
            let working: Option<PuSet> = chosen(arguments.loaders());
            // Each of the mixes is measured, and, unless CPUs are named, with one thread per core and with all.
            let cpus = match arguments.loaders() {
                Loaders::AllThreads => None,
                Loaders::OneThreadOfEach => has_siblings(machine).then(|| first_threads(machine)),
                Loaders::Only(cpus) => Some(cpus),
            };
            Options { buffer: of_node(arguments.buffer(), machine, working.as_ref()), cpus, ..options }
        }
        MlcOutput::BandwidthMatrix => {
            let cpus: Option<PuSet> = chosen(arguments.loaders());
            let buffer = of_node(arguments.buffer(), machine, cpus.as_ref());
            Options { buffer, cpus, kernel: arguments.kernel(), ..options }
        }
        MlcOutput::LoadedLatency { .. } => {
            let cpus: Option<PuSet> = chosen(arguments.loaders());
            let buffer = of_node(arguments.buffer(), machine, cpus.as_ref());
            // MLC loads all nodes at once.
            let load = Some(LoadPlace::Machine);
            Options { buffer, cpus, kernel: arguments.kernel(), load, ..options }
        }
    }
}

fn explicit(loaders: Loaders) -> Option<PuSet> {
    match loaders {
        Loaders::Only(cpus) => Some(cpus),
        Loaders::AllThreads | Loaders::OneThreadOfEach => None,
    }
}

/// Whether any core has several threads.
fn has_siblings(machine: &Machine) -> bool {
    let mut cores: Vec<_> = machine.pus.iter().map(|pu| (pu.package, pu.core)).collect();
    cores.sort_unstable();
    cores.windows(2).any(|pair| pair[0] == pair[1])
}

/// The first usable thread of each core.
fn first_threads(machine: &Machine) -> PuSet {
    machine.nodes.iter().flat_map(|node| machine.usable_cores(node.id)).collect()
}

/// The buffer of the node with most threads, if each has `buffer`.
fn of_node(buffer: Option<Bytes>, machine: &Machine, cpus: Option<&PuSet>) -> Option<Bytes> {
    let mut threads: Vec<_> = machine
        .pus
        .iter()
        .filter(|pu| cpus.is_none_or(|cpus| cpus.contains(pu.id)))
        .map(|pu| (pu.node, pu.package, pu.core, cpus.map(|_| pu.id)))
        .collect();
    threads.sort_unstable();
    threads.dedup();
    let most = threads.chunk_by(|one, other| one.0 == other.0).map(<[_]>::len).max().unwrap_or(1);
    buffer.map(|buffer| Bytes(buffer.get().saturating_mul(most as u64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measurement_of_mlc_has_an_experiment() {
        let more = [MlcOutput::MaxBandwidth, MlcOutput::IdleLatency { target: None }];
        for output in MlcOutput::ALL.into_iter().chain(more) {
            assert_eq!(
                catalogue().get(&experiment(output.block())).and_then(|known| known.mlc),
                Some(output.block())
            );
        }
    }
}
