//! What README shows of models is what they say.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::binary::zerohop;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// Every command whose output README shows, with that output. `SNAPSHOTS=overwrite` writes them anew, as it does all snapshots.
#[test]
fn readme_shows_what_is_printed() {
    let mut readme = text("README.md");
    // A survey keeps its files in the directory where it runs.
    let directory = tempfile::tempdir().unwrap();
    let mut from = 0;
    let mut shown = 0;
    while let Some((command, block)) = next_output(&readme, from) {
        let words = shlex::split(&command).unwrap();
        let assert =
            zerohop().current_dir(directory.path()).args(&words[1..]).arg("--quiet").assert().success();
        let printed = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
        let end = block.start + printed.len();
        if readme[block.clone()] != printed {
            let overwrite = std::env::var("SNAPSHOTS").is_ok_and(|how| how == "overwrite");
            assert!(overwrite, "README.md shows something else for `{command}` than\n{printed}");
            readme.replace_range(block, &printed);
            fs::write(root().join("README.md"), &readme).unwrap();
        }
        from = end;
        shown += 1;
    }
    assert!(shown >= 3, "README shows the output of {shown} commands");
}

/// The next command on a model past `from`, and the place of its output.
fn next_output(readme: &str, from: usize) -> Option<(String, Range<usize>)> {
    const BEFORE: &str = "\n```\n\n```text\n";
    let start = from + readme[from..].find(BEFORE)?;
    let command = readme[..start].rsplit("$ ").next()?.to_owned();
    let output = start + BEFORE.len();
    let end = output + readme[output..].find("```")?;
    Some((command, output..end))
}

/// CI holds docs/reproduction.md to what models say.
#[test]
fn as_many_predictions_come_out_as_readme_says() {
    let reproduction = text("docs/reproduction.md");
    // Predictions, orderings, identities; of fitted figures, their number.
    let counts = |row: &str, from: usize| -> Vec<String> {
        let cells = row.trim().trim_matches('|').split('|').skip(from).map(str::trim);
        cells.map(|cell| if cell.is_empty() { "none".to_owned() } else { cell.to_owned() }).collect()
    };
    let summary = reproduction.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let mut told: Vec<Vec<String>> =
        summary.take_while(|line| line.starts_with('|')).map(|row| counts(row, 1)).collect();
    let held = |rank: usize| -> u32 {
        let counts = told.iter().map(|row| row[rank].split(' ').next().unwrap().parse().unwrap_or(0));
        counts.sum()
    };
    let sentence = format!(
        "{} values are predicted, {} orderings could have come out otherwise, {} claims are\n\
         arithmetic or follow from how the model is built, and {} were fitted",
        held(0),
        held(1),
        held(2),
        held(3)
    );
    let readme = text("README.md");
    assert!(readme.contains(&sentence), "README does not say: {sentence}");
    told.iter_mut().for_each(|row| row.truncate(3));
    let rows = readme.lines().filter(|line| line.starts_with("| [`"));
    let mut shown: Vec<Vec<String>> = rows.map(|row| counts(row, 2)).collect();
    told.sort();
    shown.sort();
    assert_eq!(shown, told, "README's table of machines is not what docs/reproduction.md says");
}

#[test]
fn readme_lists_every_experiment_in_its_own_words() {
    let readme = text("README.md");
    let table = readme.split_once("## Experiments\n").unwrap().1;
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| `")).collect();
    let known: Vec<String> = zerohop_experiment::catalogue()
        .all()
        .map(|known| format!("| `{}` | {} |", known.name, known.summary))
        .collect();
    assert_eq!(rows, known);
}

#[test]
fn the_guide_says_what_each_experiment_measures() {
    let guide = text("docs/guide.md");
    let list = guide.split_once("## What each experiment measures\n").unwrap().1;
    let list = list.split_once("\n## ").unwrap().0;
    let lines: Vec<&str> = list.lines().filter(|line| !line.is_empty()).collect();
    let known: Vec<String> = zerohop_experiment::catalogue()
        .all()
        .map(|known| format!("- `{}`: {}", known.name, known.about))
        .collect();
    assert_eq!(lines, known);
}
