//! The files below a folder that may hold results, and what was left out, and why.

use std::fs::{self, FileType};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use zerohop_app::IN_DIRECTORY;

/// How deep folders are searched.
const DEEPEST: usize = 16;

/// What is below a folder.
#[derive(Debug, Default)]
pub(super) struct Below {
    /// Files that may hold results, and folders of surveys, in the order of their names, which begin with the time.
    pub(super) files: Vec<PathBuf>,
    /// What holds none, in words.
    pub(super) left_out: Vec<(PathBuf, String)>,
    /// What could not be read, and why.
    pub(super) unread: Vec<(PathBuf, String)>,
}

impl Below {
    /// What is below this folder.
    pub(super) fn of(folder: &Path) -> Self {
        let mut below = Self::default();
        below.search(folder, DEEPEST);
        below
    }

    fn search(&mut self, folder: &Path, deepest: usize) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.unread.push((folder.to_owned(), error.to_string())),
        };
        let mut paths = Vec::new();
        for entry in entries {
            match entry {
                Ok(entry) => paths.push(entry.path()),
                Err(error) => self.unread.push((folder.to_owned(), error.to_string())),
            }
        }
        paths.sort();
        for path in paths {
            self.sort(path, deepest);
        }
    }

    fn sort(&mut self, path: PathBuf, deepest: usize) {
        // Such as the logs of a fleet, in which a table of progress could be taken for another tool's output.
        if path.file_name().is_some_and(|name| name.as_bytes().starts_with(b".")) {
            return self.left_out.push((path, "hidden: its name begins with a dot".to_owned()));
        }
        let is_link = path.is_symlink();
        let about = match fs::metadata(&path) {
            Ok(about) => about,
            Err(error) if is_link => {
                return self.left_out.push((path, format!("dangling link: {error}")));
            }
            Err(error) => return self.unread.push((path, error.to_string())),
        };
        if about.is_file() || about.is_dir() && path.join(IN_DIRECTORY).is_file() {
            self.files.push(path);
        } else if !about.is_dir() {
            self.left_out.push((path, what(about.file_type()).to_owned()));
        } else if is_link {
            // It may lead back up, or to the folders of others.
            self.left_out.push((path, "a link to a directory: name it to add its contents".to_owned()));
        } else if deepest == 0 {
            self.left_out.push((path, "nested too deep: name it to add its contents".to_owned()));
        } else {
            self.search(&path, deepest - 1);
        }
    }
}

/// What something is that is neither a file nor a folder.
fn what(kind: FileType) -> &'static str {
    match () {
        () if kind.is_fifo() => "a named pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A folder of links to results was `0 results added`, without a word about them.
    #[test]
    fn everything_below_a_folder_is_a_file_or_named() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("in");
        let at = |name: &str| folder.join(name);
        fs::create_dir_all(at("survey")).unwrap();
        fs::create_dir_all(scratch.path().join("elsewhere")).unwrap();
        for file in
            [at("b.json"), at("survey/result.json"), at("survey/page.html"), scratch.path().join("a.json")]
        {
            fs::write(file, "{}").unwrap();
        }
        symlink(scratch.path().join("a.json"), at("a.json")).unwrap();
        symlink(at("survey"), at("same-survey")).unwrap();
        symlink(&folder, at("loop")).unwrap();
        symlink("self", at("self")).unwrap();
        symlink("nothing", at("dangling")).unwrap();
        symlink(scratch.path().join("elsewhere"), at("elsewhere")).unwrap();
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        fs::create_dir_all(at(&"deep/".repeat(DEEPEST + 1))).unwrap();

        let Below { files, left_out, unread } = Below::of(&folder);
        let name = |path: &PathBuf| path.strip_prefix(&folder).unwrap().display().to_string();
        assert_eq!(files.iter().map(name).collect::<Vec<_>>(), ["a.json", "b.json", "same-survey", "survey"]);
        let words = |begin: &str| {
            let found = left_out.iter().filter(|(_, words)| words.starts_with(begin));
            found.map(|(path, _)| name(path)).collect::<Vec<_>>()
        };
        assert_eq!(words("dangling link"), ["dangling", "self"]);
        assert_eq!(words("a link to a directory"), ["elsewhere", "loop"]);
        assert_eq!(
            (words("a named pipe"), words("a socket")),
            (vec!["pipe".to_owned()], vec!["socket".to_owned()])
        );
        assert_eq!(words("nested too deep"), [vec!["deep"; DEEPEST + 1].join("/")]);
        assert_eq!((left_out.len(), unread.len()), (7, 0));
        assert_eq!(Below::of(&folder.join("absent")).unread.len(), 1);
    }
}
