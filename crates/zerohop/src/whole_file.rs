//! Writing files so that a crash or a full disk leaves either the old content or the new, never half of one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;

use crate::failure::Failure;

/// A file that is always replaced whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WholeFile {
    /// As the user named it, for messages.
    shown: PathBuf,
    /// What is replaced: the end of any symbolic link.
    real: PathBuf,
}

impl WholeFile {
    /// The file at `path`; nothing is written yet.
    ///
    /// # Errors
    /// When something stands there that is no regular file (`/dev/null`, a directory): replacing it would remove it.
    pub(crate) fn at(path: &Path) -> Result<Self, Failure> {
        let real = match fs::canonicalize(path) {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
            Err(error) => return Err(cannot_write(path, &error)),
        };
        if real.exists() && !real.is_file() {
            return Err(Failure::new(format_args!(
                "cannot write `{}`: it is not a regular file",
                path.display()
            ))
            .hint("name a file; without -o everything goes to standard output"));
        }
        Ok(Self { shown: path.to_owned(), real })
    }

    /// Its path, as the user named it.
    pub(crate) fn path(&self) -> &Path {
        &self.shown
    }

    /// Replaces all of it. When this returns, the content is on the disk.
    ///
    /// # Errors
    /// When it cannot be written; what was there before is still there.
    pub(crate) fn replace(&self, content: impl AsRef<[u8]>) -> Result<(), Failure> {
        self.try_replace(content.as_ref()).map_err(|error| cannot_write(&self.shown, &error))
    }

    /// Takes it away.
    pub(crate) fn remove(&self) {
        // Where that is not possible, a file without results is left: it says so itself.
        let _ = fs::remove_file(&self.real);
    }

    fn try_replace(&self, content: &[u8]) -> io::Result<()> {
        let directory = match self.real.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            Some(_) | None => Path::new("."),
        };
        let draft = Draft::create(directory)?;
        draft.write(content)?;
        fs::rename(&draft.path, &self.real)?;
        File::open(directory)?.sync_all()
    }
}

/// A file that is gone when it is dropped, unless it was given its final name before.
#[derive(Debug)]
struct Draft {
    path: PathBuf,
    file: File,
}

impl Draft {
    fn create(directory: &Path) -> io::Result<Self> {
        let path = directory.join(format!(".zerohop-{}.draft", process::id()));
        // In a container an earlier run that was killed had the same number.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        Ok(Self { path, file })
    }

    fn write(&self, content: &[u8]) -> io::Result<()> {
        (&self.file).write_all(content)?;
        self.file.sync_all()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Renamed it is no longer there; otherwise what is left of it is of no use to anybody.
        let _ = fs::remove_file(&self.path);
    }
}

/// Why the file at `path` could not be written.
fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format_args!("cannot write `{}`: {error}", path.display()))
        .hint("name another place with -o, one that you may write to and that has room")
}

/// Makes a directory and those above it, where they are missing.
///
/// # Errors
/// When that is not possible, for example because a file stands in the way.
pub(crate) fn make_directory(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| {
        let reason = match error.kind() {
            io::ErrorKind::AlreadyExists => "a file of that name is in the way".to_owned(),
            _ => error.to_string(),
        };
        Failure::new(format_args!("cannot make the directory `{}`: {reason}", path.display()))
            .hint("name a directory that you may write to with -o")
    })
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn an_error_names_the_file_that_was_asked_for() {
        let failure = WholeFile::at(Path::new("/nowhere/a.json")).unwrap().replace("{}").unwrap_err();
        assert!(
            failure.message().starts_with("cannot write `/nowhere/a.json`: No such file"),
            "{}",
            failure.message()
        );
    }
}
