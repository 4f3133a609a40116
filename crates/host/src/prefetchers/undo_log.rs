//! The undo log: a file that records how to undo a change before the change is made.
//!
//! The file exists only while there is something to undo, and the process that made the change holds a lock on it. If no
//! process holds the lock, the process that wrote the file was killed.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use zerohop_machine::PuId;

use super::PrefetcherError;

/// The original values of a register.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The kernel's identifier of this boot: a reboot resets registers.
    boot: String,
    /// The address of the register.
    pub(super) register: u32,
    /// Its value on each PU.
    pub(super) original: Vec<(PuId, u64)>,
}

impl Record {
    /// A record of these values in this boot.
    pub(super) fn new(register: u32, original: Vec<(PuId, u64)>) -> Self {
        Self { boot: boot(), register, original }
    }
}

/// The kernel's identifier of this boot. If the kernel has none, a boot must at least empty the directory of the undo log.
fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// The locked file. Dropping this removes it, unless there is still something to undo.
#[derive(Debug)]
pub(super) struct UndoLog {
    path: PathBuf,
    file: File,
    record: Option<Record>,
}

impl UndoLog {
    /// Opens the undo log at `path`, and creates it if there is none.
    ///
    /// # Errors
    /// The undo log cannot be created, or another process holds its lock.
    pub(super) fn open_or_create(path: &Path) -> Result<Self, PrefetcherError> {
        // Everybody may read it, so that everybody can see the state of the machine.
        let mut how = OpenOptions::new();
        Self::locked(path, how.read(true).write(true).create(true).truncate(false).mode(0o644))
    }

    /// Opens the undo log at `path`, if there is one.
    ///
    /// # Errors
    /// The undo log cannot be read, or another process holds its lock.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, PrefetcherError> {
        match Self::locked(path, OpenOptions::new().read(true)) {
            Err(PrefetcherError::UndoLog { reason, .. }) if reason.kind() == io::ErrorKind::NotFound => {
                Ok(None)
            }
            undo_log => undo_log.map(Some),
        }
    }

    fn locked(path: &Path, how: &OpenOptions) -> Result<Self, PrefetcherError> {
        let failed = |reason| PrefetcherError::UndoLog { path: path.to_owned(), reason };
        loop {
            let mut file = how.open(path).map_err(failed)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(PrefetcherError::Busy),
                Err(TryLockError::Error(reason)) => return Err(failed(reason)),
            }
            // Its holder may have removed the file after it was opened here. A lock on it would then exclude nobody.
            if !is_at(&file, path).map_err(failed)? {
                continue;
            }
            let mut text = String::new();
            file.read_to_string(&mut text).map_err(failed)?;
            return Ok(Self { path: path.to_owned(), file, record: parse(&text, &boot()) });
        }
    }

    /// The change to undo.
    pub(super) fn record(&self) -> Option<&Record> {
        self.record.as_ref()
    }

    /// Records how to undo a change. The change may be made only after this has returned.
    ///
    /// # Errors
    /// The undo log cannot be written.
    pub(super) fn begin(&mut self, record: Record) -> Result<(), PrefetcherError> {
        let failed = |reason| PrefetcherError::UndoLog { path: self.path.clone(), reason };
        let text = serde_json::to_string(&record).map_err(|error| failed(error.into()))?;
        self.file
            .set_len(0)
            .and_then(|()| self.file.write_all_at(text.as_bytes(), 0))
            .and_then(|()| self.file.sync_all())
            .map_err(failed)?;
        self.record = Some(record);
        Ok(())
    }

    /// Notes that the change has been undone.
    pub(super) fn settle(&mut self) {
        self.record = None;
    }
}

impl Drop for UndoLog {
    fn drop(&mut self) {
        if self.record.is_none() {
            // A file left in place does no harm: its values are those that the registers have.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Whether `file` is still the one at `path`.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let own = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (own.dev(), own.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The change of this boot that an undo log's text records. An incomplete text is ignored: it was cut off before the change
/// was made.
fn parse(text: &str, boot: &str) -> Option<Record> {
    serde_json::from_str::<Record>(text).ok().filter(|record| record.boot == boot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undo_log_counts_in_its_own_boot_only() {
        let record = Record { boot: "one".to_owned(), register: 0x1a4, original: vec![(PuId(3), 1)] };
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(parse(&text, "one"), Some(record));
        assert_eq!(parse(&text, "two"), None);
    }

    #[test]
    fn an_incomplete_undo_log_is_ignored() {
        let record = Record::new(0x1a4, vec![(PuId(0), 0), (PuId(1), u64::MAX)]);
        let text = serde_json::to_string(&record).unwrap();
        for end in 0..text.len() {
            assert_eq!(parse(&text[..end], &boot()), None, "{end}");
        }
    }

    #[test]
    fn one_process_holds_the_undo_log_at_a_time_and_removes_it_when_done() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("undo_log");
        let mut undo_log = UndoLog::open_or_create(&path).unwrap();
        undo_log.begin(Record::new(0x1a4, vec![(PuId(0), 0)])).unwrap();
        assert!(matches!(UndoLog::open_or_create(&path), Err(PrefetcherError::Busy)));
        assert!(matches!(UndoLog::open(&path), Err(PrefetcherError::Busy)));
        drop(undo_log);
        let mut left = UndoLog::open(&path).unwrap().unwrap();
        assert_eq!(left.record().map(|record| record.original.clone()), Some(vec![(PuId(0), 0)]));
        left.settle();
        drop(left);
        assert!(!path.exists());
        assert!(UndoLog::open(&path).unwrap().is_none());
    }
}
