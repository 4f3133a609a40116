//! The files of `/sys` and `/proc`, live or under another root.

use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use zerohop_machine::{FileTree, ReadError};

/// Size limit of a file. No file of `/sys` and `/proc` that is read here is larger.
const LARGEST: u64 = 64 << 20;

/// Limit on the entries of a directory. No directory that is read here has more.
const MOST_ENTRIES: usize = 1 << 16;

/// A tree of files on this host.
#[derive(Debug, Clone)]
pub struct HostTree {
    root: PathBuf,
}

impl HostTree {
    /// The tree under `root`: `/` for this host itself, another directory for a copy of some machine's files. A copy may be
    /// untrusted, so links that lead out of it are not followed.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self { root: fs::canonicalize(&root).unwrap_or(root) }
    }

    /// This host's own `/sys` and `/proc`.
    pub fn live() -> Self {
        Self::new("/")
    }

    fn path(&self, path: &str) -> Result<PathBuf, ReadError> {
        let path = self.root.join(path.trim_start_matches('/'));
        // No link leads out of `/`, and resolving every path of a large machine would take time.
        if self.root == Path::new("/") {
            return Ok(path);
        }
        let real = fs::canonicalize(path)?;
        if real.starts_with(&self.root) {
            Ok(real)
        } else {
            Err(ReadError::Failed("a link points outside the tree".to_owned()))
        }
    }
}

impl FileTree for HostTree {
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        let path = self.path(path)?;
        // Opening a device may have side effects, and a pipe may never end.
        let not_regular = || ReadError::Failed("not a regular file".to_owned());
        if !fs::metadata(&path)?.is_file() {
            return Err(not_regular());
        }
        let file = File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(&path)?;
        if !file.metadata()?.is_file() {
            return Err(not_regular());
        }
        let mut content = Vec::new();
        file.take(LARGEST + 1).read_to_end(&mut content)?;
        if content.len() as u64 > LARGEST {
            return Err(ReadError::Failed(format!("larger than {} MiB", LARGEST >> 20)));
        }
        Ok(content)
    }

    fn list(&self, directory: &str) -> Result<Vec<String>, ReadError> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.path(directory)?)? {
            if names.len() == MOST_ENTRIES {
                return Err(ReadError::Failed(format!("more than {MOST_ENTRIES} entries")));
            }
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        Ok(names)
    }
}

/// The text of a file, if it can be read and is text.
pub(crate) fn text(tree: &dyn FileTree, path: &str) -> Option<String> {
    String::from_utf8(tree.read(path).ok()?).ok()
}

/// The number that a file consists of.
pub(crate) fn number(tree: &dyn FileTree, path: &str) -> Option<u64> {
    text(tree, path)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_paths_are_relative_to_the_root() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("sys/devices")).unwrap();
        fs::write(root.path().join("sys/devices/online"), "0-3\n").unwrap();
        let tree = HostTree::new(root.path());
        assert_eq!(tree.read("/sys/devices/online"), Ok(b"0-3\n".to_vec()));
        assert_eq!(tree.list("/sys/devices"), Ok(vec!["online".to_owned()]));
        assert_eq!(tree.read("/sys/none"), Err(ReadError::Absent));
        assert_eq!(tree.list("/none"), Err(ReadError::Absent));
        assert_eq!(number(&tree, "/sys/devices/online"), None);
    }

    fn unreadable(tree: &HostTree, path: &str) -> String {
        tree.read(path).unwrap_err().to_string()
    }

    #[test]
    fn pipes_devices_and_directories_are_not_read() {
        let root = tempfile::tempdir().unwrap();
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        let pipe = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, root.path().join("pipe"), pipe, mode, 0).unwrap();
        fs::create_dir(root.path().join("directory")).unwrap();
        let tree = HostTree::new(root.path());
        for path in ["/pipe", "/directory"] {
            assert_eq!(unreadable(&tree, path), "unreadable: not a regular file", "{path}");
        }
        assert_eq!(unreadable(&HostTree::live(), "/dev/zero"), "unreadable: not a regular file");
    }

    #[test]
    fn a_file_without_end_is_not_read_to_its_end() {
        let root = tempfile::tempdir().unwrap();
        let file = File::create(root.path().join("cpuinfo")).unwrap();
        file.set_len(1 << 40).unwrap();
        assert_eq!(unreadable(&HostTree::new(root.path()), "/cpuinfo"), "unreadable: larger than 64 MiB");
    }

    #[test]
    fn links_are_followed_within_the_tree_and_not_out_of_it() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), "secret").unwrap();
        let root = outside.path().join("root");
        fs::create_dir_all(root.join("sys/devices/node0")).unwrap();
        fs::write(root.join("sys/devices/node0/meminfo"), "1").unwrap();
        let link = |target: &Path, name: &str| std::os::unix::fs::symlink(target, root.join(name)).unwrap();
        link(Path::new("devices/node0"), "sys/node0");
        link(Path::new("../../secret"), "sys/relative");
        link(&outside.path().join("secret"), "sys/absolute");
        link(outside.path(), "sys/folder");
        let tree = HostTree::new(&root);
        assert_eq!(tree.read("/sys/node0/meminfo"), Ok(b"1".to_vec()));
        assert_eq!(tree.list("/sys/node0"), Ok(vec!["meminfo".to_owned()]));
        for path in ["/sys/relative", "/sys/absolute", "/sys/folder/secret", "/sys/../../secret"] {
            assert_eq!(unreadable(&tree, path), "unreadable: a link points outside the tree", "{path}");
        }
        assert!(tree.list("/sys/folder").is_err());
    }
}
