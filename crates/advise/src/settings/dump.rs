//! Dumps of BIOS settings: what vendors' tools print, as names and values.
//!
//! Anything may be handed in: sizes are bounded, control characters are removed, and nothing is trusted.

mod delimited;
mod json;
mod lines;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Largest dump that is read; a machine has a few thousand settings.
pub const LARGEST_DUMP: usize = 16 << 20;

/// Most settings that are kept.
const MOST_ITEMS: usize = 20_000;

/// Most characters of a name or a value that are kept.
const LONGEST: usize = 200;

/// What printed a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DumpForm {
    /// A Redfish BIOS resource, or its attributes alone.
    Redfish,
    /// A server configuration profile of Dell.
    Profile,
    /// The output of `racadm get`.
    Racadm,
    /// Lines of `NAME=VALUE`: OneCLI, iLOrest.
    Lines,
    /// Rows of names and values: CSV.
    Delimited,
}

/// A setting of a dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DumpItem {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The value that it has from the next boot on, if another.
    pub pending: Option<String>,
}

/// The settings of a dump, in its order, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dump {
    /// What printed it.
    pub form: DumpForm,
    /// The settings.
    pub items: Vec<DumpItem>,
    /// Lines or entries that are no settings.
    pub others: usize,
}

/// Why a text is no dump of BIOS settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DumpError {
    /// It is too large.
    #[error("it is larger than {} MiB", LARGEST_DUMP >> 20)]
    TooLarge,
    /// It is empty.
    #[error("it is empty")]
    Empty,
    /// It begins like JSON, but is none.
    #[error("it is not JSON: {0}")]
    NotJson(String),
    /// No settings were found.
    #[error(
        "it has no BIOS settings (expected Redfish JSON, a server configuration profile, lines of NAME=VALUE, or CSV)"
    )]
    NoSettings,
}

impl DumpError {
    /// What the user can do about it.
    pub const fn hint(&self) -> &'static str {
        "save what the machine's BMC says: `curl -ks -u USER https://BMC/redfish/v1/Systems/1/Bios`, `onecli config show`, or `racadm get BIOS.ProcSettings`"
    }
}

impl DumpForm {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Redfish => "Redfish JSON",
            Self::Profile => "server configuration profile",
            Self::Racadm => "racadm",
            Self::Lines => "lines of NAME=VALUE",
            Self::Delimited => "CSV",
        }
    }
}

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

/// Settings as they are found.
#[derive(Debug, Default)]
struct Items {
    items: Vec<DumpItem>,
    known: std::collections::BTreeMap<String, usize>,
    others: usize,
}

impl Items {
    /// Adds a setting. One of the same name replaces it, as a later line of a tool's output does.
    fn add(&mut self, name: &str, value: &str, pending: Option<&str>) {
        let name = clean(name);
        if name.is_empty() || !is_name(&name) {
            self.others += 1;
            return;
        }
        let item = DumpItem { name: name.clone(), value: clean(value), pending: pending.map(clean) };
        if let Some(&rank) = self.known.get(&name) {
            self.items[rank] = item;
        } else if self.items.len() < MOST_ITEMS {
            self.known.insert(name, self.items.len());
            self.items.push(item);
        } else {
            self.others += 1;
        }
    }

    fn other(&mut self) {
        self.others += 1;
    }

    fn into_dump(self, form: DumpForm) -> Dump {
        Dump { form, items: self.items, others: self.others }
    }
}

/// Whether a text can be a setting's name: vendors use letters, digits and a few signs, and it is no sentence.
fn is_name(name: &str) -> bool {
    let sign = |c: char| c.is_alphanumeric() || " ._-/()[]:&,+#'".contains(c);
    name.chars().all(sign) && name.chars().any(char::is_alphanumeric) && name.split_whitespace().count() <= 8
}

/// Without control characters and blanks around it, and no longer than necessary.
fn clean(text: &str) -> String {
    let text = text.trim().trim_matches('"').trim();
    let shown = |c: &char| !c.is_control() && !is_format(*c);
    text.chars().filter(shown).take(LONGEST).collect::<String>().trim().to_owned()
}

/// Characters that change how others are shown: directions of writing, invisible ones.
const fn is_format(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
