//! Machines, and what people call them.

use std::collections::HashMap;

use uuid::{Uuid, Variant};
use zerohop_result::{IndexedMachine, ListedMachine, MachineKey};

use crate::archive::Archive;
use crate::clock::IS_WRONG;
use crate::compressed_text::number_of;
use crate::database::{Database, Field, Fields, row, rows};
use crate::encoding::time;
use crate::error::ArchiveError;

/// Machine of a result, as known to the caller that adds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// The machine that the result shows.
    Shown(IndexedMachine),
    /// The machine with this name.
    Called {
        name: String,
        /// Identity of the machine in the result.
        shows: Shows,
    },
}

/// Identity of a machine in a result whose machine was named explicitly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// Nothing: it is the output of another tool.
    Nothing,
    /// A model, which any number of machines may be of.
    Model(MachineKey),
    /// The host that was measured.
    Host(MachineKey),
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
        Owner::Called { name, shows } => called(database, name, *shows),
        Owner::Shown(IndexedMachine { key, name }) => {
            if called_now(database, *key)?.is_some() {
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

/// The key of the machine that people call so, unless the result shows that it is of another one.
fn called(database: &mut dyn Database, name: &str, shows: Shows) -> Result<MachineKey, ArchiveError> {
    let of_name = of_name(name);
    let keys = rows(database, "SELECT key FROM machine WHERE name = $1 ORDER BY key", &[name.into()])?;
    let keys: Vec<MachineKey> = keys.into_iter().filter_map(|mut fields| key(&fields.text())).collect();
    let another = |shown| ArchiveError::AnotherMachine { name: name.to_owned(), shown };
    let (Shows::Host(shown) | Shows::Model(shown)) = shows else {
        return keys.first().map_or_else(|| enter(database, of_name, name.to_owned()), |key| Ok(*key));
    };
    if keys.contains(&shown) {
        return Ok(shown);
    }
    let own = match shows {
        Shows::Host(_) => called_now(database, shown)?,
        _ => None,
    };
    if own.is_some() || keys.iter().any(|key| is_shown(*key)) {
        return Err(another(own));
    }
    match (shows, keys.first()) {
        // It is known by what it shows from now on, and called as it was named.
        (Shows::Host(_), _) => enter(database, shown, name.to_owned()),
        (_, Some(key)) => Ok(*key),
        (_, None) => enter(database, of_name, name.to_owned()),
    }
}

/// What a machine is called.
fn called_now(database: &mut dyn Database, key: MachineKey) -> Result<Option<String>, ArchiveError> {
    let found = row(database, "SELECT name FROM machine WHERE key = $1", &[Field::Text(key.0.to_string())])?;
    Ok(found.map(|mut fields| fields.text()))
}

/// The machine with which a result stays that is there, if another one was named.
pub(crate) fn stays_with(
    database: &mut dyn Database,
    there: Option<MachineKey>,
    owner: &Owner,
) -> Result<Option<String>, ArchiveError> {
    let (Some(key), Owner::Called { name, .. }) = (there, owner) else { return Ok(None) };
    Ok(called_now(database, key)?.filter(|called| called != name))
}

/// Key of the machine of a stored result. A machine without a name gets its owner's name; a missing key gets its owner's key.
pub(crate) fn found_again(
    database: &mut dyn Database,
    key: Option<MachineKey>,
    owner: &Owner,
) -> Result<MachineKey, ArchiveError> {
    let Some(key) = key else { return known(database, owner) };
    let name = match owner {
        Owner::Called { name, .. } | Owner::Shown(IndexedMachine { name, .. }) => name.clone(),
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

/// The key of a machine of which nothing is known but a name. The first bit of its second half is 0, as in no UUID of RFC 9562.
fn of_name(name: &str) -> MachineKey {
    let halves = [number_of(["machine", name]), number_of(["called", name])].map(i64::unsigned_abs);
    MachineKey(Uuid::from_u64_pair(halves[0], halves[1]))
}

/// Whether a machine is known by what a result shows of it: only such a key is a UUID as RFC 9562 has them.
fn is_shown(MachineKey(key): MachineKey) -> bool {
    key.get_variant() == Variant::RFC4122
}

pub(crate) fn key(text: &str) -> Option<MachineKey> {
    Uuid::try_parse(text).ok().map(MachineKey)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_names_are_no_keys_of_what_results_show() {
        for rank in 0..1000 {
            assert!(!is_shown(of_name(&format!("node-{rank}"))));
        }
        assert!(
            is_shown(MachineKey(Uuid::new_v8([0xff; 16]))) && is_shown(MachineKey(Uuid::new_v8([0; 16])))
        );
    }
}
