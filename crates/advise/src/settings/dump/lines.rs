//! Text of lines: `racadm get`, OneCLI's `config show`, iLOrest's `get`.

use super::items::{Dump, DumpForm, Items};

/// What the name of a section of racadm begins with.
const SECTION: &str = "[Key=";

/// What racadm prints after a value that changes at the next boot.
const PENDING: &str = " (Pending Value=";

/// Whether racadm printed it.
pub(super) fn is_racadm(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with(SECTION))
}

/// Whether most lines are `NAME=VALUE`.
pub(super) fn are_most(text: &str) -> bool {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let (all, settings) =
        lines.fold((0, 0), |(all, found), line| (all + 1, found + usize::from(pair(line).is_some())));
    2 * settings >= all && settings > 0
}

/// The sections of racadm: `[Key=BIOS.Setup.1-1#ProcSettings]`, then `NAME=VALUE`, with `#` before what cannot be set.
pub(super) fn racadm(text: &str) -> Dump {
    let mut items = Items::default();
    let mut section: Option<String> = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(key) = line.strip_prefix(SECTION).map(|rest| rest.trim_end_matches(']')) {
            let (fqdd, group) = key.split_once('#').unwrap_or((key, ""));
            section = fqdd.starts_with("BIOS").then(|| format!("BIOS.{group}"));
            continue;
        }
        match (&section, pair(line.trim_start_matches('#'))) {
            (Some(section), Some((name, value))) => {
                let (value, pending) = match value.split_once(PENDING) {
                    Some((value, pending)) => (value, Some(pending.trim_end_matches(')'))),
                    None => (value, None),
                };
                items.add(&format!("{section}.{name}"), value, pending);
            }
            _ => items.other(),
        }
    }
    items.into_dump(DumpForm::Racadm)
}

/// Lines of `NAME=VALUE`; others are banners and messages.
pub(super) fn read(text: &str) -> Dump {
    let mut items = Items::default();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match pair(line) {
            Some((name, value)) => items.add(name, value, None),
            None => items.other(),
        }
    }
    items.into_dump(DumpForm::Lines)
}

/// The name and the value of a line.
fn pair(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    let is_name =
        !name.is_empty() && name.split_whitespace().count() <= 4 && !name.starts_with(['<', '/', '-']);
    is_name.then(|| (name, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn racadm_s_names_have_their_group_and_pending_values_are_kept() {
        let text = "[Key=BIOS.Setup.1-1#ProcSettings]\n#Proc1Brand=AMD EPYC 7742 64-Core Processor\n\
                    NumaNodesPerSocket=1 (Pending Value=4)\nCcxAsNumaDomain=Disabled\n\n\
                    [Key=iDRAC.Embedded.1#Users.2]\nUserName=root\n";
        assert!(is_racadm(text));
        let dump = racadm(text);
        assert_eq!(dump.items.len(), 3);
        let nodes = &dump.items[1];
        assert_eq!(
            (nodes.name.as_str(), nodes.value.as_str()),
            ("BIOS.ProcSettings.NumaNodesPerSocket", "1")
        );
        assert_eq!(nodes.pending.as_deref(), Some("4"));
        assert_eq!(dump.value("BIOS.ProcSettings.Proc1Brand"), Some("AMD EPYC 7742 64-Core Processor"));
    }

    #[test]
    fn onecli_s_banner_is_no_setting() {
        let text = "Lenovo XClarity Essentials OneCLI lxce_onecli01z-4.2.0\nStart to connect BMC ...\n\
                    OperatingModes.ChooseOperatingMode=Custom Mode\nProcessors.4-LinkxGMIMaxSpeed=Minimum\n\
                    Processors.xGMIForceLinkWidth=Auto\nSuccess.\n";
        assert!(are_most(text));
        let dump = read(text);
        assert_eq!((dump.items.len(), dump.others), (3, 3));
        assert_eq!(dump.value("OperatingModes.ChooseOperatingMode"), Some("Custom Mode"));
    }
}
