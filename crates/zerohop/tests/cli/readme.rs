//! What README and the guide show of models is what they say.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::binary::shell;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// Every command whose output a page shows, with that output. `SNAPSHOTS=overwrite` writes them anew, as it does all snapshots.
fn shows_what_is_printed(path: &str, at_least: usize) {
    let mut page = text(path);
    // Commands keep files for those after them.
    let directory = tempfile::tempdir().unwrap();
    let mut from = 0;
    let mut shown = 0;
    while let Some((commands, block)) = next_output(&page, from) {
        let printed = run(&commands, directory.path());
        let end = block.start + printed.len();
        if page[block.clone()] != printed {
            let overwrite = std::env::var("SNAPSHOTS").is_ok_and(|how| how == "overwrite");
            assert!(overwrite, "{path} shows something else for `{commands:?}` than\n{printed}");
            page.replace_range(block, &printed);
            fs::write(root().join(path), &page).unwrap();
        }
        from = end;
        shown += 1;
    }
    assert!(shown >= at_least, "{path} shows the output of {shown} commands");
    shows_what_is_drawn(path, &page, directory.path());
}

/// Every SVG of `images/` in a page is what a command of the page drew under that name.
fn shows_what_is_drawn(path: &str, page: &str, directory: &Path) {
    for after in page.split("](images/").skip(1) {
        let name = after.split(')').next().unwrap();
        if !name.ends_with(".svg") {
            continue;
        }
        let drawn = fs::read_to_string(directory.join(name))
            .unwrap_or_else(|error| panic!("{path}: no command draws `{name}`: {error}"));
        let shown = root().join("docs/images").join(name);
        if fs::read_to_string(&shown).unwrap_or_default() != drawn {
            let overwrite = std::env::var("SNAPSHOTS").is_ok_and(|how| how == "overwrite");
            assert!(overwrite, "{} is not what {path} draws", shown.display());
            fs::write(&shown, drawn).unwrap();
        }
    }
}

/// What the last command prints, as a shell runs it; those before it only leave files.
fn run(commands: &[String], directory: &Path) -> String {
    let mut printed = String::new();
    for command in commands {
        let output = shell(command).current_dir(directory).output().unwrap();
        // 1: a fault was found, or a gate failed; 3: the result does not decide.
        let status = output.status.code().unwrap();
        let talk = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(status, 0 | 1 | 3), "{command}: {status}\n{talk}");
        printed = String::from_utf8(output.stdout).unwrap();
    }
    printed
}

#[test]
fn readme_shows_what_is_printed() {
    shows_what_is_printed("README.md", 2);
}

#[test]
#[ignore = "long: runs every command of the guide"]
fn the_guide_shows_what_is_printed() {
    shows_what_is_printed("docs/guide.md", 8);
}

/// The commands of the next block past `from` that is followed by an output, and the place of that output.
fn next_output(page: &str, from: usize) -> Option<(Vec<String>, Range<usize>)> {
    const BETWEEN: &str = "\n```\n\n```text\n";
    let start = from + page[from..].find(BETWEEN)?;
    let (_, block) = page[..start].rsplit_once("```console\n")?;
    let commands = block.lines().filter_map(|line| line.strip_prefix("$ ")).map(str::to_owned);
    let output = start + BETWEEN.len();
    let end = output + page[output..].find("```")?;
    Some((commands.collect(), output..end))
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
