//! The examples of `--help` show what they say.

use serde_json::Value;

use crate::binary::zerohop;

/// The example commands of a help text that begin like this, without what follows them on their line.
fn examples(help: &[&str], begin: &str) -> Vec<Vec<String>> {
    let output = zerohop().args(help).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let mut commands: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        let is_command = line.starts_with(&format!("  {begin}"));
        let continues = goes_on && line.trim_start().starts_with("--");
        // A remark stands apart from its command by two spaces or more.
        let command = line.trim().split("  ").next().unwrap_or_default();
        match commands.last_mut() {
            Some(last) if continues => *last = format!("{last} {command}"),
            _ if is_command => commands.push(command.to_owned()),
            _ => {}
        }
        goes_on = is_command || continues;
    }
    commands.iter().map(|command| shlex::split(command).unwrap()).collect()
}

#[test]
fn the_sweeps_in_help_have_rows_that_differ() {
    let of_sweep = examples(&["sweep", "--help"], "zerohop sweep ");
    let of_program = examples(&["--help"], "zerohop sweep ");
    let commands: Vec<Vec<String>> = of_sweep.into_iter().chain(of_program).collect();
    let computed = commands.iter().filter(|words| !words.contains(&"--file".to_owned()));
    let mut count = 0;
    for words in computed {
        let kept = words.iter().position(|word| word == "-o").unwrap_or(words.len());
        let arguments = &words[1..kept];
        let output = zerohop().args(arguments).args(["-q", "--format", "json"]).assert().success();
        let result: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
        let rows = result["rows"].as_array().unwrap();
        let values: Vec<&Value> = rows.iter().map(|row| &row["values"]).collect();
        assert!(values.iter().any(|one| one != &values[0]), "{words:?} has rows that are all alike");
        count += 1;
    }
    assert_eq!(count, 5, "{commands:?}");
}
