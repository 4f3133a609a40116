//! The tables of an archive, and how those of an earlier version become those of this one.

use crate::database::{Database, Dialect, Field, row};
use crate::error::ArchiveError;
use crate::location::Location;

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
const MIGRATIONS: [Migration; 2] = [
    Migration { statements: first, read_by: 1, program: "zerohop 0.1.0" },
    // Whoever writes has to count.
    Migration { statements: counting_writes, read_by: 2, program: "zerohop 0.1.0" },
];

/// The latest form.
pub(crate) const LATEST: i64 = MIGRATIONS.len() as i64;

/// Tables of numbers have whole numbers and floating-point numbers of 64 bits in both databases.
fn first(Dialect { key, in_order, by_name, .. }: Dialect) -> String {
    format!(
        "CREATE TABLE archive (only_row BIGINT NOT NULL, form BIGINT NOT NULL, read_by BIGINT NOT NULL, needs TEXT NOT NULL);
         INSERT INTO archive VALUES (1, 0, 0, '');
         CREATE TABLE machine (key TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL);
         CREATE INDEX machine_by_name ON machine {by_name} (name);
         CREATE TABLE document (number {key}, id TEXT NOT NULL UNIQUE, machine TEXT NOT NULL, added_at BIGINT NOT NULL,
             digest TEXT NOT NULL, body BYTEA NOT NULL);
         CREATE TABLE result (number {key}, id TEXT NOT NULL, machine TEXT NOT NULL, began_at BIGINT NOT NULL, origin TEXT NOT NULL,
             completion TEXT NOT NULL, grade TEXT, unusable TEXT, produced_by TEXT NOT NULL, experiments TEXT NOT NULL,
             cells BIGINT NOT NULL, profile BIGINT NOT NULL);
         CREATE INDEX result_by_machine ON result (machine, began_at);
         CREATE INDEX result_by_time ON result (began_at);
         CREATE TABLE profile (key {key}, traits TEXT NOT NULL);
         CREATE TABLE series (key {key}, role TEXT NOT NULL, experiment TEXT NOT NULL, measure TEXT NOT NULL, place TEXT NOT NULL);
         CREATE TABLE reading (result BIGINT NOT NULL, series BIGINT NOT NULL, value DOUBLE PRECISION NOT NULL,
             low DOUBLE PRECISION NOT NULL, high DOUBLE PRECISION NOT NULL, doubtful BIGINT NOT NULL, PRIMARY KEY (result, series)) {in_order};
         CREATE TABLE latest (machine TEXT NOT NULL PRIMARY KEY, result BIGINT NOT NULL, began_at BIGINT NOT NULL);"
    )
}

fn counting_writes(_: Dialect) -> String {
    "ALTER TABLE archive ADD COLUMN generation BIGINT NOT NULL DEFAULT 0;".to_owned()
}

/// The tables that hold the index: all but those of texts and of names.
pub(crate) const INDEX: [&str; 5] = ["result", "profile", "series", "reading", "latest"];

/// The form of the tables that are there.
struct Form {
    number: i64,
    read_by: i64,
    needs: String,
}

/// Makes the tables of this version, or takes those of a later one that allows it.
///
/// # Errors
/// When only a later version can use them.
pub(crate) fn prepare(database: &mut dyn Database, location: &Location) -> Result<(), ArchiveError> {
    let found = form(database)?;
    if found.number < LATEST {
        database.begin()?;
        // Another program may have been faster.
        let found = form(database)?;
        let done = (found.number..LATEST).try_for_each(|number| migrate(database, number));
        done.and_then(|()| database.commit()).inspect_err(|_| database.roll_back())?;
    }
    if found.read_by > LATEST {
        let Form { number, needs, .. } = found;
        return Err(ArchiveError::Later { location: location.clone(), found: number, known: LATEST, needs });
    }
    Ok(())
}

fn form(database: &mut dyn Database) -> Result<Form, ArchiveError> {
    let tables = database.dialect().tables;
    let there = row(database, tables, &[])?;
    let found = match there {
        Some(_) => row(database, "SELECT form, read_by, needs FROM archive", &[])?,
        None => None,
    };
    let form = found.map(|mut fields| Form {
        number: fields.integer(),
        read_by: fields.integer(),
        needs: fields.text(),
    });
    Ok(form.unwrap_or(Form { number: 0, read_by: 0, needs: String::new() }))
}

/// The step from this form to the next.
fn migrate(database: &mut dyn Database, from: i64) -> Result<(), ArchiveError> {
    let Some(Migration { statements, read_by, program }) =
        usize::try_from(from).ok().and_then(|from| MIGRATIONS.get(from))
    else {
        return Ok(());
    };
    database.script(&statements(database.dialect()))?;
    let fields = [Field::Integer(from + 1), Field::Integer(*read_by), Field::from(*program)];
    database.execute("UPDATE archive SET form = $1, read_by = $2, needs = $3", &fields)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::Archive;
    use crate::location::Access;

    /// An archive whose tables a program of the future has changed so.
    fn opened_after(change: &str) -> Result<Archive, ArchiveError> {
        let folder = tempfile::tempdir().unwrap();
        let location = Location::File(folder.path().join("a.sqlite"));
        let mut archive = Archive::open(&location, Access::Write).unwrap();
        archive.database.script(change).unwrap();
        drop(archive);
        Archive::open(&location, Access::Read)
    }

    #[test]
    fn tables_of_a_later_program_are_refused_by_its_name() {
        let later = "UPDATE archive SET form = 9, read_by = 9, needs = 'zerohop 0.9.0'";
        let Err(error) = opened_after(later) else { panic!("it was opened") };
        assert!(
            error.to_string().ends_with("has form 9, and this zerohop reads up to 2: it needs zerohop 0.9.0"),
            "{error}"
        );
        assert_eq!(error.hint().unwrap(), "use zerohop 0.9.0 or a later version");
    }

    #[test]
    fn tables_of_a_later_program_that_only_added_something_are_used() {
        let later = "UPDATE archive SET form = 9, read_by = 2, needs = 'zerohop 0.9.0';
                     ALTER TABLE result ADD COLUMN mood TEXT; CREATE TABLE mood (name TEXT);";
        let mut archive = opened_after(later).unwrap_or_else(|error| panic!("{error}"));
        assert!(archive.list(&crate::Filter::default()).unwrap().is_empty());
        assert_eq!(form(archive.database.as_mut()).unwrap().number, 9);
    }

    #[test]
    fn every_form_can_be_used_by_the_programs_that_it_names() {
        for (rank, migration) in MIGRATIONS.iter().enumerate() {
            let number = rank as i64 + 1;
            assert!((1..=number).contains(&migration.read_by), "form {number}");
            assert!(migration.program.starts_with("zerohop "), "form {number}");
        }
    }
}
