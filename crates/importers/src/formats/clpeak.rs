//! clpeak: its log, its JSON (formats 2 and 3), its CSV (format 2) and its XML.
//!
//! What it measures of memory is kept: reads of global memory by width of access, transfers, local and image memory, latencies of
//! caches and of memory. Its rates of arithmetic are left out by name. GBPS are 10^9 bytes/s. On the processor of
//! the host, reads of global memory by width are the same measurement as `global-bandwidth`; clpeak does not say on which nodes its memory is.

mod devices;

use roxmltree::{Document, ParsingOptions};
use serde_json::Value as Json;
use zerohop_result::Measure;

use crate::format::{Declaration, Sign};
use crate::harvest::Harvest;
use crate::lines::Text;
use crate::number::{Token, first_number};
use crate::problem::Problem;
use crate::sample::Sample;
use crate::structured::{fields, has_fields, json, json_start, number_of, text_of, xml_of};

use devices::{Device, Found};

pub(super) const FORMAT: Declaration = Declaration {
    name: "clpeak",
    words: "clpeak, its log, its JSON, its CSV or its XML",
    marks: &["memory bandwidth (", "bandwidth (gb", "clpeak", "device,test"],
    sign,
    cells: true,
    read,
};

fn sign(text: &Sample<'_>) -> Sign {
    let raw = text.raw();
    if raw.contains("<clpeak") {
        return Sign::Certain;
    }
    if text.has_json() {
        let is_clpeak = raw.contains("\"clpeak_version\"") || raw.contains("clpeak/run");
        return if is_clpeak { Sign::Certain } else { Sign::None };
    }
    if text.any_as_is(|line| columns(line).is_some()) {
        return Sign::Certain;
    }
    let bandwidth = |line: &str| section(line).is_some_and(|(title, _)| title.contains("bandwidth"));
    let is_log =
        text.any_as_is(bandwidth) && text.any_as_is(|line| line.starts_with("float") && line.contains(':'));
    if is_log { Sign::Certain } else { Sign::None }
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let mut found = Found::default();
    if text.raw().contains("<clpeak") {
        of_xml(text, &mut found)?;
    } else if json_start(text.raw()).is_some() {
        of_json(text, &mut found)?;
    } else if text.lines().any(|(_, line)| columns(line).is_some()) {
        of_csv(text, &mut found)?;
    } else {
        of_log(text, &mut found)?;
    }
    let harvest = found.harvest();
    if harvest.is_empty() {
        return Err(Problem::of_text("a bandwidth or a latency of memory", "none"));
    }
    Ok(harvest)
}

/// The measure and the factor to its unit, if a test is about memory.
fn measure_of(test: &str, unit: &str) -> Option<(Measure, f64)> {
    let about = test.to_ascii_lowercase();
    let memory = ["bandwidth", "memory", "latency", "transfer", "cache", "dram"]
        .iter()
        .any(|word| about.contains(word));
    let launch = about.contains("launch");
    let (measure, factor) = match unit.to_ascii_lowercase().as_str() {
        "gbit/s" => (Measure::Bandwidth, 0.125),
        "gbps" | "gb/s" => (Measure::Bandwidth, 1.0),
        "mbps" | "mb/s" => (Measure::Bandwidth, 1e-3),
        "b/s" => (Measure::Bandwidth, 1e-9),
        "ns" => (Measure::Latency, 1.0),
        "us" => (Measure::Latency, 1e3),
        "s" => (Measure::Latency, 1e9),
        _ => return None,
    };
    (memory && !launch).then_some((measure, factor))
}

/// `Global memory bandwidth (GBPS)`: the title in lower case, and the unit.
fn section(line: &str) -> Option<(String, String)> {
    let (title, unit) = line.strip_suffix(')')?.rsplit_once('(')?;
    let is_unit = unit.len() <= 8 && unit.chars().all(|one| one.is_ascii_alphabetic() || one == '/');
    (is_unit && !title.contains(':') && !unit.is_empty())
        .then(|| (title.trim().to_ascii_lowercase(), unit.to_owned()))
}

fn of_log(text: &mut Text, found: &mut Found) -> Result<(), Problem> {
    let (mut device, mut platform, mut backend) = (None, String::new(), String::new());
    let mut current: Option<(String, Option<(Measure, f64)>)> = None;
    for rank in 0..text.len() {
        let line = text.line(rank).to_owned();
        if line.is_empty() {
            continue;
        }
        if let Some((title, unit)) = section(&line) {
            let measure = measure_of(&title, &unit);
            if measure.is_none() {
                found.leave_out(&line);
            }
            current = Some((title, measure));
            text.mark(rank);
            continue;
        }
        let Some((name, value)) = line.rsplit_once(':') else {
            if KNOWN.iter().any(|known| line.to_ascii_lowercase().contains(known)) {
                text.mark(rank);
            }
            continue;
        };
        let (name, value) = (name.trim(), value.trim());
        // Since version 2, platforms and devices have numbers.
        let lower = name.to_ascii_lowercase();
        match lower.trim_end_matches(|one: char| one.is_ascii_digit() || one == ' ') {
            "backend" => {
                found.begin_platform();
                (backend, platform, device, current) = (value.to_owned(), String::new(), None, None);
            }
            "platform" => {
                found.begin_platform();
                (platform, device, current) = (value.to_owned(), None, None);
            }
            "device" => {
                device = Some(found.device(Device::of(value, &platform, &backend, None)));
                current = None;
            }
            "driver version" | "compute units" | "clock frequency" | "vendor" => current = None,
            "kernel launch latency" => found.leave_out(&line),
            _ => match &current {
                // Of a section that is left out.
                Some((_, None)) => {}
                Some((title, Some((measure, factor)))) => match Token::of(value) {
                    Token::Number(number) => {
                        let device = *device.get_or_insert_with(|| {
                            found.device(Device::of("device", &platform, &backend, None))
                        });
                        found.add(device, (title, name), *measure, number * factor);
                    }
                    _ if value.is_empty() => continue,
                    _ if value.contains(' ') || !name.starts_with("float") => continue,
                    _ => return Err(Problem::at(rank + 1, format!("the rate of {name}"), value)),
                },
                None => continue,
            },
        }
        text.mark(rank);
    }
    Ok(())
}

const KNOWN: [&str; 5] =
    ["skipped", "warnings generated", "not supported", "no double precision", "no half precision"];

fn of_json(text: &mut Text, found: &mut Found) -> Result<(), Problem> {
    let value = json(text)?;
    found.version = text_of(&value, "clpeak_version").map(str::to_owned);
    if let Some(entries) = value.get("entries").and_then(Json::as_array) {
        for entry in entries {
            let text = |key| text_of(entry, key).unwrap_or_default();
            let (test, unit) = (text("test"), text("unit"));
            match (measure_of(test, unit), entry.get("value").and_then(number_of)) {
                (Some((measure, factor)), Some(number)) => {
                    let device = Device::of(text("device"), text("platform"), text("backend"), None);
                    let device = found.known(device);
                    found.add(device, (test, text("metric")), measure, number * factor);
                }
                _ => found.leave_out(&test.replace('_', " ")),
            }
        }
    }
    for device in value.get("devices").and_then(Json::as_array).into_iter().flatten() {
        let name = text_of(device, "name").unwrap_or("device");
        let platform = text_of(device, "platform").unwrap_or_default();
        // Several backends run on one device.
        let backend = text_of(device, "backend").unwrap_or_default();
        let at = found.device(Device::of(name, platform, backend, text_of(device, "type")));
        for test in device.get("tests").and_then(Json::as_array).into_iter().flatten() {
            let id = text_of(test, "id").unwrap_or_default();
            for metric in test.get("metrics").and_then(Json::as_array).into_iter().flatten() {
                let unit = text_of(metric, "unit").or_else(|| text_of(test, "unit")).unwrap_or_default();
                match (measure_of(id, unit), metric.get("value").and_then(number_of)) {
                    (Some((measure, factor)), Some(number)) => {
                        let metric = text_of(metric, "id").unwrap_or_default();
                        found.add(at, (id, metric), measure, number * factor);
                    }
                    _ => found.leave_out(&id.replace('_', " ")),
                }
            }
        }
    }
    Ok(())
}

/// The columns of comma-separated values.
struct Columns {
    names: Vec<String>,
}

/// `format_version,backend,platform,device,driver,category,test,metric,unit,status,value,reason`; files of format 1 have fewer.
fn columns(line: &str) -> Option<Columns> {
    if !has_fields(line) {
        return None;
    }
    let names = fields(&line.to_ascii_lowercase());
    let has = |name: &str| names.iter().any(|known| known == name);
    ["device", "test", "metric", "unit", "value"].into_iter().all(has).then_some(Columns { names })
}

impl Columns {
    fn field<'a>(&self, row: &'a [String], name: &str) -> &'a str {
        let column = self.names.iter().position(|known| known == name);
        column.and_then(|column| row.get(column)).map_or("", String::as_str)
    }
}

fn of_csv(text: &mut Text, found: &mut Found) -> Result<(), Problem> {
    let mut head: Option<Columns> = None;
    for rank in 0..text.len() {
        let line = text.line(rank).to_owned();
        if let Some(columns) = columns(&line) {
            head = Some(columns);
            text.mark(rank);
            continue;
        }
        let row = fields(&line);
        // Other lines of a log may have commas, too.
        let Some(columns) = head.as_ref().filter(|head| 2 * row.len() > head.names.len()) else { continue };
        if row.len() != columns.names.len() {
            let expected = format!("{} fields, as in the head", columns.names.len());
            return Err(Problem::at(rank + 1, expected, line));
        }
        let field = |name: &str| columns.field(&row, name);
        let (test, unit) = (field("test"), field("unit"));
        match (measure_of(test, unit), Token::of(field("value"))) {
            (Some((measure, factor)), Token::Number(number)) => {
                let device = Device::of(field("device"), field("platform"), field("backend"), None);
                let device = found.known(device);
                found.add(device, (test, field("metric")), measure, number * factor);
            }
            (Some(_), Token::Word) if !field("value").is_empty() => {
                let expected = format!("the rate of {} in {unit}", field("metric"));
                return Err(Problem::at(rank + 1, expected, field("value")));
            }
            (Some(_), _) if !field("reason").is_empty() => {
                found.leave_out(&format!(
                    "{} {}: {}",
                    test.replace('_', " "),
                    field("metric"),
                    field("reason")
                ));
            }
            _ => found.leave_out(&test.replace('_', " ")),
        }
        text.mark(rank);
    }
    Ok(())
}

/// Format 2 has `run`, `category`, `test` and `metric`; earlier versions have an element for each device, test and metric.
fn of_xml(text: &mut Text, found: &mut Found) -> Result<(), Problem> {
    let raw = text.raw().to_owned();
    let (xml, before) = xml_of(&raw, "clpeak").ok_or_else(|| Problem::of_text("XML", "none"))?;
    let document =
        Document::parse_with_options(xml, ParsingOptions { allow_dtd: true, ..ParsingOptions::default() })
            .map_err(|error| {
                let line = before + error.pos().row as usize;
                Problem::at(line, "XML", raw.lines().nth(line.saturating_sub(1)).unwrap_or_default())
            })?;
    let root = document.root_element();
    found.version = root.attribute("clpeak_version").map(str::to_owned);
    for device in root.descendants().filter(|node| node.has_tag_name("run") || node.has_tag_name("device")) {
        let name = device.attribute("device").or_else(|| device.attribute("name")).unwrap_or("device").trim();
        let platform = device
            .attribute("platform")
            .or_else(|| device.parent_element().and_then(|platform| platform.attribute("name")))
            .unwrap_or_default();
        let backend = device.attribute("backend").unwrap_or_default();
        let at = found.device(Device::of(name, platform, backend, None));
        for test in device.descendants().filter(|node| node.attribute("unit").is_some()) {
            let id = test.attribute("name").unwrap_or_else(|| test.tag_name().name());
            let Some((measure, factor)) = measure_of(id, test.attribute("unit").unwrap_or_default()) else {
                found.leave_out(&id.replace('_', " "));
                continue;
            };
            let metrics: Vec<_> = test.children().filter(roxmltree::Node::is_element).collect();
            for metric in if metrics.is_empty() { vec![test] } else { metrics } {
                let name_of = metric.attribute("name").unwrap_or_else(|| metric.tag_name().name());
                if let Some(number) = metric.text().and_then(first_number) {
                    found.add(at, (id, name_of), measure, number * factor);
                }
            }
        }
    }
    let last = before + xml.matches('\n').count();
    (before..=last).for_each(|rank| text.mark(rank));
    Ok(())
}
