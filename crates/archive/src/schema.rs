//! The tables of an archive, and how those of an earlier version become those of this one.

use std::collections::BTreeSet;

use crate::clock::IS_WRONG;
use crate::database::{Database, Dialect, Field, row, rows};
use crate::error::ArchiveError;
use crate::location::{Access, Location};

/// A step from one form of the tables to the next.
struct Migration {
    /// The statements, in the spelling of a database.
    statements: fn(Dialect) -> String,
    /// The earliest form whose programs can still use the tables afterwards.
    read_by: i64,
    /// The first program that knows this form.
    program: &'static str,
}

/// The forms so far, the first one first. None of them is ever changed: an archive may have any of them.
const MIGRATIONS: [Migration; 1] = [Migration { statements: first, read_by: 1, program: "zerohop 0.1.0" }];

/// Tables of numbers have whole numbers and floating-point numbers of 64 bits in both databases.
fn first(dialect: Dialect) -> String {
    let Dialect { key, random, owned, by_name, .. } = dialect;
    let texts = format!(
        "{owned}
         CREATE TABLE archive (only_row BIGINT NOT NULL, form BIGINT NOT NULL, read_by BIGINT NOT NULL, needs TEXT NOT NULL,
             identity TEXT NOT NULL, generation BIGINT NOT NULL);
         INSERT INTO archive VALUES (1, 0, 0, '', {random}, 0);
         CREATE TABLE machine (key TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL);
         CREATE INDEX machine_by_name ON machine {by_name} (name);
         CREATE TABLE document (number {key}, id TEXT NOT NULL UNIQUE, machine TEXT NOT NULL, added_at BIGINT NOT NULL,
             digest TEXT NOT NULL, body BYTEA NOT NULL);"
    );
    let index = index(dialect).into_iter().map(|(_, statement)| statement);
    std::iter::once(texts).chain(index).collect()
}

/// The columns of the table by which an archive is known.
const KNOWN_BY: [&str; 6] = ["only_row", "form", "read_by", "needs", "identity", "generation"];

/// The tables that no other one can replace.
const TRUTH: [&str; 2] = ["machine", "document"];

/// The tables that hold the index: all but those of texts and of names.
pub(crate) const INDEX: [&str; 5] = ["result", "profile", "series", "reading", "latest"];

/// The tables that hold the index and what finds their rows: the name and the statement of each.
fn index(Dialect { key, in_order, .. }: Dialect) -> [(&'static str, String); 8] {
    [
        (
            "result",
            format!(
                "CREATE TABLE result (number {key}, id TEXT NOT NULL, machine TEXT NOT NULL, stated_at BIGINT, arrived_at BIGINT NOT NULL,
                 began_at BIGINT NOT NULL, origin TEXT NOT NULL, completion TEXT NOT NULL, grade TEXT, unusable TEXT,
                 produced_by TEXT NOT NULL, experiments TEXT NOT NULL, cells BIGINT NOT NULL, profile BIGINT NOT NULL);"
            ),
        ),
        ("result_by_machine", "CREATE INDEX result_by_machine ON result (machine, began_at);".to_owned()),
        ("result_by_time", "CREATE INDEX result_by_time ON result (began_at);".to_owned()),
        (
            "result_by_wrong_clock",
            format!("CREATE INDEX result_by_wrong_clock ON result (number) WHERE {IS_WRONG};"),
        ),
        ("profile", format!("CREATE TABLE profile (key {key}, traits TEXT NOT NULL);")),
        (
            "series",
            format!(
                "CREATE TABLE series (key {key}, role TEXT NOT NULL, experiment TEXT NOT NULL, measure TEXT NOT NULL, place TEXT NOT NULL);"
            ),
        ),
        (
            "reading",
            format!(
                "CREATE TABLE reading (result BIGINT NOT NULL, series BIGINT NOT NULL, value DOUBLE PRECISION NOT NULL,
                 low DOUBLE PRECISION NOT NULL, high DOUBLE PRECISION NOT NULL, doubtful BIGINT NOT NULL, PRIMARY KEY (result, series)) {in_order};"
            ),
        ),
        (
            "latest",
            "CREATE TABLE latest (machine TEXT NOT NULL PRIMARY KEY, result BIGINT NOT NULL, began_at BIGINT NOT NULL);"
                .to_owned(),
        ),
    ]
}

/// Makes those tables of the index that have got lost, and what finds their rows.
pub(crate) fn make_lost(database: &mut dyn Database) -> Result<(), ArchiveError> {
    let there = names(database)?;
    let lost = index(database.dialect()).into_iter().filter(|(name, _)| !there.contains(*name));
    for (_, statement) in lost {
        database.script(&statement)?;
    }
    Ok(())
}

/// The form of the tables that are there.
struct Form {
    number: i64,
    read_by: i64,
    needs: String,
}

/// Finds an archive's tables. Whoever writes makes them where there are none, and those of an earlier version become those of this one.
///
/// # Errors
/// When there are none for a reader, others have their names, or only another version can use them.
pub(crate) fn prepare(
    database: &mut dyn Database,
    location: &Location,
    access: Access,
) -> Result<(), ArchiveError> {
    let read_by = bring_up(database, location, access, &MIGRATIONS)?;
    let there = names(database)?;
    // What a later version did with them, it says.
    match TRUTH.iter().find(|name| !there.contains(**name)) {
        Some(lost) if read_by <= MIGRATIONS.len() as i64 => Err(ArchiveError::Damaged {
            location: location.clone(),
            reason: format!("its table `{lost}` is missing"),
        }),
        _ => Ok(()),
    }
}

/// Brings the tables to the last of these forms, and says which form the programs know that can use them.
fn bring_up(
    database: &mut dyn Database,
    location: &Location,
    access: Access,
    migrations: &[Migration],
) -> Result<i64, ArchiveError> {
    let known = migrations.len() as i64;
    let mut found = form(database, location)?;
    let absent = ArchiveError::Absent { location: location.clone() };
    match &found {
        None if access != Access::Write => return Err(absent),
        Some(Form { number, .. }) if *number < known && access == Access::Read => {
            return Err(ArchiveError::Earlier { location: location.clone(), found: *number, known });
        }
        _ => {}
    }
    let number = |found: &Option<Form>| found.as_ref().map_or(0, |form| form.number);
    if number(&found) < known {
        database.begin()?;
        // Another program may have been faster.
        let done = form(database, location).and_then(|found| {
            let from = number(&found);
            (from..)
                .zip(&migrations[from as usize..])
                .try_for_each(|(from, one)| migrate(database, from, one))
        });
        done.and_then(|()| database.commit()).inspect_err(|_| database.roll_back())?;
        found = form(database, location)?;
    }
    match found {
        None => Err(absent),
        Some(Form { number, read_by, needs }) if read_by > known => {
            Err(ArchiveError::Later { location: location.clone(), found: number, known, needs })
        }
        Some(Form { read_by, .. }) => Ok(read_by),
    }
}

/// The form of the tables that are there; `None` where there are none.
///
/// # Errors
/// When another program has tables of these names.
fn form(database: &mut dyn Database, location: &Location) -> Result<Option<Form>, ArchiveError> {
    let there = names(database)?;
    let foreign = |table: &str| ArchiveError::Foreign {
        location: location.clone(),
        what: format!("a database with a table `{table}` of another program"),
    };
    if !there.contains("archive") {
        let taken = TRUTH.iter().chain(&INDEX).find(|name| there.contains(**name));
        return taken.map_or(Ok(None), |table| Err(foreign(table)));
    }
    let columns = database.dialect().columns;
    let columns = rows(database, columns, &[])?.into_iter().map(|mut fields| fields.text());
    let columns: BTreeSet<String> = columns.collect();
    if KNOWN_BY.iter().any(|column| !columns.contains(*column)) {
        return Err(foreign("archive"));
    }
    let found = row(database, "SELECT form, read_by, needs FROM archive", &[])?;
    let mut found = found.ok_or_else(|| foreign("archive"))?;
    Ok(Some(Form { number: found.integer().max(0), read_by: found.integer(), needs: found.text() }))
}

/// The names of the tables and indexes that are there.
fn names(database: &mut dyn Database) -> Result<BTreeSet<String>, ArchiveError> {
    let names = database.dialect().names;
    Ok(rows(database, names, &[])?.into_iter().map(|mut fields| fields.text()).collect())
}

/// The step from this form to the next.
fn migrate(database: &mut dyn Database, from: i64, migration: &Migration) -> Result<(), ArchiveError> {
    let Migration { statements, read_by, program } = migration;
    database.script(&statements(database.dialect()))?;
    let fields = [Field::Integer(from + 1), Field::Integer(*read_by), Field::from(*program)];
    database.execute("UPDATE archive SET form = $1, read_by = $2, needs = $3", &fields)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::Archive;
    use crate::sqlite::Sqlite;

    fn scratch() -> (tempfile::TempDir, Location) {
        let folder = tempfile::tempdir().unwrap();
        let location = Location::File(folder.path().join("a.sqlite"));
        drop(Archive::open(&location, Access::Write).unwrap());
        (folder, location)
    }

    /// An archive whose tables a program of the future has changed so.
    fn opened_after(change: &str) -> Result<Archive, ArchiveError> {
        let (_folder, location) = scratch();
        Archive::open(&location, Access::Change).unwrap().database.script(change).unwrap();
        Archive::open(&location, Access::Read)
    }

    #[test]
    fn tables_of_a_later_program_are_refused_by_its_name() {
        let later = "UPDATE archive SET form = 9, read_by = 9, needs = 'zerohop 0.9.0'";
        let Err(error) = opened_after(later) else { panic!("it was opened") };
        assert!(
            error
                .to_string()
                .ends_with("has format version 9, but this zerohop reads up to 1: it needs zerohop 0.9.0"),
            "{error}"
        );
        assert_eq!(error.hint().unwrap(), "use zerohop 0.9.0 or a later version");
    }

    #[test]
    fn tables_of_a_later_program_that_only_added_something_are_used() {
        let later = "UPDATE archive SET form = 9, read_by = 1, needs = 'zerohop 0.9.0';
                     ALTER TABLE result ADD COLUMN mood TEXT; CREATE TABLE mood (name TEXT);";
        let mut archive = opened_after(later).unwrap_or_else(|error| panic!("{error}"));
        assert!(archive.list(&crate::Filter::default()).unwrap().is_empty());
    }

    #[test]
    fn every_form_can_be_used_by_the_programs_that_it_names() {
        for (rank, migration) in MIGRATIONS.iter().enumerate() {
            let number = rank as i64 + 1;
            assert!((1..=number).contains(&migration.read_by), "form {number}");
            assert!(migration.program.starts_with("zerohop "), "form {number}");
        }
    }

    /// `archive list` changed the tables of an earlier version.
    #[test]
    fn only_a_writer_brings_an_archive_up_to_date() {
        let (_folder, location) = scratch();
        let next = |_: Dialect| "ALTER TABLE result ADD COLUMN mood TEXT;".to_owned();
        let next = Migration { statements: next, read_by: 2, program: "zerohop 0.2.0" };
        let [first] = MIGRATIONS;
        let forms = [first, next];
        let path = location.file().unwrap();
        let bytes = std::fs::read(path).unwrap();
        let open = |access| {
            let mut database = Sqlite::open(path, access).unwrap();
            bring_up(&mut database, &location, access, &forms)
        };
        let error = open(Access::Read).unwrap_err();
        assert!(
            error.to_string().contains("has format version 1, but this zerohop reads version 2"),
            "{error}"
        );
        assert!(error.hint().unwrap().contains("zerohop archive verify"));
        assert_eq!(std::fs::read(path).unwrap(), bytes);
        assert_eq!(open(Access::Change).unwrap(), 2);
        assert_eq!(open(Access::Read).unwrap(), 2);
    }
}
