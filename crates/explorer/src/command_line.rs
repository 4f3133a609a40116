//! The command lines that give what a page shows.

use std::path::Path;

use crate::subject::Subject;

/// The command line that runs an experiment on a machine.
pub(crate) fn run_command<const N: usize>(on: &Subject, words: &str, more: [&str; N]) -> String {
    let typed = shlex::split(words).unwrap_or_default();
    let run = std::iter::once("run").chain(typed.iter().map(String::as_str)).chain(["--on", &on.machine]);
    command(run, on.simulation_words().chain(more.map(str::to_owned)))
}

/// A command line to paste.
pub(crate) fn command<'a>(
    words: impl IntoIterator<Item = &'a str>,
    more: impl Iterator<Item = String>,
) -> String {
    let words = words.into_iter().map(str::to_owned).chain(more);
    std::iter::once("zerohop".to_owned()).chain(words.map(quoted)).collect::<Vec<_>>().join(" ")
}

/// A word as a shell takes it. Settings (`links=3`, `link:0-1=x8`) are typed without quotation marks.
fn quoted(word: String) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_=.,:/+%@".contains(character);
    if word.starts_with(is_plain) && word.chars().all(is_plain) {
        return word;
    }
    shlex::try_quote(&word).map_or_else(|_| word.clone(), Into::into)
}

/// Names of the results of two machines: what was typed for each, as `zerohop compare` reads them from the names of files.
pub(crate) fn stems([base, other]: [&Subject; 2]) -> [String; 2] {
    let (base, other) = (stem(base), stem(other));
    let other = if base == other { format!("{other}+again") } else { other };
    [base, other]
}

fn stem(on: &Subject) -> String {
    let machine = Path::new(&on.machine);
    let is_file = machine.extension().is_some_and(|extension| extension == "toml");
    let name = if is_file { machine.file_stem().and_then(|stem| stem.to_str()) } else { None };
    let words = std::iter::once(name.unwrap_or(&on.machine))
        .chain(on.set.iter().chain(&on.fault).map(String::as_str));
    let plain = |character: char| {
        if character.is_alphanumeric() || "-_=,".contains(character) { character } else { '-' }
    };
    words.map(|word| word.chars().map(plain).collect::<String>()).collect::<Vec<_>>().join("+")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_named_after_what_was_typed() {
        let of = |machine: &str, set: &[&str], fault: &[&str]| Subject {
            machine: machine.to_owned(),
            set: set.iter().map(|&word| word.to_owned()).collect(),
            fault: fault.iter().map(|&word| word.to_owned()).collect(),
            ..Subject::default()
        };
        let named = stems([&of("./mine.toml", &[], &[]), &of("quartet", &["links=3"], &["link:0-1=x8"])]);
        assert_eq!(named, ["mine", "quartet+links=3+link-0-1=x8"]);
        let same = of("quartet", &[], &[]);
        assert_eq!(stems([&same, &same]), ["quartet", "quartet+again"]);
    }
}
