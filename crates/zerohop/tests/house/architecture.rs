//! ARCHITECTURE.md is a map: every file that it names is there.

use crate::crates;

/// Paths in backquotes of each row of a table. The first that begins with a crate's name stands for the crate in those behind it.
fn paths(row: &str) -> Vec<String> {
    let mut of = String::new();
    let named = row.split('`').skip(1).step_by(2).filter(|name| name.contains('/') || name.ends_with(".rs"));
    let mut paths = Vec::new();
    for name in named {
        if let Some((name_of_crate, _)) = name.split_once("/src/") {
            of = format!("{name_of_crate}/src/");
            paths.push(name.to_owned());
        } else {
            paths.push(format!("{of}{name}"));
        }
    }
    paths
}

#[test]
fn every_file_of_a_path_is_there() {
    let root = crates().parent().unwrap().to_owned();
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let is_there =
        |path: &str| [root.join("crates").join(path), root.join(path)].iter().any(|at| at.exists());
    let steps: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("## Where"))
        .filter(|line| line.starts_with("| "))
        .collect();
    let named: Vec<String> = steps.iter().flat_map(|row| paths(row)).collect();
    assert!(named.len() > 50, "the test reads no tables at all");
    let missing: Vec<&String> = named.iter().filter(|path| !is_there(path)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(text.lines().count() <= 110, "a map of more than two screens is none");
}
