//! The source of files that others extend.

/// Machine files that others extend. The caller knows where they are.
pub trait Library {
    /// The text of the file that `extend = "name"` refers to: a built-in machine's name, or a path. `folder` is the
    /// directory of the file that contains the key, relative to the first file of the chain; empty for the first file
    /// itself.
    fn read(&self, name: &str, folder: &str) -> Option<String>;

    /// Known names, for suggestions.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// No files: for a machine file that extends no other.
impl Library for () {
    fn read(&self, _: &str, _: &str) -> Option<String> {
        None
    }
}
