//! Reading small text files, and keeping note of what could not be read.

use std::cell::RefCell;
use std::str::FromStr;

use crate::bounds::MOST_PUS;
use crate::{FileTree, PuId, PuSet, ReadError};

/// A tree, and the gaps met while reading it.
pub(super) struct Reader<'tree> {
    tree: &'tree dyn FileTree,
    gaps: RefCell<Vec<String>>,
}

impl<'tree> Reader<'tree> {
    pub(super) fn new(tree: &'tree dyn FileTree) -> Self {
        Self { tree, gaps: RefCell::default() }
    }

    /// Notes what could not be read and why; the same line once.
    pub(super) fn gap(&self, line: impl Into<String>) {
        let line = line.into();
        let mut gaps = self.gaps.borrow_mut();
        if !gaps.contains(&line) {
            gaps.push(line);
        }
    }

    pub(super) fn into_gaps(self) -> Vec<String> {
        self.gaps.into_inner()
    }

    /// The content of `path`, as it is.
    pub(super) fn bytes(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        self.tree.read(path)
    }

    /// The content of `path` without white space around it; a gap where it is there and cannot be read.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        match self.tree.read(path) {
            Ok(bytes) => Some(String::from_utf8_lossy(&bytes).trim().to_owned()),
            Err(ReadError::Absent) => None,
            Err(error) => {
                self.gap(format!("{path}: {error}"));
                None
            }
        }
    }

    /// The content of `path` as a number; a gap where it is none.
    pub(super) fn number<T: FromStr>(&self, path: &str) -> Option<T> {
        let text = self.text(path)?;
        let number = text.parse().ok();
        if number.is_none() {
            self.gap(format!("{path}: `{}` is not the number expected", excerpt(&text)));
        }
        number
    }

    /// The content of `path` as a list of PUs (or nodes: the form is the same); a gap where it is none.
    pub(super) fn list(&self, path: &str) -> Option<PuSet> {
        let text = self.text(path)?;
        match text.parse::<PuSet>() {
            Ok(set) if set.len() <= MOST_PUS => Some(set),
            Ok(set) => {
                self.gap(format!("{path}: names {} entries, more than Linux supports", set.len()));
                None
            }
            Err(_) => {
                self.gap(format!("{path}: `{}` is not a list of numbers", excerpt(&text)));
                None
            }
        }
    }

    /// The names in a directory; none where it is not there.
    pub(super) fn names(&self, directory: &str) -> Vec<String> {
        match self.tree.list(directory) {
            Ok(names) => names,
            Err(ReadError::Absent) => Vec::new(),
            Err(error) => {
                self.gap(format!("{directory}: {error}"));
                Vec::new()
            }
        }
    }

    /// The numbers `n` of the names `{prefix}{n}` in a directory, ascending.
    pub(super) fn numbered(&self, directory: &str, prefix: &str) -> PuSet {
        let names = self.names(directory);
        names.iter().filter_map(|name| name.strip_prefix(prefix)?.parse().ok()).map(PuId).collect()
    }
}

/// The start of a garbled text, fit for one line.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The value of `key` in lines such as `MemTotal:  1024 kB` or `model name : …`.
pub(super) fn field<'text>(text: &'text str, key: &str) -> Option<&'text str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Capture;

    #[test]
    fn garbled_content_becomes_one_line() {
        let tree = Capture::from_files([("/n", "12x\n"), ("/l", "7-3"), ("/long", "0-9000")]);
        let reader = Reader::new(&tree);
        assert_eq!(reader.number::<u32>("/n"), None);
        assert_eq!(reader.number::<u32>("/n"), None);
        assert_eq!(reader.list("/l"), None);
        assert_eq!(reader.list("/long"), None);
        assert_eq!(reader.text("/absent"), None);
        assert_eq!(
            reader.into_gaps(),
            [
                "/n: `12x` is not the number expected",
                "/l: `7-3` is not a list of numbers",
                "/long: names 9001 entries, more than Linux supports",
            ]
        );
    }

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let text = "model name\t: B\nmodel\t\t: 7\n";
        assert_eq!(field(text, "model"), Some("7"));
        assert_eq!(field(text, "family"), None);
    }
}
