//! `zerohop machine`: what a machine is, without measuring it.

use std::path::Path;

use zerohop_experiment::catalogue;
use zerohop_machine::{Capture, Hardware, Machine, Settings, hwloc_xml};
use zerohop_report::{csv, json, svg, terminal as pages};
use zerohop_result::{Axis, Coordinate, Coordinates};

use crate::arguments::FormatArgument;
use crate::built_in::machine_names;
use crate::failure::Failure;
use crate::library::{self, Described};
use crate::request::{Document, MachineTask, Which};
use crate::result_file::read_result;
use crate::root::Root;
use crate::terminal;
use crate::whole_file::WholeFile;

pub(super) fn machine(task: &MachineTask, root: &Root, quiet: bool) -> Result<(), Failure> {
    match task {
        MachineTask::List(format) => list(*format),
        MachineTask::Check { machine, settings } => check(machine, settings),
        MachineTask::Show { machine, format } => show(&machine_of(machine, root)?, *format),
        MachineTask::Write { machine, document, path } => {
            let text = write_document(document, machine, root)?;
            write(&text, path.as_deref(), quiet)
        }
    }
}

/// The machine of that name; this host's, or what stands in for it, where none is named.
fn machine_of(which: &Which, root: &Root) -> Result<Described, Failure> {
    let Some(name) = &which.name else {
        return Ok(Described::Topology(Box::new(root.machine()?)));
    };
    if *root != Root::Host {
        return Err(Failure::new(format_args!("--sysfs-root names one machine and `{name}` another"))
            .hint("leave one of them out"));
    }
    library::machine(name, &which.settings)
}

fn list(format: FormatArgument) -> Result<(), Failure> {
    let hardware = |name| library::hardware(name, &Settings::none());
    let machines = machine_names().map(hardware).collect::<Result<Vec<_>, _>>()?;
    terminal::print(&match format {
        FormatArgument::Table => pages::machine_list(&machines, &terminal::page_style()),
        FormatArgument::Json => json::machine_list_json(&machines),
        FormatArgument::Csv => csv::machine_list_csv(&machines),
    })
}

fn check(name: &str, settings: &Settings) -> Result<(), Failure> {
    let file = library::machine_file(name)?;
    let hardware = library::hardware_of(&file, settings)?;
    let combinations = library::check(&file)?;
    terminal::print(&pages::hardware_summary(&hardware, combinations, &terminal::page_style()))
}

fn show(machine: &Described, format: FormatArgument) -> Result<(), Failure> {
    terminal::print(&match (format, machine) {
        (FormatArgument::Table, Described::Hardware(hardware)) => {
            pages::hardware_page(hardware, &terminal::page_style())
        }
        (FormatArgument::Table, Described::Topology(machine)) => {
            pages::machine_page(machine, &terminal::page_style())
        }
        (FormatArgument::Json, Described::Hardware(hardware)) => json::hardware_json(hardware),
        (FormatArgument::Json, Described::Topology(machine)) => json::machine_json(machine),
        (FormatArgument::Csv, machine) => csv::machine_csv(machine.machine()),
    })
}

fn write_document(document: &Document, which: &Which, root: &Root) -> Result<String, Failure> {
    match document {
        Document::Picture => Ok(match machine_of(which, root)? {
            Described::Hardware(hardware) => svg::hardware_picture(&hardware),
            Described::Topology(machine) => svg::machine_picture(&machine),
        }),
        Document::LoadPicture { result, at } => load_picture(&hardware_of(which, root, result)?, result, at),
        Document::HwlocXml => Ok(hwloc_xml(machine_of(which, root)?.machine())),
        Document::MachineFile => match &which.name {
            Some(name) => Ok(library::set(&library::machine_file(name)?, &which.settings)?.to_toml()),
            None => Err(Failure::new("this host's hardware is not known: there is no machine file of it")
                .hint("name a machine of `zerohop machine list`, and change what is different here")),
        },
        Document::Capture => capture(root),
    }
}

/// The machine whose links and channels are to be drawn: the one named, else the one that the result names. It is set as
/// the result's was, if nothing else is said.
fn hardware_of(which: &Which, root: &Root, result: &Path) -> Result<Hardware, Failure> {
    if *root != Root::Host {
        return Err(Failure::new("--sysfs-root names a machine whose links are not known")
            .hint("leave it out: the result names the machine that was simulated"));
    }
    let simulated = read_result(result)?.machine;
    let name = which.name.as_ref().unwrap_or(&simulated.name);
    if which.settings.is_empty() && is_named(name, &simulated) {
        return library::hardware(name, &simulated.settings.into_iter().collect());
    }
    library::hardware(name, &which.settings)
}

/// Whether a name or a file's path is that of a machine.
fn is_named(name: &str, machine: &Machine) -> bool {
    Path::new(name).file_name().is_some_and(|file| {
        file.to_str().is_some_and(|file| file.strip_suffix(".toml").unwrap_or(file) == machine.name)
    })
}

fn load_picture(hardware: &Hardware, result: &Path, at: &[String]) -> Result<String, Failure> {
    let file = read_result(result)?;
    let at = at.iter().map(|text| place(text)).collect::<Result<Vec<_>, _>>()?;
    let at = at.into_iter().fold(Coordinates::new(), |at, (axis, place)| at.with(axis, place));
    svg::load_picture(hardware, &file, &at, catalogue()).map_err(|error| {
        Failure::new(format_args!("cannot draw `{}`: {error}", result.display())).hint(error.hint())
    })
}

/// Reads `axis=place`.
fn place(text: &str) -> Result<(Axis, Coordinate), Failure> {
    let wrong =
        || Failure::new(format_args!("`{text}` is no place (expected for example `case=0.0.w.1 1.0.w.0`)"));
    let (axis, place) = text.split_once('=').ok_or_else(wrong)?;
    let axis = Axis::ALL
        .into_iter()
        .find(|known| known.name() == axis.trim())
        .ok_or_else(|| wrong().hint(format!("axes are {}", Axis::ALL.map(Axis::name).join(", "))))?;
    let place = place.trim();
    Ok((axis, place.parse::<u64>().map_or_else(|_| place.into(), Coordinate::from)))
}

fn capture(root: &Root) -> Result<String, Failure> {
    let tree = root.tree()?;
    let capture = Capture::record(&*tree).map_err(|error| root.no_machine(&error))?;
    Ok(capture.to_json())
}

/// To the file, if one is named, else to standard output.
fn write(text: &str, path: Option<&Path>, quiet: bool) -> Result<(), Failure> {
    let Some(path) = path else { return terminal::print(text) };
    WholeFile::at(path)?.replace(text)?;
    if !quiet {
        terminal::say(&format!("written: {}", path.display()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_words_or_numbers_along_an_axis() {
        let expected = (Axis::Case, Coordinate::from("0.0.w.1 1.0.w.0"));
        assert_eq!(place("case=0.0.w.1 1.0.w.0"), Ok(expected));
        assert_eq!(place("cores_per_node = 2"), Ok((Axis::CoresPerNode, Coordinate::Number(2))));
        assert!(place("case").unwrap_err().message().contains("is no place"));
        assert!(place("color=3").unwrap_err().advice().unwrap().contains("axes are initiator"));
    }
}
