//! Captures: those parts of a machine's `/sys` and `/proc` that this crate reads, in one text file, to send to somebody or
//! to replay in a test.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::privacy::Filter;
use crate::{FileTree, LoadError, Machine, ReadError};

/// A tree of files in memory.
///
/// It holds what [`Machine::load`] reads and what `lstopo` needs to see the same machine, without serial numbers,
/// asset tags, UUIDs, names of the host, its users and containers, or the rest of the kernel's command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capture {
    /// The version of this format: [`Capture::VERSION`].
    version: u32,
    /// File contents by path.
    files: BTreeMap<String, Content>,
    /// Directories that hold no file of the capture, but whose presence matters.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    directories: BTreeSet<String>,
    /// Paths that existed but could not be read.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    denied: BTreeSet<String>,
}

/// The part of a capture that determines how the rest is read.
#[derive(Deserialize)]
struct Head {
    version: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Binary {
        #[serde(with = "crate::hexadecimal")]
        hex: Vec<u8>,
    },
}

/// Reason why a text is not a capture.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// It is not JSON, or not the JSON of a capture.
    #[error("not a captured machine: {0}")]
    Format(#[from] serde_json::Error),
    /// It has another version.
    #[error("a captured machine of format {found}; this version reads format {}", Capture::VERSION)]
    Version { found: u32 },
}

impl CaptureError {
    /// Hint for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Format(_) => {
                "give a file written by `zerohop machine capture`, or a directory with sys and proc"
            }
            Self::Version { .. } => "capture the machine again with this version",
        }
    }
}

impl Capture {
    /// The version of the format that this crate writes and reads.
    pub const VERSION: u32 = 1;

    /// A capture of the given files, each a path and a content.
    pub fn from_files<P, C>(files: impl IntoIterator<Item = (P, C)>) -> Self
    where
        P: Into<String>,
        C: Into<Vec<u8>>,
    {
        Self {
            version: Self::VERSION,
            files: files
                .into_iter()
                .map(|(path, content)| (path.into(), Content::of(content.into())))
                .collect(),
            directories: BTreeSet::new(),
            denied: BTreeSet::new(),
        }
    }

    /// Adds an empty directory. It may represent a symbolic link to a directory.
    #[must_use]
    pub fn with_directory(mut self, path: impl Into<String>) -> Self {
        self.directories.insert(path.into());
        self
    }

    /// Records the machine that `tree` describes: every path that loading it reads, and a few that `lstopo` needs.
    ///
    /// # Errors
    /// No machine can be read from the tree.
    pub fn record(tree: &dyn FileTree) -> Result<Self, LoadError> {
        let recorder = Recorder {
            tree,
            seen: RefCell::new(Self::from_files::<String, Vec<u8>>([])),
            size: Cell::new(0),
        };
        let machine = Machine::load(&recorder)?;
        for path in crate::lstopo::paths(&machine) {
            // A path that does not exist is of no use to `lstopo` either.
            let _ = recorder.read(&path);
        }
        let mut capture = recorder.seen.into_inner();
        capture.keep(&Filter::new(&capture.read("/proc/self/cgroup").unwrap_or_default()));
        capture.forget_directories_with_files();
        Ok(capture)
    }

    /// The text of the file: JSON with one line for each path.
    pub fn to_json(&self) -> String {
        // Writing maps of strings cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Reads what [`Capture::to_json`] wrote.
    ///
    /// # Errors
    /// The text is not a capture, or has another version.
    pub fn from_json(text: &str) -> Result<Self, CaptureError> {
        // The version is checked first: the rest of another version is unknown here.
        let head: Head = serde_json::from_str(text)?;
        match head.version {
            Some(found) if found != Self::VERSION => Err(CaptureError::Version { found }),
            _ => Ok(serde_json::from_str(text)?),
        }
    }

    /// The path and content of every file, by path.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(path, content)| (path.as_str(), content.bytes()))
    }

    /// Directories that hold no file of the capture.
    pub fn directories(&self) -> impl Iterator<Item = &str> {
        self.directories.iter().map(String::as_str)
    }

    fn forget_directories_with_files(&mut self) {
        let files = &self.files;
        self.directories.retain(|directory| {
            let below = format!("{directory}/");
            files.range(below.clone()..).next().is_none_or(|(path, _)| !path.starts_with(&below))
        });
    }

    fn keep(&mut self, filter: &Filter) {
        let files = std::mem::take(&mut self.files);
        self.files = files
            .iter()
            .filter_map(|(path, content)| filter.file(path, content.bytes()))
            .map(|(path, content)| (path, Content::of(content)))
            .collect();
        for paths in [&mut self.directories, &mut self.denied] {
            *paths = paths.iter().map(|path| filter.path(path)).collect();
        }
    }
}

impl Content {
    fn of(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => Self::Text(text),
            Ok(text) => Self::Binary { hex: text.into_bytes() },
            Err(error) => Self::Binary { hex: error.into_bytes() },
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Binary { hex } => hex,
        }
    }
}

impl FileTree for Capture {
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        if self.denied.contains(path) {
            return Err(ReadError::Denied);
        }
        self.files.get(path).map(|content| content.bytes().to_vec()).ok_or(ReadError::Absent)
    }

    fn list(&self, directory: &str) -> Result<Vec<String>, ReadError> {
        if self.denied.contains(directory) {
            return Err(ReadError::Denied);
        }
        let below = format!("{}/", directory.trim_end_matches('/'));
        let files = self.files.range(below.clone()..).map(|(path, _)| path);
        let directories = self.directories.range(below.clone()..);
        let names: BTreeSet<&str> = files
            .take_while(|path| path.starts_with(&below))
            .chain(directories.take_while(|path| path.starts_with(&below)))
            .filter_map(|path| path[below.len()..].split('/').next())
            .collect();
        if names.is_empty() && !self.directories.contains(directory) {
            return Err(ReadError::Absent);
        }
        Ok(names.into_iter().map(str::to_owned).collect())
    }
}

/// Size limit. Captures of the largest machines are smaller.
const LARGEST: usize = 256 << 20;

/// A tree that records what is read from it.
struct Recorder<'tree> {
    tree: &'tree dyn FileTree,
    seen: RefCell<Capture>,
    /// Total bytes of all files read.
    size: Cell<usize>,
}

impl Recorder<'_> {
    fn note_failure(&self, path: &str, error: &ReadError) {
        if *error != ReadError::Absent {
            self.seen.borrow_mut().denied.insert(path.to_owned());
        }
    }
}

impl FileTree for Recorder<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        let content = self.tree.read(path).inspect_err(|error| self.note_failure(path, error))?;
        self.size.set(self.size.get().saturating_add(content.len()));
        if self.size.get() > LARGEST {
            return Err(ReadError::Failed(format!(
                "all files together are larger than {} MiB",
                LARGEST >> 20
            )));
        }
        self.seen.borrow_mut().files.insert(path.to_owned(), Content::of(content.clone()));
        Ok(content)
    }

    fn list(&self, directory: &str) -> Result<Vec<String>, ReadError> {
        let names = self.tree.list(directory).inspect_err(|error| self.note_failure(directory, error))?;
        let entries = names.iter().map(|name| format!("{directory}/{name}"));
        // Files are recorded when they are read. Directories may only be listed, so they are recorded here.
        let only_named = entries.filter(|path| self.tree.list(path).is_ok());
        self.seen.borrow_mut().directories.extend(only_named);
        Ok(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_hosts_users_and_containers_are_left_out() {
        let host = Capture::from_files([
            ("/proc/sys/kernel/hostname", "SECRET-host\n"),
            ("/proc/cmdline", "root=UUID=SECRET hugepages=4 token=SECRET\n"),
            ("/proc/cpuinfo", "processor : 0\nSerial : SECRET\nflags : fpu\n\nprocessor : 1\nflags : fpu\n"),
            ("/proc/self/status", "Name:\tSECRET\nCpus_allowed_list:\t0-1\n"),
            ("/proc/self/cgroup", "4:memory:/SECRET-pod/memory\n0::/SECRET-pod\n"),
            ("/sys/fs/cgroup/memory/SECRET-pod/memory.limit_in_bytes", "1048576\n"),
        ]);
        let capture = Capture::record(&host).unwrap();
        let text = capture.to_json();
        assert!(!text.contains("SECRET"), "{text}");
        assert_eq!(text.matches("flags").count(), 1, "{text}");
        let (live, replayed) = (Machine::load(&host).unwrap(), Machine::load(&capture).unwrap());
        assert_eq!(replayed, Machine { name: String::new(), ..live });
        assert_eq!(replayed.system.memory_limit, Some(zerohop_units::Bytes::mib(1)));
    }
}
