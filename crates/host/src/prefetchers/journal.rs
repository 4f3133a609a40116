//! What is to be undone, on file before it is done.
//!
//! The file is there only as long as something is to be undone, and locked by the process whose change it is: one that
//! nobody locks was left behind by a process that was killed.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use zerohop_machine::PuId;

use super::PrefetcherError;

/// Registers as they were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The kernel's name for the time since it was booted: a reboot resets registers.
    boot: String,
    /// Which register.
    pub(super) register: u32,
    /// Its value on each PU.
    pub(super) original: Vec<(PuId, u64)>,
}

impl Record {
    /// These values, now.
    pub(super) fn new(register: u32, original: Vec<(PuId, u64)>) -> Self {
        Self { boot: boot(), register, original }
    }
}

/// Where the kernel does not tell, the directory itself has to be empty after a boot.
fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// The file, locked. It is removed when this is dropped, unless it still holds something to be undone.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    record: Option<Record>,
}

impl Journal {
    /// The journal at `path`, made if there is none.
    ///
    /// # Errors
    /// When it cannot be made, or another process holds it.
    pub(super) fn open_or_create(path: &Path) -> Result<Self, PrefetcherError> {
        // For everybody to read, so that everybody can tell what state the machine is in.
        let mut how = OpenOptions::new();
        Self::locked(path, how.read(true).write(true).create(true).truncate(false).mode(0o644))
    }

    /// The journal at `path`, if there is one.
    ///
    /// # Errors
    /// When it cannot be read, or another process holds it.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, PrefetcherError> {
        match Self::locked(path, OpenOptions::new().read(true)) {
            Err(PrefetcherError::Journal { reason, .. }) if reason.kind() == io::ErrorKind::NotFound => {
                Ok(None)
            }
            journal => journal.map(Some),
        }
    }

    fn locked(path: &Path, how: &OpenOptions) -> Result<Self, PrefetcherError> {
        let failed = |reason| PrefetcherError::Journal { path: path.to_owned(), reason };
        loop {
            let mut file = how.open(path).map_err(failed)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(PrefetcherError::Busy),
                Err(TryLockError::Error(reason)) => return Err(failed(reason)),
            }
            // Its holder may have removed it after it was opened here: then a lock on it keeps nobody out.
            if !is_at(&file, path).map_err(failed)? {
                continue;
            }
            let mut text = String::new();
            file.read_to_string(&mut text).map_err(failed)?;
            return Ok(Self { path: path.to_owned(), file, record: parse(&text, &boot()) });
        }
    }

    /// What is to be undone.
    pub(super) fn record(&self) -> Option<&Record> {
        self.record.as_ref()
    }

    /// Writes down what is to be undone. Nothing may be changed before this has returned.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn begin(&mut self, record: Record) -> Result<(), PrefetcherError> {
        let failed = |reason| PrefetcherError::Journal { path: self.path.clone(), reason };
        let text = serde_json::to_string(&record).map_err(|error| failed(error.into()))?;
        self.file
            .set_len(0)
            .and_then(|()| self.file.write_all_at(text.as_bytes(), 0))
            .and_then(|()| self.file.sync_all())
            .map_err(failed)?;
        self.record = Some(record);
        Ok(())
    }

    /// All has been undone.
    pub(super) fn settle(&mut self) {
        self.record = None;
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if self.record.is_none() {
            // Left in place it would do no harm: whoever reads it finds registers as it says.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Whether the file at `path` is this one.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let own = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (own.dev(), own.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// What a journal's text wants undone in this boot. One that is not whole was never acted on: the change comes after.
fn parse(text: &str, boot: &str) -> Option<Record> {
    serde_json::from_str::<Record>(text).ok().filter(|record| record.boot == boot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_counts_in_its_own_boot_only() {
        let record = Record { boot: "one".to_owned(), register: 0x1a4, original: vec![(PuId(3), 1)] };
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(parse(&text, "one"), Some(record));
        assert_eq!(parse(&text, "two"), None);
    }

    #[test]
    fn a_journal_that_is_not_whole_counts_for_nothing() {
        let record = Record::new(0x1a4, vec![(PuId(0), 0), (PuId(1), u64::MAX)]);
        let text = serde_json::to_string(&record).unwrap();
        for end in 0..text.len() {
            assert_eq!(parse(&text[..end], &boot()), None, "{end}");
        }
    }

    #[test]
    fn one_holds_it_at_a_time_and_it_is_gone_when_nothing_is_to_be_undone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal");
        let mut journal = Journal::open_or_create(&path).unwrap();
        journal.begin(Record::new(0x1a4, vec![(PuId(0), 0)])).unwrap();
        assert!(matches!(Journal::open_or_create(&path), Err(PrefetcherError::Busy)));
        assert!(matches!(Journal::open(&path), Err(PrefetcherError::Busy)));
        drop(journal);
        let mut left = Journal::open(&path).unwrap().unwrap();
        assert_eq!(left.record().map(|record| record.original.clone()), Some(vec![(PuId(0), 0)]));
        left.settle();
        drop(left);
        assert!(!path.exists());
        assert!(Journal::open(&path).unwrap().is_none());
    }
}
