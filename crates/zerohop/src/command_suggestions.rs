//! For a command line that clap refuses, suggests the command that was probably meant. Every suggestion parses.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, Error, Parser};
use zerohop_app::{built_in, nearest};
use zerohop_experiment::catalogue;
use zerohop_report::Form;

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::secrets;
use crate::terminal;

/// What is wrong with the command line, and what was probably meant. Help and the version are printed, and end the program.
pub(crate) fn explain(error: Error) -> Failure {
    let typed: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let is_of_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if is_of_help || !error.use_stderr() {
        return terminal::exit_as_typed(&error);
    }
    failure_of(error, &typed)
}

fn failure_of(error: Error, typed: &[String]) -> Failure {
    let hidden = secrets::hidden(typed);
    // A suggestion is a command that is shown.
    let typed: Vec<String> = typed.iter().map(|word| secrets::hide(word, &hidden).into_owned()).collect();
    let failure = explanation(&error, &typed).unwrap_or_else(|| in_clap_s_words(error, &typed));
    hidden.iter().fold(failure, |failure, (name, shown)| failure.with(name, shown))
}

/// clap's message, with what was probably meant as the hint or, without a guess, with the help of the verb that was typed.
fn in_clap_s_words(mut error: Error, typed: &[String]) -> Failure {
    const TIP: &str = "  tip: ";
    // clap's advice to pass an unknown option "as a value" helps nobody here.
    if error.kind() == ErrorKind::UnknownArgument && context(&error, ContextKind::SuggestedArg).is_none() {
        error.remove(ContextKind::Suggested);
    }
    let text = error.to_string();
    let lines = || text.lines().filter(|line| !line.is_empty() && !line.starts_with("For more information"));
    let what: Vec<&str> = lines().filter(|line| !line.starts_with(TIP)).collect();
    let tip = || lines().find_map(|line| line.strip_prefix(TIP)).map(str::to_owned);
    let help = || format!("see `zerohop {}--help`", typed_verbs(typed));
    let advice = similar(&error, typed).or_else(tip).unwrap_or_else(help);
    Failure::new(what.join("\n").trim_start_matches("error: ")).hint(advice)
}

/// What is most like a mistyped verb, option or value: the whole command line if it then parses.
fn similar(error: &Error, typed: &[String]) -> Option<String> {
    let (wrong, meant) = match error.kind() {
        ErrorKind::UnknownArgument => (ContextKind::InvalidArg, ContextKind::SuggestedArg),
        ErrorKind::InvalidSubcommand => (ContextKind::InvalidSubcommand, ContextKind::SuggestedSubcommand),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            (ContextKind::InvalidValue, ContextKind::SuggestedValue)
        }
        _ => return None,
    };
    let wrong = context(error, wrong)?;
    // clap names the most similar one last.
    let meant = match error.get(meant) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.last()?.clone(),
        _ => among_values(error, &wrong)?,
    };
    let place = typed.iter().position(|word| *word == wrong);
    let line = place.and_then(|place| command(replaced(typed, place, &[&meant])));
    Some(format!("did you mean {}?", line.unwrap_or_else(|| format!("`{meant}`"))))
}

/// The value that begins like a mistyped one, where clap finds none that is similar.
fn among_values(error: &Error, wrong: &str) -> Option<String> {
    if let Some(ContextValue::Strings(values)) = error.get(ContextKind::ValidValue) {
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        return nearest(wrong, &values).map(str::to_owned);
    }
    among_expected(&error.to_string(), wrong)
}

/// The value with the name that was probably meant, where a message lists what is expected: `(expected link:A-B=x8 or slow-dimm:nodeN=RATE)`.
fn among_expected(message: &str, wrong: &str) -> Option<String> {
    const ENDS: [char; 2] = [':', '='];
    let (_, expected) = message.split_once("(expected ")?;
    let (expected, _) = expected.split_once(')')?;
    let forms = expected.split(", ").flat_map(|form| form.split(" or "));
    let names: Vec<&str> = forms.filter_map(|form| form.split(ENDS).next()).collect();
    let name = wrong.split(ENDS).next().unwrap_or_default();
    let meant = nearest(name, &names).filter(|meant| *meant != name)?;
    Some(format!("{meant}{}", &wrong[name.len()..]))
}

/// The verbs at the beginning of what was typed, each with a blank behind it.
fn typed_verbs(typed: &[String]) -> String {
    let program = Arguments::command();
    let (mut verbs, mut at) = (String::new(), &program);
    for word in typed {
        if let Some(verb) = at.find_subcommand(word) {
            verbs.extend([verb.get_name(), " "]);
            at = verb;
        }
    }
    verbs
}

/// What is wrong, with the command that was probably meant; `None` without a good guess.
fn explanation(error: &Error, typed: &[String]) -> Option<Failure> {
    let candidates = match error.kind() {
        ErrorKind::UnknownArgument => surplus(&context(error, ContextKind::InvalidArg)?, typed),
        ErrorKind::InvalidSubcommand => {
            let word = context(error, ContextKind::InvalidSubcommand)?;
            // Where clap knows a similar verb, that was meant.
            let near = context(error, ContextKind::SuggestedSubcommand).is_none();
            verbless(&word, near, typed)
        }
        ErrorKind::InvalidValue if context(error, ContextKind::InvalidArg)? == "<EXPERIMENT>" => {
            let near = context(error, ContextKind::SuggestedValue).is_none();
            no_experiment(&context(error, ContextKind::InvalidValue)?, near, typed)
        }
        ErrorKind::MissingRequiredArgument => incomplete(typed),
        _ => Vec::new(),
    };
    let meant: Vec<String> = candidates.into_iter().filter_map(command).collect();
    if meant.is_empty() {
        return None;
    }
    let text = error.to_string();
    let what = match error.kind() {
        ErrorKind::MissingRequiredArgument => {
            let missing = text.lines().skip(1).take_while(|line| line.starts_with("  ")).map(str::trim);
            let missing: Vec<&str> = missing.collect();
            format!("{} {} missing", missing.join(" and "), if missing.len() > 1 { "are" } else { "is" })
        }
        _ => text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned(),
    };
    Some(Failure::new(what).hint(match error.kind() {
        ErrorKind::MissingRequiredArgument => format!("for example {}", meant.join(" or ")),
        _ => format!("did you mean {}?", meant.join(" or ")),
    }))
}

/// An unexpected word: a machine without its option, an option where the verb takes a bare machine name, an experiment
/// after the wrong verb.
fn surplus(word: &str, typed: &[String]) -> Vec<Vec<String>> {
    let Some(place) = place(word, typed) else { return Vec::new() };
    let form =
        word.strip_prefix("--").and_then(|name| Form::ALL.into_iter().find(|form| form.name() == name));
    if let Some(form) = form {
        return vec![replaced(typed, place, &["--format", form.name()])];
    }
    if word == "--on" {
        // Other verbs take no machine, but may take files, for which its name would be mistaken.
        if !typed.iter().any(|word| ["sweep", "machine"].contains(&word.as_str())) {
            return Vec::new();
        }
        let mut without = typed.to_vec();
        let flag = without.remove(place);
        if let Some((_, machine)) = flag.split_once('=') {
            without.insert(place, machine.to_owned());
        }
        return [with_verb(&without, "machine", "show"), Some(without)].into_iter().flatten().collect();
    }
    if word == "on" {
        return vec![replaced(typed, place, &["--on"])];
    }
    // Where it may stand alone, its name follows an equals sign. What may hold a password is not repeated.
    if place > 0 && typed[place - 1] == "--archive" && !word.contains(['=', '@']) {
        return vec![replaced(&replaced(typed, place, &[]), place - 1, &[&format!("--archive={word}")])];
    }
    if is_experiment(word) {
        return typed
            .first()
            .map(|_| replaced(&replaced(typed, place, &[]), 0, &["run", word]))
            .into_iter()
            .collect();
    }
    let Some(machine) = machine(word) else { return Vec::new() };
    let of_machine = with_verb(&replaced(typed, place, &[&machine]), "machine", "show");
    vec![replaced(typed, place, &["--on", &machine])].into_iter().chain(of_machine).collect()
}

/// Words that people type for a verb, as other tools name it, and what they mean.
const MEANINGS: [(&[&str], &[&[&str]]); 8] = [
    (&["health", "test", "verify"], &[&["survey"], &["doctor"]]),
    (&["measure", "bench", "benchmark", "start"], &[&["survey"], &["run", "latency-matrix"]]),
    (&["latency", "latencies"], &[&["run", "latency-matrix"]]),
    (&["bandwidth", "bw"], &[&["run", "bandwidth-matrix"]]),
    (&["experiments", "experiment"], &[&["help", "run"]]),
    (&["topology", "topo", "info", "hardware", "hw"], &[&["machine", "show"]]),
    (&["placement", "placements"], &[&["advise", "placement"], &["help", "advise", "placement"]]),
    (&["settings", "bios", "firmware"], &[&["advise", "settings"]]),
];

/// A word that is not a verb: one that means a verb, a verb below another, an experiment, a machine or a study; with `near`, also a word like one of
/// these.
fn verbless(word: &str, near: bool, typed: &[String]) -> Vec<Vec<String>> {
    let Some(place) = place(word, typed) else { return Vec::new() };
    if let Some((_, meant)) = MEANINGS.iter().find(|(words, _)| words.contains(&word)) {
        return meant.iter().map(|verb| replaced(typed, place, verb)).collect();
    }
    let Some(name) = known(word, near) else { return Vec::new() };
    if is_experiment(&name) {
        return vec![replaced(typed, place, &["run", &name])];
    }
    let above = verbs_above(&name);
    if !above.is_empty() {
        return above.iter().map(|above| replaced(typed, place, &[above, &name])).collect();
    }
    if built_in::study_names().any(|study| study == name) {
        return vec![replaced(typed, place, &["reproduce", &name])];
    }
    vec![
        replaced(typed, place, &["machine", "show", &name]),
        replaced(typed, place, &["survey", "--on", &name]),
    ]
}

/// The experiment, deeper verb, machine or study with that name, or the one most like it if `near`; or a file.
fn known(word: &str, near: bool) -> Option<String> {
    if built_in::is_file(word) {
        return Some(word.to_owned());
    }
    let program = Arguments::command();
    let deeper = program.get_subcommands().flat_map(Command::get_subcommands);
    let verbs = deeper.map(|verb| verb.get_name().to_owned());
    let names = catalogue().all().map(|known| known.name);
    let names = names.chain(built_in::machine_names()).chain(built_in::study_names()).map(str::to_owned);
    let names: Vec<String> = names.chain(verbs).collect();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let exact = known.iter().copied().find(|name| *name == word);
    exact.or_else(|| near.then(|| nearest(word, &known)).flatten()).map(str::to_owned)
}

/// A machine or a study, or a word like one, where an experiment is expected.
fn no_experiment(word: &str, near: bool, typed: &[String]) -> Vec<Vec<String>> {
    let Some(place) = place(word, typed) else { return Vec::new() };
    let names: Vec<&str> = built_in::machine_names().chain(built_in::study_names()).collect();
    let exact = names.iter().copied().find(|name| *name == word);
    let Some(name) = exact.or_else(|| near.then(|| nearest(word, &names)).flatten()) else {
        return Vec::new();
    };
    if built_in::study_names().any(|study| study == name) {
        return vec![replaced(&replaced(typed, place, &[name]), place.saturating_sub(1), &["reproduce"])];
    }
    let (survey, run) = (["survey", "--on", name], ["latency-matrix", "--on", name]);
    let without = replaced(typed, place, &[]);
    vec![replaced(&without, place.saturating_sub(1), &survey), replaced(typed, place, &run)]
}

/// A missing required argument: gives an example of it.
fn incomplete(typed: &[String]) -> Vec<Vec<String>> {
    const EXAMPLES: [(&str, &[&str]); 16] = [
        ("run", &["latency-matrix"]),
        ("check", &["quartet"]),
        ("compare", &["before.json", "after.json"]),
        ("sweep", &["--experiment", "hops"]),
        ("sweep", &["quartet", "--experiment", "hops"]),
        ("sweep", &["quartet"]),
        ("completions", &["bash"]),
        ("new", &["--model", "EPYC 9354"]),
        ("where", &["4711"]),
        ("place", &["--interleave"]),
        ("place", &["model.gguf", "--interleave"]),
        ("placement", &["--data", "shared", "--bytes", "40G"]),
        ("placement", &["--bytes", "40G"]),
        ("placement", &["--data", "shared"]),
        ("placement", &["--threads", "16", "--data", "shared", "--bytes", "40G"]),
        ("placement", &["--bytes-per-step", "40G"]),
    ];
    let of_verb = EXAMPLES.into_iter().filter(|(verb, _)| typed.iter().any(|word| word == verb));
    let completed = of_verb.map(|(_, more)| {
        typed.iter().cloned().chain(more.iter().map(|&word| word.to_owned())).collect::<Vec<String>>()
    });
    completed.filter(|words| command(words.clone()).is_some()).take(1).collect()
}

/// The machine that a word names, or nearly names.
fn machine(word: &str) -> Option<String> {
    if word.starts_with('-') {
        return None;
    }
    let known: Vec<&str> = built_in::machine_names().chain(["host"]).collect();
    if built_in::is_file(word) || known.contains(&word) {
        return Some(word.to_owned());
    }
    nearest(word, &known).map(str::to_owned)
}

/// The verbs that have a verb of this name below them, which users easily leave out: `draw` is `machine draw`.
fn verbs_above(word: &str) -> Vec<String> {
    let program = Arguments::command();
    let above = program.get_subcommands().filter(|verb| verb.find_subcommand(word).is_some());
    above.map(|verb| verb.get_name().to_owned()).collect()
}

fn is_experiment(word: &str) -> bool {
    catalogue().all().any(|known| known.name == word)
}

/// Where a word was typed; an option may have its value after `=`.
fn place(word: &str, typed: &[String]) -> Option<usize> {
    let is_it = |one: &String| one == word || one.split_once('=').is_some_and(|(name, _)| name == word);
    typed.iter().position(is_it)
}

fn replaced(typed: &[String], place: usize, by: &[&str]) -> Vec<String> {
    let mut words = typed.to_vec();
    words.splice(place..(place + 1).min(words.len()), by.iter().map(|&word| word.to_owned()));
    words
}

/// The same command line with another verb below `verb`, if `verb` was typed.
fn with_verb(typed: &[String], verb: &str, below: &str) -> Option<Vec<String>> {
    let place = typed.iter().position(|word| word == verb)?;
    Some(replaced(typed, place + 1, &[below]))
}

/// The command line as typed, if it parses.
fn command(words: Vec<String>) -> Option<String> {
    let program = std::iter::once("zerohop".to_owned());
    let words: Vec<String> = program.chain(words).collect();
    Arguments::try_parse_from(&words).ok()?;
    let line = shlex::try_join(words.iter().map(String::as_str)).ok()?;
    Some(format!("`{line}`"))
}

fn context(error: &Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => texts.first().cloned(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The suggestion for these words.
    fn hint(line: &str) -> String {
        let words = shlex::split(line).unwrap();
        let program = std::iter::once("zerohop").chain(words.iter().map(String::as_str));
        let error = Arguments::try_parse_from(program).unwrap_err();
        let failure = explanation(&error, &words);
        failure.and_then(|failure| failure.advice().map(str::to_owned)).unwrap_or_default()
    }

    #[test]
    fn a_machine_without_its_option_gets_it() {
        assert_eq!(hint("survey quartet"), "did you mean `zerohop survey --on quartet`?");
        assert_eq!(hint("survey quart"), "did you mean `zerohop survey --on quartet`?");
        assert_eq!(hint("run hops on ./m.toml"), "did you mean `zerohop run hops --on ./m.toml`?");
        assert_eq!(
            hint("-q run hops quartet --full"),
            "did you mean `zerohop -q run hops --on quartet --full`?"
        );
    }

    #[test]
    fn an_option_in_the_place_of_a_name_goes() {
        let expected = "did you mean `zerohop sweep quartet --experiment hops`?";
        assert_eq!(hint("sweep --on quartet --experiment hops"), expected);
        assert_eq!(hint("sweep --on=quartet --experiment hops"), expected);
        assert_eq!(hint("machine list --on quartet"), "did you mean `zerohop machine show quartet`?");
    }

    #[test]
    fn words_of_other_tools_mean_a_verb() {
        assert_eq!(hint("health"), "did you mean `zerohop survey` or `zerohop doctor`?");
        assert_eq!(hint("latency --full"), "did you mean `zerohop run latency-matrix --full`?");
        assert_eq!(hint("experiments"), "did you mean `zerohop help run`?");
        assert_eq!(hint("placement"), "did you mean `zerohop help advise placement`?");
        assert_eq!(
            hint("placement well --threads 4 --data shared --bytes 4G"),
            "did you mean `zerohop advise placement well --threads 4 --data shared --bytes 4G`?"
        );
        assert_eq!(hint("info"), "did you mean `zerohop machine show`?");
        assert_eq!(hint("survey --json"), "did you mean `zerohop survey --format json`?");
    }

    #[test]
    fn a_verb_left_out_is_put_in() {
        assert_eq!(hint("hops --on quartet"), "did you mean `zerohop run hops --on quartet`?");
        assert_eq!(hint("draw quartet"), "did you mean `zerohop machine draw quartet`?");
        assert_eq!(hint("history node-07"), "did you mean `zerohop archive history node-07`?");
        assert_eq!(hint("analyse fleet"), "did you mean `zerohop fleet analyse fleet`?");
        assert_eq!(hint("amd-40555"), "did you mean `zerohop reproduce amd-40555`?");
        let expected = "did you mean `zerohop machine show quartet` or `zerohop survey --on quartet`?";
        assert_eq!(hint("quartet"), expected);
        assert_eq!(hint("survey hops"), "did you mean `zerohop run hops`?");
    }

    /// clap only knows verbs: it had no suggestion for these.
    #[test]
    fn a_misspelled_name_without_its_verb_is_recognized() {
        assert_eq!(hint("hopps --on quartet"), "did you mean `zerohop run hops --on quartet`?");
        assert_eq!(hint("latency_matrix"), "did you mean `zerohop run latency-matrix`?");
        assert_eq!(hint("amd-40556"), "did you mean `zerohop reproduce amd-40555`?");
        let expected = "did you mean `zerohop machine show quartet` or `zerohop survey --on quartet`?";
        assert_eq!(hint("quartett"), expected);
        assert_eq!(hint("run amd-4055"), "did you mean `zerohop reproduce amd-40555`?");
        let expected =
            "did you mean `zerohop survey --on quartet` or `zerohop run latency-matrix --on quartet`?";
        assert_eq!(hint("run quartett"), expected);
        // clap's own suggestion is printed.
        assert_eq!(hint("survy --on quartet"), "");
        assert_eq!(hint("run hopps"), "");
    }

    #[test]
    fn what_is_missing_is_shown_by_an_example() {
        assert_eq!(hint("run"), "for example `zerohop run latency-matrix`");
        assert_eq!(hint("sweep quartet"), "for example `zerohop sweep quartet --experiment hops`");
        assert_eq!(hint("sweep"), "for example `zerohop sweep quartet --experiment hops`");
        assert_eq!(hint("machine check"), "for example `zerohop machine check quartet`");
        assert_eq!(hint("compare"), "for example `zerohop compare before.json after.json`");
        assert_eq!(hint("place a.gguf"), "for example `zerohop place a.gguf --interleave`");
        assert_eq!(hint("where"), "for example `zerohop where 4711`");
        assert_eq!(hint("machine new"), "for example `zerohop machine new --model 'EPYC 9354'`");
        let expected = "for example `zerohop advise placement today --threads 8 --data shared --bytes 40G`";
        assert_eq!(hint("advise placement today --threads 8"), expected);
        let expected =
            "for example `zerohop advise placement today --workload stream-of-weights --bytes-per-step 40G`";
        assert_eq!(hint("advise placement today --workload stream-of-weights"), expected);
    }

    /// clap's own messages ended with "For more information", and had no hint.
    #[test]
    fn every_mistake_has_a_hint() {
        for (line, hint) in [
            ("run hops --nonsense", "see `zerohop run --help`"),
            ("--nonsense", "see `zerohop --help`"),
            ("machine check --nonsense", "see `zerohop machine check --help`"),
            ("run hops --ful", "did you mean `zerohop run hops --full`?"),
            ("run hops --format jsn", "did you mean `zerohop run hops --format json`?"),
            ("advise setings", "did you mean `zerohop advise settings`?"),
            ("fleet analys", "did you mean `analyse`?"),
            (
                "run hops --on quartet --fault slow-dim:node0=200",
                "did you mean `zerohop run hops --on quartet --fault 'slow-dimm:node0=200'`?",
            ),
            ("sevre", "did you mean `zerohop serve`?"),
            (
                "advise settings --workload numa-awre",
                "did you mean `zerohop advise settings --workload numa-aware`?",
            ),
            ("survey --cpus 3-1", "see `zerohop survey --help`"),
        ] {
            let words = shlex::split(line).unwrap();
            let program = std::iter::once("zerohop").chain(words.iter().map(String::as_str));
            let failure = in_clap_s_words(Arguments::try_parse_from(program).unwrap_err(), &words);
            assert_eq!(failure.advice(), Some(hint), "{line}: {failure:?}");
            assert!(!failure.message().contains("more information"), "{failure:?}");
        }
    }

    /// A slip beside the name of a database printed its password.
    #[test]
    fn no_password_is_repeated() {
        for line in [
            "survey quartet --archive=postgresql://me:s3cret@db/z",
            "survey --nonsense --archive=postgresql://me:s3cret@db/z",
            "archive list --archiv 'host=db password=s3cret'",
            "survey 'host=db password=s3cret'",
            "survey postgres:me:s3cret@db",
            "postgresql://me:s3cret@db/z",
        ] {
            let words = shlex::split(line).unwrap();
            let program = std::iter::once("zerohop").chain(words.iter().map(String::as_str));
            let failure = failure_of(Arguments::try_parse_from(program).unwrap_err(), &words);
            assert!(!format!("{failure:?}").contains("s3cret"), "{line}: {failure:?}");
        }
        let line = "survey quartet --archive=postgresql://me:s3cret@db/z";
        let words = shlex::split(line).unwrap();
        let program = std::iter::once("zerohop").chain(words.iter().map(String::as_str));
        let failure = failure_of(Arguments::try_parse_from(program).unwrap_err(), &words);
        assert_eq!(
            failure.advice(),
            Some("did you mean `zerohop survey --on quartet '--archive=postgresql://…'`?")
        );
    }

    #[test]
    fn where_nobody_could_tell_nothing_is_proposed() {
        for line in
            ["survey nonsense", "run --nonsense", "nonsense", "run hops --nodes", "compare a b --on quartet"]
        {
            assert_eq!(hint(line), "", "{line}");
        }
    }
}
