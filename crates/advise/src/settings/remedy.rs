//! How a setting is read and changed on a vendor's machine, in words to paste.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::Machine;
use zerohop_machine_file::MachineOption;

use super::settings_files::{LINUX, on_file};
use super::vendor::{Spelled, Spelling, Tool, Vendor};

/// What is known of a machine, and decides how a setting is spelled.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The processor's vendor, as it identifies itself; empty if unknown.
    pub processor: String,
    /// Its name on the market; empty if unknown.
    pub model: String,
    /// Names of options of the machine file, and their values.
    pub options: Vec<(String, String)>,
}

/// Instructions to read and change a setting on a vendor's machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Remedy {
    /// Id of the setting.
    pub kind: String,
    /// The vendor, by the name of its file.
    pub vendor: String,
    /// Machines of the vendor.
    pub machines: String,
    /// Name of the setting in the vendor's documents.
    pub label: String,
    /// Path in the setup menu.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub menu: Option<String>,
    /// Value that the instructions are for, if they are for a specific one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Default value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Commands by tool.
    pub commands: Vec<Command>,
    /// Whether a change takes effect only at the next boot.
    pub reboot: bool,
    /// Conditions for the machine to have the setting, and other settings to change first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// Facts to check in this machine's registry before the setting is changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confirm: Vec<String>,
    /// Source of the vendor's names.
    pub source: String,
}

/// Commands of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Command {
    /// Name of the tool.
    pub tool: String,
    /// Name of the setting in the tool.
    pub name: String,
    /// Value as the tool writes it; absent if the spelling is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Command that shows the setting.
    pub read: String,
    /// Command that changes the setting; absent if its spelling is not certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<String>,
    /// Command that lists the values available on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry: Option<String>,
}

impl Facts {
    /// Of a machine, and the options of its file.
    pub fn of(machine: &Machine, options: &[MachineOption]) -> Self {
        let options = options.iter().map(|option| (option.name.clone(), option.chosen.clone()));
        let (processor, model) = (machine.processor.vendor.clone(), machine.processor.model.clone());
        Self { processor, model, options: options.collect() }
    }

    fn suit(&self, setting: &Spelled) -> bool {
        let processor = setting.processor.as_ref();
        let is_same = processor.is_none_or(|one| self.processor.is_empty() || *one == self.processor);
        let has = |(name, value): &(String, String)| {
            self.options.iter().find(|(known, _)| known == name).is_none_or(|(_, chosen)| chosen == value)
        };
        is_same && setting.machine.iter().all(has)
    }
}

/// How a setting is read on a vendor's machines; on those of all vendors if none is named.
pub fn remedy(kind: &str, vendor: Option<&str>) -> Vec<Remedy> {
    remedies(kind, None, vendor, &Facts::default())
}

/// How a setting is read, and set to a value, on machines of a vendor of which this is known; of all vendors if none is named.
/// Linux's own settings do not depend on the vendor.
pub fn remedies(kind: &str, value: Option<&str>, vendor: Option<&str>, facts: &Facts) -> Vec<Remedy> {
    let wanted = |one: &&Vendor| one.name == LINUX || vendor.is_none_or(|name| one.name == name);
    let vendors = on_file().vendors.iter().filter(wanted);
    let settings = vendors.flat_map(|vendor| vendor.settings.iter().map(move |setting| (vendor, setting)));
    settings
        .filter(|(_, setting)| setting.kind == kind && facts.suit(setting))
        .map(|(vendor, setting)| Remedy::new(vendor, setting, value))
        .collect()
}

impl Remedy {
    fn new(vendor: &Vendor, setting: &Spelled, value: Option<&str>) -> Self {
        let tools =
            setting.spellings.iter().filter_map(|spelling| Some((spelling, vendor.tool(&spelling.tool)?)));
        let tools: Vec<(&Spelling, &Tool)> = tools.collect();
        let on_file = on_file();
        let needs = setting.needs.iter().filter_map(|(id, value)| {
            let kind = on_file.kind(id)?;
            let label =
                vendor.settings.iter().find(|one| one.kind == *id).map_or(&kind.title, |one| &one.label);
            Some(format!("{label} must be `{value}`: {}", kind.meaning_of(value).unwrap_or_default()))
        });
        let unseen =
            |(spelling, _): &(&Spelling, &Tool)| value.is_some_and(|value| spelling.spelled(value).is_none());
        let mut confirm: Vec<String> = setting.confirm.iter().cloned().collect();
        let commands: Vec<Command> =
            tools.iter().map(|(spelling, tool)| Command::new(spelling, tool, value)).collect();
        // If one tool is certain, nobody needs to know what is not certain of another.
        let is_certain = commands.iter().any(|command| command.write.is_some());
        for (spelling, tool) in tools.iter().filter(|_| !is_certain) {
            confirm.extend(spelling.confirm.iter().map(|what| format!("{}: {what}", spelling.name)));
            confirm.extend(tool.confirm.iter().cloned());
        }
        if let Some(value) =
            value.filter(|_| confirm.is_empty() && !tools.is_empty() && tools.iter().all(unseen))
        {
            confirm.push(format!("how `{value}` is spelled"));
        }
        confirm.dedup();
        Self {
            kind: setting.kind.clone(),
            vendor: vendor.name.clone(),
            machines: vendor.title.clone(),
            label: setting.label.clone(),
            menu: setting.menu.clone(),
            value: value.map(str::to_owned),
            default: setting.default.clone(),
            reboot: if tools.is_empty() {
                vendor.name != LINUX
            } else {
                tools.iter().all(|(_, tool)| tool.reboot)
            },
            commands,
            conditions: setting.condition.iter().cloned().chain(needs).collect(),
            confirm,
            source: setting.source.clone(),
        }
    }

    /// Whether it names anything that can be read or set: not only a cable, or another firmware.
    pub fn is_a_setting(&self) -> bool {
        self.menu.is_some() || !self.commands.is_empty()
    }
}

impl Command {
    fn new(spelling: &Spelling, tool: &Tool, value: Option<&str>) -> Self {
        let spelled = value.and_then(|value| spelling.spelled(value));
        let with = |text: &str, value: &str| text.replace("{name}", &spelling.name).replace("{value}", value);
        // A name that lacks the board's number, or a value that nobody has seen, cannot be written.
        let is_certain = !tool.numbered && tool.confirm.is_none() && spelling.confirm.is_none();
        let write = tool.write.as_ref().filter(|_| is_certain);
        Self {
            tool: tool.title.clone(),
            name: spelling.name.clone(),
            value: spelled.map(str::to_owned),
            read: with(&tool.read, ""),
            write: write.zip(spelled).map(|(write, spelled)| with(write, spelled)),
            registry: tool.registry.as_ref().map(|registry| with(registry, "")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lenovo(kind: &str, value: &str, links: &str) -> Vec<Remedy> {
        let facts = Facts {
            processor: "AuthenticAMD".to_owned(),
            options: vec![("links".to_owned(), links.to_owned())],
            ..Facts::default()
        };
        remedies(kind, Some(value), Some("lenovo"), &facts)
    }

    #[test]
    fn lenovo_s_link_speed_is_spelled_as_its_paper_has_it() {
        let four = lenovo("xgmi-speed", "32", "4");
        assert_eq!(four.len(), 1, "{four:?}");
        assert_eq!(
            four[0].commands[0].write.as_deref(),
            Some("onecli config set Processors.4-LinkxGMIMaxSpeed \"32Gbps\"")
        );
        assert_eq!(four[0].commands[1].write, None, "values of Redfish were never published");
        assert!(
            four[0].reboot && four[0].conditions.iter().any(|one| one.contains("Operating Mode")),
            "{four:?}"
        );
        let three = lenovo("xgmi-speed", "16", "3");
        assert_eq!(
            three[0].commands[0].write.as_deref(),
            Some("onecli config set Processors.3-LinkxGMIMaxSpeed \"Minimum\"")
        );
    }

    #[test]
    fn nothing_is_written_of_which_nobody_is_sure() {
        for vendor in &on_file().vendors {
            for setting in &vendor.settings {
                for value in
                    on_file().kind(&setting.kind).unwrap().values.iter().map(|one| one.value.as_str())
                {
                    let remedy = Remedy::new(vendor, setting, Some(value));
                    for command in &remedy.commands {
                        let spelling = setting.spellings.iter().find(|one| one.name == command.name).unwrap();
                        if command.write.is_some() {
                            assert!(
                                spelling.confirm.is_none() && spelling.spelled(value).is_some(),
                                "{remedy:?}"
                            );
                        }
                        for text in [Some(&command.read), command.write.as_ref(), command.registry.as_ref()]
                            .into_iter()
                            .flatten()
                        {
                            assert!(!text.contains("{name}") && !text.contains("{value}"), "{text}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_rule_finds_the_commands_of_any_vendor() {
        assert!(remedy("node-interleaving", None).len() > 2);
        let dell = remedy("node-interleaving", Some("dell"));
        assert_eq!(dell[0].commands[0].read, "racadm get BIOS.MemSettings.NodeInterleave");
        assert_eq!(
            remedy("numa-balancing", Some("dell"))[0].commands[0].read,
            "sysctl kernel.numa_balancing"
        );
        assert!(remedy("no-such-setting", None).is_empty());
    }
}
