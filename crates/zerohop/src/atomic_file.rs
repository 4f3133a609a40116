//! Writes files so that a crash or a full disk leaves either the old content or the new, never half of one.
//!
//! The content goes to a draft beside the file, which then takes the file's name. Crates that do the same (`tempfile`,
//! `atomic-write-file`) leave the path to the kernel and a killed writer's draft to the user; what they would save here is the
//! call of `rename`. (A file without a name, by `O_TMPFILE`, would leave no draft, but cannot take the name of a file that is
//! there.)

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use rustix::fs::{
    Access, AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, Stat, access, fchmod, fchown, flock, fstat,
    fsync, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::{Gid, Uid, geteuid};
use zerohop_archive::is_database;

use crate::failure::Failure;
use crate::guarded_path::{GuardedPath, PathRefused};

/// A file that is always replaced as a whole, and keeps its owner, group and permissions.
#[derive(Debug, Clone)]
pub(crate) struct WholeFile {
    /// The path as the user named it, for messages.
    shown: PathBuf,
    /// The file to replace: the end of any symbolic link.
    real: Arc<GuardedPath>,
}

/// Prefix and suffix of the names of drafts; a unique part goes in between.
const DRAFT: [&str; 2] = [".zerohop-", ".draft"];

impl WholeFile {
    /// The file at `path`; nothing is written yet. Drafts beside it that a killed run has left are removed.
    ///
    /// # Errors
    /// When its directory is missing, when a database is there, when something other than a regular file is there (`/dev/null`, a directory),
    /// which replacing would remove, or when another user could have planted a link on the path.
    pub(crate) fn at(path: &Path) -> Result<Self, Failure> {
        let real = GuardedPath::of_file(path).map_err(|refused| match refused {
            PathRefused::NotRegular => {
                Failure::new(format_args!("cannot write `{}`: {refused}", path.display()))
                    .hint("choose a file; without -o, output goes to standard output")
            }
            PathRefused::ForeignLink(_) | PathRefused::ForeignFile => {
                Failure::new(format_args!("cannot write `{}`: {refused}", path.display()))
                    .hint("choose a file in your own directory with -o")
            }
            PathRefused::InTheWay => cannot_write(path, &Errno::NOTDIR.into()),
            PathRefused::System(error) => cannot_write(path, &error),
        })?;
        // An archive keeps what nobody can measure again, and no document has its form.
        if is_database(path) {
            return Err(Failure::new(format_args!("cannot write `{}`: it is a database", path.display()))
                .hint("choose another file with -o; for an archive, use --archive"));
        }
        remove_abandoned_drafts(real.directory.as_fd());
        Ok(Self { shown: path.to_owned(), real: Arc::new(real) })
    }

    /// Its path, as the user named it.
    pub(crate) fn path(&self) -> &Path {
        &self.shown
    }

    /// Replaces the whole file. When this returns, the content is on the disk.
    ///
    /// # Errors
    /// When it cannot be written, or its owner cannot be kept; the old content is then unchanged.
    pub(crate) fn replace(&self, content: impl AsRef<[u8]>) -> Result<(), Failure> {
        self.replace_locked(content.as_ref()).map(drop)
    }

    /// Replaces the whole file, and keeps other runs from doing so until the returned file is dropped.
    ///
    /// # Errors
    /// When another run holds it, and those of [`WholeFile::replace`].
    pub(crate) fn hold(self, content: impl AsRef<[u8]>) -> Result<HeldFile, Failure> {
        let directory = self.real.directory.as_fd();
        // Of two runs that begin at once, one looks after the other has its file. Where directories cannot be locked, it may not.
        let gate = readable(directory);
        let _ = gate.as_ref().map(pass);
        if is_held(directory, &self.real.name) {
            return Err(Failure::new(format_args!("another run is writing `{}`", self.shown.display()))
                .hint("wait for it to finish, or choose another place with -o"));
        }
        let lock = self.replace_locked(content.as_ref())?;
        Ok(HeldFile { file: self, lock })
    }

    fn replace_locked(&self, content: &[u8]) -> Result<File, Failure> {
        let GuardedPath { directory, name } = &*self.real;
        let old = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
            .ok()
            .filter(|old| FileType::from_raw_mode(old.st_mode) == FileType::RegularFile);
        let cannot = |error: Errno| cannot_write(&self.shown, &error.into());
        let draft = Draft::create(directory.as_fd(), old.is_some()).map_err(cannot)?;
        if let Some(old) = &old {
            draft.take_after(old).map_err(|error| match error {
                Errno::PERM | Errno::INVAL => Failure::new(format_args!(
                    "cannot write `{}`: it belongs to another user or group, and replacing it would change that",
                    self.shown.display()
                ))
                .hint("choose another file with -o, or remove this one first"),
                error => cannot(error),
            })?;
        }
        draft.write(content).map_err(|error| cannot_write(&self.shown, &error))?;
        renameat(directory, &draft.name, directory, name).map_err(cannot)?;
        sync_directory(directory.as_fd()).map_err(cannot)?;
        // The lock of the draft is now that of the file.
        draft.file.try_clone().map_err(|error| cannot_write(&self.shown, &error))
    }
}

/// A file that this run writes again and again, and no other run meanwhile.
#[derive(Debug)]
pub(crate) struct HeldFile {
    file: WholeFile,
    /// What was written last. Its lock ends with this process, however that ends.
    lock: File,
}

impl HeldFile {
    /// Its path, as the user named it.
    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// As [`WholeFile::replace`].
    ///
    /// # Errors
    /// Those of [`WholeFile::replace`].
    pub(crate) fn replace(&mut self, content: impl AsRef<[u8]>) -> Result<(), Failure> {
        self.lock = self.file.replace_locked(content.as_ref())?;
        Ok(())
    }

    pub(crate) fn remove(self) {
        // If that fails, a file without results stays: its content says so.
        let _ = unlinkat(&self.file.real.directory, &self.file.real.name, AtFlags::empty());
    }
}

/// Whether another run holds a file of that name.
fn is_held(directory: BorrowedFd<'_>, name: &OsStr) -> bool {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = openat(directory, name, flags, Mode::empty());
    file.is_ok_and(|file| matches!(File::from(file).try_lock(), Err(TryLockError::WouldBlock)))
}

/// A temporary file that is removed on drop, unless it was given its final name before.
///
/// The writer keeps it locked: a draft without a lock was left by a run that was killed.
#[derive(Debug)]
struct Draft<'directory> {
    directory: BorrowedFd<'directory>,
    name: String,
    file: File,
}

impl<'directory> Draft<'directory> {
    /// A draft that nobody else may read yet, in case it replaces a file that not everyone may read.
    fn create(directory: BorrowedFd<'directory>, private: bool) -> rustix::io::Result<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let mode = Mode::from_raw_mode(if private { 0o600 } else { 0o666 });
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            // In another container another run may have the same number.
            let name = format!("{}{}-{number}{}", DRAFT[0], process::id(), DRAFT[1]);
            let file = match openat(directory, &name, flags, mode) {
                Err(Errno::EXIST) => continue,
                file => File::from(file?),
            };
            // Some network file systems have no locks; there, no run treats a draft as abandoned either.
            let _ = file.try_lock();
            let draft = Self { directory, name, file };
            // Before it was locked, another run may have removed it as abandoned.
            if fstat(&draft.file)?.st_nlink > 0 {
                return Ok(draft);
            }
        }
    }

    /// Gives it the owner, the group and the permissions of the file that it replaces, except for set-user-ID and
    /// set-group-ID bits: writing to the file would have cleared them as well.
    fn take_after(&self, old: &Stat) -> rustix::io::Result<()> {
        let own = fstat(&self.file)?;
        let owner = (own.st_uid != old.st_uid).then(|| Uid::from_raw(old.st_uid));
        let group = (own.st_gid != old.st_gid).then(|| Gid::from_raw(old.st_gid));
        if owner.is_some() || group.is_some() {
            fchown(&self.file, owner, group)?;
        }
        fchmod(&self.file, Mode::from_raw_mode(old.st_mode) - (Mode::SUID | Mode::SGID))
    }

    fn write(&self, content: &[u8]) -> io::Result<()> {
        (&self.file).write_all(content)?;
        self.file.sync_all()
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        // After the rename it is gone; otherwise its remains are useless.
        let _ = unlinkat(self.directory, &self.name, AtFlags::empty());
    }
}

/// Removes this user's abandoned drafts. One that cannot be removed does no harm.
fn remove_abandoned_drafts(directory: BorrowedFd<'_>) {
    let Ok(entries) = readable(directory).and_then(Dir::new) else { return };
    for name in entries.flatten().map(|entry| entry.file_name().to_owned()) {
        let bytes = name.to_bytes();
        if bytes.starts_with(DRAFT[0].as_bytes()) && bytes.ends_with(DRAFT[1].as_bytes()) {
            let _ = remove_abandoned(directory, &name);
        }
    }
}

fn remove_abandoned(directory: BorrowedFd<'_>, name: &std::ffi::CStr) -> rustix::io::Result<()> {
    let status = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let is_file = FileType::from_raw_mode(status.st_mode) == FileType::RegularFile;
    if !is_file || status.st_uid != geteuid().as_raw() {
        return Ok(());
    }
    let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(directory, name, flags, Mode::empty())?);
    if file.try_lock().is_ok() {
        unlinkat(directory, name, AtFlags::empty())?;
    }
    Ok(())
}

/// The same directory, opened so that it can be read and synchronized.
fn readable(directory: BorrowedFd<'_>) -> rustix::io::Result<OwnedFd> {
    openat(directory, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

/// The number of tries to pass a gate, and the time between two of them. A run that begins holds it for as long as a small file takes.
const TRIES: (u32, Duration) = (100, Duration::from_millis(10));

/// Locks a directory, unless someone else keeps it locked: whoever starts runs by `flock DIRECTORY zerohop …` does not unlock it for them.
fn pass(gate: &OwnedFd) {
    for _ in 0..TRIES.0 {
        match flock(gate, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK | Errno::INTR) => thread::sleep(TRIES.1),
            Ok(()) | Err(_) => return,
        }
    }
}

/// Flushes a directory's entries to the disk.
fn sync_directory(directory: BorrowedFd<'_>) -> rustix::io::Result<()> {
    match readable(directory) {
        Ok(directory) => unless_unsupported(fsync(directory)),
        // A user who may write to a directory need not be allowed to read it.
        Err(Errno::ACCESS | Errno::PERM) => Ok(()),
        Err(error) => Err(error),
    }
}

/// File systems that cannot sync a directory (FUSE, network) say so; the file itself is safe.
fn unless_unsupported(synchronised: rustix::io::Result<()>) -> rustix::io::Result<()> {
    match synchronised {
        Err(Errno::INVAL | Errno::NOTSUP | Errno::NOSYS) => Ok(()),
        synchronised => synchronised,
    }
}

/// Why the file at `path` could not be written.
fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format_args!("cannot write `{}`: {error}", path.display()))
        .hint("choose a writable place with free space with -o")
}

/// Checks that a file at `path` could be replaced: that takes a directory in which this user may write.
///
/// # Errors
/// When it is none.
pub(crate) fn may_write_beside(path: &Path) -> Result<(), Failure> {
    let directory = path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    access(directory, Access::WRITE_OK | Access::EXEC_OK).map_err(|error| cannot_write(path, &error.into()))
}

/// Creates a directory and its parents, if they are missing.
///
/// # Errors
/// When that is not possible, for example because a file is in the way.
pub(crate) fn make_directory(path: &Path) -> Result<(), Failure> {
    GuardedPath::make_directory(path).map_err(|refused| {
        Failure::new(format_args!("cannot create the directory `{}`: {refused}", path.display()))
            .hint("choose a writable directory with -o")
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_leaves_nothing_beside_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("result.json");
        let file = WholeFile::at(&path).unwrap();
        file.replace("a longer first content").unwrap();
        file.replace("short").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "short");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    /// Two surveys in one directory wrote the same file in turns; one that was killed had replaced the other's whole result.
    #[test]
    fn a_file_that_one_run_writes_is_refused_to_another() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("result.json");
        let mut first = WholeFile::at(&path).unwrap().hold("first").unwrap();
        for content in ["first", "first, later"] {
            first.replace(content).unwrap();
            let failure = WholeFile::at(&path).unwrap().hold("second").unwrap_err();
            assert!(failure.message().starts_with("another run is writing `"), "{}", failure.message());
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        drop(first);
        WholeFile::at(&path).unwrap().hold("second").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "second");
    }

    /// `flock DIRECTORY zerohop run … -o DIRECTORY/result.json` waited for itself.
    #[test]
    fn a_directory_that_someone_keeps_locked_is_written_to() {
        let directory = tempfile::tempdir().unwrap();
        let locked = File::open(directory.path()).unwrap();
        locked.lock().unwrap();
        let path = directory.path().join("result.json");
        let (done, held) = std::sync::mpsc::channel();
        thread::spawn({
            let path = path.clone();
            move || done.send(WholeFile::at(&path).unwrap().hold("content").is_ok())
        });
        assert_eq!(held.recv_timeout(Duration::from_secs(60)), Ok(true));
        assert_eq!(fs::read_to_string(&path).unwrap(), "content");
    }

    #[test]
    fn a_symbolic_link_stays_one() {
        let directory = tempfile::tempdir().unwrap();
        let (real, link) = (directory.path().join("real.json"), directory.path().join("latest.json"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        WholeFile::at(&link).unwrap().replace("new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
    }

    #[test]
    fn devices_and_directories_are_not_replaced() {
        for path in [Path::new("/dev/null"), Path::new("/")] {
            let failure = WholeFile::at(path).unwrap_err();
            assert!(failure.message().contains("not a regular file"), "{}", failure.message());
        }
    }

    /// Root may write anywhere.
    #[test]
    fn a_directory_in_which_nothing_may_be_written_is_known_before() {
        let directory = tempfile::tempdir().unwrap();
        assert!(may_write_beside(&directory.path().join("a.toml")).is_ok());
        assert!(may_write_beside(Path::new("a.toml")).is_ok());
        let failure = may_write_beside(&directory.path().join("missing/a.toml")).unwrap_err();
        assert!(failure.message().contains("missing/a.toml`: No such file"), "{}", failure.message());
        fs::set_permissions(directory.path(), Permissions::from_mode(0o555)).unwrap();
        assert_eq!(may_write_beside(&directory.path().join("a.toml")).is_ok(), geteuid().is_root());
    }

    #[test]
    fn an_error_names_the_file_that_was_asked_for() {
        let failure = WholeFile::at(Path::new("/nowhere/a.json")).unwrap_err();
        assert!(
            failure.message().starts_with("cannot write `/nowhere/a.json`: No such file"),
            "{}",
            failure.message()
        );
    }

    #[test]
    fn a_file_that_is_replaced_keeps_its_permissions() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("result.json");
        fs::write(&path, "old").unwrap();
        for mode in [0o600, 0o664, 0o444] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            WholeFile::at(&path).unwrap().replace("new").unwrap();
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, mode);
        }
        fs::remove_file(&path).unwrap();
        WholeFile::at(&path).unwrap().replace("new").unwrap();
        let other = directory.path().join("other");
        fs::write(&other, "").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode(), fs::metadata(&other).unwrap().mode());
    }

    /// Root alone can make another user's file.
    #[test]
    fn a_file_that_is_replaced_keeps_its_owner() {
        if !geteuid().is_root() {
            return;
        }
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("result.json");
        fs::write(&path, "old").unwrap();
        chown(&path, Some(12_345), Some(54_321)).unwrap();
        WholeFile::at(&path).unwrap().replace("new").unwrap();
        let kept = fs::metadata(&path).unwrap();
        assert_eq!((kept.uid(), kept.gid()), (12_345, 54_321));
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn drafts_of_a_killed_run_are_removed_and_those_being_written_are_not() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        for name in [".zerohop-7.draft", ".zerohop-7-0.draft", ".zerohop-notes", "zerohop-7.draft"] {
            fs::write(at(name), "half").unwrap();
        }
        let opened = GuardedPath::of_file(&at("a.json")).unwrap();
        let written = Draft::create(opened.directory.as_fd(), false).unwrap();
        WholeFile::at(&at("result.json")).unwrap().replace("{}").unwrap();
        let mut left: Vec<_> =
            fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        let mut expected =
            [".zerohop-notes", &written.name, "result.json", "zerohop-7.draft"].map(OsString::from);
        expected.sort();
        assert_eq!(left, expected);
    }

    #[test]
    fn a_directory_that_cannot_be_synchronised_is_no_failure() {
        assert_eq!(unless_unsupported(Err(Errno::INVAL)), Ok(()));
        assert_eq!(unless_unsupported(Err(Errno::IO)), Err(Errno::IO));
    }

    #[test]
    fn a_link_laid_after_the_file_was_looked_at_is_replaced_and_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let file = WholeFile::at(&at("result.json")).unwrap();
        fs::write(at("victim"), "old").unwrap();
        std::os::unix::fs::symlink(at("victim"), at("result.json")).unwrap();
        file.replace("new").unwrap();
        assert_eq!(fs::read_to_string(at("victim")).unwrap(), "old");
        assert!(!at("result.json").is_symlink());
    }
}
