//! Advice on settings: the modeled effect of each change, recommendations of documents, present settings, and lines to paste.

mod firmware;
mod remedies;

use zerohop_advise::settings::{Change, Effect, ProbeReading, SettingsAdvice, Standing, on_file};

use crate::number::significant;
use crate::page::Page;
use crate::pages::grid::{Entry, Grid, Side};
use crate::pages::style::Style;

use firmware::{write_differences, write_firmware};
use remedies::write_remedies;

/// Writes advice on settings.
pub(crate) fn settings_advice_page(advice: &SettingsAdvice, style: &Style) -> Page {
    let mut page = Page::new(style);
    let subject = advice.machine.as_deref().unwrap_or("firmware");
    page.banner(&format!("settings of {subject}"), &format!("{}, {} programs", advice.goal, advice.workload));
    page.blank();
    let set: Vec<String> = advice.set.iter().map(ToString::to_string).collect();
    page.line("set", &set.join(", "));
    let vendor = advice.vendor.as_deref().and_then(|name| on_file().vendor(name));
    match vendor {
        Some(vendor) => page.line("spelled for", &vendor.title),
        None if advice.machine.is_some() => {
            page.line("spelled for", "all vendors; choose one with --vendor");
        }
        None => {}
    }
    write_now(&mut page, advice);
    write_changes(&mut page, advice);
    write_gains(&mut page, advice);
    write_documented(&mut page, advice);
    write_system(&mut page, advice);
    write_firmware(&mut page, &advice.bios);
    write_differences(&mut page, &advice.bios, &advice.differences);
    if !advice.notes.is_empty() {
        page.section("notes");
        for note in &advice.notes {
            page.item(note);
        }
    }
    page
}

/// What the model reaches as it is set now.
fn write_now(page: &mut Page, advice: &SettingsAdvice) {
    if advice.now.is_empty() {
        return;
    }
    page.section("values of the model now");
    let heads = [("probe", Side::Left), ("value", Side::Right), ("", Side::Left), ("what it is", Side::Left)];
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    for ProbeReading { probe, words, measure, reading, .. } in &advice.now {
        grid.push(vec![
            Entry::text(probe.clone()),
            Entry::text(reading.map_or("–".to_owned(), |reading| significant(reading.value))),
            Entry::text(measure.unit().to_owned()),
            Entry::text(words.clone()),
        ]);
    }
    page.grid(grid);
}

/// Every change, the best first.
fn write_changes(page: &mut Page, advice: &SettingsAdvice) {
    if advice.now.is_empty() {
        return;
    }
    page.section("changes, by their effect in the model");
    if advice.changes.is_empty() {
        page.paragraph("no setting that the model can express needs to change for this goal");
        return;
    }
    let mut heads = vec![
        ("change".to_owned(), Side::Left),
        ("effect".to_owned(), Side::Right),
        (String::new(), Side::Left),
    ];
    let probes: Vec<&str> = advice.now.iter().map(|now| now.probe.as_str()).collect();
    // One probe is the whole effect.
    let columns: &[&str] = if probes.len() > 1 { &probes } else { &[] };
    // The first word says which.
    let word = |probe: &str| probe.split(' ').next().unwrap_or_default().to_owned();
    heads.extend(columns.iter().map(|probe| (format!("{} %", word(probe)), Side::Right)));
    let mut grid = Grid::new(heads);
    for change in &advice.changes {
        let mut row = vec![
            Entry::text(format!("{} {}", short(change), change.to)),
            Entry::text(change.effect.map_or("–".to_owned(), |effect| percent(&effect))),
            Entry::text(change.standing.name().to_owned()),
        ];
        row.extend(columns.iter().map(|probe| {
            let effect = change.probes.get(*probe);
            Entry::text(effect.map_or("–".to_owned(), |effect| signed(effect.percent)))
        }));
        grid.push(row);
    }
    page.grid(grid);
    let of = if columns.is_empty() { ": on the probe" } else { ": the geometric mean over the probes" };
    page.remark(&format!("effect{of}; above zero is better; same: within the error of the model"));
    for change in advice.changes.iter().filter(|change| change.standing == Standing::Refused) {
        page.remark(&format!("{} {}: refused: {}", short(change), change.to, change.notes.join("; ")));
    }
    if let Some(together) = &advice.together {
        let changes: Vec<String> = together.changes.iter().map(|(kind, to)| format!("{kind} {to}")).collect();
        let worth = together.effect.map_or("unknown".to_owned(), |effect| percent(&effect));
        page.line("together", &format!("{worth} with {}", changes.join(", ")));
    }
}

/// The changes that are worth making, with why and how.
fn write_gains(page: &mut Page, advice: &SettingsAdvice) {
    let is_worth = |change: &&Change| change.is_advised(advice.goal);
    let mut seen: Vec<&str> = Vec::new();
    // Of each setting the best value; the list above has the others.
    let worth: Vec<&Change> = advice
        .changes
        .iter()
        .filter(is_worth)
        .filter(|change| {
            let is_new = !seen.contains(&change.kind.as_str());
            seen.push(&change.kind);
            is_new
        })
        .collect();
    if !advice.now.is_empty() && !advice.changes.is_empty() {
        page.section("what to change");
        if worth.is_empty() {
            page.paragraph("nothing: in the model, no change gains more than the model's error");
        }
        for change in advice.standing(Standing::Gain) {
            for one in &change.advised_against_by {
                let Change { kind, to, .. } = change;
                page.remark(&format!(
                    "not {kind} {to}, regardless of the model; {}: {}",
                    one.source, one.why
                ));
            }
        }
    }
    for change in worth {
        let effect = change.effect.map_or(String::new(), |effect| percent(&effect));
        page.title(&format!("{}: {}", change.title, arrow(change)), &effect);
        page.paragraph(&format!("{}: {}", change.to, change.meaning));
        page.paragraph(&change.why);
        for one in &change.recommended_by {
            page.paragraph(&format!("{}: {}", one.source, one.why));
        }
        if change.saves_power {
            page.paragraph("saves power");
        }
        if let Some(caution) = &change.caution {
            page.alert(caution, "");
        }
        write_remedies(page, advice.vendor.is_some(), &change.remedies);
        if change.remedies.is_empty() {
            page.remark("no vendor's name for it is known");
        }
    }
}

/// What documents recommend of settings that the model does not express.
fn write_documented(page: &mut Page, advice: &SettingsAdvice) {
    if advice.documented.is_empty() {
        return;
    }
    page.section("recommended by documents, not modeled");
    for one in &advice.documented {
        page.title(&format!("{}: {}", one.title, one.value), &one.meaning);
        page.paragraph(&format!("{}: {}", one.source, one.why));
        if let Some(caution) = &one.caution {
            page.alert(caution, "");
        }
        write_remedies(page, advice.vendor.is_some(), &one.remedies);
    }
}

/// Linux's settings on the machine.
fn write_system(page: &mut Page, advice: &SettingsAdvice) {
    if advice.system.is_empty() {
        return;
    }
    page.section("Linux");
    let heads = [("setting", Side::Left), ("now", Side::Left), ("recommended", Side::Left)];
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    for one in &advice.system {
        grid.push(vec![
            Entry::text(one.title.clone()),
            Entry::text(one.now.clone()),
            Entry::text(one.recommended.clone().unwrap_or_else(|| "–".to_owned())),
        ]);
    }
    page.grid(grid);
    let wanted: Vec<_> = advice.system.iter().filter(|one| one.recommended.is_some()).collect();
    if wanted.is_empty() {
        page.remark("nothing to change for this goal and these programs");
    }
    for one in wanted {
        page.title(&one.title, one.recommended.as_deref().unwrap_or_default());
        page.paragraph(&format!("{}: {}", one.source, one.why.as_deref().unwrap_or_default()));
        if let Some(caution) = &one.caution {
            page.alert(caution, "");
        }
        for command in &one.commands {
            page.command(command);
        }
        if one.reboot {
            page.remark("takes effect after the next boot");
        }
    }
}

/// `32`, or `16 → 32` where the present value is known.
fn arrow(change: &Change) -> String {
    change.from.as_ref().map_or_else(|| change.to.clone(), |from| format!("{from} → {}", change.to))
}

/// The setting's id: short, and what rules and files call it.
fn short(change: &Change) -> &str {
    &change.kind
}

/// `+45.1 ±2.8 %`.
fn percent(effect: &Effect) -> String {
    let margin = (effect.high - effect.low) / 2.0;
    format!("{} ±{margin:.1} %", signed(effect.percent))
}

fn signed(percent: f64) -> String {
    // Not `-0.0`.
    let rounded = (10.0 * percent).round() / 10.0 + 0.0;
    format!("{rounded:+.1}")
}
