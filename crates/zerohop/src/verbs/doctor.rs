//! `zerohop doctor`: what this host allows, what each missing thing costs, and the command that changes it.

use std::io::ErrorKind;

use zerohop_diagnosis::{Absence, DoctorReport, PrefetcherAccess, Probed};
use zerohop_host::{PrefetcherError, Prefetchers, Probes, WhyUnseen};
use zerohop_machine::Machine;
use zerohop_report::Form;

use super::exit_status::VerbOutcome;
use crate::arguments::DoctorArguments;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::machine_source::MachineSource;
use crate::output::Output;
use crate::quiet_wait;

pub(super) fn examine(arguments: &DoctorArguments, root: &MachineSource) -> Result<VerbOutcome, Failure> {
    let kind = Kind::of::<DoctorReport>();
    let output = Output::new(&kind, Form::Page, arguments.format, arguments.output.as_deref())?;
    let machine = root.machine()?;
    let probed = (*root == MachineSource::Host).then(|| probe(&machine));
    let report = DoctorReport::new(&machine, probed.as_ref());
    output.show(&report)?;
    Ok(if report.allows_measuring() { VerbOutcome::Done } else { VerbOutcome::NothingMeasurable })
}

fn probe(machine: &Machine) -> Probed {
    let busy = quiet_wait::busy_now();
    let Probes { clock, forbidden, paranoid, unseen } = Probes::of_host(machine);
    let absence = |why| match why {
        WhyUnseen::NotThere => Absence::NotThere,
        WhyUnseen::Reserved => Absence::Reserved,
        WhyUnseen::RootOnly => Absence::RootOnly,
        WhyUnseen::Other(why) => Absence::Other(why),
    };
    Probed {
        clock: clock.map_err(|error| (error.to_string(), error.hint().to_owned())),
        forbidden: forbidden.into_iter().map(|call| (call.name, call.reason.to_string())).collect(),
        paranoid,
        unseen: unseen.into_iter().map(|one| (one.what, absence(one.why))).collect(),
        prefetchers: prefetchers(machine),
        busy,
    }
}

fn prefetchers(machine: &Machine) -> PrefetcherAccess {
    let read = Prefetchers::of_host(machine).and_then(|prefetchers| prefetchers.can_be_read());
    match read {
        Ok(()) => PrefetcherAccess::Switchable,
        Err(PrefetcherError::Unreadable { reason, .. }) if reason.kind() == ErrorKind::NotFound => {
            PrefetcherAccess::NoModule
        }
        Err(PrefetcherError::Unreadable { reason, .. })
            if reason.kind() == ErrorKind::PermissionDenied && !rustix::process::geteuid().is_root() =>
        {
            PrefetcherAccess::RootOnly
        }
        Err(error) => PrefetcherAccess::Never(error.to_string()),
    }
}
