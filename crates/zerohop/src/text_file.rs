//! Reading files that a user names.
//!
//! A named pipe (FIFO) that nobody writes to would block its reader for ever, and some devices do something when they are
//! opened. So only regular files are read, and what the caller has opened for us: a shell's process substitution `<(…)`,
//! which is a pipe without a name, and `/dev/stdin`, whatever that is.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl, fstatfs};
use zerohop_app::{Entry, FileError, Files, LARGEST, Notice};

use crate::terminal;

/// The files of this host.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Disk;

impl Files for Disk {
    fn read_text(&self, path: &Path, instead: &str) -> Result<String, FileError> {
        let text = bounded(path, LARGEST).map_err(|error| unreadable(path, &error, instead))?;
        // Some editors and shells write a byte order mark.
        Ok(text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned))
    }

    fn read_bytes(&self, path: &Path, instead: &str) -> Result<Vec<u8>, FileError> {
        bounded_bytes(path, LARGEST).map_err(|error| unreadable(path, &error, instead))
    }

    fn peek(&self, path: &Path) -> Option<String> {
        let about = std::fs::metadata(path).ok()?;
        // A pipe can be read only once, and may never end.
        if !about.is_file() || about.len() > LARGEST {
            return None;
        }
        let mut text = String::new();
        File::open(path).ok()?.take(LARGEST).read_to_string(&mut text).ok()?;
        Some(text)
    }

    fn entry(&self, path: &Path) -> Option<Entry> {
        let about = std::fs::metadata(path).ok()?;
        Some(match () {
            () if about.is_file() => Entry::File,
            () if about.is_dir() => Entry::Directory,
            () => Entry::Other,
        })
    }

    fn list(&self, folder: &Path) -> Vec<PathBuf> {
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    }

    fn real(&self, path: &Path) -> PathBuf {
        path.canonicalize().unwrap_or_else(|_| path.to_owned())
    }

    fn notice(&self, notice: &Notice<'_>) {
        terminal::say(&terminal::warning_line(&notice.to_string()));
    }
}

fn bounded_bytes(path: &Path, largest: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    open(path)?.take(largest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest {
        return Err(ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

/// The text of a file of at most `largest` bytes.
fn bounded(path: &Path, largest: u64) -> Result<String, Error> {
    let mut text = String::new();
    open(path)?.take(largest + 1).read_to_string(&mut text)?;
    if text.len() as u64 > largest {
        return Err(ErrorKind::FileTooLarge.into());
    }
    Ok(text)
}

/// Opens a regular file, or a pipe that the caller has opened.
fn open(path: &Path) -> Result<File, Error> {
    if [STANDARD_INPUT, DASH].contains(&path.to_str().unwrap_or_default()) {
        return File::open(STANDARD_INPUT);
    }
    if let Some(refused) = not_read(&std::fs::metadata(path)?) {
        return Err(refused);
    }
    // In the meantime, something else may have taken its place: opening that must not block either.
    let file =
        OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path)?;
    let about = file.metadata()?;
    if about.file_type().is_fifo() && fstatfs(&file)?.f_type != PIPES {
        return Err(NotRead("a named pipe").into());
    }
    if let Some(refused) = not_read(&about) {
        return Err(refused);
    }
    fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
    Ok(file)
}

/// The path of what the caller passes as standard input.
const STANDARD_INPUT: &str = "/dev/stdin";

/// How people write it.
const DASH: &str = "-";

/// The kernel's file system of pipes without a name (`PIPEFS_MAGIC` in Linux's `magic.h`).
const PIPES: rustix::fs::FsWord = 0x5049_5045;

/// Why something that may not be a regular file is not read. Whether a pipe has a name shows once it is open.
fn not_read(about: &Metadata) -> Option<Error> {
    let kind = about.file_type();
    let what = match () {
        () if kind.is_socket() => "a socket",
        () if kind.is_char_device() || kind.is_block_device() => "a device",
        () => return None,
    };
    Some(NotRead(what).into())
}

/// Something that is not read.
#[derive(Debug, thiserror::Error)]
#[error("it is {0}, not a regular file")]
struct NotRead(&'static str);

impl From<NotRead> for Error {
    fn from(refused: NotRead) -> Self {
        Self::other(refused)
    }
}

/// The first bytes of a file.
fn bounded_start(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    open(path)?.take(8).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Why a file cannot be used.
pub(crate) fn unreadable(path: &Path, error: &Error, hint: &str) -> FileError {
    let start = match error.kind() {
        ErrorKind::InvalidData => bounded_start(path).unwrap_or_default(),
        _ => Vec::new(),
    };
    FileError::of(path, error, &start, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_too_large_is_not_read_to_its_end() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "ten bytes!").unwrap();
        assert_eq!(bounded(file.path(), 10).unwrap(), "ten bytes!");
        assert!(bounded(file.path(), 9).is_err());
    }

    /// A named pipe to which nobody writes blocked every verb that reads a file.
    #[test]
    fn named_pipes_devices_and_sockets_are_refused_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        std::os::unix::fs::symlink(at("pipe"), at("link")).unwrap();
        for (path, what) in [
            (at("pipe"), "it is a named pipe, not a regular file"),
            (at("link"), "it is a named pipe, not a regular file"),
            (at("socket"), "it is a socket, not a regular file"),
            ("/dev/zero".into(), "it is a device, not a regular file"),
        ] {
            assert_eq!(bounded(&path, 100).unwrap_err().to_string(), what, "{}", path.display());
        }
    }

    #[test]
    fn a_pipe_that_the_shell_has_opened_is_read_to_its_end() {
        use std::io::Write;
        let (reader, mut writer) = std::io::pipe().unwrap();
        let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&reader));
        let writing = std::thread::spawn(move || {
            // Later than the reader opens it: it waits for all of it.
            std::thread::sleep(std::time::Duration::from_millis(50));
            writer.write_all(b"late").unwrap();
        });
        assert_eq!(bounded(Path::new(&path), 100).unwrap(), "late");
        writing.join().unwrap();
    }
}
