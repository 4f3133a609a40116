//! Contents of firmware dumps, and the differences between two.

use zerohop_advise::settings::{BiosDifference, BiosSetting, BiosState, on_file};

use super::remedies::write_remedies;
use crate::number::counted;
use crate::page::Page;
use crate::pages::grid::{Entry, Grid, Side};

/// The most settings without an effect on memory whose difference is shown; JSON has all.
const LISTED: usize = 12;

/// Present settings of the firmware.
pub(super) fn write_firmware(page: &mut Page, dumps: &[BiosState]) {
    for state in dumps {
        page.section(&format!("firmware by {}", state.file));
        let vendor = state.vendor.as_deref().and_then(|name| on_file().vendor(name));
        let vendor = vendor.map_or("no vendor's names were recognized", |vendor| &vendor.title);
        let matter = format!("{} of {}", state.settings.len(), counted(state.count, "setting"));
        page.line("dump", &format!("{}; {vendor}; {matter} affect memory performance", state.form.words()));
        if state.pending {
            page.line(
                "pending",
                "these are the settings for the next boot, not the current ones: for those, save the resource one level above (…/Bios)",
            );
        }
        if state.settings.is_empty() {
            continue;
        }
        let time = if state.pending { "after the next boot" } else { "now" };
        let heads =
            [("setting", Side::Left), ("name", Side::Left), (time, Side::Left), ("recommended", Side::Left)];
        let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
        for one in &state.settings {
            grid.push(vec![
                Entry::text(one.kind.clone()),
                Entry::text(one.name.clone()),
                Entry::text(now(one)),
                Entry::text(one.recommended.clone().unwrap_or_else(|| "–".to_owned())),
            ]);
        }
        page.grid(grid);
        // Between two machines, the difference is the question.
        if dumps.len() > 1 {
            continue;
        }
        for one in state.settings.iter().filter(|one| one.recommended.is_some()) {
            page.title(&one.title, one.recommended.as_deref().unwrap_or_default());
            let source = one.source.as_deref().unwrap_or_default();
            page.paragraph(&format!("{source}: {}", one.why.as_deref().unwrap_or_default()));
            write_remedies(page, state.vendor.is_some(), &one.remedies);
        }
    }
}

/// The value in our words beside the dump's, where they differ, and the one to come.
fn now(setting: &BiosSetting) -> String {
    let default = if setting.is_default == Some(true) { ", the default" } else { "" };
    let pending =
        setting.pending.as_ref().map_or(String::new(), |value| format!(", {value} after the next boot"));
    match &setting.value {
        Some(value) if !value.eq_ignore_ascii_case(&setting.spelled) => {
            format!("{} ({value}{default}{pending})", setting.spelled)
        }
        Some(_) => format!("{}{default}{pending}", setting.spelled),
        None => format!("{} (not a known value{pending})", setting.spelled),
    }
}

/// Differences between two dumps.
pub(super) fn write_differences(page: &mut Page, dumps: &[BiosState], differences: &[BiosDifference]) {
    let [first, second] = dumps else { return };
    page.section("what differs");
    if differences.is_empty() {
        page.paragraph("nothing: both dumps have the same settings with the same values");
        return;
    }
    let named = |state: &BiosState| {
        let pending = if state.pending { ", after the next boot" } else { "" };
        format!("{}{pending}", state.file)
    };
    let heads = [
        ("name".to_owned(), Side::Left),
        (named(first), Side::Left),
        (named(second), Side::Left),
        ("setting".to_owned(), Side::Left),
    ];
    let mut grid = Grid::new(heads);
    let missing = || "absent".to_owned();
    let (matter, rest): (Vec<_>, Vec<_>) = differences.iter().partition(|one| one.kind.is_some());
    for one in matter.iter().chain(rest.iter().take(LISTED)) {
        grid.push(vec![
            Entry::text(one.name.clone()),
            Entry::text(one.first.clone().unwrap_or_else(missing)),
            Entry::text(one.second.clone().unwrap_or_else(missing)),
            Entry::text(one.kind.clone().unwrap_or_else(|| "–".to_owned())),
        ]);
    }
    page.grid(grid);
    if rest.len() > LISTED {
        page.remark(&format!(
            "and {} more without a known effect on memory, in the JSON format",
            rest.len() - LISTED
        ));
    }
    // What one of them lacks may be set alike.
    let contradicts = matter.iter().any(|one| one.is_contradiction());
    for one in matter.iter().filter(|one| one.is_contradiction() || !contradicts) {
        page.item(&format!("{}: {}", one.name, one.effect.as_deref().unwrap_or_default()));
    }
    if differences.iter().all(|one| one.kind.is_none()) {
        page.remark("none of these is known to affect memory performance");
    }
}
