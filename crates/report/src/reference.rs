//! What a text of a page stands for, if other pages are about that.

/// Something that has pages of its own where an archive is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// A machine of an archive, by its name.
    Machine(String),
    /// A result of an archive, by its id.
    Result(String),
}
