//! Adding results.

use zerohop_result::{Completion, IndexedResult, IndexedValue, MachineKey, Role, RunId, Timestamp};

use crate::archive::Archive;
use crate::database::{Database, Field, row};
use crate::error::ArchiveError;
use crate::machines::{self, Owner};
use crate::packed::{Packed, number_of};
use crate::stored::{milliseconds, role_name};

/// A result to add.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its text, packed, which is kept as it is.
    pub packed: Packed,
    /// What the index keeps of it.
    pub index: IndexedResult,
    /// The machine that it is of.
    pub machine: Owner,
}

/// What became of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It is there now.
    New,
    /// It was there.
    Known,
    /// It took the place of an earlier state of the same run.
    Replaced,
    /// Another result of the same run was there, and stayed: nothing tells which of them is right.
    Differs,
}

impl Archive {
    /// Adds results, all or none of them: each of them once, however often it is added. `now` is the time of those that say none.
    ///
    /// # Errors
    /// When the archive cannot be written. It is then as it was.
    pub fn add(&mut self, entries: &[Entry], now: Timestamp) -> Result<Vec<Added>, ArchiveError> {
        match self.add_once(entries, now) {
            // Whatever became of it: a result that is there is known by its id.
            Err(ArchiveError::Lost { .. }) => self.add_once(entries, now),
            done => done,
        }
    }

    fn add_once(&mut self, entries: &[Entry], now: Timestamp) -> Result<Vec<Added>, ArchiveError> {
        self.wholly(|database| {
            let mut next = next_number(database)?;
            let mut added = Vec::with_capacity(entries.len());
            for entry in entries {
                let (done, number) = add(database, entry, next, now)?;
                next = next.max(number + 1);
                added.push(done);
            }
            Ok(added)
        })
    }
}

fn next_number(database: &mut dyn Database) -> Result<i64, ArchiveError> {
    let last = row(database, "SELECT COALESCE(MAX(number), 0) FROM document", &[])?;
    Ok(last.map_or(0, |mut fields| fields.integer()) + 1)
}

/// Adds a result under that number, unless it has one, and returns its number.
fn add(
    database: &mut dyn Database,
    entry: &Entry,
    number: i64,
    now: Timestamp,
) -> Result<(Added, i64), ArchiveError> {
    let Entry { packed, index, machine } = entry;
    let id = Field::Text(index.id.to_string());
    let known = row(
        database,
        "SELECT document.number, document.digest, result.completion FROM document
         LEFT JOIN result ON result.number = document.number WHERE document.id = $1",
        std::slice::from_ref(&id),
    )?;
    let (done, number) = match known {
        None => (Added::New, number),
        Some(mut fields) => {
            let (number, digest, completion) = (fields.integer(), fields.text(), fields.text());
            if digest == packed.digest || follows_from_content(index.id) {
                return Ok((Added::Known, number));
            }
            if rank(index.completion.name()) <= rank(&completion) {
                return Ok((Added::Differs, number));
            }
            remove(database, number)?;
            (Added::Replaced, number)
        }
    };
    let machine = machines::known(database, machine)?;
    database.execute(
        "INSERT INTO document (number, id, machine, added_at, digest, body) VALUES ($1, $2, $3, $4, $5, $6)",
        &[
            Field::Integer(number),
            id,
            Field::Text(machine.0.to_string()),
            Field::Integer(milliseconds(now)),
            Field::Text(packed.digest.clone()),
            Field::Bytes(packed.body.clone()),
        ],
    )?;
    write_index(database, number, machine, index, milliseconds(now))?;
    Ok((done, number))
}

/// Whether an id follows from what a result says (RFC 9562, version 8): two texts of one id then differ in names of files only.
fn follows_from_content(RunId(id): RunId) -> bool {
    id.get_version_num() == 8
}

/// How far a run had come, by the name of its completion.
fn rank(completion: &str) -> u8 {
    match completion {
        _ if completion == Completion::Complete.name() => 2,
        _ if completion == Completion::Interrupted.name() => 1,
        _ => 0,
    }
}

/// Removes a result from texts and index. Which result is the latest of its machine is then to be found again.
pub(crate) fn remove(database: &mut dyn Database, number: i64) -> Result<(), ArchiveError> {
    let number = [Field::Integer(number)];
    for statement in [
        "DELETE FROM reading WHERE result = $1",
        "DELETE FROM latest WHERE result = $1",
        "DELETE FROM result WHERE number = $1",
        "DELETE FROM document WHERE number = $1",
    ] {
        database.execute(statement, &number)?;
    }
    Ok(())
}

/// Writes what the index keeps of a result.
pub(crate) fn write_index(
    database: &mut dyn Database,
    number: i64,
    machine: MachineKey,
    index: &IndexedResult,
    added_at: i64,
) -> Result<(), ArchiveError> {
    let began_at = index.started_at.map_or(added_at, milliseconds);
    let machine = Field::Text(machine.0.to_string());
    let (cells, experiments) = contents(index);
    let profile = write_profile(database, index)?;
    database.execute(
        "INSERT INTO result (number, id, machine, began_at, origin, completion, grade, unusable, produced_by, experiments, cells, profile)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        &[
            Field::Integer(number),
            Field::Text(index.id.to_string()),
            machine.clone(),
            Field::Integer(began_at),
            Field::from(index.origin.as_str()),
            Field::from(index.completion.name()),
            Field::maybe(index.grade.map(|grade| grade.to_string()).as_deref()),
            Field::maybe(index.unusable.as_deref()),
            Field::from(index.produced_by.as_str()),
            Field::Text(experiments),
            Field::Integer(cells),
            Field::Integer(profile),
        ],
    )?;
    write_readings(database, number, &index.values)?;
    if index.unusable.is_none() {
        database.execute(
            "INSERT INTO latest (machine, result, began_at) VALUES ($1, $2, $3) ON CONFLICT (machine) DO UPDATE
             SET result = excluded.result, began_at = excluded.began_at WHERE excluded.began_at >= latest.began_at",
            &[machine, Field::Integer(number), Field::Integer(began_at)],
        )?;
    }
    Ok(())
}

/// The number of cells, and the names of the experiments.
fn contents(index: &IndexedResult) -> (i64, String) {
    let cells = index.values.iter().filter(|value| value.series.role == Role::Cell);
    let mut experiments: Vec<&str> = Vec::new();
    let mut count = 0;
    for cell in cells {
        count += 1;
        let name = cell.series.experiment.as_str();
        if !experiments.contains(&name) {
            experiments.push(name);
        }
    }
    (count, experiments.join(" "))
}

/// Writes the traits of a result, which it shares with most others of its machine.
fn write_profile(database: &mut dyn Database, index: &IndexedResult) -> Result<i64, ArchiveError> {
    let traits = index.traits.iter().map(|one| (one.what.as_str(), one.value.as_str()));
    let text = serde_json::json!(traits.collect::<Vec<_>>()).to_string();
    let key = number_of([text.as_str()]);
    database.execute(
        "INSERT INTO profile (key, traits) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING",
        &[Field::Integer(key), Field::Text(text)],
    )?;
    Ok(key)
}

/// Rows that one statement inserts, at most: a power of two. Each rest takes a statement of half the rows, so that there are few to prepare.
const MOST_ROWS: usize = 64;

fn write_readings(
    database: &mut dyn Database,
    number: i64,
    values: &[IndexedValue],
) -> Result<(), ArchiveError> {
    let keys: Vec<i64> = values.iter().map(series_key).collect();
    let series = values.iter().zip(&keys).map(|(IndexedValue { series, .. }, key)| {
        vec![
            Field::Integer(*key),
            Field::from(role_name(series.role)),
            Field::from(series.experiment.as_str()),
            Field::from(series.measure.name()),
            Field::from(series.place.as_str()),
        ]
    });
    let tail = "ON CONFLICT (key) DO NOTHING";
    insert(database, "series (key, role, experiment, measure, place)", tail, series.collect())?;
    let readings = values.iter().zip(&keys).map(|(IndexedValue { reading, .. }, key)| {
        vec![
            Field::Integer(number),
            Field::Integer(*key),
            Field::Real(reading.value),
            Field::Real(reading.low),
            Field::Real(reading.high),
            Field::flag(reading.doubtful),
        ]
    });
    // Cells that an earlier version kept twice, under one name, are one.
    let tail = "ON CONFLICT (result, series) DO NOTHING";
    insert(database, "reading (result, series, value, low, high, doubtful)", tail, readings.collect())
}

fn series_key(IndexedValue { series, .. }: &IndexedValue) -> i64 {
    number_of([role_name(series.role), series.experiment.as_str(), series.measure.name(), &series.place])
}

/// Inserts rows into a table, many with one statement.
fn insert(
    database: &mut dyn Database,
    into: &str,
    tail: &str,
    rows: Vec<Vec<Field>>,
) -> Result<(), ArchiveError> {
    let mut rows = rows.into_iter();
    while rows.len() > 0 {
        let left = rows.len().min(MOST_ROWS);
        let count = 1 << left.ilog2();
        let mut fields: Vec<Field> = Vec::new();
        let mut places: Vec<String> = Vec::new();
        for row in rows.by_ref().take(count) {
            let names = (0..row.len()).map(|column| format!("${}", fields.len() + column + 1));
            places.push(format!("({})", names.collect::<Vec<_>>().join(", ")));
            fields.extend(row);
        }
        database.execute(&format!("INSERT INTO {into} VALUES {} {tail}", places.join(", ")), &fields)?;
    }
    Ok(())
}
