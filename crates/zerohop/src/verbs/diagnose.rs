//! `zerohop diagnose`: what is wrong with the machine of a result.

use std::path::Path;

use zerohop_diagnosis::{DIAGNOSIS_VERSION, Diagnosis, DiagnosisFile, diagnose};
use zerohop_importers::{Imported, decode, import};
use zerohop_report::{DiagnosisReport, Form, RuleList};
use zerohop_result::{Completion, ResultFile};

use super::ending::Ending;
use crate::arguments::DiagnoseArguments;
use crate::failure::Failure;
use crate::file_kind::FileKind;
use crate::kind::Kind;
use crate::output::Output;
use crate::result_file::{read_result, read_runs};
use crate::rules::rules;
use crate::terminal;
use crate::text_file::read_bytes;

/// What to name instead of a file that cannot be read.
const HINT: &str =
    "name a result, the directory of a survey, the output of another tool, or `-` for standard input";

pub(super) fn diagnose_results(arguments: &DiagnoseArguments) -> Result<Ending, Failure> {
    let DiagnoseArguments { results, all, rules: list, strict, output, format } = arguments;
    if *list {
        let output = Output::new(&Kind::of::<RuleList<'_>>(), Form::Page, *format, output.as_deref())?;
        output.show(&RuleList { rules: rules() })?;
        return Ok(Ending::Done);
    }
    let kind = Kind::of::<DiagnosisReport<'_>>();
    let output = Output::new(&kind, Form::Page, *format, output.as_deref())?;
    let mut diagnoses = Vec::new();
    for path in results {
        for (name, result) in read_any(path)? {
            if result.completion != Completion::Complete {
                terminal::say(&terminal::warning_line(&format!(
                    "`{name}` is incomplete: only its finished part is judged"
                )));
            }
            diagnoses.push(diagnose(rules(), &name, &result));
        }
    }
    let file = DiagnosisFile { schema_version: DIAGNOSIS_VERSION, diagnoses };
    output.show(&DiagnosisReport { file: &file, rules: rules(), whole: *all })?;
    let is_faulty = file.diagnoses.iter().any(Diagnosis::has_fault);
    Ok(if *strict && is_faulty { Ending::FaultFound } else { Ending::Done })
}

/// The results in a file or a survey's directory, or those of another tool's output, with their names.
fn read_any(path: &Path) -> Result<Vec<(String, ResultFile)>, Failure> {
    let is_input = path == Path::new("-");
    if path.is_dir() || (!is_input && FileKind::of(path) == Some(FileKind::Result)) {
        let runs = read_runs(path)?.into_iter();
        return Ok(runs.map(|(path, result)| (path.display().to_string(), result)).collect());
    }
    let (name, from) = match is_input {
        true => ("standard input".to_owned(), Path::new("/dev/stdin")),
        false => (path.display().to_string(), path),
    };
    let text = decode(&read_bytes(from, HINT)?);
    if let (true, Ok(result)) = (is_input, ResultFile::read(&text)) {
        return Ok(vec![(name, result)]);
    }
    match import(&name, &text, None) {
        Ok(imported) => Ok(named(&name, imported)),
        Err(error) if is_input => Err(Failure::new(&error).hint(error.hint())),
        // Another file of ours says what it is, and which verb accepts it.
        Err(error) => Err(read_result(path)
            .err()
            .filter(|_| FileKind::of(path).is_some())
            .unwrap_or_else(|| Failure::new(&error).hint(error.hint()))),
    }
}

fn named(name: &str, imported: Vec<Imported>) -> Vec<(String, ResultFile)> {
    let several = imported.len() > 1;
    let results = imported.into_iter().enumerate().map(|(rank, one)| {
        let name = if several { format!("{name}, run {}", rank + 1) } else { name.to_owned() };
        (name, one.result)
    });
    results.collect()
}
