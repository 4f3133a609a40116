//! How one vendor spells settings.

use zerohop_document::{Named, Text};

use super::kind::{names, pairs};
use super::tables::{SpelledTable, SpellingTable, ToolTable, VendorTable};

/// A vendor of machines, or Linux.
#[derive(Debug, Clone)]
pub struct Vendor {
    /// The name of its file in `settings/`.
    pub name: String,
    pub title: String,
    /// How firmware names the maker of such a machine.
    pub system: Vec<String>,
    pub tools: Vec<Tool>,
    pub settings: Vec<Spelled>,
}

/// A tool that reads and sets settings.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Its name in the file.
    pub name: String,
    pub title: String,
    /// The command that shows a setting.
    pub read: String,
    /// The command that changes it.
    pub write: Option<String>,
    /// The command that shows which values there are.
    pub registry: Option<String>,
    /// Whether a change takes effect only at the next boot.
    pub reboot: bool,
    /// Whether names end in `_` and a number of the board.
    pub numbered: bool,
    /// What to make sure of before it is used.
    pub confirm: Option<String>,
    /// Where it is documented.
    pub source: String,
}

/// A setting as a vendor has it.
#[derive(Debug, Clone)]
pub struct Spelled {
    /// The id of its [`Kind`](super::Kind).
    pub kind: String,
    /// What the vendor calls it.
    pub label: String,
    /// Where it is in the setup menu.
    pub menu: Option<String>,
    /// When the machine has it.
    pub condition: Option<String>,
    /// The only processors for which the vendor calls it so.
    pub processor: Option<String>,
    /// Options that a machine file has to have, if it has options of that name.
    pub machine: Vec<(String, String)>,
    pub default: Option<String>,
    /// Values that other settings have to have.
    pub needs: Vec<(String, String)>,
    /// Where the vendor's name comes from.
    pub source: String,
    /// What to make sure of before it is changed.
    pub confirm: Option<String>,
    /// Its names by tool.
    pub spellings: Vec<Spelling>,
}

/// How a tool spells a setting.
#[derive(Debug, Clone)]
pub struct Spelling {
    pub tool: String,
    pub name: String,
    /// Its values, and how the tool writes them.
    pub values: Vec<(String, String)>,
    /// Where the spelling comes from, if not where the setting does.
    pub source: Option<String>,
    /// What to make sure of before it is changed.
    pub confirm: Option<String>,
}

fn text(text: Option<&Text>) -> Option<String> {
    text.map(|text| text.text.clone())
}

impl Vendor {
    pub(super) fn new(name: &str, table: &VendorTable) -> Self {
        let VendorTable { table_place: _, title, system, tool, setting } = table;
        Self {
            name: name.to_owned(),
            title: title.text.clone(),
            system: names(system.as_ref()),
            tools: tool.iter().map(Tool::new).collect(),
            settings: setting.iter().map(Spelled::new).collect(),
        }
    }

    /// The tool of that name.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

impl Tool {
    fn new(named: &Named<ToolTable>) -> Self {
        let ToolTable { table_place: _, title, read, write, registry, reboot, numbered, confirm, source } =
            &named.value;
        Self {
            name: named.name.clone(),
            title: title.text.clone(),
            read: read.text.clone(),
            write: text(write.as_ref()),
            registry: text(registry.as_ref()),
            reboot: reboot.value,
            numbered: numbered.as_ref().is_some_and(|numbered| numbered.value),
            confirm: text(confirm.as_ref()),
            source: source.text.clone(),
        }
    }
}

impl Spelled {
    fn new(table: &SpelledTable) -> Self {
        let SpelledTable {
            table_place: _,
            kind,
            label,
            menu,
            condition,
            processor,
            machine,
            default,
            needs,
            source,
            confirm,
            spelling,
        } = table;
        Self {
            kind: kind.text.clone(),
            label: label.text.clone(),
            menu: text(menu.as_ref()),
            condition: text(condition.as_ref()),
            processor: text(processor.as_ref()),
            machine: pairs(machine),
            default: text(default.as_ref()),
            needs: pairs(needs),
            source: source.text.clone(),
            confirm: text(confirm.as_ref()),
            spellings: spelling.iter().map(Spelling::new).collect(),
        }
    }
}

impl Spelling {
    fn new(named: &Named<SpellingTable>) -> Self {
        let SpellingTable { table_place: _, name, values, source, confirm } = &named.value;
        Self {
            tool: named.name.clone(),
            name: name.text.clone(),
            values: pairs(values),
            source: text(source.as_ref()),
            confirm: text(confirm.as_ref()),
        }
    }

    /// How the tool writes a value.
    pub fn spelled(&self, value: &str) -> Option<&str> {
        self.values.iter().find(|(known, _)| known == value).map(|(_, spelled)| spelled.as_str())
    }

    /// The value that the tool writes so; letter case, blanks and the end of `Enabled` do not matter.
    pub fn value(&self, spelled: &str) -> Option<&str> {
        let wanted = plain(spelled);
        self.values.iter().find(|(_, known)| plain(known) == wanted).map(|(value, _)| value.as_str())
    }
}

/// Without letter case and blanks. Firmware of one vendor has both `Disable` and `Disabled`.
fn plain(text: &str) -> String {
    let mut plain: String =
        text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
    if matches!(plain.as_str(), "enabled" | "disabled") {
        plain.pop();
    }
    plain
}
