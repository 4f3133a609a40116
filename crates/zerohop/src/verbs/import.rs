//! `zerohop import`: the output of other tools as results.

use std::path::{Path, PathBuf};

use zerohop_app::read_tool_output;
use zerohop_experiment::catalogue;
use zerohop_importers::{Hints, Imported, KINDS, UnreadLines};
use zerohop_report::{Form, ImportedResult};
use zerohop_result::ResultFile;
use zerohop_units::counted;

use super::exit_status::VerbOutcome;
use crate::arguments::ImportArguments;
use crate::campaign_attendant::expectations;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::output::Output;
use crate::terminal;
use crate::text_file::Disk;

/// What to name instead of a file that cannot be read.
const HINT: &str = "give a file with the output of a tool, or `-` for standard input";

/// Most ranges of lines that are quoted: the result has the numbers of all.
const QUOTED: usize = 6;

pub(super) fn import_files(arguments: &ImportArguments, quiet: bool) -> Result<VerbOutcome, Failure> {
    let ImportArguments { files, tool, clock, machine, run, output, format, columns } = arguments;
    let hints = Hints { format: *tool, clock: *clock };
    let kind = Kind::of::<ImportedResult<'_>>();
    // Whatever is wrong with it should show before a file is read.
    Output::new(&kind, Form::Page, *format, output.as_deref())?;
    let mut imported = Vec::new();
    for path in files {
        let (name, found) = read_tool_output(path, hints, HINT, &Disk)?;
        if !quiet {
            say_unread(&name, &found);
        }
        imported.extend(found);
    }
    let results = chosen(imported, *run)?;
    let prints_page = format.is_none_or(|format| format == Form::Page);
    if results.len() > 1 && output.is_none() && !prints_page {
        let count = counted(results.len(), "result");
        return Err(Failure::new(format_args!("the text contains {count}, but this format prints only one"))
            .hint("save each result to a file with -o, or choose one with --run N"));
    }
    let kept = |rank| output.as_deref().map(|path| numbered(path, rank));
    let outputs =
        (0..results.len()).map(|rank| Output::new(&kind, Form::Page, *format, kept(rank).as_deref()));
    let outputs = outputs.map(|output| output.map(|output| output.with_columns(*columns)));
    let outputs: Vec<Output> = outputs.collect::<Result<_, _>>()?;
    // The command line does not name the further files.
    let further = outputs.iter().skip(1).filter_map(Output::path);
    if let Some(path) = further.into_iter().find(|path| path.symlink_metadata().is_ok()) {
        let count = counted(results.len(), "result");
        return Err(Failure::new(format_args!(
            "the text contains {count}, but `{}` already exists",
            path.display()
        ))
        .hint("choose another file with -o, or remove this one"));
    }
    for (output, path) in outputs.iter().flat_map(|output| files.iter().map(move |path| (output, path))) {
        output.spares(path)?;
    }
    for (rank, (result, output)) in results.iter().zip(&outputs).enumerate() {
        // Only the user knows which machine a text comes from.
        let stated = machine.name.as_deref();
        let expected = stated.map(|_| expectations(result, stated, quiet)).transpose()?;
        let experiments = catalogue().with_imported(KINDS);
        output.show(&ImportedResult { result, experiments, expectations: expected.as_ref() })?;
        if let Some(path) = output.path().filter(|_| !quiet && results.len() > 1) {
            let count = results.len();
            terminal::say(&format!("wrote result {} of {count} to {}", rank + 1, path.display()));
        }
    }
    Ok(VerbOutcome::Done)
}

/// The results, or the one that was asked for.
fn chosen(imported: Vec<Imported>, run: Option<u32>) -> Result<Vec<ResultFile>, Failure> {
    let mut results: Vec<ResultFile> = imported.into_iter().map(|one| one.result).collect();
    let Some(run) = run else { return Ok(results) };
    let rank = run as usize - 1;
    if rank >= results.len() {
        return Err(Failure::new(format_args!("no run {run}: the text contains {}", results.len()))
            .hint("omit --run to see all of them"));
    }
    Ok(vec![results.swap_remove(rank)])
}

/// The file of a result: `a.json`, then `a-2.json`.
fn numbered(path: &Path, rank: usize) -> PathBuf {
    if rank == 0 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension =
        path.extension().map(|extension| format!(".{}", extension.to_string_lossy())).unwrap_or_default();
    path.with_file_name(format!("{stem}-{}{extension}", rank + 1))
}

/// Lists the lines that no format understood.
fn say_unread(name: &str, imported: &[Imported]) {
    let unread = UnreadLines::of_all(imported);
    if unread.is_empty() {
        return;
    }
    let lines: usize = unread.iter().map(|range| range.last - range.first + 1).sum();
    terminal::say(&terminal::warning_line(&format!("{name}: {} not understood", counted(lines, "line"))));
    for range in unread.iter().take(QUOTED) {
        let numbers = match range.last - range.first {
            0 => format!("line {}", range.first),
            _ => format!("lines {} to {}", range.first, range.last),
        };
        terminal::say(&format!("  {numbers}: {}", range.text));
    }
    if unread.len() > QUOTED {
        let more = counted(unread.len() - QUOTED, "range");
        terminal::say(&format!("  and {more} more; the result lists line numbers among its warnings"));
    }
}
