//! Reasons why an archive cannot be used.

use zerohop_app::nearest;

use crate::location::Location;

/// Reason why an archive cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("no archive `{location}`")]
    Absent {
        /// Expected location of the archive.
        location: Location,
    },
    /// The file is empty.
    #[error("`{location}` is not an archive: it is an empty file")]
    Empty {
        /// Expected location of the archive.
        location: Location,
    },
    /// Something else is there.
    #[error("`{location}` is not a zerohop archive: it is {what}")]
    Foreign {
        /// Expected location of the archive.
        location: Location,
        /// Actual content, in words.
        what: String,
    },
    /// A writer was killed in the middle of a change, and a reader may not undo that.
    #[error(
        "the archive `{location}` has an unfinished change from a killed program, and this user has no permission to undo it"
    )]
    Unfinished { location: Location },
    /// The file, or another archive that replaced it, is not the one that was opened.
    #[error("the archive `{location}` was moved or replaced, or its disk is not mounted: {reason}")]
    Moved { location: Location, reason: String },
    /// Tables of its index are gone.
    #[error("the index of the archive `{location}` is damaged: {reason}")]
    Unindexed { location: Location, reason: String },
    /// The tables have a form that this version does not use.
    #[error(
        "the archive `{location}` has format version {found}, but this zerohop reads version {known}: it needs {needs}"
    )]
    OtherForm {
        location: Location,
        found: i64,
        /// The form that is known.
        known: i64,
        /// Program that can read it (`zerohop 0.2.0`).
        needs: String,
    },
    /// The file is damaged.
    #[error("the archive `{location}` is damaged: {reason}")]
    Damaged { location: Location, reason: String },
    /// The disk is full.
    #[error("cannot write the archive `{location}`: {reason}")]
    Full { location: Location, reason: String },
    /// Another program writes it, for longer than this one waits.
    #[error("the archive `{location}` is in use: {reason}")]
    Busy { location: Location, reason: String },
    /// A signal ended the wait for another program that uses it.
    #[error(
        "interrupted while another program used the archive `{location}`; nothing was changed since then"
    )]
    Stopped { location: Location },
    /// Another machine has that name.
    #[error("the archive has another machine named `{name}`")]
    NameTaken { name: String },
    /// More machines are named than a database takes in one question.
    #[error("too many machines: {count}; the maximum is {most}")]
    TooManyMachines { count: usize, most: usize },
    /// The file cannot be opened, or the server does not let this user in.
    #[error("cannot open the archive `{location}`: {reason}")]
    Closed { location: Location, reason: String },
    /// The server cannot be reached, or is silent.
    #[error("cannot reach the archive `{location}`: {reason}")]
    Unavailable { location: Location, reason: String },
    /// The connection to the server is lost. A transaction, if there was one, is undone, unless this happened while it ended.
    #[error("the connection to the archive `{location}` was lost: {reason}")]
    Disconnected { location: Location, reason: String },
    /// The connection is not encrypted as it has to be, or the server's certificate is not believed.
    #[error("cannot trust the archive `{location}`: {reason}")]
    Untrusted {
        location: Location,
        /// Description of the problem.
        reason: String,
    },
    /// The server does not let this user do that.
    #[error("permission denied by the archive `{location}`: {reason}")]
    Denied { location: Location, reason: String },
    /// It refuses a statement.
    #[error("the archive `{location}` failed: {reason}")]
    Failed { location: Location, reason: String },
    /// There is no such machine.
    #[error("the archive has no machine `{name}`")]
    NoMachine {
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// A machine was named that is another one than the result shows.
    #[error("the result is not from the machine `{name}`{}", called(shown.as_deref()))]
    AnotherMachine {
        name: String,
        /// Name of the machine that the result shows, if the archive knows it.
        shown: Option<String>,
    },
    /// There is no such result.
    #[error("the archive has no result `{}`", shortened(id))]
    NoResult {
        /// The beginning of its id, as typed.
        id: String,
    },
    /// There are several such results.
    #[error("several results start with `{id}`: {}", found.join(", "))]
    SeveralResults {
        /// The beginning of their ids, as typed.
        id: String,
        /// Some of their ids.
        found: Vec<String>,
    },
    /// The text of a result is damaged.
    #[error("the result {id} is damaged: {reason}")]
    DamagedResult {
        id: String,
        /// Description of the problem.
        reason: String,
    },
}

impl ArchiveError {
    /// Whether the archive rejects the input, and may accept another one.
    pub const fn is_refusal(&self) -> bool {
        matches!(self, Self::Failed { .. } | Self::AnotherMachine { .. })
    }

    /// Hint for the user, if there is one.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Absent { .. } => "create it with `zerohop archive add FILE`, or choose another with `--archive` or ZEROHOP_ARCHIVE".to_owned(),
            Self::Empty { .. } => "`zerohop archive add FILE` makes it an archive; choose another with `--archive` or ZEROHOP_ARCHIVE".to_owned(),
            Self::Foreign { .. } => "it was not changed; choose an archive, or a file that does not exist yet, with --archive".to_owned(),
            Self::Unfinished { .. } => "ask a user with write permission to run `zerohop archive verify`".to_owned(),
            Self::Moved { .. } => "restore it or mount its disk; to use the archive that is there now, restart the program".to_owned(),
            Self::Unindexed { .. } => "`zerohop archive verify` rebuilds the index from the original texts".to_owned(),
            Self::OtherForm { needs, .. } => format!("use {needs}, or another version that reads this format"),
            Self::Damaged { .. } => "choose another archive with --archive, or restore a copy of it; \
                                     `sqlite3 FILE .recover` saves the readable part of a damaged one"
                .to_owned(),
            Self::Full { .. } => "free some space, and try again: results that were already added count only once".to_owned(),
            Self::Stopped { .. } | Self::Busy { .. } => "try again when the other program has finished".to_owned(),
            Self::Closed { location: Location::Server(_), .. } => {
                "check database and user (`postgresql://USER@HOST:PORT/DATABASE`); the password comes from PGPASSWORD, or from a line \
                 `HOST:PORT:DATABASE:USER:PASSWORD` of ~/.pgpass, which only its owner may be able to read"
                    .to_owned()
            }
            Self::Unavailable { .. } => {
                "try again later; if the error persists, check that the database server is running and that this host can reach it".to_owned()
            }
            Self::Disconnected { .. } => "try again: earlier writes are saved, and results that are added again count only once".to_owned(),
            Self::Untrusted { .. } => {
                "set the certificate of the server's CA with `sslrootcert=FILE`, and the checks with `sslmode`: see docs/archive.md"
                    .to_owned()
            }
            Self::Denied { .. } => {
                "the first `zerohop archive add` creates tables and needs the CREATE privilege on a schema of the search path; reading needs \
                 SELECT on these tables"
                    .to_owned()
            }
            Self::Closed { location: Location::File(_), .. } => {
                "check the permissions of the file and its directory with `ls -l`, or choose another archive with --archive FILE".to_owned()
            }
            Self::NameTaken { .. } => {
                "`zerohop archive rename --merge` merges both machines, which cannot be undone".to_owned()
            }
            Self::TooManyMachines { .. } => "give fewer at a time, or none for all machines".to_owned(),
            Self::NoMachine { known, .. } if known.is_empty() => "the archive is empty".to_owned(),
            Self::NoMachine { name, known } => {
                let names: Vec<&str> = known.iter().map(String::as_str).collect();
                // `node-02` is another machine than `node-01`, and no slip for it.
                let letters = |name: &str| name.replace(|letter: char| letter.is_ascii_digit(), "");
                match nearest(name, &names).filter(|meant| letters(meant) != letters(name)) {
                    Some(only) if names.len() == 1 => format!("did you mean `{only}`?"),
                    Some(meant) => format!("did you mean `{meant}`? It has {}", known.join(", ")),
                    None => format!("it has {}", known.join(", ")),
                }
            }
            Self::AnotherMachine { .. } => {
                "add it without --of MACHINE; if both are the same machine, for example after a reinstallation, merge them with `zerohop archive rename --merge`"
                    .to_owned()
            }
            Self::NoResult { .. } | Self::SeveralResults { .. } => "`zerohop archive list` prints the ids".to_owned(),
            Self::DamagedResult { .. } => "`zerohop archive add FILE` with the same result repairs it; `zerohop archive verify` finds all damaged results".to_owned(),
            Self::Failed { .. } => return None,
        })
    }
}

/// What a machine is called, behind words about it.
fn called(name: Option<&str>) -> String {
    name.map(|name| format!(", but from `{name}`")).unwrap_or_default()
}

/// The beginning of what may be very long.
fn shortened(text: &str) -> String {
    /// Characters that are shown: an id has 36.
    const SHOWN: usize = 40;
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
