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
