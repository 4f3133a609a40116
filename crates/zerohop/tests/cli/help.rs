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
fn mlc() {
    zerohop().args(["mlc", "--help"]).assert().success().stdout_eq(file!["help/mlc.txt"]);
}

#[test]
fn without_arguments_the_help_is_the_error() {
    let output = zerohop().assert().code(2).stdout_eq("").get_output().clone();
    assert!(String::from_utf8(output.stderr).unwrap().contains("zerohop survey"));
}
