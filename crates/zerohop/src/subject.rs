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
pub(crate) const NO_INSTRUCTION_SETS: &str =
    "simulated machines have no instruction sets: the model only moves cache lines";

#[derive(Debug, Clone)]
pub(crate) enum Subject {
    Host,
    /// A model of a machine.
    Model {
        hardware: Arc<Hardware>,
        solver: Solver,
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
                return Err(Failure::new("--solver needs a simulated machine")
                    .hint("choose a machine to simulate with --on"));
            }
            if engine.threads.is_some() {
                return Err(Failure::new("--threads needs a simulated machine").hint(
                    "--cpus chooses the CPUs to measure with; choose a machine to simulate with --on",
                ));
            }
            return Ok(Self::Host);
        }
        if *root != MachineSource::Host {
            return Err(Failure::new("--sysfs-root names one machine and --on another")
                .hint("omit one of them; --on simulates a machine"));
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
            "the prefetchers of a simulated machine cannot be turned off",
            "`in_flight` of its cores, in the machine file, sets how many lines they fetch ahead",
        ),
        (
            measuring.forms_from.is_some(),
            "simulated machines have no kernel variants: the model only moves cache lines",
            "omit --forms-from",
        ),
        (measuring.isa.is_some(), NO_INSTRUCTION_SETS, "omit --isa"),
        (
            measuring.budget.is_some(),
            "a simulation has no time budget, because its result must not depend on how fast it runs",
            "use --duration to set the simulated time of a sample, or --interval",
        ),
    ];
    match refusals.into_iter().find(|(refused, ..)| *refused) {
        Some((_, why, hint)) => Err(Failure::new(why).hint(hint)),
        None => Ok(()),
    }
}
