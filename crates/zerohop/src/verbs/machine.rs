//! `zerohop machine`: what a machine is, without measuring it.

use std::path::Path;

use zerohop_machine::{Capture, hwloc_xml};
use zerohop_report::{csv, json, svg, terminal as pages};

use crate::arguments::FormatArgument;
use crate::failure::Failure;
use crate::request::{Document, MachineTask};
use crate::root::Root;
use crate::terminal;
use crate::whole_file::WholeFile;

pub(super) fn machine(task: &MachineTask, root: &Root, quiet: bool) -> Result<(), Failure> {
    match task {
        MachineTask::Show(format) => show(*format, root),
        MachineTask::Write { document, path } => {
            let text = match document {
                Document::Picture => svg::machine_picture(&root.machine()?),
                Document::HwlocXml => hwloc_xml(&root.machine()?),
                Document::Capture => capture(root)?,
            };
            write(&text, path.as_deref(), quiet)
        }
    }
}

fn show(format: FormatArgument, root: &Root) -> Result<(), Failure> {
    let machine = root.machine()?;
    terminal::print(&match format {
        FormatArgument::Table => pages::machine_page(&machine, &terminal::page_style()),
        FormatArgument::Json => json::machine_json(&machine),
        FormatArgument::Csv => csv::machine_csv(&machine),
    })
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
