//! The settings of a dump, cleaned and bounded.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Largest dump that is read; a machine has a few thousand settings.
pub const LARGEST_DUMP: usize = 16 << 20;

/// Most settings that are kept.
const MOST_ITEMS: usize = 20_000;

/// Most characters of a name or a value that are kept.
pub(super) const LONGEST: usize = 200;

/// Format of a dump, by the program that printed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DumpForm {
    /// A Redfish BIOS resource, or its attributes alone.
    Redfish,
    /// A Dell server configuration profile.
    Profile,
    /// Output of `racadm get`.
    Racadm,
    /// Lines of `NAME=VALUE`: OneCLI, iLOrest.
    Lines,
    /// Rows of names and values: CSV.
    Delimited,
}

/// A setting of a dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DumpItem {
    pub name: String,
    pub value: String,
    /// The value that it has from the next boot on, if another.
    pub pending: Option<String>,
}

/// The settings of a dump, in its order, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dump {
    pub form: DumpForm,
    pub items: Vec<DumpItem>,
    /// Lines or entries that are no settings.
    pub others: usize,
    /// Whether the text is in a form that only firmware settings have: any JSON or CSV may be names and values.
    pub is_firmware: bool,
    /// Whether all of it is what the next boot will use, and not what is in force.
    pub is_pending: bool,
}

/// Why a text is no dump of BIOS settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DumpError {
    /// It is too large.
    #[error("it is larger than {} MiB", LARGEST_DUMP >> 20)]
    TooLarge,
    #[error("it is empty")]
    Empty,
    /// It begins like JSON, but is none.
    #[error("it is not JSON: {0}")]
    NotJson(String),
    /// No settings were found.
    #[error(
        "it contains no BIOS settings (expected Redfish JSON, a server configuration profile, lines of NAME=VALUE, or CSV)"
    )]
    NoSettings,
    /// It has names and values, and none of the names is that of a setting.
    #[error("none of its {names} names is a known setting (read as {})", form.words())]
    Foreign {
        /// What it was read as.
        form: DumpForm,
        /// How many names it has.
        names: usize,
    },
}

impl DumpError {
    /// What the user can do about it.
    pub const fn hint(&self) -> &'static str {
        "save the settings from the machine's BMC: `curl -ks -u USER https://BMC/redfish/v1/Systems/1/Bios`, `onecli config show`, or `racadm get BIOS.ProcSettings`"
    }
}

impl DumpForm {
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

/// Settings as they are found.
#[derive(Debug, Default)]
pub(super) struct Items {
    items: Vec<DumpItem>,
    known: std::collections::BTreeMap<String, usize>,
    others: usize,
}

impl Items {
    /// Adds a setting. One of the same name replaces it, as a later line of a tool's output does.
    pub(super) fn add(&mut self, name: &str, value: &str, pending: Option<&str>) {
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

    /// Sets what settings will be from the next boot on, where they are another value now.
    pub(super) fn set_pending(&mut self, pending: &std::collections::BTreeMap<String, String>) {
        for item in &mut self.items {
            let later = pending.get(&item.name).map(|value| clean(value));
            item.pending = later.filter(|later| *later != item.value);
        }
    }

    pub(super) fn other(&mut self) {
        self.others += 1;
    }

    pub(super) fn into_dump(self, form: DumpForm) -> Dump {
        let is_firmware = matches!(form, DumpForm::Profile | DumpForm::Racadm);
        Dump { form, items: self.items, others: self.others, is_firmware, is_pending: false }
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
