//! Lines to paste that read and change a setting.

use zerohop_advise::settings::{Command, Remedy};

use crate::page::Page;

/// Writes how a setting is spelled: for one vendor all of it, for several only the names.
pub(super) fn write_remedies(page: &mut Page, is_one_vendor: bool, remedies: &[Remedy]) {
    if !is_one_vendor {
        for remedy in remedies {
            page.item(&format!("{}: {}", remedy.machines, name(remedy)));
        }
        return;
    }
    for remedy in remedies {
        let menu = remedy.menu.as_ref().map_or(String::new(), |menu| format!(" ({menu})"));
        page.paragraph(&format!("{}: {}{menu}", remedy.machines, remedy.label));
        let only_read = remedy.commands.iter().all(|command| command.write.is_none());
        for Command { write, read, .. } in &remedy.commands {
            let shown = if only_read { Some(read) } else { write.as_ref() };
            if let Some(command) = shown {
                page.command(&command.to_string());
            }
        }
        if only_read && !remedy.commands.is_empty() {
            page.remark("the command shows the current value; the command to set it is not certain");
        }
        for condition in &remedy.conditions {
            page.remark(condition);
        }
        for confirm in &remedy.confirm {
            page.alert(&format!("confirm in this machine's registry: {confirm}"), "");
        }
        if !remedy.confirm.is_empty()
            && let Some(registry) = remedy.commands.iter().find_map(|command| command.registry.as_ref())
        {
            page.verbatim(&format!("  {registry}"));
        }
        if remedy.reboot {
            page.remark("takes effect after the next boot");
        }
        page.remark(&format!("source: {}", remedy.source));
    }
}

/// What a vendor calls it: the name in its first tool, or the menu.
fn name(remedy: &Remedy) -> String {
    match (remedy.commands.first(), &remedy.menu) {
        (Some(Command { name, value: Some(value), .. }), _) => format!("{name} = {value}"),
        (Some(Command { name, .. }), _) => format!("{name} (its values: see the machine's registry)"),
        (None, Some(menu)) if menu.ends_with(&remedy.label) => menu.clone(),
        (None, Some(menu)) => format!("{menu} > {}", remedy.label),
        (None, None) => remedy.label.clone(),
    }
}
