//! `zerohop completions`, and what a shell that has loaded its script is offered.

use std::path::Path;
use std::process::Command;

use crate::binary::zerohop;

fn script(shell: &str) -> String {
    let output = zerohop().args(["completions", shell]).assert().success().get_output().clone();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_shell_gets_a_script_that_asks_the_program() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = script(shell);
        assert!(script.contains("ZEROHOP_COMPLETE"), "{shell}: {script}");
        // Wherever it was built, the one on the PATH answers.
        assert!(!script.contains('/') || !script.contains("target/"), "{shell}: {script}");
    }
    assert!(script("zsh").starts_with("#compdef zerohop\n"));
}

/// What bash offers after these words.
fn offered(words: &[&str]) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let there = directory.path();
    std::fs::write(there.join("script"), script("bash")).unwrap();
    std::fs::write(there.join("mine.toml"), "").unwrap();
    std::fs::write(there.join("mine.txt"), "").unwrap();
    let ask = r#"
        source ./script
        COMP_WORDS=(zerohop "$@"); COMP_CWORD=$#; COMP_TYPE=9
        _clap_complete_zerohop zerohop "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let program = Path::new(snapbox::cmd::cargo_bin!("zerohop"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let output = Command::new("bash")
        .current_dir(there)
        .env("PATH", path)
        .args(["--norc", "-c", ask, "bash"])
        .args(words)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().split_whitespace().map(str::to_owned).collect()
}

#[test]
fn names_of_machines_studies_and_experiments_are_completed() {
    for (words, expected) in [
        (&["run", "hops", "--on", "qu"][..], &["quartet"][..]),
        (&["survey", "--on", "opteron-6274-4s-"], &["opteron-6274-4s-doubloon"]),
        (&["sweep", "sr"], &["sr665-v3"]),
        (&["machine", "show", "xeon-p"], &["xeon-phi-7250"]),
        (&["machine", "draw", "xeon-p"], &["xeon-phi-7250"]),
        (&["machine", "check", "qu"], &["quartet"]),
        (&["machine", "export", "qu"], &["quartet"]),
        (&["reproduce", "amd"], &["amd-40555"]),
        (&["reproduce", "--on", "qu"], &["quartet"]),
        (&["run", "cross"], &["crossfire"]),
        (&["sweep", "quartet", "--experiment", "cross"], &["crossfire"]),
        (&["help", "repr"], &["reproduce"]),
        // A file that can be what is wanted, and no other.
        (&["run", "hops", "--on", "mi"], &["mine.toml"]),
    ] {
        assert_eq!(offered(words), expected, "{words:?}");
    }
}
