//! How far predictions from spec sheets are known to be off: what the validation page says.

use zerohop_insight::expectation::KnownErrors;

/// The page that `zerohop reproduce --validation` writes.
const PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/validation.md"));

/// The errors on that page.
pub(crate) fn known_errors() -> KnownErrors {
    KnownErrors::read(PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_errors_of_several_measures() {
        assert!(known_errors().phrases().len() >= 3, "{:?}", known_errors().phrases());
    }
}
