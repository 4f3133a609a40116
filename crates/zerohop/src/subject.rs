//! What is measured: this host, or a model of a machine.

use std::sync::Arc;

use zerohop_machine::Hardware;
use zerohop_model::{AutoEngine, FlowEngine, ModelEngine};
use zerohop_workload::Engine;

use crate::arguments::{EngineArguments, MeasuringArguments, PrefetchersArgument};
use crate::executor::Threads;
use crate::failure::Failure;
use crate::library;
use crate::root::Root;

/// What `--on` means where it is left out.
pub(crate) const HOST: &str = "host";

/// Seed of a simulation that was given none.
pub(crate) const SEED: u64 = 1;

/// What is measured.
#[derive(Debug, Clone)]
pub(crate) enum Subject {
    /// This host.
    Host,
    /// A model of a machine.
    Model {
        /// The machine.
        hardware: Arc<Hardware>,
        /// How it is computed.
        solver: Solver,
        /// What decides on all that is left to chance.
        seed: u64,
        /// Who simulates.
        threads: Threads,
    },
}

impl Subject {
    /// What is chosen.
    ///
    /// # Errors
    /// When there is no such machine, when it cannot be simulated or measured, or when something else was asked for that
    /// makes no sense on it.
    pub(crate) fn new(
        engine: &EngineArguments,
        measuring: &MeasuringArguments,
        root: &Root,
    ) -> Result<Self, Failure> {
        if engine.on == HOST {
            root.must_be_host()?;
            engine.set.must_be_none()?;
            if engine.solver.solver.is_some() {
                return Err(Failure::new("--solver is for models: this host is measured as it is")
                    .hint("--on names a machine to simulate"));
            }
            if engine.threads.is_some() {
                return Err(Failure::new("--threads is for simulations: this host is measured as it is")
                    .hint("--cpus chooses the CPUs to measure with; --on names a machine to simulate"));
            }
            return Ok(Self::Host);
        }
        if *root != Root::Host {
            return Err(Failure::new("--sysfs-root names one machine and --on another")
                .hint("leave one of them out; what --on names is simulated as its machine file says"));
        }
        check_choices(measuring)?;
        Ok(Self::Model {
            hardware: Arc::new(library::hardware(&engine.on, &engine.set.settings()?)?),
            solver: engine.solver.choice(),
            seed: measuring.seed.unwrap_or(SEED),
            threads: engine.threads.map_or_else(Threads::of_host, Threads::new),
        })
    }
}

/// Whether a model has a use for what was chosen.
///
/// # Errors
/// When it has none.
pub(crate) fn check_choices(measuring: &MeasuringArguments) -> Result<(), Failure> {
    let refusals = [
        (
            measuring.prefetchers == PrefetchersArgument::Off,
            "a model's prefetchers cannot be switched off",
            "`in_flight` of its cores, in the machine file, says how many lines they fetch ahead",
        ),
        (
            measuring.isa.is_some(),
            "a model has no instruction sets: it moves lines, whatever asks for them",
            "leave --isa out",
        ),
        (
            measuring.budget.is_some(),
            "a simulation has no budget of time: how long it takes must not change what comes out",
            "use --duration for the simulated time of a sample, or --interval",
        ),
    ];
    match refusals.into_iter().find(|(refused, ..)| *refused) {
        Some((_, why, hint)) => Err(Failure::new(why).hint(hint)),
        None => Ok(()),
    }
}

/// How a model comes to its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Solver {
    /// Line by line.
    Event,
    /// By means of a network of queues.
    Flow,
    /// By means where they can tell, and line by line elsewhere.
    Auto,
}

impl Solver {
    /// Its name in files.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Flow => "flow",
            Self::Auto => "auto",
        }
    }
}

/// An engine for a machine.
pub(crate) fn model(hardware: &Arc<Hardware>, solver: Solver, seed: u64) -> Box<dyn Engine + Send> {
    let hardware = Arc::clone(hardware);
    match solver {
        Solver::Event => Box::new(ModelEngine::new(hardware, seed)),
        Solver::Flow => Box::new(FlowEngine::new(hardware)),
        Solver::Auto => Box::new(AutoEngine::new(hardware, seed)),
    }
}
