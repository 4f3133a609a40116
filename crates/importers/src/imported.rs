//! What an import returns.

use zerohop_result::ResultFile;

use crate::formats::Format;

/// A run of a tool, as a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The result.
    pub result: ResultFile,
    /// The format that it was read as.
    pub format: Format,
    /// Lines of the file that no format understood: of its host, where the file holds the output of several, and of no host.
    pub unread: Vec<Unread>,
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
