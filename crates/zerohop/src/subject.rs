//! The subject of a measurement: this host, or a model of a machine.

use std::sync::Arc;

use zerohop_app::library;
use zerohop_machine_file::Hardware;
use zerohop_model::Solver;

use crate::arguments::{EngineArguments, MeasuringArguments, PrefetchersArgument};
use crate::executor::Threads;
use crate::failure::Failure;
use crate::machine_source::MachineSource;
use crate::text_file::Disk;

/// The default of `--on`.
pub(crate) const HOST: &str = "host";

/// Why a model refuses a choice of instruction set.
pub(crate) const NO_INSTRUCTION_SETS: &str = "a model has no instruction sets: it only moves cache lines";

/// What is measured.
#[derive(Debug, Clone)]
pub(crate) enum Subject {
    /// This host.
    Host,
    /// A model of a machine.
    Model {
        /// The machine.
        hardware: Arc<Hardware>,
        /// The solver.
        solver: Solver,
        /// The random seed.
        seed: u64,
        /// The threads that simulate.
        threads: Threads,
    },
}

impl Subject {
    /// The subject that the arguments choose.
    ///
    /// # Errors
    /// When there is no such machine, it cannot be simulated or measured, or another option does not apply to it.
    pub(crate) fn new(
        engine: &EngineArguments,
        measuring: &MeasuringArguments,
        root: &MachineSource,
    ) -> Result<Self, Failure> {
        if engine.on == HOST {
            root.must_be_host()?;
            engine.set.must_be_none()?;
            engine.fault.must_be_none()?;
            if engine.solver.solver.is_some() {
                return Err(Failure::new("--solver is for models: this host is measured")
                    .hint("--on names a machine to simulate"));
            }
            if engine.threads.is_some() {
                return Err(Failure::new("--threads is for simulations: this host is measured")
                    .hint("--cpus chooses the CPUs to measure with; --on names a machine to simulate"));
            }
            return Ok(Self::Host);
        }
        if *root != MachineSource::Host {
            return Err(Failure::new("--sysfs-root names one machine and --on another")
                .hint("leave one of them out; --on simulates a machine from its machine file"));
        }
        check_choices(measuring)?;
        Ok(Self::Model {
            hardware: Arc::new(engine.fault.inject(library::hardware(
                &engine.on,
                &engine.set.settings()?,
                &Disk,
            )?)?),
            solver: engine.solver.choice(),
            seed: measuring.seed.unwrap_or(zerohop_experiment::campaign::SimulatedMachine::SEED),
            threads: engine.threads.map_or_else(Threads::of_host, Threads::new),
        })
    }
}

/// Checks that the options apply to a model.
///
/// # Errors
/// When one does not.
pub(crate) fn check_choices(measuring: &MeasuringArguments) -> Result<(), Failure> {
    let refusals = [
        (
            measuring.prefetchers == PrefetchersArgument::Off,
            "a model's prefetchers cannot be switched off",
            "`in_flight` of its cores, in the machine file, says how many lines they fetch ahead",
        ),
        (
            measuring.forms_from.is_some(),
            "a model has no forms of kernels to choose from: it only moves cache lines",
            "leave --forms-from out",
        ),
        (measuring.isa.is_some(), NO_INSTRUCTION_SETS, "leave --isa out"),
        (
            measuring.budget.is_some(),
            "a simulation has no time budget: its result must not depend on how fast it runs",
            "use --duration for the simulated time of a sample, or --interval",
        ),
    ];
    match refusals.into_iter().find(|(refused, ..)| *refused) {
        Some((_, why, hint)) => Err(Failure::new(why).hint(hint)),
        None => Ok(()),
    }
}
