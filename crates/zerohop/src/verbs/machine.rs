//! `zerohop machine`: describes machines without measuring them.

use std::path::Path;
use std::sync::Arc;

use zerohop_app::built_in::{machine_names, template_names};
use zerohop_app::library::{self, Described};
use zerohop_app::{read_result, studies, templates, with_faults};
use zerohop_document::suggest;
use zerohop_experiment::catalogue;
use zerohop_machine::{Capture, Machine, Settings};
use zerohop_machine_file::{Fault, Hardware};
use zerohop_report::{Form, LinkLoad, MachineCheck, MachineList, TemplateList, TemplateParameters};
use zerohop_result::{Axis, Measure, ParseQueryError, Query};

use crate::failure::Failure;
use crate::kind::Kind;
use crate::machine_source::MachineSource;
use crate::output::Output;
use crate::request::{MachineChoice, MachineOutput, MachineTask};
use crate::terminal;
use crate::text_file::Disk;

pub(super) fn machine(task: &MachineTask, root: &MachineSource, quiet: bool) -> Result<(), Failure> {
    match task {
        MachineTask::List { output } => list(output),
        MachineTask::Check { machine, settings } => check(machine, settings, quiet),
        MachineTask::Templates { template: None, output } => {
            let read = |name| templates::template(name, &Disk).map(Arc::unwrap_or_clone);
            output.show(&TemplateList(&template_names().map(read).collect::<Result<Vec<_>, _>>()?))
        }
        MachineTask::Templates { template: Some(name), output } => {
            output.show(&TemplateParameters(&*templates::template(name, &Disk)?))
        }
        MachineTask::New { stated, output } => {
            output.show(&stated.machine_file(root)?)?;
            if let Some(path) = output.path().filter(|_| !quiet) {
                terminal::say(&format!("written: {}", path.display()));
            }
            Ok(())
        }
        MachineTask::Show { machine, output } => match machine_of(machine, root)? {
            Described::Hardware(hardware) => output.show(&*hardware),
            Described::Topology(machine) => output.show(&*machine),
        },
        MachineTask::Write { machine, what, output } => {
            write(what, machine, root, output)?;
            if let Some(path) = output.path().filter(|_| !quiet) {
                terminal::say(&format!("written: {}", path.display()));
            }
            Ok(())
        }
    }
}

/// The machine of that name; without a name, this host or its substitute from `--sysfs-root`.
fn machine_of(which: &MachineChoice, root: &MachineSource) -> Result<Described, Failure> {
    let Some(name) = &which.name else {
        return Ok(Described::Topology(Box::new(root.machine()?)));
    };
    if *root != MachineSource::Host {
        return Err(Failure::new(format_args!("--sysfs-root names one machine and `{name}` another"))
            .hint("omit one of them"));
    }
    match library::machine(name, &which.settings, &Disk)? {
        Described::Hardware(hardware) => {
            Ok(Described::Hardware(Box::new(with_faults(*hardware, &which.faults)?)))
        }
        Described::Topology(_) if !which.faults.is_empty() => {
            Err(Failure::new(format_args!("--fault needs a simulated machine, and `{name}` describes none"))
                .hint("give a machine file, or a machine of `zerohop machine list`"))
        }
        machine => Ok(machine),
    }
}

fn list(output: &Output) -> Result<(), Failure> {
    let hardware = |name| library::hardware(name, &Settings::none(), &Disk);
    let machines = machine_names().map(hardware).collect::<Result<Vec<_>, _>>()?;
    output.show(&MachineList(&machines))
}

fn check(name: &str, settings: &Settings, quiet: bool) -> Result<(), Failure> {
    let file = library::machine_file(name, &Disk)?;
    let hardware = library::hardware_of(&file, settings)?;
    let combinations = library::check(&file)?;
    for study in studies::check_fitted(&hardware)?.into_iter().filter(|_| !quiet) {
        terminal::say(&format!(
            "no built-in study is called `{study}`; `zerohop reproduce` will check whether your own study has the values that parameters were fitted to"
        ));
    }
    let output = Output::new(&Kind::of::<MachineCheck<'_>>(), Form::Page, None, None)?;
    output.show(&MachineCheck { hardware: &hardware, combinations })
}

fn write(
    what: &MachineOutput,
    which: &MachineChoice,
    root: &MachineSource,
    output: &Output,
) -> Result<(), Failure> {
    match what {
        MachineOutput::Picture => match machine_of(which, root)? {
            Described::Hardware(hardware) => output.show(&*hardware),
            Described::Topology(machine) => output.show(&*machine),
        },
        MachineOutput::LoadPicture { result, at } => {
            draw_load(&hardware_of(which, root, result)?, result, at, output)
        }
        MachineOutput::Export if output.form() == Some(Form::Toml) => match &which.name {
            Some(name) => output.show(&library::set(&library::machine_file(name, &Disk)?, &which.settings)?),
            None => Err(Failure::new("no machine file describes this host")
                .hint("export a machine of `zerohop machine list`, and edit the file to match this host")),
        },
        MachineOutput::Export => output.show(machine_of(which, root)?.machine()),
        MachineOutput::Capture => output.show(&capture(root)?),
    }
}

/// The machine whose links and channels to draw: the one named, else the one that the result names. By default it has
/// the settings and the faults of the result.
fn hardware_of(which: &MachineChoice, root: &MachineSource, result: &Path) -> Result<Hardware, Failure> {
    if *root != MachineSource::Host {
        return Err(Failure::new("the links of a machine from --sysfs-root are unknown")
            .hint("omit it: the result names the simulated machine"));
    }
    let simulated = read_result(result, &Disk)?.machine;
    let name = which.name.as_ref().unwrap_or(&simulated.name);
    if which.settings.is_empty() && which.faults.is_empty() && is_named(name, &simulated) {
        let faults: Vec<Fault> = simulated.faults.iter().filter_map(|fault| fault.parse().ok()).collect();
        let sound = library::hardware(name, &simulated.settings.into_iter().collect(), &Disk)?;
        return Ok(with_faults(sound, &faults)?);
    }
    Ok(with_faults(library::hardware(name, &which.settings, &Disk)?, &which.faults)?)
}

/// Whether a name or a file's path is that of a machine.
fn is_named(name: &str, machine: &Machine) -> bool {
    Path::new(name).file_name().is_some_and(|file| {
        file.to_str().is_some_and(|file| file.strip_suffix(".toml").unwrap_or(file) == machine.name)
    })
}

fn draw_load(hardware: &Hardware, result: &Path, at: &[String], output: &Output) -> Result<(), Failure> {
    let file = read_result(result, &Disk)?;
    let at = workload(at)?;
    let load = LinkLoad { hardware, result: &file, at: &at, experiments: catalogue() };
    output.show(&load).map_err(|failure| {
        Failure::new(format_args!("cannot draw `{}`: {}", result.display(), failure.message()))
            .maybe_hint(failure.advice())
    })
}

/// Reads each `axis=place`, as in queries.
fn workload(at: &[String]) -> Result<Query, Failure> {
    let mut query = Query::of(Measure::BusTraffic);
    for text in at {
        let wrong = |error: ParseQueryError| match error {
            ParseQueryError::NoAxis { axis } => {
                Failure::new(format_args!("no axis `{axis}`")).hint(suggest(&axis, Axis::ALL.map(Axis::name)))
            }
            _ => Failure::new(format_args!(
                "invalid place `{text}` (expected for example `case=0.0.w.1 1.0.w.0`)"
            )),
        };
        // Unlike in a query, a space does not end a word here.
        let word = text.split('=').map(str::trim).collect::<Vec<_>>().join("=");
        let (axis, wanted) = Query::parse_place(&word).map_err(wrong)?;
        if query.at.insert(axis, wanted).is_some() {
            return Err(Failure::new(format_args!("--at names the axis `{}` twice", axis.name()))
                .hint("separate several places along an axis with commas, as in `--at kernel=copy,triad`"));
        }
    }
    Ok(query)
}

fn capture(root: &MachineSource) -> Result<Capture, Failure> {
    let tree = root.tree()?;
    Capture::record(&*tree).map_err(|error| root.no_machine(&error))
}

#[cfg(test)]
mod tests {
    use zerohop_result::Wanted;

    use super::*;

    #[test]
    fn a_workload_is_selected_by_a_query() {
        let at = |words: &[&str]| workload(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        let query = at(&["case=0.0.w.1 1.0.w.0", "cores_per_node = 2,4", "background=*"]).unwrap();
        assert_eq!(query.at[&Axis::Case], Wanted::from("0.0.w.1 1.0.w.0"));
        assert_eq!(query.at[&Axis::CoresPerNode], Wanted::OneOf(vec![2u64.into(), 4u64.into()]));
        assert_eq!(query.at[&Axis::Background], Wanted::Any);
        assert!(at(&["case"]).unwrap_err().message().contains("invalid place `case`"));
        assert!(at(&["kernal=3"]).unwrap_err().advice().unwrap().contains("did you mean `kernel`"));
        assert!(at(&["kernel=copy", "kernel=triad"]).unwrap_err().message().contains("twice"));
    }
}
