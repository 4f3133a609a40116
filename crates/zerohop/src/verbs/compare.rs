//! `zerohop compare`: compares results with the first of them.

use std::path::{Path, PathBuf};

use zerohop_app::{ForeignError, NamedResult, read_any};
use zerohop_compare::{ComparisonFile, Configuration, Numbering, Ranked, Unmatched, compare};
use zerohop_report::Form;
use zerohop_result::{Axis, Completion, ReadError, ResultFile};
use zerohop_units::counted;

use super::exit_status::VerbOutcome;
use crate::arguments::CompareArguments;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::output::Output;
use crate::terminal;
use crate::text_file::Disk;

pub(super) fn compare_results(arguments: &CompareArguments) -> Result<VerbOutcome, Failure> {
    let output = comparison_output(arguments.format, arguments.output.as_deref())?;
    let output = output.with_columns(arguments.columns);
    let groups = groups(arguments);
    groups.iter().flatten().try_for_each(|path| output.spares(path))?;
    let mut configurations = Vec::new();
    for paths in &groups {
        let mut runs = Vec::new();
        for path in paths {
            runs.extend(runs_of(path)?);
        }
        for (path, _) in runs.iter().filter(|(_, file)| file.completion != Completion::Complete) {
            terminal::say(&terminal::warning_line(&format!(
                "`{}` is incomplete: comparing only its finished part",
                path.display()
            )));
        }
        configurations.push(distinct(runs));
    }
    let firsts: Vec<&PathBuf> = groups.iter().filter_map(|paths| paths.first()).collect();
    let names: Vec<String> = names(&firsts)
        .into_iter()
        .zip(&configurations)
        .map(|(name, runs)| if runs.len() > 1 { format!("{name} ({} runs)", runs.len()) } else { name })
        .collect();
    let named = names.iter().zip(&configurations).filter_map(|(name, runs)| {
        let (result, repeats) = runs.split_first()?;
        Some(Configuration { name, result, repeats })
    });
    let named: Vec<Configuration<'_>> = named.collect();
    let comparison = compare(&named, numbering(arguments.by_number))
        .map_err(|error| Failure::new(&error).hint(error.hint()))?;
    let decides = show_comparison(&comparison, &output)? == VerbOutcome::Done;
    let gates = gates(&comparison, arguments);
    for gate in gates.iter().filter(|gate| gate.passed != Some(true)) {
        terminal::say(&terminal::warning_line(&gate.words));
    }
    Ok(if gates.iter().any(|gate| gate.passed == Some(false)) {
        VerbOutcome::BelowGate
    } else if !decides || gates.iter().any(|gate| gate.passed.is_none()) {
        VerbOutcome::CannotTell
    } else {
        VerbOutcome::Done
    })
}

/// Where a comparison goes.
///
/// # Errors
/// When format and file contradict each other.
pub(super) fn comparison_output(format: Option<Form>, path: Option<&Path>) -> Result<Output, Failure> {
    Output::new(&Kind::of::<ComparisonFile>(), Form::Page, format, path)
}

/// Which nodes are compared with each other.
pub(super) const fn numbering(by_number: bool) -> Numbering {
    if by_number { Numbering::AsGiven } else { Numbering::ByTopology }
}

/// Shows a comparison, and says whether it decides anything.
///
/// # Errors
/// When it cannot be written.
pub(super) fn show_comparison(comparison: &ComparisonFile, output: &Output) -> Result<VerbOutcome, Failure> {
    output.show(comparison)?;
    let others = comparison.ranking.iter().filter(|ranked| ranked.name != comparison.base);
    let others: Vec<_> = others.collect();
    let open: Vec<&str> =
        others.iter().filter(|ranked| ranked.overall.cells == 0).map(|ranked| ranked.name.as_str()).collect();
    if open.is_empty() && !others.is_empty() {
        return Ok(VerbOutcome::Done);
    }
    let of = if open.len() < others.len() { format!(" of {}", open.join(", ")) } else { String::new() };
    let words = format!("every cell{of} is in doubt: the comparison is inconclusive");
    terminal::say(&terminal::warning_line(&if of.is_empty() { words } else { format!("{words} of it") }));
    Ok(VerbOutcome::CannotTell)
}

/// The runs in a file or a survey's directory, or that of another tool's output.
fn runs_of(path: &Path) -> Result<Vec<(PathBuf, ResultFile)>, Failure> {
    let read = read_any(path, ReadError::Empty.hint(), &Disk)?;
    if read.len() > 1 && !path.is_dir() {
        return Err(ForeignError::Several { name: path.display().to_string(), count: read.len() }.into());
    }
    let run = |NamedResult { name, result, .. }: NamedResult| (PathBuf::from(name), result);
    Ok(read.into_iter().map(run).collect())
}

/// The runs of a configuration, each once: a file that is given again, or a copy of it, shows nothing of how far runs drift.
fn distinct(runs: Vec<(PathBuf, ResultFile)>) -> Vec<ResultFile> {
    let mut distinct: Vec<(PathBuf, ResultFile)> = Vec::new();
    for (path, file) in runs {
        match distinct.iter().find(|(_, known)| known.experiments == file.experiments) {
            Some((known, _)) => terminal::say(&terminal::warning_line(&format!(
                "`{}` and `{}` contain the same values: both count as one run",
                path.display(),
                known.display()
            ))),
            None => distinct.push((path, file)),
        }
    }
    distinct.into_iter().map(|(_, file)| file).collect()
}

/// The files of each configuration: those between two `--`, or each file by itself if there is none.
fn groups(arguments: &CompareArguments) -> Vec<Vec<PathBuf>> {
    if arguments.further.is_empty() {
        return arguments.results.iter().map(|path| vec![path.clone()]).collect();
    }
    let further = arguments.further.split(|path| path.as_os_str() == "--");
    let further = further.filter(|paths| !paths.is_empty()).map(<[PathBuf]>::to_vec);
    std::iter::once(arguments.results.clone()).chain(further).collect()
}

/// The name of each file: without folders and extension if that is unique, else as it was typed.
fn names(paths: &[impl AsRef<Path>]) -> Vec<String> {
    let short =
        paths.iter().map(|path| path.as_ref().file_stem().map(|stem| stem.to_string_lossy().into_owned()));
    let short: Vec<String> = short.map(Option::unwrap_or_default).collect();
    let distinct =
        (0..short.len()).all(|rank| !short[rank].is_empty() && !short[..rank].contains(&short[rank]));
    if distinct {
        return short;
    }
    let typed = paths.iter().enumerate().map(|(rank, path)| {
        let typed = path.as_ref().display().to_string();
        // The same file given twice still needs two distinct names.
        let again = paths[..rank].iter().filter(|other| other.as_ref() == path.as_ref()).count();
        if again > 0 { format!("{typed} ({})", again + 1) } else { typed }
    });
    typed.collect()
}

/// A gate for one result.
struct Gate {
    /// Whether it is passed; `None` if that is uncertain.
    passed: Option<bool>,
    words: String,
}

/// The gates of all results.
fn gates(comparison: &ComparisonFile, arguments: &CompareArguments) -> Vec<Gate> {
    let others = comparison.ranking.iter().filter(|ranked| ranked.name != comparison.base);
    let gates = others.flat_map(|ranked| {
        let mean = arguments.at_least.map(|least| mean_gate(ranked, least));
        let each = arguments.each_at_least.map(|least| cell_gate(comparison, ranked, least));
        let is_gated = mean.is_some() || each.is_some();
        let lost =
            is_gated.then(|| unusable(comparison, &ranked.name).chain(missing(comparison, &ranked.name)));
        let few = is_gated.then(|| few_gate(comparison, &ranked.name)).flatten();
        mean.into_iter().chain(each).chain(few).chain(lost.into_iter().flatten())
    });
    gates.collect()
}

fn mean_gate(ranked: &Ranked, least: f64) -> Gate {
    let Ranked { name, overall, .. } = ranked;
    let mean = overall.mean;
    let passed = if overall.cells == 0 { None } else { mean.reaches(least) };
    let words = match passed {
        _ if overall.cells == 0 => format!("{name}: every cell is in doubt, so the mean is unknown"),
        None => format!(
            "{name}: the mean {:.3} may be above or below {least}: its interval is {:.3} to {:.3}",
            mean.value, mean.low, mean.high
        ),
        Some(_) => format!("{name}: the mean {:.3} is below {least}", mean.value),
    };
    Gate { passed, words }
}

/// The gate for each cell. Doubtful cells decide nothing, unless there are no others.
fn cell_gate(comparison: &ComparisonFile, ranked: &Ranked, least: f64) -> Gate {
    let name = &ranked.name;
    let numbers = comparison.cells.iter().flat_map(|cell| &cell.others);
    let own = numbers.filter(|other| other.name == *name && !other.doubtful);
    let (mut cells, mut failed, mut uncertain) = (0, 0, 0);
    for number in own {
        cells += 1;
        match number.ratio.reaches(least) {
            Some(true) => {}
            Some(false) => failed += 1,
            None => uncertain += 1,
        }
    }
    let (passed, words) = match (cells, failed, uncertain) {
        (0, ..) => (None, format!("{name}: every cell is in doubt")),
        (_, 0, 0) => (Some(true), String::new()),
        (_, 0, _) => (None, format!("{name}: {uncertain} of {cells} cells may be above or below {least}")),
        _ => (Some(false), format!("{name}: the worst cell, {:.3}, is below {least}", ranked.worst)),
    };
    Gate { passed, words }
}

/// Nobody can tell of a result of which most cells decide nothing: those that are left may be of one experiment.
fn few_gate(comparison: &ComparisonFile, name: &str) -> Option<Gate> {
    let own = comparison.cells.iter().flat_map(|cell| &cell.others).filter(|other| other.name == name);
    let (mut cells, mut doubtful) = (0, 0);
    for number in own {
        cells += 1;
        doubtful += usize::from(number.doubtful);
    }
    // Where all are doubtful, the other gates say so.
    (doubtful < cells && 2 * doubtful > cells).then(|| Gate {
        passed: None,
        words: format!("{name}: {doubtful} of {cells} cells are in doubt: too few are left to tell"),
    })
}

/// The cells of a result with values that pass no gate, experiment by experiment.
fn unusable<'a>(comparison: &'a ComparisonFile, name: &'a str) -> impl Iterator<Item = Gate> + 'a {
    of_base(comparison).filter(move |unmatched| unmatched.unusable_in.iter().any(|other| other == name)).map(
        move |unmatched| {
            let (cells, experiment) = (unmatched.cells, &unmatched.experiment);
            Gate {
                passed: Some(false),
                words: format!("{name}: values of {experiment} that are zero or negative: {cells}"),
            }
        },
    )
}

/// The cells of the base that a result lacks, or that cannot be compared with the base's: nobody knows whether they would pass.
fn missing<'a>(comparison: &'a ComparisonFile, name: &'a str) -> impl Iterator<Item = Gate> + 'a {
    let lacks = move |unmatched: &&Unmatched| {
        let has = |names: &[String]| names.iter().any(|other| other == name);
        has(&unmatched.missing_in) && !has(&unmatched.unusable_in) && !is_read_off(unmatched)
    };
    let lacking = of_base(comparison).filter(lacks).map(move |unmatched| {
        let (cells, experiment) = (counted(unmatched.cells, "cell"), &unmatched.experiment);
        format!("{name}: {cells} of {experiment} missing: {}", unmatched.reason)
    });
    let of_result = comparison.unmatched.iter().filter(move |unmatched| {
        unmatched.only_in == name && unmatched.unusable_in.contains(&comparison.base)
    });
    let without_base = of_result.map(move |unmatched| {
        let (cells, experiment) = (counted(unmatched.cells, "cell"), &unmatched.experiment);
        format!(
            "{name}: {cells} of {experiment} cannot be compared with {}: {}",
            comparison.base, unmatched.reason
        )
    });
    lacking.chain(without_base).map(|words| Gate { passed: None, words })
}

/// The cells that the base has and others lack.
fn of_base(comparison: &ComparisonFile) -> impl Iterator<Item = &Unmatched> {
    comparison.unmatched.iter().filter(|unmatched| unmatched.only_in == comparison.base)
}

/// Whether these are points read off a curve: the points of two runs' curves need not be at the same loads.
fn is_read_off(unmatched: &Unmatched) -> bool {
    unmatched.examples.iter().all(|at| at.get(Axis::LoadPercent).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_called_by_the_shortest_name_that_tells_them_apart() {
        assert_eq!(names(&["a/before.json", "a/after.json"]), ["before", "after"]);
        assert_eq!(names(&["one/r.json", "two/r.json"]), ["one/r.json", "two/r.json"]);
        assert_eq!(names(&["r.json", "r.json"]), ["r.json", "r.json (2)"]);
    }
}
