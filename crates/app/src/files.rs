//! Access to files that the user names, provided by the calling program: from a disk, from an upload, or none.

use std::io;
use std::path::{Path, PathBuf};

use zerohop_units::counted;

use crate::hint::Hinted;

/// Largest file that is read; a larger one, such as `/dev/zero`, may have no end.
pub const LARGEST: u64 = 256 << 20;

/// Source of files.
pub trait Files {
    /// The text of a file, without a byte order mark. `instead` says what to name instead if it cannot be read.
    ///
    /// # Errors
    /// When it cannot be read, or is not text.
    fn read_text(&self, path: &Path, instead: &str) -> Result<String, FileError>;

    /// What a file holds, which may be text in any encoding.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read_bytes(&self, path: &Path, instead: &str) -> Result<Vec<u8>, FileError>;

    /// The text of a file that can be read again: of a regular file, and not of a pipe.
    fn peek(&self, path: &Path) -> Option<String>;

    /// What there is at a path, if anything is.
    fn entry(&self, path: &Path) -> Option<Entry>;

    /// The paths in a folder, in any order.
    fn list(&self, folder: &Path) -> Vec<PathBuf>;

    /// The path of the same file however it is named, as far as that is known.
    fn real(&self, path: &Path) -> PathBuf {
        path.to_owned()
    }

    /// Takes note of what is odd about a file that was read nevertheless.
    fn notice(&self, _: &Notice<'_>) {}
}

/// Content at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    File,
    Directory,
    /// Something else, such as a pipe.
    Other,
}

/// Irregularity of a file that was read nevertheless.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Notice<'a> {
    /// A later version wrote it.
    #[error("`{}` contains items that this version does not know: {}", path.display(), items.join(", "))]
    UnknownItems { path: &'a Path, items: &'a [String] },
    /// Texts of it could not be shown as they are.
    #[error(
        "`{}` has {} that cannot be printed as they are: too long, or with control characters, printed as \\u001b",
        path.display(),
        counted(*count, "text")
    )]
    PlainTexts {
        path: &'a Path,
        /// The number of texts.
        count: usize,
    },
}

/// No files: only what comes with the program has a name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read_text(&self, path: &Path, instead: &str) -> Result<String, FileError> {
        Err(no_files(path, instead))
    }

    fn read_bytes(&self, path: &Path, instead: &str) -> Result<Vec<u8>, FileError> {
        Err(no_files(path, instead))
    }

    fn peek(&self, _: &Path) -> Option<String> {
        None
    }

    fn entry(&self, _: &Path) -> Option<Entry> {
        None
    }

    fn list(&self, _: &Path) -> Vec<PathBuf> {
        Vec::new()
    }
}

fn no_files(path: &Path, instead: &str) -> FileError {
    let (path, reason) = (path.to_owned(), "files cannot be read here".to_owned());
    FileError::Unreadable { path, reason, instead: instead.to_owned() }
}

/// Reason why a file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// It is larger than [`LARGEST`].
    #[error("`{}` is larger than the limit of {} MiB", path.display(), LARGEST >> 20)]
    TooLarge { path: PathBuf },
    /// It is not text.
    #[error("`{}` is not text: it is not valid UTF-8", path.display())]
    NotText {
        path: PathBuf,
        /// Hint for another argument.
        instead: String,
    },
    /// It is a directory.
    #[error("`{}` is a directory, not a file", path.display())]
    Directory {
        path: PathBuf,
        /// Hint for another argument.
        instead: String,
    },
    /// It may not be read.
    #[error("cannot read `{}`: {reason}", path.display())]
    Denied { path: PathBuf, reason: String },
    /// It cannot be read for another reason.
    #[error("cannot read `{}`: {reason}", path.display())]
    Unreadable {
        path: PathBuf,
        reason: String,
        /// Hint for another argument.
        instead: String,
    },
    /// It has to be unpacked first, or is not text by intent.
    #[error(transparent)]
    Packed(#[from] Packed),
}

impl FileError {
    /// Reason why reading a file failed. `start` is the beginning of the file, if known.
    pub fn of(path: &Path, error: &io::Error, start: &[u8], instead: &str) -> Self {
        let instead = instead.to_owned();
        if error.kind() == io::ErrorKind::InvalidData
            && let Some(packed) = Packed::of(&path.display().to_string(), start)
        {
            return packed.into();
        }
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::FileTooLarge => Self::TooLarge { path },
            io::ErrorKind::InvalidData => Self::NotText { path, instead },
            io::ErrorKind::IsADirectory => Self::Directory { path, instead },
            io::ErrorKind::PermissionDenied => Self::Denied { path, reason: error.to_string() },
            _ => Self::Unreadable { path, reason: error.to_string(), instead },
        }
    }
}

impl Hinted for FileError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::TooLarge { .. } => {
                "extract the part with the results, for example with `head --bytes 1M FILE > PART`".to_owned()
            }
            Self::Denied { .. } => {
                "check the permissions of the file and its directory with `ls -l` and `ls -ld`".to_owned()
            }
            Self::NotText { instead, .. }
            | Self::Directory { instead, .. }
            | Self::Unreadable { instead, .. } => instead.clone(),
            Self::Packed(packed) => return packed.hint(),
        })
    }
}

/// A file that is compressed, Parquet, or an archive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{shown}` is {what}")]
pub struct Packed {
    shown: String,
    what: &'static str,
    instead: PackedAdvice,
}

/// What to do about such a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PackedAdvice {
    /// This command unpacks it.
    Unpack(&'static str),
    /// Hint for another argument.
    Give(&'static str),
}

/// How files of other kinds begin that people give for text, what they are, and what to do about them.
const PACKED: [(&[u8], &str, PackedAdvice); 5] = [
    (&[0x1f, 0x8b], "compressed by gzip", PackedAdvice::Unpack("gunzip")),
    (&[0x28, 0xb5, 0x2f, 0xfd], "compressed by zstd", PackedAdvice::Unpack("unzstd")),
    (&[0xfd, b'7', b'z', b'X', b'Z'], "compressed by xz", PackedAdvice::Unpack("unxz")),
    (
        b"PAR1",
        "Parquet, which zerohop writes but does not read",
        PackedAdvice::Give("save results as .json to read them back"),
    ),
    (
        b"SQLite format 3\0",
        "a database, as `zerohop archive` keeps",
        PackedAdvice::Give(
            "`zerohop archive export` writes its results to files; `zerohop fleet analyse --archive=FILE` reads all of it",
        ),
    ),
];

impl Packed {
    /// Kind of a file, by its beginning; `None` if it is none of these.
    pub fn of(shown: &str, start: &[u8]) -> Option<Self> {
        let (_, what, instead) = PACKED.into_iter().find(|(magic, ..)| start.starts_with(magic))?;
        Some(Self { shown: shown.to_owned(), what, instead })
    }
}

impl Hinted for Packed {
    fn hint(&self) -> Option<String> {
        let command = match self.instead {
            PackedAdvice::Unpack(command) => command,
            PackedAdvice::Give(instead) => return Some(instead.to_owned()),
        };
        let quoted = shlex::try_quote(&self.shown).map_or_else(|_| self.shown.clone(), Into::into);
        Some(format!("`{command} --keep {quoted}` unpacks it"))
    }
}
