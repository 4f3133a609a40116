//! Known errors of predictions from spec sheets, as found by the validation.

use std::sync::LazyLock;

use zerohop_expectation::KnownErrors;

/// The file that is written together with the page of the validation.
const FILE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../validation/errors.toml"));

// A test reads it: what comes with the program is right.
static KNOWN: LazyLock<KnownErrors> = LazyLock::new(|| KnownErrors::read(FILE).unwrap_or_default());

/// The errors in that file.
pub fn known_errors() -> &'static KnownErrors {
    &KNOWN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_errors_of_several_measures() {
        KnownErrors::read(FILE).unwrap();
        assert!(known_errors().phrases().len() >= 3, "{:?}", known_errors().phrases());
    }
}
