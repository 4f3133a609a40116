//! Advice on settings of firmware and kernel.

use zerohop_advise::settings::{Effect, SettingsAdvice, Standing};

use crate::json::settings_advice_json;
use crate::pages::settings_advice_page;
use crate::render::{Document, Views};
use crate::table::Table;

impl Document for SettingsAdvice {
    const NAME: &'static str = "advice on settings";
    const VIEWS: Views<Self> = Views {
        page: Some(settings_advice_page),
        json: Some(settings_advice_json),
        rows: Some(rows),
        ..Views::NONE
    };
}

/// A row of the table, wherever it comes from.
struct Row<'a> {
    basis: &'static str,
    kind: &'a str,
    from: Option<&'a str>,
    to: Option<&'a str>,
    standing: Option<Standing>,
    effect: Option<Effect>,
    why: Option<&'a str>,
    source: Option<&'a str>,
    command: Option<&'a str>,
}

/// One row per change, documented advice, setting of Linux and setting of firmware.
fn rows(advice: &SettingsAdvice) -> Table {
    let all = all(advice);
    let rows = || all.iter();
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    Table::new()
        .words("basis", rows().map(|row| row.basis.to_owned()))
        .words("setting", rows().map(|row| row.kind.to_owned()))
        .words("now", rows().map(|row| text(row.from)))
        .words("recommended", rows().map(|row| text(row.to)))
        .words("standing", rows().map(|row| row.standing.map_or("", Standing::name).to_owned()))
        .numbers("effect_percent", rows().map(|row| row.effect.map(|effect| effect.percent)))
        .numbers("effect_percent_low", rows().map(|row| row.effect.map(|effect| effect.low)))
        .numbers("effect_percent_high", rows().map(|row| row.effect.map(|effect| effect.high)))
        .words("why", rows().map(|row| text(row.why)))
        .words("source", rows().map(|row| text(row.source)))
        .words("command", rows().map(|row| text(row.command)))
}

fn all(advice: &SettingsAdvice) -> Vec<Row<'_>> {
    let write = |remedies: &'_ [zerohop_advise::settings::Remedy]| {
        remedies.iter().flat_map(|remedy| &remedy.commands).position(|command| command.write.is_some())
    };
    let command = |remedies| {
        let remedies: &[zerohop_advise::settings::Remedy] = remedies;
        let rank = write(remedies)?;
        remedies.iter().flat_map(|remedy| &remedy.commands).nth(rank)?.write.as_deref()
    };
    let changes = advice.changes.iter().map(|change| Row {
        basis: "model",
        kind: &change.kind,
        from: change.from.as_deref(),
        to: Some(&change.to),
        standing: Some(change.standing),
        effect: change.effect,
        why: Some(&change.why),
        source: change.recommended_by.first().map(|one| one.source.as_str()),
        command: command(&change.remedies),
    });
    let documented = advice.documented.iter().map(|one| Row {
        basis: "document",
        kind: &one.kind,
        from: None,
        to: Some(&one.value),
        standing: None,
        effect: None,
        why: Some(&one.why),
        source: Some(&one.source),
        command: command(&one.remedies),
    });
    let system = advice.system.iter().map(|one| Row {
        basis: "linux",
        kind: &one.kind,
        from: Some(&one.now),
        to: one.recommended.as_deref(),
        standing: None,
        effect: None,
        why: one.why.as_deref(),
        source: Some(&one.source),
        command: one.commands.first().map(String::as_str),
    });
    let firmware = advice.bios.iter().flat_map(|state| &state.settings).map(|one| Row {
        basis: "firmware",
        kind: &one.kind,
        from: Some(one.value.as_deref().unwrap_or(&one.spelled)),
        to: one.recommended.as_deref(),
        standing: None,
        effect: None,
        why: one.why.as_deref(),
        source: one.source.as_deref(),
        command: command(&one.remedies),
    });
    changes.chain(documented).chain(system).chain(firmware).collect()
}
