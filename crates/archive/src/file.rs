//! Type of a file, by its first bytes: SQLite must not open a file that is not an archive. It would wait for a named pipe, and leave files next to a
//! database of another program.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use zerohop_result::ResultFile;

/// How every file of SQLite begins.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Where such a file says whose it is (`PRAGMA application_id`), four bytes, the highest first.
const OWNER: std::ops::Range<usize> = 68..72;

/// Application id of an archive: `zero`.
pub(crate) const APPLICATION: u32 = u32::from_be_bytes(*b"zero");

/// Bytes that are looked at, unless the file may be a result.
const HEAD: u64 = 4096;

/// The longest file that is read to find out whether it is a result.
const LONGEST: u64 = 64 << 20;

/// Content at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathContent {
    Nothing,
    /// A file without a byte, which may become an archive.
    Empty,
    Archive,
    /// A database of SQLite that another program made.
    Database,
    /// Something else, in words.
    Other(String),
}

/// Content at that path.
///
/// # Errors
/// If it cannot be determined.
pub(crate) fn there(path: &Path) -> io::Result<PathContent> {
    let about = match fs::metadata(path) {
        Ok(about) => about,
        // A folder on the way that is a file.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(PathContent::Nothing),
        Err(error) => return Err(error),
    };
    let kind = about.file_type();
    let other = |what: &str| Ok(PathContent::Other(what.to_owned()));
    if kind.is_dir() {
        return other("a folder");
    } else if kind.is_fifo() {
        return other("a named pipe");
    } else if kind.is_socket() {
        return other("a socket");
    } else if !kind.is_file() {
        return other("a device");
    }
    let mut head = Vec::new();
    File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    Ok(match head.as_slice() {
        [] => PathContent::Empty,
        head if head.starts_with(MAGIC) => match head.get(OWNER) {
            Some(owner) if owner == APPLICATION.to_be_bytes() => PathContent::Archive,
            _ => PathContent::Database,
        },
        head => PathContent::Other(words(path, head)?),
    })
}

/// Whether a regular file is a database of SQLite: an archive, or that of another program.
pub fn is_database(path: &Path) -> bool {
    matches!(there(path), Ok(PathContent::Archive | PathContent::Database))
}

/// Whether a database has a write-ahead log from another program: bytes 18 and 19 state the write and read versions.
pub(crate) fn has_log(path: &Path) -> bool {
    const LOGGED: [u8; 2] = [2, 2];
    let mut head = [0; 20];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head.starts_with(MAGIC) && head[18..] == LOGGED
}

/// What a file is that is no database.
fn words(path: &Path, head: &[u8]) -> io::Result<String> {
    let start = head.trim_ascii_start();
    let packed = [&b"\x1f\x8b"[..], b"\x28\xb5\x2f\xfd", b"\xfd7zXZ", b"BZh", b"PK\x03\x04"];
    let what = match () {
        () if packed.iter().any(|magic| head.starts_with(magic)) => "a compressed file",
        () if start.starts_with(b"{") || start.starts_with(b"[") => {
            if is_result(path)? {
                "a result, which `zerohop archive add` adds to an archive"
            } else {
                "JSON"
            }
        }
        () if is_text(head) => "a text",
        () => "neither an SQLite database nor a text",
    };
    Ok(what.to_owned())
}

fn is_result(path: &Path) -> io::Result<bool> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(std::str::from_utf8(&bytes).is_ok_and(|text| ResultFile::read(text).is_ok()))
}

/// Whether a file that begins so is text in UTF-8: the end of the bytes may fall into a character.
fn is_text(head: &[u8]) -> bool {
    match std::str::from_utf8(head) {
        Ok(text) => !text.contains('\0'),
        Err(error) => error.error_len().is_none() && !head.contains(&0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_told_by_its_first_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let result = include_str!("../../result/tests/files/version-2/host.json");
        let mut ours = MAGIC.to_vec();
        ours.resize(100, 0);
        let theirs = ours.clone();
        ours[OWNER].copy_from_slice(&APPLICATION.to_be_bytes());
        let other = |words: &str| PathContent::Other(words.to_owned());
        for (bytes, expected) in [
            (&b""[..], PathContent::Empty),
            (&ours, PathContent::Archive),
            (&theirs, PathContent::Database),
            (&ours[..40], PathContent::Database),
            (result.as_bytes(), other("a result, which `zerohop archive add` adds to an archive")),
            (b"  {\"a\": 1}", other("JSON")),
            (b"{\"a\": ", other("JSON")),
            (b"numa_node 0\n", other("a text")),
            (b"\x1f\x8b\x08\0", other("a compressed file")),
            (b"\x7fELF\x02\x01\0\0", other("neither an SQLite database nor a text")),
        ] {
            let path = folder.path().join("file");
            fs::write(&path, bytes).unwrap();
            assert_eq!(there(&path).unwrap(), expected, "{:?}", String::from_utf8_lossy(bytes));
        }
        assert_eq!(there(folder.path()).unwrap(), other("a folder"));
        assert_eq!(there(&folder.path().join("absent")).unwrap(), PathContent::Nothing);
    }

    /// SQLite would wait for somebody to write to it.
    #[test]
    fn a_named_pipe_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        assert_eq!(there(&path).unwrap(), PathContent::Other("a named pipe".to_owned()));
        assert_eq!(there(Path::new("/dev/zero")).unwrap(), PathContent::Other("a device".to_owned()));
    }
}
