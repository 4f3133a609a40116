//! Resolves the path of a file to write, refusing links that another user may have planted.
//!
//! In a directory that anyone may write to (`/tmp`), anyone can put a link or a file under a name that another user is
//! about to write. Linux refuses such links and files by `fs.protected_symlinks` and `fs.protected_regular`
//! (<https://docs.kernel.org/admin-guide/sysctl/fs.html>), but not on every host, and not for a program that resolves
//! the path itself, as an atomic replacement must. This module therefore opens and checks each step by the same rule,
//! and uses exactly what it checked: nobody can swap in something else in between.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path};

use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, mkdirat, open, openat, readlinkat, stat};
use rustix::io::Errno;
use rustix::process::geteuid;

/// Most links on one path: the kernel's limit.
const MOST_LINKS: usize = 40;

/// A file's directory, opened, and the file's name in it. The name is not that of a link.
#[derive(Debug)]
pub(crate) struct GuardedPath {
    pub(crate) directory: OwnedFd,
    pub(crate) name: OsString,
}

/// Why a path is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PathRefused {
    /// The path ends at something other than a file.
    #[error("it is not a regular file")]
    NotRegular,
    /// A link that belongs to another user, who could point it anywhere.
    #[error("`{}` is another user's symbolic link in a world-writable directory", .0.display())]
    ForeignLink(OsString),
    /// A file that belongs to another user, who could have put it there to read what is written.
    #[error("it is another user's file in a world-writable directory")]
    ForeignFile,
    /// A component of the path is not a directory.
    #[error("a file of that name exists")]
    InTheWay,
    #[error(transparent)]
    System(#[from] io::Error),
}

impl From<Errno> for PathRefused {
    fn from(error: Errno) -> Self {
        Self::System(error.into())
    }
}

impl From<PathRefused> for io::Error {
    fn from(refused: PathRefused) -> Self {
        match refused {
            PathRefused::System(error) => error,
            refused => Self::other(refused),
        }
    }
}

impl GuardedPath {
    /// Opens the file for reading and writing, creating it if it is missing.
    ///
    /// # Errors
    /// When the file may not be opened, or a link has taken its place.
    pub(crate) fn open(&self) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.directory, &self.name, flags, Mode::from_raw_mode(0o666))?.into())
    }

    /// The file at `path`, which may be missing; its directory must exist.
    ///
    /// # Errors
    /// When `path` is not a file, or the path to it cannot be trusted.
    pub(crate) fn of_file(path: &Path) -> Result<Self, PathRefused> {
        match walk(path, Missing::IsTheEnd)? {
            (directory, Some(name)) => Ok(Self { directory, name }),
            (_, None) => Err(PathRefused::NotRegular),
        }
    }

    /// Creates the directory at `path` and its parents, if they are missing.
    ///
    /// # Errors
    /// When that is not possible, or the path to it cannot be trusted.
    pub(crate) fn make_directory(path: &Path) -> Result<(), PathRefused> {
        match walk(path, Missing::IsMade)? {
            (_, None) => Ok(()),
            (_, Some(_)) => Err(PathRefused::InTheWay),
        }
    }
}

/// What to do if the next step is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    IsTheEnd,
    IsMade,
}

/// The last directory of a path, and the name in it where the path does not end with a directory.
fn walk(path: &Path, missing: Missing) -> Result<(OwnedFd, Option<OsString>), PathRefused> {
    let mut directory = open(".", DIRECTORY, Mode::empty())?;
    let mut steps = VecDeque::from(steps(path));
    let mut links = 0;
    while let Some(step) = steps.pop_front() {
        let Step::Down(name) = step else {
            let to = if step == Step::MachineSource { "/" } else { ".." };
            directory = openat(&directory, to, DIRECTORY, Mode::empty())?;
            continue;
        };
        let found = match openat(&directory, &name, FOUND, Mode::empty()) {
            Err(Errno::NOENT) if missing == Missing::IsMade => {
                mkdirat(&directory, &name, Mode::from_raw_mode(0o777))?;
                openat(&directory, &name, FOUND, Mode::empty())?
            }
            // An open file without a path (`/dev/stdout` of a pipe) exists for the kernel only.
            Err(Errno::NOENT) if steps.is_empty() && links > 0 && stat(path).is_ok() => {
                return Err(PathRefused::NotRegular);
            }
            Err(Errno::NOENT) if steps.is_empty() => return Ok((directory, Some(name))),
            Err(Errno::NOTDIR) => return Err(PathRefused::InTheWay),
            found => found?,
        };
        let (above, status) = (fstat(&directory)?, fstat(&found)?);
        match FileType::from_raw_mode(status.st_mode) {
            FileType::Directory => directory = found,
            FileType::Symlink if is_foreign(&above, &status) => return Err(PathRefused::ForeignLink(name)),
            FileType::Symlink => {
                links += 1;
                if links > MOST_LINKS {
                    return Err(Errno::LOOP.into());
                }
                let target = OsString::from_vec(readlinkat(&found, "", Vec::new())?.into_bytes());
                for step in self::steps(Path::new(&target)).into_iter().rev() {
                    steps.push_front(step);
                }
            }
            _ if !steps.is_empty() || missing == Missing::IsMade => return Err(PathRefused::InTheWay),
            FileType::RegularFile if is_foreign(&above, &status) => return Err(PathRefused::ForeignFile),
            FileType::RegularFile => return Ok((directory, Some(name))),
            _ => return Err(PathRefused::NotRegular),
        }
    }
    Ok((directory, None))
}

const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
const FOUND: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// One step of a path.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    MachineSource,
    Up,
    Down(OsString),
}

fn steps(path: &Path) -> Vec<Step> {
    let step = |component| match component {
        Component::RootDir => Some(Step::MachineSource),
        Component::ParentDir => Some(Step::Up),
        Component::Normal(name) => Some(Step::Down(OsStr::to_owned(name))),
        Component::CurDir | Component::Prefix(_) => None,
    };
    path.components().filter_map(step).collect()
}

/// Whether something belongs to neither this user nor the owner of its directory, in a world-writable directory with
/// the sticky bit.
fn is_foreign(directory: &Stat, found: &Stat) -> bool {
    let mode = Mode::from_raw_mode(directory.st_mode);
    mode.contains(Mode::SVTX | Mode::WOTH)
        && found.st_uid != geteuid().as_raw()
        && found.st_uid != directory.st_uid
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, chown, lchown, symlink};

    use super::*;

    fn refusal(path: &Path) -> String {
        GuardedPath::of_file(path).map(|found| found.name).unwrap_err().to_string()
    }

    #[test]
    fn links_are_followed_to_their_end() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::create_dir(at("real")).unwrap();
        symlink("real", at("results")).unwrap();
        symlink("../results/end.json", at("real/latest.json")).unwrap();
        assert_eq!(GuardedPath::of_file(&at("results/latest.json")).unwrap().name, "end.json");
        symlink("round", at("round")).unwrap();
        // In the words of the C library, of which there are several.
        let loop_refused = refusal(&at("round"));
        assert!(loop_refused.to_lowercase().contains("symbolic link"), "{loop_refused}");
    }

    #[test]
    fn an_open_pipe_without_a_path_is_no_file() {
        let (end, _other) = rustix::pipe::pipe().unwrap();
        let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&end));
        assert!(matches!(GuardedPath::of_file(Path::new(&path)), Err(PathRefused::NotRegular)));
    }

    #[test]
    fn directories_are_made_where_they_are_missing() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        GuardedPath::make_directory(&at("a/b/../c")).unwrap();
        assert!(at("a/b").is_dir() && at("a/c").is_dir());
        fs::write(at("file"), "").unwrap();
        for path in ["file", "file/below"] {
            let refused = GuardedPath::make_directory(&at(path)).unwrap_err();
            assert_eq!(refused.to_string(), "a file of that name exists", "{path}");
        }
    }

    /// Another user's things can be made by root alone.
    #[test]
    fn another_user_s_links_and_files_in_a_sticky_directory_are_refused() {
        if !geteuid().is_root() {
            return;
        }
        const OTHER: Option<u32> = Some(12_345);
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::create_dir_all(at("sticky/own")).unwrap();
        fs::write(at("victim"), "old").unwrap();
        fs::write(at("sticky/file"), "bait").unwrap();
        symlink(at("victim"), at("sticky/link")).unwrap();
        symlink(at("."), at("sticky/folder")).unwrap();
        symlink(at("sticky/link"), at("own-link")).unwrap();
        chown(at("sticky/file"), OTHER, None).unwrap();
        for link in ["sticky/link", "sticky/folder"] {
            lchown(at(link), OTHER, None).unwrap();
        }
        let mode = |mode| fs::set_permissions(at("sticky"), Permissions::from_mode(mode)).unwrap();

        mode(0o1777);
        for path in ["sticky/link", "own-link", "sticky/folder/new", "sticky/../sticky/link"] {
            let refused = GuardedPath::of_file(&at(path)).unwrap_err();
            assert!(matches!(refused, PathRefused::ForeignLink(_)), "{path}: {refused}");
        }
        assert!(matches!(GuardedPath::of_file(&at("sticky/file")), Err(PathRefused::ForeignFile)));
        let refused = GuardedPath::make_directory(&at("sticky/folder/made")).unwrap_err();
        assert!(matches!(refused, PathRefused::ForeignLink(_)), "{refused}");
        assert!(!at("made").exists());

        // As the kernel: not where only some may write, nor for the owner of the directory.
        mode(0o755);
        assert_eq!(GuardedPath::of_file(&at("sticky/link")).unwrap().name, "victim");
        mode(0o1777);
        chown(at("sticky"), OTHER, None).unwrap();
        assert_eq!(GuardedPath::of_file(&at("sticky/link")).unwrap().name, "victim");
        assert_eq!(GuardedPath::of_file(&at("sticky/file")).unwrap().name, "file");
    }
}
