//! What `--help` prints.

use snapbox::file;

use crate::binary::zerohop;

#[test]
fn the_program() {
    zerohop().arg("--help").assert().success().stdout_eq(file!["help/zerohop.txt"]);
}

#[test]
fn survey() {
    zerohop().args(["survey", "--help"]).assert().success().stdout_eq(file!["help/survey.txt"]);
}

#[test]
fn run() {
    zerohop().args(["run", "--help"]).assert().success().stdout_eq(file!["help/run.txt"]);
}

#[test]
fn machine() {
    zerohop().args(["machine", "--help"]).assert().success().stdout_eq(file!["help/machine.txt"]);
}

#[test]
fn reproduce() {
    zerohop().args(["reproduce", "--help"]).assert().success().stdout_eq(file!["help/reproduce.txt"]);
}

#[test]
fn sweep() {
    zerohop().args(["sweep", "--help"]).assert().success().stdout_eq(file!["help/sweep.txt"]);
}

#[test]
fn compare() {
    zerohop().args(["compare", "--help"]).assert().success().stdout_eq(file!["help/compare.txt"]);
}

#[test]
fn diagnose() {
    zerohop().args(["diagnose", "--help"]).assert().success().stdout_eq(file!["help/diagnose.txt"]);
}

#[test]
fn mlc() {
    zerohop().args(["mlc", "--help"]).assert().success().stdout_eq(file!["help/mlc.txt"]);
}

#[test]
fn without_arguments_the_help_is_the_error() {
    let output = zerohop().assert().code(2).stdout_eq("").get_output().clone();
    assert!(String::from_utf8(output.stderr).unwrap().contains("zerohop survey"));
}

/// The standard output of `zerohop help` with these words, and its standard error.
fn help(words: &str) -> (String, String) {
    let output = zerohop().arg("help").args(words.split(' ')).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// `help hops` was refused: it had to be `help run hops`.
#[test]
fn a_word_that_one_verb_knows_needs_no_verb() {
    for (short, long) in [("hops", "run hops"), ("draw", "machine draw")] {
        let (text, talk) = help(short);
        assert_eq!((&text, talk.as_str()), (&help(long).0, ""), "{short}");
        assert!(!text.is_empty());
    }
}

/// It was preceded by all 260 lines of `run --help`.
#[test]
fn help_on_an_experiment_is_about_that_experiment() {
    let (text, talk) = help("run hops");
    assert_eq!(talk, "");
    assert!(text.starts_with("hops: time per line of one reader and one writer"), "{text}");
    for part in
        ["Usage: zerohop run hops [OPTIONS]", "  --buffer <SIZE>", "--on quartet", "--set wire.ht1000"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("--interleave") && text.lines().count() < 40, "{text}");
}

/// Verbs whose documents are chosen by another argument did not say which formats they have.
#[test]
fn every_output_file_s_help_lists_its_formats() {
    for (verb, formats) in [
        ("machine draw", ".svg"),
        ("machine export", ".xml or .toml"),
        ("machine show", ".svg"),
        ("archive history", ".md or .html"),
        ("show", ".html"),
        ("survey", ".html"),
    ] {
        let (text, _) = help(verb);
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let option = words.split_once("-o, --output").unwrap().1;
        let about: String = option.chars().take(220).collect();
        assert!(about.contains(formats), "{verb}: {about}");
    }
}

/// Options for each survey stood among those of Kubernetes.
#[test]
fn survey_options_of_a_fleet_have_their_own_heading() {
    let (text, _) = help("fleet run");
    let (_, kubernetes) = text.split_once("Kubernetes options:").unwrap();
    let (kubernetes, _) = kubernetes.split_once("\n\n  [OPTIONS]").unwrap_or((kubernetes, ""));
    assert!(text.contains("Survey options:\n  [OPTIONS]..."), "{text}");
    assert!(kubernetes.split("options:").next().unwrap().contains("--image"), "{text}");
}

/// At 80 columns, the second lines of exit statuses and examples began in the first column.
#[test]
fn what_continues_stands_in_its_column_at_any_width() {
    let output = zerohop().arg("--help").env("COLUMNS", "80").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (_, statuses) = text.split_once("Exit status:\n").unwrap();
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    for line in statuses.lines() {
        assert!(line.starts_with("       ") || line[2..3].parse::<u8>().is_ok(), "{line:?}");
    }
}

/// `help hopps` listed the verbs and suggested nothing.
#[test]
fn help_on_a_misspelled_word_is_suggested() {
    for (typed, meant) in [
        ("hopps", "zerohop help run hops"),
        ("run hopps", "zerohop help run hops"),
        ("survy", "zerohop help survey"),
        ("machine sho", "zerohop help machine show"),
        ("latency-matrx", "zerohop help run latency-matrix"),
    ] {
        let (_, talk) = help(typed);
        assert!(talk.contains(&format!("hint: did you mean `{meant}`?")), "{typed}: {talk}");
    }
    assert!(help("xyz").1.contains("hint: there is help on survey, "), "{}", help("xyz").1);
}
