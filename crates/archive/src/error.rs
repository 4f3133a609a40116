//! Why an archive cannot be used.

use crate::location::Location;

/// Why an archive cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// There is none.
    #[error("there is no archive `{location}`")]
    Absent {
        /// Where it should be.
        location: Location,
    },
    /// Its file is empty.
    #[error("`{location}` is no archive: it is an empty file")]
    Empty {
        /// Where it should be.
        location: Location,
    },
    /// Something else is there.
    #[error("`{location}` is no archive of zerohop: it is {what}")]
    Foreign {
        /// Where it should be.
        location: Location,
        /// What is there, in words.
        what: String,
    },
    /// A writer was killed in the middle of a change, and whoever reads it may not undo that.
    #[error(
        "the archive `{location}` has an unfinished change of a program that was killed, and this user may not undo it"
    )]
    Unfinished {
        /// Where it is.
        location: Location,
    },
    /// Its file, or another archive that took its place, is not the one that was opened.
    #[error("the archive `{location}` was moved or replaced, or its disk is not mounted: {reason}")]
    Moved {
        /// Where it was.
        location: Location,
        /// What is there.
        reason: String,
    },
    /// Tables of its index are gone.
    #[error("the index of the archive `{location}` is damaged: {reason}")]
    Unindexed {
        /// Where it is.
        location: Location,
        /// The database's words.
        reason: String,
    },
    /// Its tables have a form that this version does not use.
    #[error(
        "the archive `{location}` has form {found}, and this zerohop reads form {known}: it needs {needs}"
    )]
    OtherForm {
        /// Where it is.
        location: Location,
        /// Its form.
        found: i64,
        /// The form that is known.
        known: i64,
        /// Which program reads it (`zerohop 0.2.0`).
        needs: String,
    },
    /// Its file is damaged.
    #[error("the archive `{location}` is damaged: {reason}")]
    Damaged {
        /// Where it is.
        location: Location,
        /// The database's words.
        reason: String,
    },
    /// The disk is full.
    #[error("cannot write the archive `{location}`: {reason}")]
    Full {
        /// Where it is.
        location: Location,
        /// The database's words.
        reason: String,
    },
    /// Another program writes it, for longer than this one waits.
    #[error("the archive `{location}` is in use: {reason}")]
    Busy {
        /// Where it is.
        location: Location,
        /// The database's words.
        reason: String,
    },
    /// A signal ended the wait for another program that uses it.
    #[error(
        "interrupted while another program used the archive `{location}`: nothing was changed in it since"
    )]
    Stopped {
        /// Where it is.
        location: Location,
    },
    /// Another machine has that name.
    #[error("the archive has another machine of the name `{name}`")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// More machines are named than a database takes in one question.
    #[error("{count} machines are named, and {most} is the most")]
    TooManyMachines {
        /// How many.
        count: usize,
        /// The most.
        most: usize,
    },
    /// The file cannot be opened, or the server does not let this user in.
    #[error("cannot open the archive `{location}`: {reason}")]
    Closed {
        /// Where it is.
        location: Location,
        /// The system's words.
        reason: String,
    },
    /// The server cannot be reached, or is silent.
    #[error("the archive `{location}` cannot be reached: {reason}")]
    Unavailable {
        /// Where it is.
        location: Location,
        /// The system's words.
        reason: String,
    },
    /// The connection to the server is lost. A transaction, if there was one, is undone, unless this happened while it ended.
    #[error("the connection to the archive `{location}` was lost: {reason}")]
    Disconnected {
        /// Where it is.
        location: Location,
        /// The system's words.
        reason: String,
    },
    /// The connection is not encrypted as it has to be, or the server's certificate is not believed.
    #[error("the archive `{location}` cannot be trusted: {reason}")]
    Untrusted {
        /// Where it is.
        location: Location,
        /// What is wrong with it.
        reason: String,
    },
    /// The server does not let this user do that.
    #[error("the archive `{location}` does not allow it: {reason}")]
    Denied {
        /// Where it is.
        location: Location,
        /// The database's words.
        reason: String,
    },
    /// It refuses a statement.
    #[error("the archive `{location}` failed: {reason}")]
    Failed {
        /// Where it is.
        location: Location,
        /// The database's words.
        reason: String,
    },
    /// There is no such machine.
    #[error("the archive has no machine `{name}`")]
    NoMachine {
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// A machine was named that is another one than the result shows.
    #[error("`{name}` is another machine than the one that the result is of{}", called(shown.as_deref()))]
    AnotherMachine {
        /// The name.
        name: String,
        /// What the machine is called that the result shows, if the archive knows it.
        shown: Option<String>,
    },
    /// There is no such result.
    #[error("the archive has no result `{}`", shortened(id))]
    NoResult {
        /// The beginning of its id, as typed.
        id: String,
    },
    /// There are several such results.
    #[error("several results begin with `{id}`: {}", found.join(", "))]
    SeveralResults {
        /// The beginning of their ids, as typed.
        id: String,
        /// Some of their ids.
        found: Vec<String>,
    },
    /// The text of a result is damaged.
    #[error("the result {id} is damaged: {reason}")]
    DamagedResult {
        /// Its id.
        id: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl ArchiveError {
    /// Whether the archive refuses what it was given, and may take something else.
    pub const fn is_refusal(&self) -> bool {
        matches!(self, Self::Failed { .. } | Self::AnotherMachine { .. })
    }

    /// What can be done about it, if anything can.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Absent { .. } => "`zerohop archive add FILE` makes one; `--archive` or ZEROHOP_ARCHIVE names another".to_owned(),
            Self::Empty { .. } => "`zerohop archive add FILE` makes it one; `--archive` or ZEROHOP_ARCHIVE names another".to_owned(),
            Self::Foreign { .. } => "nothing was changed in it; name an archive, or a file that does not exist yet, with --archive".to_owned(),
            Self::Unfinished { .. } => "have a user who may write to it run `zerohop archive verify`".to_owned(),
            Self::Moved { .. } => "put it back or mount its disk; to use what is there now, start the program again".to_owned(),
            Self::Unindexed { .. } => "`zerohop archive verify` makes the index again from the texts".to_owned(),
            Self::OtherForm { needs, .. } => format!("use {needs}, or another version that reads this form"),
            Self::Damaged { .. } => "name another archive with --archive, or restore a copy of it; \
                                     `sqlite3 FILE .recover` saves what can be read of a damaged one"
                .to_owned(),
            Self::Full { .. } => "free some space, and try again: what was added before is there, and counts once".to_owned(),
            Self::Stopped { .. } | Self::Busy { .. } => "try again when the other program has ended".to_owned(),
            Self::Closed { location: Location::Server(_), .. } => {
                "check database and user (`postgresql://USER@HOST:PORT/DATABASE`); the password comes from PGPASSWORD, or from a line \
                 `HOST:PORT:DATABASE:USER:PASSWORD` of ~/.pgpass, which nobody else may read"
                    .to_owned()
            }
            Self::Unavailable { .. } => {
                "try again in a while; if it stays so, check that the database server runs and that this host reaches it".to_owned()
            }
            Self::Disconnected { .. } => "try again: what was written before is there, and results that are added again count once".to_owned(),
            Self::Untrusted { .. } => {
                "`sslrootcert=FILE` names the certificate of who signed the server's, and `sslmode` says what is checked: see docs/archive.md"
                    .to_owned()
            }
            Self::Denied { .. } => {
                "the first `zerohop archive add` makes tables and needs the right CREATE on a schema of the search path; whoever only reads needs \
                 SELECT on these tables"
                    .to_owned()
            }
            Self::Closed { location: Location::File(_), .. } => {
                "`ls -l` shows who may read and write the file and its folder; --archive FILE names another".to_owned()
            }
            Self::NameTaken { .. } => {
                "`zerohop archive rename --merge` makes one machine of both, which nothing takes apart again".to_owned()
            }
            Self::TooManyMachines { .. } => "name fewer at a time, or none for all machines".to_owned(),
            Self::NoMachine { known, .. } if known.is_empty() => "the archive is empty".to_owned(),
            Self::NoMachine { known, .. } => format!("it has {}", known.join(", ")),
            Self::AnotherMachine { .. } => {
                "add it without --of MACHINE; if both are one machine, as after a new installation, `zerohop archive rename --merge` makes them one then"
                    .to_owned()
            }
            Self::NoResult { .. } | Self::SeveralResults { .. } => "`zerohop archive list` shows the ids".to_owned(),
            Self::DamagedResult { .. } => "`zerohop archive add FILE` of the same result repairs it; `zerohop archive verify` finds all that are damaged".to_owned(),
            Self::Failed { .. } => return None,
        })
    }
}

/// What a machine is called, behind words about it.
fn called(name: Option<&str>) -> String {
    name.map(|name| format!(", which is `{name}`")).unwrap_or_default()
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
