//! Reading what an archive has.

use std::collections::HashMap;

use zerohop_result::{
    Course, HistoricRun, History, IndexedValue, ListedResult, Reading, Role, Series, Timestamp, Trait,
};

use crate::archive::Archive;
use crate::compressed_text::Packed;
use crate::database::{Field, Fields, rows};
use crate::encoding::{milliseconds, role_name, time};
use crate::error::ArchiveError;

/// Selection of results.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Results of these machines; of all if empty.
    pub machines: Vec<String>,
    /// Results with an effective start time at or after this.
    pub since: Option<Timestamp>,
    /// Results with an effective start time before this.
    pub before: Option<Timestamp>,
    /// The latest of them, this many at most.
    pub last: Option<u64>,
    /// Only results that follow the result of this id in a list.
    pub after: Option<String>,
}

/// Selection of a machine's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The few that summarize experiments.
    Headlines,
    Everything,
}

/// A result as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResult {
    /// List entry of the result.
    pub listed: ListedResult,
    pub text: String,
}

/// Machines that one question names, at most. SQLite takes 32766 parameters, PostgreSQL 65535.
const MOST_MACHINES: usize = 10_000;

/// What a list shows, in the order of [`listed`].
const LISTED: &str = "SELECT result.id, machine.name, result.began_at, result.stated_at, result.arrived_at, result.origin, result.completion, result.grade, result.unusable,
     result.produced_by, result.experiments, result.cells, result.number, result.profile
     FROM result JOIN machine ON machine.key = result.machine";

fn listed(fields: &mut Fields) -> ListedResult {
    let (id, machine, began) = (fields.text(), fields.text(), fields.integer());
    let (stated, arrived) = (fields.maybe_integer(), fields.integer());
    ListedResult {
        id,
        machine,
        began_at: time(began),
        stated_at: Some(stated.unwrap_or(arrived)).filter(|stated| *stated != began).and_then(time),
        origin: fields.text(),
        completion: fields.text(),
        grade: fields.maybe_text(),
        unusable: fields.maybe_text(),
        produced_by: fields.text(),
        experiments: fields.text().split_whitespace().map(str::to_owned).collect(),
        cells: fields.integer().unsigned_abs(),
    }
}

impl Filter {
    /// SQL statement for a list of these results, the latest first, and its parameters.
    pub(crate) fn statement(&self, select: &str) -> (String, Vec<Field>) {
        let mut fields: Vec<Field> = Vec::new();
        let mut place = |field: Field| {
            fields.push(field);
            format!("${}", fields.len())
        };
        let mut wanted = Vec::new();
        if !self.machines.is_empty() {
            let names: Vec<String> = self.machines.iter().map(|name| place(name.as_str().into())).collect();
            wanted.push(format!("machine.name IN ({})", names.join(", ")));
        }
        if let Some(since) = &self.since {
            wanted.push(format!("result.began_at >= {}", place(Field::Integer(milliseconds(*since)))));
        }
        if let Some(before) = &self.before {
            wanted.push(format!("result.began_at < {}", place(Field::Integer(milliseconds(*before)))));
        }
        if let Some(after) = &self.after {
            let place = place(Field::Text(after.to_ascii_lowercase()));
            wanted.push(format!(
                "(result.began_at, result.number) < (SELECT began_at, number FROM result WHERE id = {place})"
            ));
        }
        let wanted =
            if wanted.is_empty() { String::new() } else { format!(" WHERE {}", wanted.join(" AND ")) };
        // More than a database counts is all of them.
        let last = self.last.map(|last| format!(" LIMIT {}", i64::try_from(last).unwrap_or(i64::MAX)));
        let last = last.unwrap_or_default();
        (format!("{select}{wanted} ORDER BY result.began_at DESC, result.number DESC{last}"), fields)
    }
}

impl Archive {
    /// Results, the latest first.
    ///
    /// # Errors
    /// When a machine is unknown, or the result after which the list begins, or the archive cannot be read.
    pub fn list(&mut self, filter: &Filter) -> Result<Vec<ListedResult>, ArchiveError> {
        self.check_machines(&filter.machines)?;
        if let Some(id) = &filter.after {
            let there = "SELECT number FROM result WHERE id = $1";
            let there = rows(self.database.as_mut(), there, &[Field::Text(id.to_ascii_lowercase())])?;
            if there.is_empty() {
                return Err(ArchiveError::NoResult { id: id.clone() });
            }
        }
        let (statement, fields) = filter.statement(LISTED);
        let mut found = Vec::new();
        self.database.query(&statement, &fields, &mut |row| {
            found.push(listed(&mut Fields::of(row)));
            Ok(())
        })?;
        Ok(found)
    }

    /// Checks that there are machines of these names.
    pub(crate) fn check_machines(&mut self, names: &[String]) -> Result<(), ArchiveError> {
        if names.len() > MOST_MACHINES {
            return Err(ArchiveError::TooManyMachines { count: names.len(), most: MOST_MACHINES });
        }
        for name in names {
            let known = rows(
                self.database.as_mut(),
                "SELECT key FROM machine WHERE name = $1 LIMIT 1",
                &[name.as_str().into()],
            )?;
            if known.is_empty() {
                return Err(self.no_machine(name)?);
            }
        }
        Ok(())
    }

    /// The result whose id begins so.
    ///
    /// # Errors
    /// When there is none or several, it is damaged, or the archive cannot be read.
    pub fn result(&mut self, id: &str) -> Result<StoredResult, ArchiveError> {
        let listed = self.find(id)?;
        self.kept(listed)
    }

    /// The result whose id begins so, without its text, which may be damaged.
    ///
    /// # Errors
    /// When there is none or several, or the archive cannot be read.
    pub fn find(&mut self, id: &str) -> Result<ListedResult, ArchiveError> {
        /// Ids that a message lists, at most.
        const NAMED: usize = 5;
        // An id has digits and dashes only, and none of them means anything in a pattern. What is longer is none.
        let plain = (1..=uuid::fmt::Hyphenated::LENGTH).contains(&id.len())
            && id.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
        let pattern = Field::Text(format!("{}%", id.to_ascii_lowercase()));
        let found = match plain {
            true => rows(
                self.database.as_mut(),
                &format!("{LISTED} WHERE result.id LIKE $1 ORDER BY result.id LIMIT {}", NAMED + 1),
                &[pattern],
            )?,
            false => Vec::new(),
        };
        let mut found: Vec<ListedResult> = found.into_iter().map(|mut fields| listed(&mut fields)).collect();
        if found.len() > 1 {
            let found = found.into_iter().take(NAMED).map(|one| one.id).collect();
            return Err(ArchiveError::SeveralResults { id: id.to_owned(), found });
        }
        found.pop().ok_or_else(|| ArchiveError::NoResult { id: id.to_owned() })
    }

    /// A result with its text.
    ///
    /// # Errors
    /// When it is damaged or gone, or the archive cannot be read.
    pub fn kept(&mut self, listed: ListedResult) -> Result<StoredResult, ArchiveError> {
        let damaged =
            |reason: &str| ArchiveError::DamagedResult { id: listed.id.clone(), reason: reason.to_owned() };
        let id = [Field::from(listed.id.as_str())];
        let statement = "SELECT digest, body FROM document WHERE id = $1";
        let Some(mut fields) = rows(self.database.as_mut(), statement, &id)?.into_iter().next() else {
            let there = rows(self.database.as_mut(), "SELECT number FROM result WHERE id = $1", &id)?;
            return Err(match there.is_empty() {
                true => ArchiveError::NoResult { id: listed.id },
                false => damaged("there is no text with its id"),
            });
        };
        let packed = Packed { digest: fields.text(), body: fields.bytes() };
        let text = packed.text().map_err(|reason| damaged(&reason))?;
        Ok(StoredResult { listed, text })
    }

    /// The results of a machine over time, and their values.
    ///
    /// # Errors
    /// When there is no such machine, or the archive cannot be read.
    pub fn history(&mut self, machine: &str, scope: Scope) -> Result<History, ArchiveError> {
        self.check_machines(&[machine.to_owned()])?;
        let profiles = self.profiles(machine)?;
        let name = [Field::from(machine)];
        let statement = format!("{LISTED} WHERE machine.name = $1 ORDER BY result.began_at, result.number");
        let mut ranks: HashMap<i64, usize> = HashMap::new();
        let mut runs = Vec::new();
        self.database.query(&statement, &name, &mut |row| {
            let mut fields = Fields::of(row);
            let listed = listed(&mut fields);
            let (number, profile) = (fields.integer(), fields.integer());
            if listed.unusable.is_none() {
                ranks.insert(number, runs.len());
            }
            runs.push(HistoricRun { listed, traits: profiles.get(&profile).cloned().unwrap_or_default() });
            Ok(())
        })?;
        let courses = self.courses(machine, scope, &ranks)?;
        Ok(History { machine: machine.to_owned(), runs, courses })
    }

    /// Facts that the latest usable result of each machine states about the machine and its measurement, by the machine's name.
    ///
    /// # Errors
    /// If the archive cannot be read.
    pub fn latest_traits(&mut self) -> Result<HashMap<String, Vec<Trait>>, ArchiveError> {
        let found = rows(
            self.database.as_mut(),
            "SELECT machine.name, profile.traits FROM latest JOIN machine ON machine.key = latest.machine
             JOIN result ON result.number = latest.result JOIN profile ON profile.key = result.profile ORDER BY latest.began_at, latest.result",
            &[],
        )?;
        // Where several machines have one name, the last row of it is the latest.
        Ok(found.into_iter().map(|mut fields| (fields.text(), traits(&fields.text()))).collect())
    }

    /// Values of the latest result of each machine that counts, by the machine's name: its headlines, and its cells from nodes to nodes.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub fn latest_values(&mut self) -> Result<HashMap<String, Vec<IndexedValue>>, ArchiveError> {
        let statement = format!(
            "SELECT machine.name, latest.result, reading.value, reading.low, reading.high, reading.doubtful,
             series.role, series.experiment, series.measure, series.place
             FROM latest JOIN machine ON machine.key = latest.machine JOIN reading ON reading.result = latest.result
             JOIN series ON series.key = reading.series WHERE series.role = '{}' OR series.place LIKE 'initiator %, target %'
             ORDER BY latest.began_at, latest.result",
            role_name(Role::Headline)
        );
        let mut latest: HashMap<String, (i64, Vec<IndexedValue>)> = HashMap::new();
        self.database.query(&statement, &[], &mut |row| {
            let mut fields = Fields::of(row);
            let (name, result) = (fields.text(), fields.integer());
            let (value, low, high) = (fields.real(), fields.real(), fields.real());
            let reading = Reading { value, low, high, doubtful: fields.flag() };
            let (of, values) = latest.entry(name).or_default();
            if *of != result {
                values.clear();
                *of = result;
            }
            values.extend(series(&mut fields).map(|series| IndexedValue { series, reading }));
            Ok(())
        })?;
        let sorted = |(name, (_, mut values)): (String, (i64, Vec<IndexedValue>))| {
            values.sort_by(|one, other| one.series.cmp(&other.series));
            (name, values)
        };
        Ok(latest.into_iter().map(sorted).collect())
    }

    fn profiles(&mut self, machine: &str) -> Result<HashMap<i64, Vec<Trait>>, ArchiveError> {
        let found = rows(
            self.database.as_mut(),
            "SELECT key, traits FROM profile WHERE key IN (SELECT result.profile FROM result
             JOIN machine ON machine.key = result.machine WHERE machine.name = $1)",
            &[machine.into()],
        )?;
        let read = |mut fields: Fields| {
            let key = fields.integer();
            (key, traits(&fields.text()))
        };
        Ok(found.into_iter().map(read).collect())
    }

    fn courses(
        &mut self,
        machine: &str,
        scope: Scope,
        ranks: &HashMap<i64, usize>,
    ) -> Result<Vec<Course>, ArchiveError> {
        let role = match scope {
            Scope::Headlines => format!(" AND series.role = '{}'", role_name(Role::Headline)),
            Scope::Everything => String::new(),
        };
        let mut courses: HashMap<i64, Course> = HashMap::new();
        let known = rows(
            self.database.as_mut(),
            &format!("SELECT key, role, experiment, measure, place FROM series WHERE key > 0{role}"),
            &[],
        )?;
        let known: HashMap<i64, Series> = known
            .into_iter()
            .filter_map(|mut fields| Some((fields.integer(), series(&mut fields)?)))
            .collect();
        let statement = format!(
            "SELECT reading.result, reading.series, reading.value, reading.low, reading.high, reading.doubtful
             FROM machine JOIN result ON result.machine = machine.key JOIN reading ON reading.result = result.number
             JOIN series ON series.key = reading.series
             WHERE machine.name = $1 AND result.unusable IS NULL{role}"
        );
        self.database.query(&statement, &[machine.into()], &mut |row| {
            let mut fields = Fields::of(row);
            let (number, key) = (fields.integer(), fields.integer());
            let (value, low, high) = (fields.real(), fields.real(), fields.real());
            let reading = Reading { value, low, high, doubtful: fields.flag() };
            if let (Some(rank), Some(series)) = (ranks.get(&number), known.get(&key)) {
                let course = courses
                    .entry(key)
                    .or_insert_with(|| Course { series: series.clone(), readings: Vec::new() });
                course.readings.push((*rank, reading));
            }
            Ok(())
        })?;
        let mut courses: Vec<Course> = courses.into_values().collect();
        courses.iter_mut().for_each(|course| course.readings.sort_by_key(|(rank, _)| *rank));
        courses.sort_by(|one, other| one.series.cmp(&other.series));
        Ok(courses)
    }
}

/// Traits as a profile has them.
fn traits(text: &str) -> Vec<Trait> {
    let pairs: Vec<(String, String)> = serde_json::from_str(text).unwrap_or_default();
    pairs.into_iter().map(|(what, value)| Trait { what, value }).collect()
}

fn series(fields: &mut Fields) -> Option<Series> {
    let role = if fields.text() == role_name(Role::Headline) { Role::Headline } else { Role::Cell };
    Some(Series {
        role,
        experiment: fields.text().parse().ok()?,
        measure: zerohop_result::Measure::named(&fields.text()),
        place: fields.text(),
    })
}
