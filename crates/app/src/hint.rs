//! Errors that say what to do about them.

use std::error::Error;

/// An error with a hint.
pub trait Hinted: Error {
    /// What can be done about it; `None` if the error says it itself, or nothing can.
    fn hint(&self) -> Option<String>;
}
