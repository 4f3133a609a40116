//! What the records of `zerohop fleet run` say of nodes that have no result.

use std::collections::HashSet;
use std::path::PathBuf;

use zerohop_app::NodeFiles;
use zerohop_fleet::{FleetNote, Unanswered};
use zerohop_launch::{Round, RoundTask, TaskState};
use zerohop_units::counted;

use crate::launching::{read_round, record_of};

/// The rounds in some directories.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    /// The nodes that were asked and have no result among the files that are read.
    pub(super) unanswered: Vec<Unanswered>,
    /// The nodes that the files of the others must be of.
    pub(super) nodes: NodeFiles,
    /// The records that could not be read.
    pub(super) notes: Vec<FleetNote>,
}

impl Rounds {
    /// Those of the directories among these paths, of which these files are to be read. Files of nodes whose survey failed are of an earlier
    /// time: they are taken from these.
    pub(super) fn of(paths: &[PathBuf], files: &mut Vec<PathBuf>) -> Self {
        let mut rounds = Self::default();
        let mut earlier: HashSet<PathBuf> = HashSet::new();
        let known: HashSet<PathBuf> = files.iter().cloned().collect();
        for directory in paths.iter().filter(|path| record_of(path).is_file()) {
            match read_round(directory, "", "") {
                Ok(round) => {
                    for task in round.tasks.iter().filter(|task| task.node.is_some()) {
                        let file = Round::result_of(directory, &task.name);
                        let has_failed = matches!(task.state, TaskState::Failed(_) | TaskState::Refused(_));
                        if has_failed || !known.contains(&file) {
                            rounds.unanswered.push(unanswered(task));
                        }
                        if known.contains(&file) {
                            match has_failed {
                                true => _ = earlier.insert(file),
                                false => rounds.nodes.insert(file, task.name.clone()),
                            }
                        }
                    }
                }
                Err(failure) => rounds.notes.push(FleetNote {
                    words: format!("cannot tell which nodes have no result: {}", failure.message()),
                    about: Vec::new(),
                    leaves_open: true,
                }),
            }
        }
        rounds.notes.extend(left_out(&earlier));
        files.retain(|file| !earlier.contains(file));
        rounds
    }
}

fn left_out(earlier: &HashSet<PathBuf>) -> Option<FleetNote> {
    let mut about: Vec<String> = earlier.iter().map(|path| path.display().to_string()).collect();
    about.sort_unstable();
    let words = format!(
        "{} from an earlier time, of a node whose survey failed: skipped",
        counted(about.len(), "file")
    );
    (!about.is_empty()).then_some(FleetNote { words, about, leaves_open: true })
}

fn unanswered(task: &RoundTask) -> Unanswered {
    let why = match &task.state {
        TaskState::ToCome => "it was not started yet".to_owned(),
        TaskState::Started(_) => "its survey has not finished".to_owned(),
        TaskState::Done => "its result is missing".to_owned(),
        TaskState::Failed(why) => format!("it failed: {why}"),
        TaskState::Refused(why) => format!("it was not started: {why}"),
    };
    Unanswered { node: task.name.clone(), why }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use zerohop_launch::{Local, Offer, Setup};

    use super::*;

    /// The file of an earlier time stood for a node that failed, and no node was bad.
    #[test]
    fn a_node_whose_survey_failed_gave_no_result_whatever_file_lies_there() {
        let directory = tempfile::tempdir().unwrap();
        let paths = [directory.path().to_owned()];
        let mut tasks = ["n1", "n2"].map(|node| RoundTask::survey(Offer::named(node.to_owned()), Vec::new()));
        tasks[0].state = TaskState::Failed("no memory".to_owned());
        tasks[1].state = TaskState::Done;
        let round = Round::new(Setup::Local(Local { words: Vec::new() }), 1, tasks.into());
        fs::write(record_of(directory.path()), round.text()).unwrap();
        let mut files: Vec<PathBuf> =
            ["n1", "n2"].map(|node| Round::result_of(directory.path(), node)).into();
        let rounds = Rounds::of(&paths, &mut files);
        assert_eq!(files, [Round::result_of(directory.path(), "n2")]);
        let [open] = &rounds.unanswered[..] else { panic!("{rounds:?}") };
        assert_eq!((open.node.as_str(), open.why.as_str()), ("n1", "it failed: no memory"));
        assert!(rounds.notes[0].about[0].ends_with("n1.json"), "{rounds:?}");
    }
}
