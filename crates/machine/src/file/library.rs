//! Where files that others extend come from.

/// Machine files that others extend: where they lie is for the caller to know.
pub trait Library {
    /// The text of the file that `extend = "name"` means: a built-in machine's name, or a path. `folder` is where the file lies that
    /// says so, relative to the first file of the chain; empty for the first file itself.
    fn read(&self, name: &str, folder: &str) -> Option<String>;

    /// Names that it knows, to suggest them.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// No files at all: for a machine file that extends none.
impl Library for () {
    fn read(&self, _: &str, _: &str) -> Option<String> {
        None
    }
}
