//! Scores what zerohop reads and judges of the texts in `tickets/`, and lets no ticket get worse.

mod answer;
mod outcome;
mod table;
mod ticket;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use answer::Answer;
use outcome::Outcome;
use ticket::Ticket;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tickets")
}

/// The binary of this build, or another one: `ZEROHOP_BINARY`.
fn zerohop(arguments: &[&str]) -> Output {
    let binary = env::var("ZEROHOP_BINARY").unwrap_or_else(|_| env!("CARGO_BIN_EXE_zerohop").to_owned());
    Command::new(binary)
        .args(arguments)
        .current_dir(folder())
        .env_remove("COLUMNS")
        .output()
        .expect("the binary starts")
}

struct Scored {
    ticket: Ticket,
    outcome: Outcome,
    /// The finding that stands first.
    top: String,
}

fn scored() -> Vec<Scored> {
    ticket::all(&folder())
        .into_iter()
        .map(|ticket| {
            let answer = Answer::of(&ticket);
            let top = answer.findings.first().map_or_else(String::new, ToString::to_string);
            Scored { outcome: Outcome::of(&ticket, &answer), ticket, top }
        })
        .collect()
}

/// `outcomes.toml` holds what each ticket comes to. `SNAPSHOTS=overwrite` stores what is better and what is new, never what is worse:
/// who means a loss edits the file. `TICKETS_TABLE=FILE` writes the table there.
#[test]
#[expect(clippy::print_stdout, reason = "`--nocapture` shows the table")]
fn no_ticket_gets_worse() {
    let scored = scored();
    let table = table::table(&scored);
    println!("{table}");
    if let Ok(file) = env::var("TICKETS_TABLE") {
        fs::write(folder().join(file), table).unwrap();
    }
    if env::var("ZEROHOP_BINARY").is_ok() {
        return;
    }

    let file = folder().join("outcomes.toml");
    let stored: BTreeMap<String, Outcome> =
        fs::read_to_string(&file).map_or_else(|_| BTreeMap::new(), |text| outcome::read(&text));
    let found: BTreeMap<String, Outcome> =
        scored.into_iter().map(|one| (one.ticket.name, one.outcome)).collect();
    let worse: Vec<String> = found
        .iter()
        .filter_map(|(name, now)| Some((name, now, stored.get(name)?)))
        .filter(|(_, now, before)| now.is_worse_than(before))
        .map(|(name, now, before)| format!("{name}: {now}, and was {before}"))
        .collect();
    assert!(worse.is_empty(), "tickets got worse:\n{}", worse.join("\n"));
    if env::var("SNAPSHOTS").is_ok_and(|how| how == "overwrite") {
        fs::write(&file, outcome::write(&found)).unwrap();
    }
    let stored = fs::read_to_string(&file).map_or_else(|_| BTreeMap::new(), |text| outcome::read(&text));
    assert!(
        stored == found,
        "tickets got better, came or went: SNAPSHOTS=overwrite stores it in tickets/outcomes.toml"
    );
}
