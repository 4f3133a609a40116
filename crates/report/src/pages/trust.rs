//! Trustworthiness of the results.

use zerohop_result::{ExperimentResult, Grade, ResultFile};
use zerohop_workload::{Origin, TimeSpent, Warning, Weight};

use crate::evidence_summary::{Concern, Trust, concerns};
use crate::number::{counted, half_width, percent_at_least, percent_at_most};
use crate::page::Page;
use crate::state::State;

/// Most experiments that are listed by name beside a warning.
const NAMED: usize = 3;

/// Evidence and warnings of these experiments of a file.
pub(crate) fn write_trust(page: &mut Page, file: &ResultFile, experiments: &[&ExperimentResult]) {
    page.section("how far to trust it");
    write_evidence(page, file, experiments);
}

/// The same, without a head.
pub(super) fn write_evidence(page: &mut Page, file: &ResultFile, experiments: &[&ExperimentResult]) {
    let trust = Trust::over(experiments.iter().copied());
    if trust.cells > 0 {
        for (label, text) in evidence(&trust, file) {
            page.line(label, &text);
        }
    }
    let unknown = file.unknown();
    if !unknown.is_empty() {
        page.line("unknown", &format!("to this version of zerohop: {}", unknown.join(", ")));
    }
    let concerns = concerns(&file.warnings, experiments.iter().copied());
    if concerns.is_empty() {
        page.line("warnings", "none");
    } else {
        page.title("warnings", "");
        for concern in &concerns {
            // A note changes no value.
            let is_note = concern.gravest.weight() <= Weight::Note;
            let state = if is_note { State::Open } else { State::Warning };
            page.finding(state, &words(concern), file.advice_on(concern.gravest));
        }
    }
    if file.quality(experiments.iter().copied()).is_some() {
        page.blank();
        write_verdict(page, file, experiments);
    }
}

/// Trustworthiness of a result, in a few lines: evidence, and the gravest warning.
pub(super) fn write_trust_in_short(page: &mut Page, file: &ResultFile) {
    let trust = Trust::over(&file.experiments);
    let (origin, share) = match file.origin {
        Origin::Host(_) => (in_place(&trust), trust.cpu_share),
        Origin::Model(_) => ("computed by a model, not measured".to_owned(), None),
        Origin::Imported(_) => (file.origin.to_string(), None),
    };
    let share =
        share.map_or(String::new(), |share| format!("workers ran {} of the time", percent_at_least(share)));
    // Values of a model that is solved, not simulated, have no intervals.
    let margins = trust.margins().filter(|margins| typical(margins.widest).is_some());
    let margins = margins.map_or(String::new(), |margins| {
        let typical =
            typical(margins.typical).map_or(String::new(), |typical| format!("{typical} typical, "));
        format!("{typical}{}", margins.at_most(file.settings.interval))
    });
    let parts: Vec<String> = [origin, share, margins].into_iter().filter(|part| !part.is_empty()).collect();
    let concerns = concerns(&file.warnings, &file.experiments);
    let quality = file.quality(&file.experiments);
    if let Some(quality) = quality.as_ref().filter(|quality| quality.grade == Grade::Good) {
        page.line("verdict", &format!("good: {}; {}", quality.resolution, parts.join("; ")));
    } else if !write_verdict(page, file, &file.experiments.iter().collect::<Vec<_>>()) {
        page.line("trust", &parts.join("; "));
    }
    if quality.is_some() {
        if !concerns.is_empty() {
            page.remark(&format!(
                "{}: `zerohop show RESULT --all` prints them",
                counted(concerns.len(), "warning")
            ));
        }
        return;
    }
    // A note changes no value: on one screen, it is only counted.
    let gravest = concerns.first().filter(|gravest| gravest.gravest.weight() > Weight::Note);
    if let Some(gravest) = gravest {
        page.alert(&words(gravest), file.advice_on(gravest.gravest));
    } else if !concerns.is_empty() {
        page.remark(&format!("{}: `zerohop show RESULT --all` prints them", counted(concerns.len(), "note")));
    }
    if gravest.is_some() && concerns.len() > 1 {
        page.remark(&format!(
            "and {}: `zerohop show RESULT --all` prints them",
            counted(concerns.len() - 1, "more warning")
        ));
    }
}

/// Writes the verdict on a measurement, and what to do. Whether there is one: a model is not measured.
fn write_verdict(page: &mut Page, file: &ResultFile, experiments: &[&ExperimentResult]) -> bool {
    let Some(quality) = file.quality(experiments.iter().copied()) else { return false };
    page.line("verdict", &format!("{}: {}", quality.grade, quality.reason));
    if let Some(advice) = &quality.advice {
        page.line("what to do", advice);
    }
    true
}

fn evidence(trust: &Trust<'_>, file: &ResultFile) -> Vec<(&'static str, String)> {
    let foreign = match &file.origin {
        Origin::Host(_) => None,
        Origin::Model(_) => {
            Some("computed by a model from its machine file; simulated, not measured".to_owned())
        }
        Origin::Imported(_) => Some(file.origin.to_string()),
    };
    if let Some(origin) = foreign {
        return vec![
            ("origin", origin),
            ("samples", format!("{} for {}", counted(trust.samples, "sample"), counted(trust.cells, "cell"))),
            ("intervals", intervals(trust, file)),
        ];
    }
    vec![
        ("placement", placement(trust)),
        ("huge pages", huge_pages(trust)),
        ("CPU share", cpu_share(trust)),
        ("steal", trust.steal_share.map_or(String::new(), steal)),
        ("other load", trust.other_load.map_or(String::new(), other_load)),
        ("samples", samples(trust)),
        ("kernels", kernels(trust)),
        ("prefetchers", prefetchers(&file.settings.prefetchers_off)),
        ("clock", trust.clock_ghz.map_or(String::new(), |(low, high)| clock(low, high))),
        ("uncore clock", trust.uncore_ghz.map_or(String::new(), |(low, high)| clock(low, high))),
        ("power", trust.package_w.map_or(String::new(), |(low, high)| power(low, high))),
        ("bus traffic", bus_proof(trust)),
        (
            "page walks",
            trust.walks_per_line.map_or(String::new(), |most| format!("at most {most:.3} per line")),
        ),
        ("not readable", file.engine.not_seen.join("; ")),
        ("time", file.engine.time_spent.map_or(String::new(), time)),
        ("intervals", intervals(trust, file)),
    ]
}

/// Whether pages are where they were asked for, in short.
fn in_place(trust: &Trust<'_>) -> String {
    match trust.placed_share {
        Some(share) if share >= 1.0 && trust.placement_known == trust.cells => "pages in place".to_owned(),
        Some(share) if trust.placement_known == trust.cells => {
            format!("{} of pages in place", percent_at_least(share))
        }
        _ => "placement not proven".to_owned(),
    }
}

fn placement(trust: &Trust<'_>) -> String {
    match (trust.placed_share, trust.cells - trust.placement_known) {
        (None, _) => "not proven: page locations are unknown".to_owned(),
        (Some(share), unknown) => {
            let pages = counted(trust.pages_checked as usize, "page");
            let checked = if trust.pages > trust.pages_checked && trust.pages_checked > 0 {
                let part = trust.pages_checked as f64 / trust.pages as f64;
                format!("{pages} checked ({} of all)", percent_at_least(part))
            } else {
                format!("{pages} checked")
            };
            let proof = if share >= 1.0 {
                format!("proven: all {checked} are on the requested node")
            } else {
                format!("at least {} of {checked} are on the requested node", percent_at_least(share))
            };
            let again = trust.placement_known - trust.confirmed;
            let proof = match again {
                0 => format!("{proof}, before and after sampling"),
                _ if trust.confirmed == 0 => proof,
                _ => format!("{proof}; also after sampling, except for {}", counted(again, "cell")),
            };
            match unknown {
                0 => proof,
                unknown => format!("{proof}; not proven for {unknown} of {}", counted(trust.cells, "cell")),
            }
        }
    }
}

/// What the time went into, the largest part first; parts that round to nothing are left out.
fn time(spent: TimeSpent) -> String {
    let whole = spent.whole.get();
    if whole <= 0.0 {
        return String::new();
    }
    let mut parts = spent.parts();
    parts.sort_by(|(_, one), (_, other)| other.get().total_cmp(&one.get()));
    let shares = parts.iter().map(|(words, part)| (words, 100.0 * part.get() / whole));
    let shares =
        shares.filter(|(_, share)| *share >= 0.5).map(|(words, share)| format!("{share:.0} % {words}"));
    format!("of {:.1}: {}", spent.whole, shares.collect::<Vec<_>>().join(", "))
}

/// The forms of kernels that were fastest on this machine.
fn kernels(trust: &Trust<'_>) -> String {
    let forms: Vec<String> =
        trust.kernel_forms.iter().map(|(kernel, form)| format!("{kernel}: {form}")).collect();
    forms.join("; ")
}

fn huge_pages(trust: &Trust<'_>) -> String {
    match trust.huge_share {
        None if trust.huge_wanted == 0 => "not requested".to_owned(),
        None => "unknown: the backing of buffers could not be read".to_owned(),
        Some(share) if share >= 1.0 => "back all of every buffer".to_owned(),
        Some(share) => format!("back at least {} of every buffer", percent_at_least(share)),
    }
}

fn cpu_share(trust: &Trust<'_>) -> String {
    let Some(share) = trust.cpu_share else { return String::new() };
    let switches = match trust.involuntary_switches {
        0 => String::new(),
        count => format!("; descheduled {}", counted(count as usize, "time")),
    };
    format!("workers ran at least {} of the time{switches}", percent_at_least(share))
}

fn steal(share: f64) -> String {
    match percent_at_most(share).as_str() {
        "0 %" => "none seen".to_owned(),
        share => format!("a hypervisor took at most {share} of the time"),
    }
}

fn other_load(cpus: f64) -> String {
    match format!("{cpus:.1}").as_str() {
        "0.0" => "none seen".to_owned(),
        cpus => format!("other programs used at most {cpus} CPUs"),
    }
}

fn samples(trust: &Trust<'_>) -> String {
    let disturbed = match trust.disturbed {
        0 => ", none disturbed".to_owned(),
        count if trust.let_in == 0 => format!("; {count} disturbed ones discarded and repeated"),
        count => {
            format!("; {count} were disturbed, of which {} are used for lack of quiet ones", trust.let_in)
        }
    };
    format!("{} for {}{disturbed}", counted(trust.samples, "sample"), counted(trust.cells, "cell"))
}

fn prefetchers(off: &[String]) -> String {
    if off.is_empty() { String::new() } else { format!("switched off: {}", off.join(", ")) }
}

fn clock(low: f64, high: f64) -> String {
    if high - low < 0.005 { format!("{high:.2} GHz") } else { format!("{low:.2} to {high:.2} GHz") }
}

fn power(low: f64, high: f64) -> String {
    format!("{low:.0} to {high:.0} W, all packages")
}

/// How close the traffic that memory controllers counted is to the one computed.
fn bus_proof(trust: &Trust<'_>) -> String {
    let Some((low, high)) = trust.bus_proof else { return String::new() };
    format!(
        "memory controllers counted {:.0} to {:.0} % of the traffic computed for {}",
        low * 100.0,
        high * 100.0,
        counted(trust.bus_proofs, "cell")
    )
}

/// The typical margin, if there is one: most values of a model that is computed have none, and "±0 %" reads as a promise.
fn typical(margin: f64) -> Option<String> {
    Some(half_width(margin)).filter(|shown| *shown != half_width(0.0))
}

fn intervals(trust: &Trust<'_>, file: &ResultFile) -> String {
    let Some(margins) = trust.margins() else { return String::new() };
    let confidence = file.settings.confidence;
    let asked = file.settings.interval;
    if typical(margins.widest).is_none() {
        return "none: no value has one".to_owned();
    }
    let typical = typical(margins.typical).map_or(String::new(), |typical| format!("{typical} typically, "));
    format!(
        "{typical}{}, at {} confidence (requested: {})",
        margins.at_most(asked),
        percent_at_least(confidence),
        half_width(asked),
    )
}

/// A warning, the number of values that carry it, and their experiments.
fn words(concern: &Concern<'_>) -> String {
    let place = match concern.experiments.len() {
        0 => String::new(),
        count if count > NAMED => format!(" in {}", counted(count, "experiment")),
        _ => {
            let names: Vec<&str> =
                concern.experiments.iter().map(zerohop_result::ExperimentName::as_str).collect();
            format!(" in {}", names.join(", "))
        }
    };
    let gravest = match concern.gravest {
        Warning::ExperimentSkipped { experiment, reason } if !concern.others.is_empty() => {
            format!("{experiment} and {} more skipped: {reason}", concern.others.len())
        }
        gravest => gravest.to_string(),
    };
    match concern.cells {
        0 => format!(
            "{gravest}{}",
            if place.is_empty() { place } else { format!(" ({})", place.trim_start()) }
        ),
        1 => format!("{gravest} (1 cell{place})"),
        count => format!("{gravest} (the worst of {}{place})", counted(count, "cell")),
    }
}
