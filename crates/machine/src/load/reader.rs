//! Reading small text files, with notes of what could not be read.

use std::cell::RefCell;
use std::str::FromStr;

use crate::bounds::MOST_PUS;
use crate::mask;
use crate::{FileTree, PuId, PuSet, ReadError};

/// A tree, with the gaps found while reading it.
pub(super) struct Reader<'tree> {
    tree: &'tree dyn FileTree,
    gaps: RefCell<Vec<String>>,
}

impl<'tree> Reader<'tree> {
    pub(super) fn new(tree: &'tree dyn FileTree) -> Self {
        Self { tree, gaps: RefCell::default() }
    }

    /// Notes what could not be read and why. A line is noted only once.
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

    /// The content of `path`, unchanged.
    pub(super) fn bytes(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        self.tree.read(path)
    }

    /// The content of `path` without surrounding white space, and without the NUL at the end that some kernels and the
    /// device tree add. A file that exists but cannot be read is a gap.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        let is_around = |c: char| c.is_whitespace() || c == '\0';
        match self.tree.read(path) {
            Ok(bytes) => Some(String::from_utf8_lossy(&bytes).trim_matches(is_around).to_owned()),
            Err(ReadError::Absent) => None,
            Err(error) => {
                self.gap(format!("{path}: {error}"));
                None
            }
        }
    }

    /// The content of `path` as a number. Any other content is a gap.
    pub(super) fn number<T: FromStr>(&self, path: &str) -> Option<T> {
        let text = self.text(path)?;
        let number = text.parse().ok();
        if number.is_none() {
            self.gap(format!("{path}: `{}` is not a number", excerpt(&text)));
        }
        number
    }

    /// The content of `path` as a list of PUs, or of nodes, which have the same form. Any other content is a gap.
    pub(super) fn list(&self, path: &str) -> Option<PuSet> {
        let text = self.text(path)?;
        match text.parse::<PuSet>() {
            Ok(set) if set.iter().all(|PuId(number)| (number as usize) < MOST_PUS) => Some(set),
            Ok(_) => {
                self.gap(format!("{path}: `{}` is more than Linux supports", excerpt(&text)));
                None
            }
            Err(_) => {
                self.gap(format!("{path}: `{}` is not a list of numbers", excerpt(&text)));
                None
            }
        }
    }

    /// A set that the kernel shows both as a list and as a mask. Older kernels only show the mask.
    pub(super) fn set(&self, list: &str, mask: &str) -> Option<PuSet> {
        if let Some(set) = self.list(list) {
            return Some(set);
        }
        let text = self.text(mask)?;
        let set = mask::parse(&text);
        if set.is_none() {
            self.gap(format!("{mask}: `{}` is not a mask", excerpt(&text)));
        }
        Some(set?.into_iter().map(PuId).collect())
    }

    /// The names in a directory; none if it does not exist.
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
        names.iter().filter_map(|name| possible_number(name.strip_prefix(prefix)?)).map(PuId).collect()
    }
}

/// The number of a PU or a node; nothing if it is beyond any machine's, because each set that holds a number takes memory
/// proportional to it.
pub(super) fn possible_number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|&number| (number as usize) < MOST_PUS)
}

/// The start of a garbled text, short enough for one line.
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
                "/n: `12x` is not a number",
                "/l: `7-3` is not a list of numbers",
                "/long: `0-9000` is more than Linux supports",
            ]
        );
    }

    #[test]
    fn a_nul_or_a_newline_at_the_end_of_a_list_is_no_part_of_it() {
        let tree =
            Capture::from_files([("/nul", "0-3\0"), ("/both", "0-3\n\0"), ("/n", "7\0\n"), ("/empty", "\0")]);
        let reader = Reader::new(&tree);
        for path in ["/nul", "/both"] {
            assert_eq!(reader.list(path), "0-3".parse().ok(), "{path}");
        }
        assert_eq!(reader.number::<u32>("/n"), Some(7));
        assert_eq!(reader.list("/empty"), Some(PuSet::new()));
        assert_eq!(reader.into_gaps(), [""; 0]);
    }

    #[test]
    fn a_set_is_read_from_its_mask_if_there_is_no_list() {
        let tree =
            Capture::from_files([("/mask", "00000001,0000000f\n"), ("/garbled", "7,x"), ("/list", "2")]);
        let reader = Reader::new(&tree);
        assert_eq!(reader.set("/none", "/mask"), "0-3,32".parse().ok());
        assert_eq!(reader.set("/list", "/mask"), "2".parse().ok());
        assert_eq!(reader.set("/none", "/garbled"), None);
        assert_eq!(reader.set("/none", "/none"), None);
        assert_eq!(reader.into_gaps(), ["/garbled: `7,x` is not a mask"]);
    }

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let text = "model name\t: B\nmodel\t\t: 7\n";
        assert_eq!(field(text, "model"), Some("7"));
        assert_eq!(field(text, "family"), None);
    }
}
