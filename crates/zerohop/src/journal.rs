//! The journal of a sweep: every point as soon as it is computed, so that what ends a sweep costs no more than the points
//! under way.
//!
//! A line of JSON that says what is asked, then a line a point in the order in which they are done. Lines are handed to the
//! kernel at once, which keeps them if this process is killed, and are on the disk a second later, if the machine is.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use zerohop_insight::{Outcome, Question};

use crate::failure::Failure;
use crate::guarded_path::GuardedPath;

/// Version of the journal's form.
const VERSION: u32 = 1;

/// Lines are on the disk after so long.
const SYNC: Duration = Duration::from_secs(1);

/// All that decides on what points come to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Head {
    /// Version of the form.
    version: u32,
    /// What is asked.
    question: Question,
    /// The machine file, with all that it extends.
    machine_file: String,
}

/// A point that is done.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    point: usize,
    outcome: Outcome,
}

/// A journal that is open for writing. Nobody else writes it.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    synced: Instant,
}

impl Head {
    /// What is asked of the machine that this file describes.
    pub(crate) fn new(question: &Question, machine_file: String) -> Self {
        Self { version: VERSION, question: question.clone(), machine_file }
    }

    /// What differs, in words; nothing if they are the same.
    fn difference(&self, other: &Self) -> Option<&'static str> {
        let form = (self.version != other.version).then_some("the form of the journal");
        let file = (self.machine_file != other.machine_file).then_some("the machine file");
        form.or_else(|| self.question.difference(&other.question)).or(file)
    }
}

impl Journal {
    /// Opens the journal at `path`, and gives the points that it has. There is none yet: it is begun.
    ///
    /// # Errors
    /// When it cannot be read or written, somebody else is writing it, or it answers another question.
    pub(crate) fn open(path: &Path, head: &Head) -> Result<(Self, BTreeMap<usize, Outcome>), Failure> {
        let cannot = |error: &io::Error| {
            Failure::new(format_args!("cannot keep the journal `{}`: {error}", path.display()))
                .hint("name another place with -o, one that you may write to and that has room")
        };
        let place = GuardedPath::of_file(path).map_err(|refused| cannot(&refused.into()))?;
        let file = place.open().map_err(|error| cannot(&error))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(Failure::new(format_args!("another sweep is writing `{}`", path.display()))
                .hint("wait for its end, or name another file with -o"));
        }
        let mut journal = Self { path: path.to_owned(), file, synced: Instant::now() };
        let mut bytes = Vec::new();
        journal.file.read_to_end(&mut bytes).map_err(|error| cannot(&error))?;
        let (outcomes, sound) = journal.read(&bytes, head)?;
        let begun = journal.file.set_len(sound as u64).and_then(|()| {
            journal.file.seek(SeekFrom::End(0))?;
            if sound == 0 { journal.write(head) } else { Ok(()) }
        });
        begun.and_then(|()| journal.sync()).map_err(|error| cannot(&error))?;
        Ok((journal, outcomes))
    }

    /// The points, and up to which byte the journal is sound. What follows was being written when its writer ended.
    fn read(&self, bytes: &[u8], head: &Head) -> Result<(BTreeMap<usize, Outcome>, usize), Failure> {
        let mut outcomes = BTreeMap::new();
        let mut lines = bytes.split_inclusive(|&byte| byte == b'\n');
        let Some(first) = lines.next().filter(|line| line.ends_with(b"\n")) else {
            // Its writer did not get as far as its first line, unless it is something else altogether.
            let ours = serde_json::to_vec(head).unwrap_or_default();
            return if ours.starts_with(bytes) { Ok((outcomes, 0)) } else { Err(self.no_journal()) };
        };
        let there: Head = serde_json::from_slice(first).map_err(|_| self.no_journal())?;
        if let Some(what) = head.difference(&there) {
            return Err(Failure::new(format_args!(
                "`{}` is of another sweep: {what} differs",
                self.path.display()
            ))
            .hint("name another file with -o, or remove this one to begin anew"));
        }
        let points = head.question.sweep.points.count();
        let mut sound = first.len();
        let mut broken = false;
        for line in lines {
            let read = serde_json::from_slice::<Line>(line).ok();
            match read.filter(|read| line.ends_with(b"\n") && read.point < points) {
                Some(_) if broken => {
                    return Err(Failure::new(format_args!(
                        "`{}` is damaged: a line before its last is no point",
                        self.path.display()
                    ))
                    .hint("remove it to begin anew"));
                }
                Some(Line { point, outcome }) => {
                    // A point that failed may have been tried again.
                    outcomes.insert(point, outcome);
                    sound += line.len();
                }
                None => broken = true,
            }
        }
        Ok((outcomes, sound))
    }

    fn no_journal(&self) -> Failure {
        Failure::new(format_args!("`{}` is no journal of a sweep", self.path.display()))
            .hint("name another file with -o")
    }

    /// Adds a point that is done.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn add(&mut self, point: usize, outcome: &Outcome) -> Result<(), Failure> {
        let line = Line { point, outcome: outcome.clone() };
        let written = self.write(&line).and_then(|()| match self.synced.elapsed() {
            elapsed if elapsed >= SYNC => self.sync(),
            _ => Ok(()),
        });
        written.map_err(|error| self.cannot_write(&error))
    }

    /// When this returns, all points are on the disk.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(crate) fn close(mut self) -> Result<(), Failure> {
        self.sync().map_err(|error| self.cannot_write(&error))
    }

    /// A line in one piece: a signal leaves the whole of it or, on a full disk, a part that has no end.
    fn write(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.file.write_all(&text)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.synced = Instant::now();
        self.file.sync_data()
    }

    fn cannot_write(&self, error: &io::Error) -> Failure {
        Failure::new(format_args!("cannot write `{}`: {error}", self.path.display()))
            .hint("make room, and start the same command again: it goes on from there")
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use zerohop_insight::{Points, Sweep, SweepRun};

    use super::*;

    fn head(values: &str) -> Head {
        let run = SweepRun { name: "hops".to_owned(), command: "hops".to_owned() };
        let points = Points::grid(vec![values.parse().unwrap()]).unwrap();
        let sweep = Sweep { machine: "quartet".to_owned(), points, runs: vec![run], measures: Vec::new() };
        let question =
            Question { produced_by: "zerohop 0".to_owned(), sweep, solver: "event".to_owned(), seed: 1 };
        Head::new(&question, "title = \"m\"".to_owned())
    }

    fn refused(reason: &str) -> Outcome {
        Outcome::Refused { reason: reason.to_owned() }
    }

    fn open(path: &Path, values: &str) -> Result<BTreeMap<usize, Outcome>, String> {
        let opened = Journal::open(path, &head(values));
        opened.map(|(_, outcomes)| outcomes).map_err(|failure| failure.message().to_owned())
    }

    /// A journal with two points.
    fn journal() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.csv.journal");
        let (mut journal, none) = Journal::open(&path, &head("a=1,2,3")).unwrap();
        assert!(none.is_empty());
        journal.add(2, &refused("two")).unwrap();
        journal.add(0, &refused("none")).unwrap();
        journal.close().unwrap();
        (directory, path)
    }

    #[test]
    fn points_are_there_when_it_is_opened_again() {
        let (_directory, path) = journal();
        let outcomes = open(&path, "a=1,2,3").unwrap();
        assert_eq!(outcomes, [(0, refused("none")), (2, refused("two"))].into());
    }

    #[test]
    fn what_came_of_a_point_in_the_end_counts() {
        let (_directory, path) = journal();
        let (mut journal, _) = Journal::open(&path, &head("a=1,2,3")).unwrap();
        journal.add(1, &Outcome::Failed { reason: "no memory".to_owned() }).unwrap();
        journal.add(1, &refused("one")).unwrap();
        journal.close().unwrap();
        assert_eq!(open(&path, "a=1,2,3").unwrap()[&1], refused("one"));
    }

    #[test]
    fn whatever_part_of_the_last_line_is_there_is_dropped() {
        let (_directory, path) = journal();
        let whole = fs::read(&path).unwrap();
        let last = whole[..whole.len() - 1].iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
        for end in last..whole.len() {
            fs::write(&path, &whole[..end]).unwrap();
            assert_eq!(open(&path, "a=1,2,3").unwrap(), [(2, refused("two"))].into(), "{end}");
            assert_eq!(fs::read(&path).unwrap(), whole[..last], "{end}");
        }
        // After a loss of power there may be a whole block of nothing.
        fs::write(&path, [&whole[..last], &[0; 512]].concat()).unwrap();
        assert_eq!(open(&path, "a=1,2,3").unwrap().len(), 1);
    }

    #[test]
    fn a_journal_whose_first_line_is_torn_is_begun_anew() {
        let (_directory, path) = journal();
        let whole = fs::read(&path).unwrap();
        for end in [0, 1, 20] {
            fs::write(&path, &whole[..end]).unwrap();
            assert!(open(&path, "a=1,2,3").unwrap().is_empty());
            assert!(fs::read(&path).unwrap().ends_with(b"\n"));
        }
    }

    #[test]
    fn another_question_or_another_file_is_refused_and_left_alone() {
        let (directory, path) = journal();
        let before = fs::read(&path).unwrap();
        assert!(open(&path, "a=1,2").unwrap_err().contains("is of another sweep: what is set differs"));
        assert_eq!(fs::read(&path).unwrap(), before);
        for text in ["a letter", "a letter\n", "{}\n"] {
            let letter = directory.path().join("letter");
            fs::write(&letter, text).unwrap();
            assert!(open(&letter, "a=1").unwrap_err().contains("is no journal"), "{text}");
            assert_eq!(fs::read_to_string(&letter).unwrap(), text);
        }
        let mut damaged = before.clone();
        let second = before.iter().position(|&byte| byte == b'\n').unwrap() + 3;
        damaged[second] = b'!';
        fs::write(&path, damaged).unwrap();
        assert!(open(&path, "a=1,2,3").unwrap_err().contains("is damaged"));
    }

    #[test]
    fn two_do_not_write_one_journal() {
        let (_directory, path) = journal();
        let held = Journal::open(&path, &head("a=1,2,3")).unwrap();
        assert!(open(&path, "a=1,2,3").unwrap_err().contains("another sweep is writing"));
        drop(held);
        assert!(open(&path, "a=1,2,3").is_ok());
    }
}
