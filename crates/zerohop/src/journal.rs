//! The journal of a sweep: records every point as soon as it is computed, so that an aborted sweep loses only the
//! points in progress.
//!
//! Each line goes to the kernel at once, so it survives if this process is killed, and to the disk within a second, so
//! it survives if the machine fails. [`zerohop_experiment::campaign::JournalFormat`] describes the format of lines.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use zerohop_app::{Head, Hinted, JournalText};
use zerohop_study::Outcome;

use crate::failure::Failure;
use crate::guarded_path::GuardedPath;

/// Longest time until a line is on the disk.
const SYNC: Duration = Duration::from_secs(1);

/// A journal that is open for writing, and locked against other writers.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    format: zerohop_experiment::campaign::JournalFormat,
    file: File,
    synced: Instant,
}

/// What to do about a journal that another process is writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Busy {
    Refused,
    /// It is waited for.
    Awaited,
}

/// A journal and what it holds.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) journal: Journal,
    pub(crate) outcomes: BTreeMap<usize, Outcome>,
    /// Damaged lines, which are ignored.
    pub(crate) damaged: usize,
}

impl Journal {
    /// Opens the journal at `path`, or starts one if there is none yet.
    ///
    /// # Errors
    /// When the journal cannot be read or written, another process is writing it and is not waited for, or it belongs to
    /// another sweep.
    pub(crate) fn open(path: &Path, head: &Head, busy: Busy) -> Result<Opened, Failure> {
        let cannot = |error: &io::Error| {
            Failure::new(format_args!("cannot keep the journal `{}`: {error}", path.display()))
                .hint("choose a writable place with free space with -o")
        };
        let place = GuardedPath::of_file(path).map_err(|refused| cannot(&refused.into()))?;
        let mut file = place.open().map_err(|error| cannot(&error))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            match busy {
                Busy::Refused => {
                    return Err(Failure::new(format_args!("another sweep is writing `{}`", path.display()))
                        .hint("wait for it to finish, or choose another file with -o"));
                }
                Busy::Awaited => file.lock().map_err(|error| cannot(&error))?,
            }
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| cannot(&error))?;
        // A file that is something else is left alone.
        let text = head.read(&bytes).map_err(|error| {
            Failure::new(format_args!("`{}` {error}", path.display())).maybe_hint(error.hint())
        })?;
        let JournalText { format, outcomes, damaged, whole, first } = text;
        let mut journal = Self { path: path.to_owned(), format, file, synced: Instant::now() };
        let begun = journal.file.set_len(whole as u64).and_then(|()| {
            journal.file.seek(SeekFrom::End(0))?;
            first.map_or(Ok(()), |first| journal.file.write_all(first.as_bytes()))
        });
        begun.and_then(|()| journal.sync()).map_err(|error| cannot(&error))?;
        Ok(Opened { journal, outcomes, damaged })
    }

    /// Appends a finished point.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn add(&mut self, point: usize, outcome: &Outcome) -> Result<(), Failure> {
        // Each line is written in one piece: a signal leaves all of it or, on a full disk, a part without a line end.
        let line = self.format.line(point, outcome).map_err(io::Error::from);
        let written = line.and_then(|line| self.file.write_all(line.as_bytes())).and_then(|()| {
            match self.synced.elapsed() {
                elapsed if elapsed >= SYNC => self.sync(),
                _ => Ok(()),
            }
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

    fn sync(&mut self) -> io::Result<()> {
        self.synced = Instant::now();
        self.file.sync_data()
    }

    fn cannot_write(&self, error: &io::Error) -> Failure {
        Failure::new(format_args!("cannot write `{}`: {error}", self.path.display()))
            .hint("free some space, and run the same command again: it resumes from there")
    }
}

/// The journal of a sweep that is saved to this file: `sweep.csv.journal`.
pub(crate) fn journal_path(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".journal");
    name.into()
}

/// Whether a point is to be tried again.
pub(crate) const fn is_failed(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Failed { .. })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use zerohop_study::{Points, Question, Sweep, SweepRun};

    use super::*;

    fn head(values: &str) -> Head {
        let run = SweepRun { name: "hops".to_owned(), command: "hops".to_owned() };
        let points = Points::grid(vec![values.parse().unwrap()]).unwrap();
        let sweep = Sweep {
            machine: "quartet".to_owned(),
            points,
            runs: vec![run],
            measures: Vec::new(),
            faults: Vec::new(),
        };
        let question =
            Question { produced_by: "zerohop 0".to_owned(), sweep, solver: "event".to_owned(), seed: 1 };
        Head::new(&question, "title = \"m\"".to_owned())
    }

    fn refused(reason: &str) -> Outcome {
        Outcome::Refused { reason: reason.to_owned() }
    }

    fn open(path: &Path, values: &str) -> Result<BTreeMap<usize, Outcome>, String> {
        let opened = Journal::open(path, &head(values), Busy::Refused);
        opened.map(|opened| opened.outcomes).map_err(|failure| failure.message().to_owned())
    }

    /// A journal with two points.
    fn journal() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.csv.journal");
        let Opened { mut journal, outcomes, .. } =
            Journal::open(&path, &head("a=1,2,3"), Busy::Refused).unwrap();
        assert!(outcomes.is_empty());
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
        let mut journal = Journal::open(&path, &head("a=1,2,3"), Busy::Refused).unwrap().journal;
        journal.add(1, &Outcome::Failed { reason: "no memory".to_owned(), bug: false }).unwrap();
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
        assert!(open(&path, "a=1,2").unwrap_err().contains("belongs to another sweep: the settings changed"));
        assert_eq!(fs::read(&path).unwrap(), before);
        for text in ["a letter", "a letter\n", "{}\n"] {
            let letter = directory.path().join("letter");
            fs::write(&letter, text).unwrap();
            assert!(open(&letter, "a=1").unwrap_err().contains("is not the journal"), "{text}");
            assert_eq!(fs::read_to_string(&letter).unwrap(), text);
        }
        let mut damaged = before.clone();
        damaged[30] ^= 1;
        fs::write(&path, &damaged).unwrap();
        assert!(open(&path, "a=1,2,3").unwrap_err().contains("its first line is corrupt"));
        assert_eq!(fs::read(&path).unwrap(), damaged);
    }

    #[test]
    fn a_line_that_was_changed_is_dropped_and_the_others_are_kept() {
        let (_directory, path) = journal();
        let before = fs::read_to_string(&path).unwrap();
        fs::write(&path, before.replace("two", "too")).unwrap();
        let opened = Journal::open(&path, &head("a=1,2,3"), Busy::Refused).unwrap();
        assert_eq!((opened.outcomes, opened.damaged), ([(0, refused("none"))].into(), 1));
        let mut journal = opened.journal;
        journal.add(2, &refused("two")).unwrap();
        journal.close().unwrap();
        assert_eq!(open(&path, "a=1,2,3").unwrap(), [(0, refused("none")), (2, refused("two"))].into());
    }

    #[test]
    fn a_line_with_the_right_checksum_and_wrong_numbers_is_dropped() {
        let (_directory, path) = journal();
        let Opened { mut journal, .. } = Journal::open(&path, &head("a=1,2,3"), Busy::Refused).unwrap();
        let number = |run, value| zerohop_study::Number {
            run,
            what: String::new(),
            measure: zerohop_result::Measure::Latency,
            value,
            low: value,
            high: value,
        };
        let done = |run, value| Outcome::Done {
            numbers: vec![number(run, value)],
            warnings: Vec::new(),
            further: 0,
        };
        // There is no eighth run, no tenth point, and no latency without a number.
        for (point, outcome) in [(1, done(8, 1.0)), (9, refused("ten")), (1, done(0, f64::INFINITY))] {
            journal.add(point, &outcome).unwrap();
        }
        journal.close().unwrap();
        let opened = Journal::open(&path, &head("a=1,2,3"), Busy::Refused).unwrap();
        assert_eq!((opened.outcomes.len(), opened.damaged), (2, 3));
    }

    #[test]
    fn two_do_not_write_one_journal() {
        let (_directory, path) = journal();
        let held = Journal::open(&path, &head("a=1,2,3"), Busy::Refused).unwrap();
        assert!(open(&path, "a=1,2,3").unwrap_err().contains("another sweep is writing"));
        drop(held);
        assert!(open(&path, "a=1,2,3").is_ok());
    }
}
