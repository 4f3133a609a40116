//! Target of a text on a page, if other pages describe it.

/// Something that has pages of its own where an archive is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// A machine of an archive, by its name.
    Machine(String),
    /// A result of an archive, by its id.
    Result(String),
}
