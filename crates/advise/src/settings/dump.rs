//! Dumps of BIOS settings: what vendors' tools print, as names and values.
//!
//! Anything may be handed in: sizes are bounded, control characters are removed, and nothing is trusted.

mod delimited;
mod items;
mod json;
mod lines;

pub use items::{Dump, DumpError, DumpForm, DumpItem, LARGEST_DUMP};

impl Dump {
    /// Reads a dump; its form is recognized.
    ///
    /// # Errors
    /// When it is too large, or has no settings.
    pub fn read(text: &str) -> Result<Self, DumpError> {
        if text.len() > LARGEST_DUMP {
            return Err(DumpError::TooLarge);
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim().is_empty() {
            return Err(DumpError::Empty);
        }
        // Racadm's sections begin with a bracket, too.
        let dump = if lines::is_racadm(text) {
            lines::racadm(text)
        } else if text.trim_start().starts_with(['{', '[']) {
            json::read(text)?
        } else if lines::are_most(text) {
            lines::read(text)
        } else {
            delimited::read(text)
        };
        if dump.items.is_empty() { Err(DumpError::NoSettings) } else { Ok(dump) }
    }

    /// The value of a setting.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.items.iter().find(|item| item.name.eq_ignore_ascii_case(name)).map(|item| item.value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::items::LONGEST;
    use super::*;

    #[test]
    fn a_setting_that_appears_twice_has_its_last_value() {
        let dump =
            Dump::read("Processors.SNC=Disabled\nMemory.MemorySpeed=Maximum\nProcessors.SNC=Enabled\n")
                .unwrap();
        assert_eq!(dump.items.len(), 2);
        assert_eq!(dump.value("processors.snc"), Some("Enabled"));
    }

    #[test]
    fn escapes_do_not_get_through() {
        let dump =
            Dump::read("{\"Attributes\": {\"A\\u001b[31mB\": \"x\\u001b]0;title\\u0007\\u202ey\"}}").unwrap();
        let [item] = &dump.items[..] else { panic!("{dump:?}") };
        assert!(
            !item.name.chars().chain(item.value.chars()).any(|c| c.is_control() || c == '\u{202e}'),
            "{item:?}"
        );
    }

    #[test]
    fn what_is_no_dump_is_refused() {
        assert_eq!(Dump::read(" \n"), Err(DumpError::Empty));
        assert_eq!(Dump::read("{\"a\": ").map_err(|error| matches!(error, DumpError::NotJson(_))), Err(true));
        assert_eq!(Dump::read("{}"), Err(DumpError::NoSettings));
        assert_eq!(Dump::read("[[[[]]]]"), Err(DumpError::NoSettings));
        assert_eq!(Dump::read("the quick brown fox\njumps\n"), Err(DumpError::NoSettings));
        assert_eq!(Dump::read(&"x".repeat(LARGEST_DUMP + 1)), Err(DumpError::TooLarge));
    }

    #[test]
    fn deep_nesting_ends_in_an_error() {
        let deep = "[".repeat(100_000);
        assert!(Dump::read(&deep).is_err());
        let deep = "{\"a\":".repeat(100_000);
        assert!(Dump::read(&deep).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,200}|[\\[{\"=,;:\\t\\n#A-Za-z0-9 ._-]{0,300}") {
            if let Ok(dump) = Dump::read(&text) {
                prop_assert!(!dump.items.is_empty());
                for item in &dump.items {
                    prop_assert!(item.name.chars().count() <= LONGEST && item.value.chars().count() <= LONGEST);
                }
            }
        }
    }
}
