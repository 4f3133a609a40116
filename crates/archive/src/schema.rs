//! The tables of an archive, and which programs can use them.

use std::collections::BTreeSet;

use crate::clock::IS_WRONG;
use crate::database::{Database, Dialect, row, rows};
use crate::error::ArchiveError;
use crate::location::{Access, Location};

/// The form of the tables. It is raised when they change.
const FORM: i64 = 1;

/// The earliest form whose programs can use these tables.
const READ_BY: i64 = 1;

/// The first program that knows this form.
const PROGRAM: &str = "zerohop 0.1.0";

/// The statements that make the tables. Those of numbers have whole numbers and floating-point numbers of 64 bits in both databases.
fn tables(dialect: Dialect) -> String {
    let Dialect { key, random, owned, by_name, .. } = dialect;
    let texts = format!(
        "{owned}
         CREATE TABLE archive (only_row BIGINT NOT NULL, form BIGINT NOT NULL, read_by BIGINT NOT NULL, needs TEXT NOT NULL,
             identity TEXT NOT NULL, generation BIGINT NOT NULL);
         INSERT INTO archive VALUES (1, {FORM}, {READ_BY}, '{PROGRAM}', {random}, 0);
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

/// Tables of the index: all except those of texts and of names.
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

/// Finds an archive's tables. A writer creates them if there are none.
///
/// # Errors
/// If there are none for a reader, others have their names, or only another version can use them.
pub(crate) fn prepare(
    database: &mut dyn Database,
    location: &Location,
    access: Access,
) -> Result<(), ArchiveError> {
    let mut found = form(database, location)?;
    if found.is_none() && access == Access::Write {
        database.begin()?;
        // Another program may have been faster.
        let done = form(database, location).and_then(|found| match found {
            None => database.script(&tables(database.dialect())),
            Some(_) => Ok(()),
        });
        done.and_then(|()| database.commit()).inspect_err(|_| database.roll_back())?;
        found = form(database, location)?;
    }
    let Some(Form { number, read_by, needs }) = found else {
        return Err(ArchiveError::Absent { location: location.clone() });
    };
    if number < FORM || read_by > FORM {
        return Err(ArchiveError::OtherForm {
            location: location.clone(),
            found: number,
            known: FORM,
            needs,
        });
    }
    let there = names(database)?;
    TRUTH.iter().find(|name| !there.contains(**name)).map_or(Ok(()), |lost| {
        let reason = format!("its table `{lost}` is missing");
        Err(ArchiveError::Damaged { location: location.clone(), reason })
    })
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
    Ok(Some(Form { number: found.integer(), read_by: found.integer(), needs: found.text() }))
}

/// The names of the tables and indexes that are there.
fn names(database: &mut dyn Database) -> Result<BTreeSet<String>, ArchiveError> {
    let names = database.dialect().names;
    Ok(rows(database, names, &[])?.into_iter().map(|mut fields| fields.text()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::Archive;

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
    fn tables_that_only_another_program_uses_are_refused_by_its_name() {
        for (form, read_by) in [(9, 9), (0, 0)] {
            let change =
                format!("UPDATE archive SET form = {form}, read_by = {read_by}, needs = 'zerohop 0.9.0'");
            let Err(error) = opened_after(&change) else { panic!("it was opened") };
            let said = format!(
                "has format version {form}, but this zerohop reads version 1: it needs zerohop 0.9.0"
            );
            assert!(error.to_string().ends_with(&said), "{error}");
            assert_eq!(error.hint().unwrap(), "use zerohop 0.9.0, or another version that reads this format");
        }
    }

    #[test]
    fn tables_of_a_later_program_that_only_added_something_are_used() {
        let later = "UPDATE archive SET form = 9, read_by = 1, needs = 'zerohop 0.9.0';
                     ALTER TABLE result ADD COLUMN mood TEXT; CREATE TABLE mood (name TEXT);";
        let mut archive = opened_after(later).unwrap_or_else(|error| panic!("{error}"));
        assert!(archive.list(&crate::Filter::default()).unwrap().is_empty());
    }
}
