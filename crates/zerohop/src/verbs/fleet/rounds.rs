//! What the records of `zerohop fleet run` say of nodes that have no result.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use zerohop_fleet::{Round, RoundTask, TaskState};
use zerohop_insight::fleet::{FleetNote, Unanswered};

use crate::launching::{read_round, record_of};

/// The rounds in some directories.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    /// The nodes that were asked and have no result among the files that are read.
    pub(super) unanswered: Vec<Unanswered>,
    /// The records that could not be read.
    pub(super) notes: Vec<FleetNote>,
}

impl Rounds {
    /// Those of the directories among these paths, of which these files are read.
    pub(super) fn of(paths: &[PathBuf], files: &[PathBuf]) -> Self {
        let files: HashSet<&Path> = files.iter().map(PathBuf::as_path).collect();
        let mut rounds = Self::default();
        for directory in paths.iter().filter(|path| record_of(path).is_file()) {
            match read_round(directory, "", "") {
                Ok(round) => {
                    let open = round.tasks.iter().filter(|task| task.node.is_some());
                    let open = open.filter(|task| !files.contains(&*Round::result_of(directory, &task.name)));
                    rounds.unanswered.extend(open.map(unanswered));
                }
                Err(failure) => rounds.notes.push(FleetNote {
                    words: format!("nobody knows which nodes have no result: {}", failure.message()),
                    about: Vec::new(),
                    leaves_open: true,
                }),
            }
        }
        rounds
    }
}

fn unanswered(task: &RoundTask) -> Unanswered {
    let why = match &task.state {
        TaskState::ToCome => "it was not started yet".to_owned(),
        TaskState::Started(_) => "its survey has not ended".to_owned(),
        TaskState::Done => "its result is no longer there".to_owned(),
        TaskState::Failed(why) => format!("it failed: {why}"),
        TaskState::Refused(why) => format!("it was not started: {why}"),
    };
    Unanswered { node: task.name.clone(), why }
}
