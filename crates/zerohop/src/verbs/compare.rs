//! `zerohop compare`: compares results with the first of them.

use std::path::Path;

use zerohop_insight::{ComparisonFile, Named, compare};
use zerohop_report::Form;
use zerohop_result::{Completion, ResultFile};

use super::ending::Ending;
use crate::arguments::CompareArguments;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::output::Output;
use crate::result_file::read_result;
use crate::terminal;

pub(super) fn compare_results(arguments: &CompareArguments) -> Result<Ending, Failure> {
    let kind = Kind::of::<ComparisonFile>();
    let output = Output::new(&kind, Form::Page, arguments.format, arguments.output.as_deref())?;
    let paths = &arguments.results;
    let files = paths.iter().map(|path| read_result(path)).collect::<Result<Vec<ResultFile>, _>>()?;
    for (path, _) in paths.iter().zip(&files).filter(|(_, file)| file.completion != Completion::Complete) {
        terminal::say(&terminal::warning_line(&format!(
            "`{}` is incomplete: only its finished part is compared",
            path.display()
        )));
    }
    let names = names(paths);
    let named: Vec<Named<'_>> =
        names.iter().zip(&files).map(|(name, result)| Named { name, result }).collect();
    let comparison = compare(&named).map_err(|error| Failure::new(&error).hint(error.hint()))?;
    output.show(&comparison)?;
    let below = below(&comparison, arguments);
    for line in &below {
        terminal::say(&terminal::warning_line(line));
    }
    Ok(if below.is_empty() { Ending::Done } else { Ending::BelowGate })
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

/// The failed gates, in words.
fn below(comparison: &ComparisonFile, arguments: &CompareArguments) -> Vec<String> {
    // NaN is below every gate.
    let is_below = |value: f64, least: f64| value.is_nan() || value < least;
    let others = comparison.ranking.iter().filter(|ranked| ranked.name != comparison.base);
    let lines = others.flat_map(|ranked| {
        let mean = ranked.overall.mean.value;
        let too_low = arguments.at_least.filter(|least| is_below(mean, *least));
        let mean = too_low.map(|least| format!("{}: the mean {mean:.3} is below {least}", ranked.name));
        let worst = arguments.each_at_least.filter(|least| is_below(ranked.worst, *least));
        let worst = worst
            .map(|least| format!("{}: the worst cell, {:.3}, is below {least}", ranked.name, ranked.worst));
        mean.into_iter().chain(worst).chain(unusable(comparison, &ranked.name, arguments))
    });
    lines.collect()
}

/// The cells of a result with values that pass no gate, experiment by experiment.
fn unusable<'a>(
    comparison: &'a ComparisonFile,
    name: &'a str,
    arguments: &CompareArguments,
) -> impl Iterator<Item = String> + 'a {
    let is_gated = arguments.at_least.is_some() || arguments.each_at_least.is_some();
    let of_base = comparison.unmatched.iter().filter(|unmatched| unmatched.only_in == comparison.base);
    of_base.filter(move |unmatched| is_gated && unmatched.unusable_in.iter().any(|other| other == name)).map(
        move |unmatched| {
            let (cells, experiment) = (unmatched.cells, &unmatched.experiment);
            format!("{name}: values of {experiment} that are not above zero: {cells}")
        },
    )
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
