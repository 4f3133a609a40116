//! Checking an archive, and making its index again.

use zerohop_result::{IndexedResult, ResultFile};

use crate::add::{find_latest, write_index};
use crate::archive::Archive;
use crate::database::{Field, rows};
use crate::error::ArchiveError;
use crate::machines;
use crate::packed::Packed;
use crate::schema::{INDEX, make_lost};

/// What a check found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// Results whose texts are whole.
    pub whole: u64,
    /// Results whose texts are not.
    pub damaged: Vec<Damage>,
    /// What the database itself finds wrong with its files.
    pub of_database: Vec<String>,
}

/// A result whose text is not whole. It stays where it is, and is in no list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Its id.
    pub id: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Archive {
    /// Reads every text, and makes the index again from them, with all its tables: all of it or nothing. `index` says what the index keeps of a result.
    ///
    /// # Errors
    /// When the archive cannot be read or written.
    pub fn verify(&mut self, index: &dyn Fn(&ResultFile) -> IndexedResult) -> Result<Verified, ArchiveError> {
        let of_database = self.database.damage()?;
        let mut verified = Verified { of_database, ..Verified::default() };
        let clock = self.clock()?;
        self.wholly(|database| {
            make_lost(database)?;
            for table in INDEX {
                database.execute(&format!("DELETE FROM {table}"), &[])?;
            }
            let known =
                rows(database, "SELECT number, id, machine, added_at FROM document ORDER BY number", &[])?;
            for mut fields in known {
                let (number, id) = (fields.integer(), fields.text());
                let (machine, added_at) = (machines::key(&fields.text()), fields.integer());
                // One by one: all of them would not fit into memory.
                let statement = "SELECT digest, body FROM document WHERE number = $1";
                let body = rows(database, statement, &[Field::Integer(number)])?.into_iter().next();
                let Some(mut fields) = body else { continue };
                let packed = Packed { digest: fields.text(), body: fields.bytes() };
                let read =
                    packed.text().and_then(|text| ResultFile::read(&text).map_err(|error| error.to_string()));
                match (read, machine) {
                    (Ok(file), Some(machine)) => {
                        write_index(database, number, machine, &index(&file), added_at, clock)?;
                        verified.whole += 1;
                    }
                    (Err(reason), _) => verified.damaged.push(Damage { id, reason }),
                    (_, None) => {
                        let reason = "its machine has no key".to_owned();
                        verified.damaged.push(Damage { id, reason });
                    }
                }
            }
            clock.settle(database)?;
            find_latest(database)
        })?;
        Ok(verified)
    }

    /// The results whose texts are not whole, and which no list shows, because a check left them out of the index.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub fn unlisted(&mut self) -> Result<Vec<String>, ArchiveError> {
        let found = rows(
            self.database.as_mut(),
            "SELECT id FROM document WHERE number NOT IN (SELECT number FROM result) ORDER BY number",
            &[],
        )?;
        Ok(found.into_iter().map(|mut fields| fields.text()).collect())
    }
}
