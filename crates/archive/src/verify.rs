//! Checking an archive, and making its index again.

use zerohop_result::{IndexedResult, ResultFile};

use crate::add::{find_latest, write_index};
use crate::archive::Archive;
use crate::compressed_text::Packed;
use crate::database::{Database, Field, row, rows};
use crate::error::ArchiveError;
use crate::machines::{self, Owner, Shows};
use crate::schema::{INDEX, make_lost};

/// Outcome of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// Results whose texts are whole, and which the index has.
    pub whole: u64,
    /// Results whose texts are whole, but which only another version can read: the index does not have them.
    pub later: Vec<Unlisted>,
    /// Results whose texts are not whole.
    pub damaged: Vec<Unlisted>,
    /// Number of machines that had lost their names, and got the names that their results show.
    pub machines: u64,
    /// Problems that the database itself finds in its files.
    pub of_database: Vec<String>,
}

/// A result that is in no list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unlisted {
    pub id: String,
    /// Reason why the result is in no list.
    pub cause: Cause,
}

/// Reason why a result is in no list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// The text is not the one that was added.
    #[error("{0}")]
    Damaged(String),
    /// The text is the one that was added, but this version cannot read it.
    #[error("another version of zerohop is needed to read it: {0}")]
    OtherVersion(String),
    /// The text is whole: only the index lacks it.
    #[error("it is not in the index, which `zerohop archive verify` rebuilds")]
    NoIndex,
}

/// Reads a text as it is kept.
fn read(packed: &Packed) -> Result<ResultFile, Cause> {
    let text = packed.text().map_err(Cause::Damaged)?;
    ResultFile::read(&text).map_err(|error| match serde_json::from_str::<serde_json::Value>(&text) {
        // Whoever added it could read it.
        Ok(_) => Cause::OtherVersion(error.to_string()),
        Err(_) => Cause::Damaged(error.to_string()),
    })
}

impl Archive {
    /// Reads every text, and rebuilds the index from them, with all its tables: all of it or nothing. `index` builds the index entry of a result.
    ///
    /// # Errors
    /// If the archive cannot be read or written.
    pub fn verify(&mut self, index: &dyn Fn(&ResultFile) -> IndexedResult) -> Result<Verified, ArchiveError> {
        let of_database = self.database.damage()?;
        let mut verified = Verified { of_database, ..Verified::default() };
        let clock = self.clock()?;
        self.wholly(|database| {
            make_lost(database)?;
            for table in INDEX {
                database.execute(&format!("DELETE FROM {table}"), &[])?;
            }
            let named = machines::count(database)?;
            let known =
                rows(database, "SELECT number, id, machine, added_at FROM document ORDER BY number", &[])?;
            for mut fields in known {
                let (number, id) = (fields.integer(), fields.text());
                let (machine, added_at) = (fields.text(), fields.integer());
                // One by one: all of them would not fit into memory.
                let Some(packed) = packed(database, number)? else { continue };
                let index = match read(&packed) {
                    Ok(file) => index(&file),
                    Err(cause @ Cause::OtherVersion(_)) => {
                        verified.later.push(Unlisted { id, cause });
                        continue;
                    }
                    Err(cause) => {
                        verified.damaged.push(Unlisted { id, cause });
                        continue;
                    }
                };
                if id != index.id.to_string() && !give_id(database, number, &index.id.to_string())? {
                    let cause =
                        Cause::Damaged(format!("its id is damaged, and another result has {}", index.id));
                    verified.damaged.push(Unlisted { id, cause });
                    continue;
                }
                let shown = index.machine.clone();
                let owner = shown.map_or_else(
                    || Owner::Called { name: UNNAMED.to_owned(), shows: Shows::Nothing },
                    Owner::Shown,
                );
                let key = machines::found_again(database, machines::key(&machine), &owner)?;
                if key.0.to_string() != machine {
                    let fields = [Field::Text(key.0.to_string()), Field::Integer(number)];
                    database.execute("UPDATE document SET machine = $1 WHERE number = $2", &fields)?;
                }
                write_index(database, number, key, &index, added_at, clock)?;
                verified.whole += 1;
            }
            verified.machines = machines::count(database)?.saturating_sub(named);
            clock.settle(database)?;
            find_latest(database)
        })?;
        Ok(verified)
    }

    /// The results of these machines, or of all if none is named, that no list shows, and why.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub fn unlisted(&mut self, names: &[String]) -> Result<Vec<Unlisted>, ArchiveError> {
        let database = self.database.as_mut();
        let found = rows(
            database,
            "SELECT document.number, document.id, machine.name FROM document LEFT JOIN machine ON machine.key = document.machine
             WHERE machine.key IS NULL OR document.number NOT IN (SELECT number FROM result) ORDER BY document.number",
            &[],
        )?;
        let mut unlisted = Vec::new();
        for mut fields in found {
            let (number, id, name) = (fields.integer(), fields.text(), fields.maybe_text());
            // Nobody knows whose results those without a machine are.
            if !names.is_empty() && name.is_some_and(|name| !names.contains(&name)) {
                continue;
            }
            if let Some(packed) = packed(database, number)? {
                unlisted.push(Unlisted { id, cause: read(&packed).err().unwrap_or(Cause::NoIndex) });
            }
        }
        Ok(unlisted)
    }
}

/// What a machine is called of which neither its name nor its results say it.
const UNNAMED: &str = "unnamed";

fn packed(database: &mut dyn Database, number: i64) -> Result<Option<Packed>, ArchiveError> {
    let statement = "SELECT digest, body FROM document WHERE number = $1";
    let found = row(database, statement, &[Field::Integer(number)])?;
    Ok(found.map(|mut fields| Packed { digest: fields.text(), body: fields.bytes() }))
}

/// Gives a text the id that it states, unless another one has it.
fn give_id(database: &mut dyn Database, number: i64, id: &str) -> Result<bool, ArchiveError> {
    if row(database, "SELECT number FROM document WHERE id = $1", &[id.into()])?.is_some() {
        return Ok(false);
    }
    database
        .execute("UPDATE document SET id = $1 WHERE number = $2", &[id.into(), Field::Integer(number)])?;
    Ok(true)
}
