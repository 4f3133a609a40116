//! What an import returns.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use zerohop_result::ResultFile;

use crate::formats::Format;

/// What was read of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// The runs of tools in it.
    pub results: Vec<Imported>,
    /// The hosts of which it has no values, where it is of several.
    pub without_values: Vec<HostWithoutValues>,
}

/// A host that is named in a text, which has no values of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostWithoutValues {
    /// Its name, or those of several as a cluster shell folds them: `n[05-06]`.
    pub host: String,
    /// Why, as far as the text says it.
    pub why: String,
}

/// A run of a tool, as a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    pub result: ResultFile,
    /// The format that it was read as.
    pub format: Format,
    /// Lines of the file that no format understood: of its host, where the file holds the output of several, and of no host.
    pub unread: UnreadLines,
    /// Parts that the format understands but that have no place in a result, in words.
    pub left_out: Vec<String>,
}

/// Lines that no format understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The number of the first, from 1.
    pub first: usize,
    /// The number of the last.
    pub last: usize,
    /// The first, shortened, in quotation marks.
    pub text: String,
}

/// All lines that no format understood, in ascending order. All runs of a host share their list, and all hosts that of lines of no host:
/// copies would grow as the runs times the lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnreadLines {
    of_host: Arc<[Unread]>,
    of_no_host: Arc<[Unread]>,
}

impl UnreadLines {
    /// Those of a host, or of a text without hosts, and those of no host; both are in ascending order.
    pub(crate) fn new(of_host: Vec<Unread>, of_no_host: &Arc<[Unread]>) -> Self {
        Self { of_host: of_host.into(), of_no_host: Arc::clone(of_no_host) }
    }

    /// Each range of lines, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = &Unread> {
        let mut of_host = self.of_host.iter().peekable();
        let mut of_no_host = self.of_no_host.iter().peekable();
        std::iter::from_fn(move || match (of_host.peek(), of_no_host.peek()) {
            (Some(one), Some(other)) if other.first < one.first => of_no_host.next(),
            (Some(_), _) => of_host.next(),
            (None, _) => of_no_host.next(),
        })
    }

    /// The number of ranges.
    pub fn len(&self) -> usize {
        self.of_host.len() + self.of_no_host.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The ranges of all runs of a file, each once, in ascending order.
    pub fn of_all(imported: &[Imported]) -> Vec<&Unread> {
        let mut known = HashSet::new();
        let lists = imported.iter().flat_map(|one| [&one.unread.of_host, &one.unread.of_no_host]);
        let new = lists.filter(|list| known.insert(Arc::as_ptr(list).cast::<Unread>()));
        let ranges: BTreeMap<usize, &Unread> =
            new.flat_map(|list| list.iter()).map(|range| (range.first, range)).collect();
        ranges.into_values().collect()
    }
}
