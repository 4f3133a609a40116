//! Which of the settings and faults that were typed a machine can have.

use serde::Serialize;
use zerohop_machine_file::MachineFile;

use crate::refusal::Refusal;
use crate::subject::Subject;

/// Settings and faults that a machine has, and those that it cannot have.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Checked {
    set: Vec<String>,
    fault: Vec<String>,
    refused: Vec<Refused>,
}

/// A setting or a fault that is left out.
#[derive(Debug, Serialize)]
struct Refused {
    kind: Kind,
    /// As it was typed.
    word: String,
    #[serde(flatten)]
    why: Refusal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Set,
    Fault,
}

/// Keeps what the machine of this file can have, in the order in which it was typed: one mistake does not undo the rest.
pub(crate) fn checked(on: &Subject, file: &MachineFile) -> Checked {
    if on.hardware(file).is_ok() {
        return Checked { set: on.set.clone(), fault: on.fault.clone(), refused: Vec::new() };
    }
    let mut kept = Subject { set: Vec::new(), fault: Vec::new(), ..on.clone() };
    let typed = |kind, words: &[String]| words.iter().map(|word| (kind, word.clone())).collect::<Vec<_>>();
    let mut refused = Vec::new();
    for (kind, word) in [typed(Kind::Set, &on.set), typed(Kind::Fault, &on.fault)].concat() {
        let mut tried = kept.clone();
        match kind {
            Kind::Set => tried.set.push(word.clone()),
            Kind::Fault => tried.fault.push(word.clone()),
        }
        match tried.hardware(file) {
            Ok(_) => kept = tried,
            Err(why) => refused.push(Refused { kind, word, why }),
        }
    }
    Checked { set: kept.set, fault: kept.fault, refused }
}
