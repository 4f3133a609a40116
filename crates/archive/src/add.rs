//! Adding results.

use zerohop_result::{
    ClockRemark, Completion, IndexedResult, IndexedValue, MachineKey, Role, RunId, Timestamp,
};

use crate::archive::Archive;
use crate::clock::{Clock, IS_WRONG, Times, earliest};
use crate::compressed_text::{Packed, number_of};
use crate::database::{Database, Field, Fields, row};
use crate::encoding::{milliseconds, role_name, time};
use crate::error::ArchiveError;
use crate::machines::{self, Owner};

/// A result to add.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Packed text, which is kept as it is.
    pub packed: Packed,
    /// Index entry of the result.
    pub index: IndexedResult,
    /// The machine that it is of.
    pub machine: Owner,
}

/// Outcome of adding a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It is there now.
    New,
    Known,
    /// It took the place of an earlier state of the same run.
    Replaced,
    /// It was there, and its text was damaged: it is whole again.
    Repaired,
    /// Another result of the same run exists and is kept: it is unknown which of them is right.
    Differs,
}

/// A result that was added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addition {
    /// Outcome of adding.
    pub outcome: Added,
    /// The machine with which it stays, if it was there and another machine was named.
    pub stays_with: Option<String>,
    /// Remark on the stated start time, if it is wrong.
    pub clock: Option<ClockRemark>,
}

impl Archive {
    /// Adds results, all or none of them: each of them once, however often it is added. `now` is when they arrive.
    ///
    /// # Errors
    /// When the archive cannot be written. It is then as it was.
    pub fn add(&mut self, entries: &[Entry], now: Timestamp) -> Result<Vec<Addition>, ArchiveError> {
        match self.add_once(entries, now) {
            // Whatever became of it: a result that is there is known by its id.
            Err(ArchiveError::Disconnected { .. }) => self.add_once(entries, now),
            done => done,
        }
    }

    fn add_once(&mut self, entries: &[Entry], now: Timestamp) -> Result<Vec<Addition>, ArchiveError> {
        let clock = Clock { now: milliseconds(now) };
        self.wholly(|database| {
            let mut next = next_number(database)?;
            let mut added = Vec::with_capacity(entries.len());
            for entry in entries {
                let (addition, number) = add(database, entry, next, clock)?;
                next = next.max(number + 1);
                added.push((addition, number));
            }
            let is_other =
                |(one, _): &(Addition, i64)| matches!(one.outcome, Added::Replaced | Added::Repaired);
            // Each result may say something about others that arrived with it, and about those that are there.
            if clock.settle(database)? || added.iter().any(is_other) {
                find_latest(database)?;
                for (addition, number) in &mut added {
                    addition.clock = remark(database, *number)?;
                }
            }
            Ok(added.into_iter().map(|(addition, _)| addition).collect())
        })
    }

    /// Adds each result separately: a refusal does not affect the others.
    ///
    /// # Errors
    /// If the archive cannot be written at all. Results added before remain.
    pub fn add_each(
        &mut self,
        entries: &[Entry],
        now: Timestamp,
    ) -> Result<Vec<Result<Addition, ArchiveError>>, ArchiveError> {
        match self.add(entries, now) {
            Ok(added) => return Ok(added.into_iter().map(Ok).collect()),
            Err(error) if !error.is_refusal() => return Err(error),
            Err(_) => {}
        }
        let one_by_one = entries.iter().map(|entry| match self.add(std::slice::from_ref(entry), now) {
            Ok(added) => Ok(added.into_iter().map(Ok).collect()),
            Err(error) if error.is_refusal() => Ok(vec![Err(error)]),
            Err(error) => Err(error),
        });
        let each: Vec<Vec<_>> = one_by_one.collect::<Result<_, _>>()?;
        Ok(each.into_iter().flatten().collect())
    }
}

fn next_number(database: &mut dyn Database) -> Result<i64, ArchiveError> {
    let last = row(database, "SELECT COALESCE(MAX(number), 0) FROM document", &[])?;
    Ok(last.map_or(0, |mut fields| fields.integer()) + 1)
}

/// A result that is there.
struct Present {
    number: i64,
    digest: String,
    machine: Option<MachineKey>,
    arrived: i64,
    /// Whether the stored packed text equals the added one, byte for byte.
    is_same: bool,
    /// Completion of the stored result, if it is in the index.
    completion: Option<String>,
    /// Whether its machine has a name.
    has_machine: bool,
}

fn present(database: &mut dyn Database, entry: &Entry) -> Result<Option<Present>, ArchiveError> {
    let found = row(
        database,
        "SELECT document.number, document.digest, document.machine, document.added_at,
         CAST(CASE WHEN document.body = $1 THEN 1 ELSE 0 END AS BIGINT), result.completion,
         CAST(CASE WHEN machine.key IS NULL THEN 0 ELSE 1 END AS BIGINT)
         FROM document LEFT JOIN result ON result.number = document.number
         LEFT JOIN machine ON machine.key = document.machine WHERE document.id = $2",
        &[Field::Bytes(entry.packed.body.clone()), Field::Text(entry.index.id.to_string())],
    )?;
    Ok(found.map(|mut fields| Present {
        number: fields.integer(),
        digest: fields.text(),
        machine: machines::key(&fields.text()),
        arrived: fields.integer(),
        is_same: fields.flag(),
        completion: fields.maybe_text(),
        has_machine: fields.flag(),
    }))
}

/// What becomes of a result whose id is there.
fn meeting(database: &mut dyn Database, there: &Present, entry: &Entry) -> Result<Added, ArchiveError> {
    let Entry { packed, index, .. } = entry;
    let is_listed = there.completion.is_some() && there.has_machine;
    let has_same_digest = there.digest == packed.digest;
    if is_listed && there.is_same && has_same_digest {
        return Ok(Added::Known);
    }
    // Another version packs the same text into other bytes.
    let body = row(database, "SELECT body FROM document WHERE number = $1", &[there.number.into()])?;
    let body = body.map(|mut fields| fields.bytes()).unwrap_or_default();
    let Ok(text) = (Packed { digest: there.digest.clone(), body }).text() else { return Ok(Added::Repaired) };
    if has_same_digest || follows_from_content(index.id) {
        return Ok(if is_listed { Added::Known } else { Added::Repaired });
    }
    let is_further = rank(index.completion.name()) > rank(&completion(&text));
    Ok(if is_further { Added::Replaced } else { Added::Differs })
}

/// How far the run of a text had come, whichever version wrote it.
fn completion(text: &str) -> String {
    let read: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    read["completion"].as_str().unwrap_or_default().to_owned()
}

/// Adds a result under that number, unless it has one, and returns its number.
fn add(
    database: &mut dyn Database,
    entry: &Entry,
    number: i64,
    clock: Clock,
) -> Result<(Addition, i64), ArchiveError> {
    let Entry { packed, index, machine } = entry;
    let mut stays_with = None;
    let (outcome, number, arrived, machine) = match present(database, entry)? {
        None => (Added::New, number, clock.now, machines::known(database, machine)?),
        Some(there) => match meeting(database, &there, entry)? {
            // It keeps its machine, to which somebody may have given another name, and the time of its arrival.
            Added::Repaired => {
                stays_with = machines::stays_with(database, there.machine, machine)?;
                let of = machines::found_again(database, there.machine, machine)?;
                (Added::Repaired, there.number, there.arrived, of)
            }
            Added::Replaced => {
                // A run is of one machine: whoever knows its id from a list may not take its place.
                let is_of_another = match (machine, there.machine) {
                    (Owner::Shown(shown), Some(own)) => shown.key != own,
                    _ => false,
                };
                if is_of_another {
                    let clock = remark(database, there.number)?;
                    return Ok((Addition { outcome: Added::Differs, stays_with, clock }, there.number));
                }
                (Added::Replaced, there.number, clock.now, machines::known(database, machine)?)
            }
            outcome => {
                let stays_with = machines::stays_with(database, there.machine, machine)?;
                let addition = Addition { outcome, stays_with, clock: remark(database, there.number)? };
                return Ok((addition, there.number));
            }
        },
    };
    remove(database, number)?;
    database.execute(
        "INSERT INTO document (number, id, machine, added_at, digest, body) VALUES ($1, $2, $3, $4, $5, $6)",
        &[
            Field::Integer(number),
            Field::Text(index.id.to_string()),
            Field::Text(machine.0.to_string()),
            Field::Integer(arrived),
            Field::Text(packed.digest.clone()),
            Field::Bytes(packed.body.clone()),
        ],
    )?;
    write_index(database, number, machine, index, arrived, clock)?;
    Ok((Addition { outcome, stays_with, clock: remark(database, number)? }, number))
}

/// What is wrong with the time that a result states, or with that of its arrival, if it states none.
fn remark(database: &mut dyn Database, number: i64) -> Result<Option<ClockRemark>, ArchiveError> {
    let select = format!(
        "SELECT COALESCE(stated_at, arrived_at), began_at FROM result WHERE number = $1 AND {IS_WRONG}"
    );
    let wrong = row(database, &select, &[Field::Integer(number)])?;
    let remark = |mut fields: Fields| {
        Some(ClockRemark { stated_at: time(fields.integer())?, began_at: time(fields.integer())? })
    };
    Ok(wrong.and_then(remark))
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

/// Writes the index entry of a result.
pub(crate) fn write_index(
    database: &mut dyn Database,
    number: i64,
    machine: MachineKey,
    index: &IndexedResult,
    arrived: i64,
    clock: Clock,
) -> Result<(), ArchiveError> {
    let stated = index.started_at.map(milliseconds);
    let machine = machine.0.to_string();
    let earliest = earliest(&index.origin, &index.produced_by);
    let of = Times { number, machine: machine.clone(), stated, earliest, arrived };
    let began = clock.beginning(database, &of)?;
    let machine = Field::Text(machine);
    let (cells, experiments) = contents(index);
    let profile = write_profile(database, index)?;
    database.execute(
        "INSERT INTO result (number, id, machine, stated_at, arrived_at, began_at, origin, completion, grade, unusable, produced_by,
         experiments, cells, profile) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        &[
            Field::Integer(number),
            Field::Text(index.id.to_string()),
            machine.clone(),
            Field::maybe_integer(stated),
            Field::Integer(arrived),
            Field::Integer(began),
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
            &[machine, Field::Integer(number), Field::Integer(began)],
        )?;
    }
    Ok(())
}

/// Finds the latest result of each machine again: the one with the latest effective start time and, among equals, the latest arrival.
pub(crate) fn find_latest(database: &mut dyn Database) -> Result<(), ArchiveError> {
    database.execute("DELETE FROM latest", &[])?;
    database.execute(
        "INSERT INTO latest (machine, result, began_at) SELECT result.machine, MAX(result.number), result.began_at FROM result
         JOIN (SELECT machine, MAX(began_at) AS began_at FROM result WHERE unusable IS NULL GROUP BY machine) AS last
         ON last.machine = result.machine AND last.began_at = result.began_at
         WHERE result.unusable IS NULL GROUP BY result.machine, result.began_at",
        &[],
    )?;
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
    // SQLite takes what is no number for nothing, and PostgreSQL keeps it.
    let values: Vec<&IndexedValue> = values.iter().filter(|one| one.reading.value.is_finite()).collect();
    let keys: Vec<i64> = values.iter().map(|value| series_key(value)).collect();
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
            Field::Real(finite_or(reading.low, reading.value)),
            Field::Real(finite_or(reading.high, reading.value)),
            Field::flag(reading.doubtful),
        ]
    });
    // Readings of one name are one.
    let tail = "ON CONFLICT (result, series) DO NOTHING";
    insert(database, "reading (result, series, value, low, high, doubtful)", tail, readings.collect())
}

const fn finite_or(number: f64, other: f64) -> f64 {
    if number.is_finite() { number } else { other }
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
