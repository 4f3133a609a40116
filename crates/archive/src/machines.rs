//! Machines, and what people call them.

use std::collections::HashMap;

use uuid::Uuid;
use zerohop_result::{IndexedMachine, ListedMachine, MachineKey};

use crate::archive::Archive;
use crate::clock::IS_WRONG;
use crate::database::{Database, Field, Fields, row, rows};
use crate::error::ArchiveError;
use crate::packed::number_of;
use crate::stored::time;

/// The machine of a result, as whoever adds it knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// The one that the result shows.
    Shown(IndexedMachine),
    /// The one that people call so, whatever the result shows.
    Called(String),
}

impl Archive {
    /// All machines, by name.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub fn machines(&mut self) -> Result<Vec<ListedMachine>, ArchiveError> {
        let listed = rows(
            self.database.as_mut(),
            &format!(
                "SELECT machine.name, COUNT(*), COUNT(*) - COUNT(result.unusable), COUNT(CASE WHEN {IS_WRONG} THEN 1 END),
                 MIN(result.began_at), MAX(result.began_at)
                 FROM result JOIN machine ON machine.key = result.machine GROUP BY machine.name ORDER BY machine.name"
            ),
            &[],
        )?;
        let latest = rows(
            self.database.as_mut(),
            "SELECT machine.name, result.id FROM latest JOIN machine ON machine.key = latest.machine
             JOIN result ON result.number = latest.result ORDER BY latest.began_at, latest.result",
            &[],
        )?;
        // Where several machines have one name, the last row of it is the latest.
        let latest: HashMap<String, String> =
            latest.into_iter().map(|mut fields| (fields.text(), fields.text())).collect();
        let machine = |mut fields: Fields| {
            let name = fields.text();
            let (results, usable) = (fields.integer().unsigned_abs(), fields.integer().unsigned_abs());
            let wrong_clocks = fields.integer().unsigned_abs();
            let (first, last) = (time(fields.integer()), time(fields.integer()));
            ListedMachine {
                latest: latest.get(&name).cloned(),
                name,
                results,
                usable,
                wrong_clocks,
                first,
                last,
            }
        };
        Ok(listed.into_iter().map(machine).collect())
    }

    /// Calls a machine otherwise from now on. If another one has that name, both are one from now on, should they be merged.
    ///
    /// # Errors
    /// When there is no such machine, another one has that name and they should not be merged, or the archive cannot be written.
    pub fn rename(&mut self, name: &str, new: &str, merge: bool) -> Result<(), ArchiveError> {
        self.check_machines(&[name.to_owned()])?;
        let changed = self.wholly(|database| {
            let taken = "SELECT key FROM machine WHERE name = $1 LIMIT 1";
            if !merge && name != new && row(database, taken, &[new.into()])?.is_some() {
                return Err(ArchiveError::NameTaken { name: new.to_owned() });
            }
            database.execute("UPDATE machine SET name = $1 WHERE name = $2", &[new.into(), name.into()])
        })?;
        if changed == 0 { Err(self.no_machine(name)?) } else { Ok(()) }
    }

    /// The error about a machine that is not there.
    pub(crate) fn no_machine(&mut self, name: &str) -> Result<ArchiveError, ArchiveError> {
        /// Names that a message lists, at most.
        const NAMED: i64 = 12;
        let known = rows(
            self.database.as_mut(),
            "SELECT DISTINCT name FROM machine ORDER BY name LIMIT $1",
            &[Field::Integer(NAMED)],
        )?;
        let known = known.into_iter().map(|mut fields| fields.text()).collect();
        Ok(ArchiveError::NoMachine { name: name.to_owned(), known })
    }
}

/// The key of a machine, which is known from now on.
pub(crate) fn known(database: &mut dyn Database, owner: &Owner) -> Result<MachineKey, ArchiveError> {
    match owner {
        Owner::Called(name) => {
            let called = "SELECT key FROM machine WHERE name = $1 ORDER BY key LIMIT 1";
            let key =
                row(database, called, &[name.as_str().into()])?.and_then(|mut fields| key(&fields.text()));
            match key {
                Some(key) => Ok(key),
                None => enter(database, of_name(name), name.clone()),
            }
        }
        Owner::Shown(IndexedMachine { key, name }) => {
            let there = "SELECT name FROM machine WHERE key = $1";
            if row(database, there, &[Field::Text(key.0.to_string())])?.is_some() {
                return Ok(*key);
            }
            // Hosts are all called `localhost`, and pods by chance.
            let taken = "SELECT key FROM machine WHERE name = $1";
            let taken = row(database, taken, &[name.as_str().into()])?.is_some();
            let digits: String = key.0.simple().to_string().chars().take(6).collect();
            let name = if taken { format!("{name}-{digits}") } else { name.clone() };
            enter(database, *key, name)
        }
    }
}

/// The key of the machine of a result that is there. One that has lost its name gets the one that its owner shows; a key that is lost, its owner's.
pub(crate) fn found_again(
    database: &mut dyn Database,
    key: Option<MachineKey>,
    owner: &Owner,
) -> Result<MachineKey, ArchiveError> {
    let Some(key) = key else { return known(database, owner) };
    let name = match owner {
        Owner::Called(name) | Owner::Shown(IndexedMachine { name, .. }) => name.clone(),
    };
    known(database, &Owner::Shown(IndexedMachine { key, name }))
}

/// The number of machines that have names.
pub(crate) fn count(database: &mut dyn Database) -> Result<u64, ArchiveError> {
    let count = row(database, "SELECT COUNT(*) FROM machine", &[])?;
    Ok(count.map_or(0, |mut fields| fields.integer().unsigned_abs()))
}

fn enter(database: &mut dyn Database, key: MachineKey, name: String) -> Result<MachineKey, ArchiveError> {
    let fields = [Field::Text(key.0.to_string()), Field::Text(name)];
    database
        .execute("INSERT INTO machine (key, name) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING", &fields)?;
    Ok(key)
}

/// The key of a machine of which nothing is known but a name.
fn of_name(name: &str) -> MachineKey {
    let halves = [number_of(["machine", name]), number_of(["called", name])].map(i64::unsigned_abs);
    MachineKey(Uuid::from_u64_pair(halves[0], halves[1]))
}

pub(crate) fn key(text: &str) -> Option<MachineKey> {
    Uuid::try_parse(text).ok().map(MachineKey)
}
