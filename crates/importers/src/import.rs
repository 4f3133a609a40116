//! Imports a text: finds its formats, reads each, and makes results of what they found.

use std::collections::BTreeMap;
use std::sync::Arc;

use zerohop_result::Completion;
use zerohop_units::Hertz;

use crate::attribution;
use crate::bits;
use crate::checker;
use crate::documents;
use crate::error::ImportError;
use crate::facts::{Facts, read_surroundings};
use crate::formats::{Format, Sign, parts_of_metrics, read_nodes};
use crate::harvest::Harvest;
use crate::host_part::Part;
use crate::hosts::cells::by_cells;
use crate::hosts::{Parts, Report, parts};
use crate::imported::{HostWithoutValues, Import, Imported, Unread, UnreadLines};
use crate::joined_lines;
use crate::lines::Text;
use crate::mail;
use crate::markup;
use crate::page;
use crate::problem::quoted;
use crate::result_builder::{Source, finish};
use crate::strings;
use crate::sweep;

/// What the user knows about a text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hints {
    /// Its format; without one, those are read that are recognized in it.
    pub format: Option<Format>,
    /// The clock of its processor, for tools that count cycles.
    pub clock: Option<Hertz>,
}

impl From<Option<Format>> for Hints {
    fn from(format: Option<Format>) -> Self {
        Self { format, clock: None }
    }
}

/// Who looks for a format in a longer text looks for digits first.
const LONGEST_OF_WORDS: usize = 4096;

/// Reads the output of other tools. `name` is the name of the file, for messages and for the origin.
///
/// A text may hold several runs, of several tools, on several hosts. Each run is a result; a value that comes again begins the
/// next run.
///
/// # Errors
/// When no format is recognized, or the text does not have what its format must have. Of several hosts, one is enough: the lines of
/// others are then among those that were not read.
pub fn import(name: &str, text: &str, hints: impl Into<Hints>) -> Result<Vec<Imported>, ImportError> {
    import_hosts(name, text, hints).map(|import| import.results)
}

/// The same, with the hosts of which the text has no values.
///
/// # Errors
/// As above.
pub fn import_hosts(name: &str, text: &str, hints: impl Into<Hints>) -> Result<Import, ImportError> {
    let hints = hints.into();
    // No value is written without a digit, in whatever encoding.
    if hints.format.is_none() && text.len() > LONGEST_OF_WORDS && !text.contains(char::is_numeric) {
        return Err(ImportError::unrecognized(name, text));
    }
    let unwrapped = unwrapped(text);
    let text = unwrapped.as_deref().unwrap_or(text);
    match parts_of_metrics(text).or_else(|| parts(text)).filter(|parts| are_of_hosts(parts, hints)) {
        Some(parts) => of_hosts(name, &parts, hints),
        None => match read(name, Text::new(text).of(name, hints.clock), hints.format) {
            Ok(Reading { harvests, facts, unread }) => {
                let unread = UnreadLines::new(unread, &Arc::default());
                let results = finish(Source { file: name, host: None }, harvests, facts, &unread, &[]);
                Ok(Import { results, without_values: Vec::new() })
            }
            Err(error) => match by_cells(text).filter(|parts| are_of_hosts(parts, hints)) {
                Some(parts) => of_hosts(name, &parts, hints),
                None => Err(error),
            },
        },
    }
}

/// The text inside a mail, a web page, strings of JSON, tables of markup, or lists of hosts, and joined lines apart; `None` if it is as it was.
fn unwrapped(text: &str) -> Option<String> {
    let mail = mail::plain(text);
    let inside = strings::inside(mail.as_deref().unwrap_or(text)).or(mail);
    let page = page::plain(inside.as_deref().unwrap_or(text)).or(inside);
    let markup = markup::plain(page.as_deref().unwrap_or(text)).or(page);
    let listed = checker::plain(markup.as_deref().unwrap_or(text)).or(markup);
    joined_lines::apart(listed.as_deref().unwrap_or(text)).or(listed)
}

/// So many bytes of all hosts together show whether a text is of hosts.
const ENOUGH: usize = 256 << 10;

/// Whether parts are what tools printed: some part is then recognized, and nothing above the first.
fn are_of_hosts(parts: &Parts, hints: Hints) -> bool {
    let strongest = |part: Part| {
        let signs = Format::signs(&Text::of_part(part)).into_iter();
        let of_hint = signs.filter(|(format, _)| hints.format.is_none_or(|wanted| wanted == *format));
        of_hint.map(|(_, sign)| sign).max().unwrap_or(Sign::None)
    };
    let is_known = |sign: Sign| match hints.format {
        Some(_) => sign > Sign::None || !parts.by_heading,
        None => sign == Sign::Certain,
    };
    if parts.is_thin {
        // One in a while has the words of its shell instead: `bash: stream: command not found`.
        let known = parts.of_hosts().map(|(_, part)| strongest(part)).filter(|sign| is_known(*sign)).count();
        let all = parts.of_hosts().count();
        return known == all || known > 1 && 2 * known > all;
    }
    let mut looked_at = 0;
    let mut some = parts.of_hosts().take_while(|(_, part)| {
        let is_enough = looked_at > ENOUGH;
        looked_at += part.text.len();
        !is_enough
    });
    // Columns of numbers alone are enough where the name before each line is clearly one of a host.
    let is_any = |(host, part): (&str, Part)| {
        let is_name = host.contains(|one: char| one.is_ascii_digit()) && host.contains(char::is_alphabetic);
        let sign = strongest(part);
        is_known(sign) || !parts.by_heading && is_name && sign > Sign::None
    };
    some.any(is_any) && !(parts.by_heading && is_known(strongest(parts.rest())))
}

/// No text is of more hosts: lines of further ones are among those that are not read.
const MOST_HOSTS: usize = 10_000;

fn of_hosts(name: &str, parts: &Parts, hints: Hints) -> Result<Import, ImportError> {
    let mut of_no_host = unread(&Text::of_part(parts.rest()));
    let (mut readings, mut failures) = (Vec::new(), Vec::new());
    let mut without_values = Vec::new();
    let mut reports: BTreeMap<String, String> = BTreeMap::new();
    for Report { host, message } in &parts.reports {
        reports.entry(shown_host(host)).or_insert_with(|| message.clone());
    }
    for (host, part) in parts.of_hosts() {
        let host = shown_host(host);
        if readings.len() + failures.len() == MOST_HOSTS {
            of_no_host.extend(unread(&Text::of_part(part)));
            let why = format!("the text is read only up to host number {MOST_HOSTS}");
            without_values.push(HostWithoutValues { host, why });
            continue;
        }
        let text = Text::of_part(part).of(name, hints.clock);
        let lines = unread(&text);
        let said = told(text.raw());
        match read(name, text, hints.format) {
            Ok(reading) => {
                let failure = reports.remove(&host);
                readings.push((host, reading, failure));
            }
            Err(error) => {
                of_no_host.extend(lines);
                let why = match (reports.remove(&host), &error) {
                    (Some(report), _) => format!("{report}: {said}"),
                    (None, ImportError::Broken { .. }) => error.to_string(),
                    (None, _) => format!("it printed no values: {said}"),
                };
                without_values.push(HostWithoutValues { host: host.clone(), why });
                failures.push((host, error));
            }
        }
    }
    let left_out = failures.iter().map(|(host, error)| format!("{host}: {error}"));
    let silent = reports.iter().map(|(host, message)| format!("{host}: {message}"));
    let left_out: Vec<String> = left_out.chain(silent).collect();
    without_values.extend(reports.into_iter().map(|(host, why)| HostWithoutValues { host, why }));
    if readings.is_empty()
        && let Some((_, error)) = failures.into_iter().next()
    {
        return Err(error);
    }
    of_no_host.sort_by_key(|range| range.first);
    let of_no_host: Arc<[Unread]> = of_no_host.into();
    let results = readings.into_iter().flat_map(|(host, Reading { harvests, facts, unread }, failure)| {
        let unread = UnreadLines::new(unread, &of_no_host);
        let mut results =
            finish(Source { file: name, host: Some(&host) }, harvests, facts, &unread, &left_out);
        // Its command did not come to its end.
        if failure.is_some()
            && let Some(last) = results.last_mut()
        {
            last.result.completion = Completion::Interrupted;
        }
        results
    });
    Ok(Import { results: results.collect(), without_values })
}

/// A host as results call it: `srun` and `mpirun` number their tasks.
fn shown_host(host: &str) -> String {
    let is_number = host.bytes().all(|one| one.is_ascii_digit() || one == b',');
    if is_number { format!("task {host}") } else { host.to_owned() }
}

/// The line of a text without values that says most, in quotation marks: the message of Ansible, or the first one.
fn told(text: &str) -> String {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let message = lines().find_map(|line| line.strip_prefix("\"msg\":"));
    let message = message.map(|message| message.trim().trim_end_matches(',').trim_matches('"'));
    quoted(message.or_else(|| lines().next()).unwrap_or_default())
}

/// What a text holds.
struct Reading {
    harvests: Vec<(Format, Harvest)>,
    facts: Facts,
    unread: Vec<Unread>,
}

fn read(name: &str, mut text: Text, forced: Option<Format>) -> Result<Reading, ImportError> {
    if text.lines().next().is_none() {
        return Err(ImportError::Empty { file: name.to_owned() });
    }
    let formats = match forced {
        Some(format) => {
            text = if format.reads_cells() { text } else { text.with_tabs() };
            vec![format]
        }
        None => {
            let mut signs = Format::signs(&text);
            if !signs.iter().any(|(format, _)| format.reads_cells()) && text.take_tabs() {
                signs = Format::signs(&text);
            }
            recognized(&signs)
        }
    };
    if formats.is_empty()
        && let Some(found) = documents::matrices(text.raw())
    {
        let lines = Text::new(&found.lines).of(name, text.clock());
        let mut reading = read(name, lines, Some(Format::MATRICES))?;
        reading
            .harvests
            .iter_mut()
            .for_each(|(_, harvest)| harvest.left_out.extend(found.others.iter().cloned()));
        return Ok(reading);
    }
    let unrecognized = formats.is_empty().then(|| ImportError::unrecognized(name, text.raw()));
    if let Some(error) = unrecognized.as_ref().filter(|error| error.is_of_another_tool()) {
        return Err(error.clone());
    }
    let mut facts = Facts::default();
    let mut harvests = Vec::new();
    let (mut problem, mut unfounded) = (None, None);
    let (is_recognized, several) = (!formats.is_empty(), formats.len() > 1);
    for format in formats {
        match format.read(name, &mut text) {
            Ok(harvest) => harvests.push((format, harvest)),
            // The text may only mention that tool.
            Err(error) if error.line.is_none() && several => {
                unfounded = unfounded.or_else(|| Some(ImportError::broken(name, format.name(), error)));
            }
            Err(error) => {
                let error = text.in_file(error);
                problem = problem.or_else(|| Some(ImportError::broken(name, format.name(), error)));
            }
        }
    }
    if let Some(error) = problem {
        return Err(error);
    }
    // The nodes and the processor often stand beside the values of another tool.
    if text.open().next().is_some()
        && let Err(error) = read_nodes(&mut text, &mut facts)
    {
        return Err(ImportError::broken(name, Format::NODES.name(), text.in_file(error)));
    }
    let has_values = harvests.iter().any(|(_, harvest)| !harvest.runs.is_empty());
    read_surroundings(&mut text, &mut facts, has_values);
    harvests.iter_mut().for_each(|(_, harvest)| sweep::join(harvest));
    harvests.iter_mut().for_each(|(_, harvest)| attribution::settle(harvest));
    harvests.retain(|(_, harvest)| !harvest.is_empty());
    if let Some(cut) = text.cut() {
        let what = format!("`{cut}`, the last number, may be cut off by the end of the file");
        harvests.iter_mut().for_each(|(_, harvest)| harvest.left_out.push(what.clone()));
    }
    if let Some(reason) = bits::doubt(text.raw(), |rank| text.is_read(rank), |rank| text.number(rank)) {
        harvests.iter_mut().for_each(|(_, harvest)| harvest.doubt_bandwidths(&reason));
    }
    // Without a format, a text is one that describes a machine in other ways.
    let is_nothing = facts.has_no_nodes() && (is_recognized || !facts.has_more_than_nodes());
    if harvests.is_empty() && is_nothing {
        return Err(unfounded
            .or(unrecognized)
            .unwrap_or_else(|| ImportError::unrecognized(name, text.raw())));
    }
    Ok(Reading { harvests, facts, unread: unread(&text) })
}

/// The lines that no format has read.
fn unread(text: &Text) -> Vec<Unread> {
    let unread = text.unread().into_iter().map(|(first, last, line)| {
        let text = quoted(line);
        Unread { first, last, text }
    });
    unread.collect()
}

/// The formats of which a text bears certain signs or, without any, the first one of which it bears likely signs: likely signs of several
/// formats are those of one text, which only one of them should read.
fn recognized(signs: &[(Format, Sign)]) -> Vec<Format> {
    let of = |wanted: Sign| signs.iter().filter(move |(_, sign)| *sign == wanted).map(|(format, _)| *format);
    let certain: Vec<Format> = of(Sign::Certain).collect();
    if certain.is_empty() { of(Sign::Likely).take(1).collect() } else { certain }
}
